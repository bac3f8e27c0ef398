# SPDX-License-Identifier: Apache-2.0
"""XIOS's XML: the files that `src` includes, elements that are defined in several places, and attributes that come from
groups (descent) and from what field_ref, axis_ref, domain_ref and grid_ref name (reference)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape, unescape
from pathlib import Path
from typing import Final

from weir.streams.written import Notes

# Of a tag that ends in _group or _definition: what it groups.
KINDS: Final = ("field", "file", "axis", "domain", "grid", "scalar", "variable")
NOT_INHERITED: Final = frozenset({"id", "src", "group_ref"})


class XiosError(ValueError):
    """A table that cannot be read; the text says what is wrong and where."""


@dataclass
class Element:
    """One of a file, as it stands there."""

    tag: str
    attributes: dict[str, str]
    text: str = ""
    children: list["Element"] = field(default_factory=list)

    def all(self) -> Iterator["Element"]:
        yield self
        for child in self.children:
            yield from child.all()


def kind_of(tag: str) -> str:
    return tag.removesuffix("_group").removesuffix("_definition")


class Node:
    """An element, with what `src` includes in it."""

    def __init__(self, tag: str, attributes: dict[str, str], parent: "Node | None") -> None:
        self.tag, self.own, self.parent = tag, attributes, parent
        self.kind = kind_of(tag)
        self.children: list[Node] = []
        self.text = ""

    def below(self, *tags: str) -> "Iterator[Node]":
        """All elements in it with one of these tags, in the order of the file."""
        for child in self.children:
            if child.tag in tags:
                yield child
            yield from child.below(*tags)

    def inherited(self) -> dict[str, str]:
        """Its attributes, and those of the groups that it is in."""
        above = self.parent.inherited() if self.parent and self.parent.kind == self.kind and self.kind in KINDS else {}
        return {**{key: value for key, value in above.items() if key not in NOT_INHERITED}, **self.own}


class Tree:
    """A table with its includes. What cannot be included is told to `left_out`."""

    def __init__(self, path: Path, left_out: Notes) -> None:
        self._folder, self._left_out = path.parent, left_out
        self._known: dict[tuple[str, str], Node] = {}
        self.root = Node("table", {}, None)
        self._add(parse(path), path, self.root, frozenset({path.resolve()}))

    def contexts(self) -> list[Node]:
        """Those of models; without any, the table itself."""
        found = [node for node in self.root.below("context") if node.own.get("id") != "xios"]
        return found or [self.root]

    def _add(self, element: Element, path: Path, parent: Node, open_files: frozenset[Path]) -> None:
        node = self._node(element, parent)
        node.text = element.text.strip() or node.text
        for name in element.attributes.get("src", "").replace(",", " ").split():
            self._include(name, path, node, open_files)
        for child in element.children:
            self._add(child, path, node, open_files)

    def _node(self, element: Element, parent: Node) -> Node:
        """One element of one name, wherever its parts stand; but fields in a file are that file's own."""
        node = Node(element.tag, dict(element.attributes), parent)
        key = (node.tag, element.attributes.get("id", ""))
        may_be_again = key[1] and node.kind in KINDS and not (node.kind == "field" and is_in_file(parent))
        if may_be_again and key in self._known:
            self._known[key].own.update(element.attributes)
            return self._known[key]
        if may_be_again:
            self._known[key] = node
        parent.children.append(node)
        return node

    def _include(self, name: str, path: Path, node: Node, open_files: frozenset[Path]) -> None:
        """XIOS looks from the folder of the run; here that of the table, or of the file that includes."""
        found = next((each for each in (self._folder / name, path.parent / name) if each.is_file()), None)
        if found is None:
            self._left_out.add(name, "the file that src names is not there: what it defines is not known")
            return
        if found.resolve() in open_files:
            raise XiosError(f"{found} includes itself")
        element = parse(found)
        inside = open_files | {found.resolve()}
        if element.tag != node.tag:
            same = (node.tag, node.own.get("id"))
            matching = [each for each in element.all() if (each.tag, each.attributes.get("id")) == same]
            element = matching[0] if matching else element
        node.own.update({key: value for key, value in element.attributes.items() if key not in node.own})
        for child in element.children:
            self._add(child, found, node, inside)


def is_in_file(node: Node | None) -> bool:
    return node is not None and (node.kind == "file" or is_in_file(node.parent))


NOT_READ: Final = re.compile(r"<!--.*?-->|<\?.*?\?>|<!DOCTYPE[^>]*>", re.DOTALL)
ATTRIBUTE: Final = r"""([\w:.-]+)\s*=\s*("[^"]*"|'[^']*')"""
TAG: Final = re.compile(rf"<\s*(/?)\s*([\w:.-]+)((?:\s*{ATTRIBUTE})*)\s*(/?)\s*>")


def parse(path: Path) -> Element:
    """The file's outermost element. As XIOS does it takes what strict readers of XML refuse, a < within an attribute for
    instance."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise XiosError(f"{path} cannot be read: {error.strerror}") from error
    text = NOT_READ.sub(lambda match: "\n" * match[0].count("\n"), text)
    text = re.sub(r"<!\[CDATA\[(.*?)\]\]>", lambda match: escape(match[1]), text, flags=re.DOTALL)
    open_elements = [Element("", {})]
    at = 0
    while (begin := text.find("<", at)) >= 0:
        open_elements[-1].text += unescape(text[at:begin])
        tag = TAG.match(text, begin)
        line = text.count("\n", 0, begin) + 1
        if tag is None:
            raise XiosError(f"{path}, line {line}: {text[begin:begin + 40]!r} is no element of XML")
        ends, name, attributes, is_empty = tag[1], tag[2], tag[3], tag[6]
        if ends:
            if open_elements[-1].tag != name or len(open_elements) == 1:
                raise XiosError(
                    f"{path}, line {line}: </{name}> ends no element that is open; that is <{open_elements[-1].tag}>"
                )
            open_elements.pop()
        else:
            found = re.findall(ATTRIBUTE, attributes)
            element = Element(name, {key: unescape(value[1:-1]) for key, value in found})
            open_elements[-1].children.append(element)
            if not is_empty:
                open_elements.append(element)
        at = tag.end()
    if len(open_elements) > 1:
        raise XiosError(f"{path}: <{open_elements[-1].tag}> has no end")
    if not open_elements[0].children:
        raise XiosError(f"{path} has no element of XML")
    return open_elements[0].children[0]


class Names:
    """The elements of a context by their id, and what they are after descent and reference."""

    def __init__(self, context: Node) -> None:
        self._elements = {
            (node.tag, node.own["id"]): node
            for node in context.below(*KINDS, *(f"{kind}_group" for kind in KINDS))
            if "id" in node.own and not (node.kind == "field" and is_in_file(node.parent))
        }

    def find(self, tag: str, name: str) -> Node | None:
        return self._elements.get((tag, name))

    def chain(self, node: Node) -> list[Node]:
        """The element, what it refers to, what that refers to, ..."""
        nodes = [node]
        while (name := nodes[-1].inherited().get(f"{node.kind}_ref")) is not None:
            base = self.find(node.kind, name)
            if base is None or base in nodes:
                break
            nodes.append(base)
        return nodes

    def resolved(self, node: Node) -> dict[str, str]:
        """Its attributes; those that it has not, or its groups, are what it refers to has."""
        attributes: dict[str, str] = {}
        for each in reversed(self.chain(node)):
            attributes.update({key: value for key, value in each.inherited().items() if key != "id"})
        return attributes


def is_true(text: str | None, usual: bool) -> bool:
    return usual if text is None else text.strip().strip(".").lower() in ("true", "t", "1", "yes")
