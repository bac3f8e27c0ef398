# SPDX-License-Identifier: Apache-2.0
"""Streams as Weir's configuration writes them, with comments that say what is not in them, and why."""

import json
import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from weir.streams.intervals import Interval

COLUMNS: Final = 118
# What a reader of YAML takes for something else than a text.
NOT_PLAIN: Final = re.compile(r"(?i)yes|no|on|off|true|false|null|y|n|\.?nan|\.?inf")


class Notes:
    """What is to be said, by the sentence, each with all that it is said of."""

    def __init__(self) -> None:
        self._said: dict[str, list[str]] = {}

    def add(self, what: str, sentence: str) -> None:
        named = self._said.setdefault(sentence, [])
        if what and what not in named:
            named.append(what)

    def __iter__(self) -> Iterator[str]:
        for sentence, named in self._said.items():
            yield f"{', '.join(named)}: {sentence}" if named else sentence

    def __len__(self) -> int:
        return len(self._said)


@dataclass
class Output:
    """A variable of a stream's files."""

    name: str
    of: str  # the field that the model sends
    operation: str = "instant"
    type: str | None = None
    scale_factor: str | None = None
    add_offset: str | None = None
    attributes: dict[str, str] = field(default_factory=dict)

    def keys(self, usual: str) -> dict[str, object]:
        """Those that are needed besides the name; `usual`: the stream's operation."""
        keys: dict[str, object] = {"of": self.of} if self.of != self.name else {}
        if self.operation != usual:
            keys["as"] = self.operation
        for name in ("type", "scale_factor", "add_offset", "attributes"):
            if getattr(self, name):
                keys[name] = getattr(self, name)
        return keys


@dataclass
class Stream:
    name: str
    file: str
    every: Interval
    align: str | None = None
    split: Interval | None = None
    format: str | None = None
    compression_level: int = 0
    box: dict[str, str] = field(default_factory=dict)  # the part of each dimension, in YAML
    begin: str | None = None
    until: str | None = None
    attributes: dict[str, str] = field(default_factory=dict)
    outputs: list[Output] = field(default_factory=list)
    left_out: Notes = field(default_factory=Notes)
    remarks: Notes = field(default_factory=Notes)

    def add(self, output: Output) -> None:
        """A second variable of one name has no place in a file."""
        if any(each.name == output.name for each in self.outputs):
            self.left_out.add(output.name, "a variable of this name is in the file already")
        else:
            self.outputs.append(output)

    def usual(self) -> str:
        return Counter(each.operation for each in self.outputs).most_common(1)[0][0]

    def is_mixed(self) -> bool:
        kinds = {each.operation == "instant" for each in self.outputs}
        return len(kinds) == 2

    def split_in_words(self) -> str | None:
        """The split, if Weir can make it; what it cannot make is left out."""
        if self.split is None:
            return None
        if self.split.unit == "step" and self.every.unit == "step" and self.split.count % self.every.count == 0:
            return f"{self.split.count // self.every.count} records"
        if self.split.unit != "step" and (self.every.unit == "step" or self.split.is_at_least(self.every)):
            return str(self.split)
        self.left_out.add(f"split: {self.split}", f"it may end a file before the first record, every {self.every}")
        return None

    def lines(self) -> Iterator[str]:
        usual = self.usual()
        split = self.split_in_words()
        yield f"  {self.name}:"
        yield from comments(self.remarks, "    # ")
        yield f"    file: {quoted(self.file)}"
        yield f"    every: {self.every}"
        if self.align and self.every.unit != "step":
            yield f"    align: {self.align}"
        if split:
            yield f"    split: {split}"
        if self.format:
            yield f"    format: {self.format}"
        if self.compression_level:
            yield from ("    compression: zlib", f"    compression_level: {self.compression_level}")
        if self.is_mixed():
            yield "    stamp: end  # instants have no middle"
        for key, date in (("from", self.begin), ("until", self.until)):
            if date:
                yield f"    {key}: {quoted(date)}"
        if self.box:
            yield f"    box: {{{', '.join(f'{name}: {part}' for name, part in self.box.items())}}}"
        if self.attributes:
            yield f"    attributes: {flow(self.attributes)}"
        yield f"    as: {usual}"
        yield from self.field_lines(usual)
        yield from comments(self.left_out, "    # left out: ")

    def field_lines(self, usual: str) -> Iterator[str]:
        if not any(each.keys(usual) for each in self.outputs):
            listed = ", ".join(scalar(each.name) for each in self.outputs)
            yield from textwrap.wrap(f"fields: [{listed}]", COLUMNS, initial_indent="    ", subsequent_indent=" " * 13)
            return
        yield "    fields:"
        for each in self.outputs:
            keys = each.keys(usual)
            value = flow(keys) if keys.keys() - {"as"} else scalar(each.operation)
            yield f"      {scalar(each.name)}: {value}"


@dataclass
class Translation:
    origin: str  # the table's name
    streams: list[Stream] = field(default_factory=list)
    left_out: Notes = field(default_factory=Notes)
    remarks: Notes = field(default_factory=Notes)

    def add(self, stream: Stream) -> None:
        """A stream without outputs is no stream; names of streams and files are made different."""
        if not stream.outputs:
            self.left_out.add(f"file {stream.file}", "it has no field that a stream could write")
            for note in stream.left_out:
                self.left_out.add("", note)
            return
        stream.name = unlike(
            re.sub(r"[^A-Za-z0-9_-]", "_", stream.name) or "stream", {each.name for each in self.streams}
        )
        stem, dot, ending = stream.file.rpartition(".")
        other = unlike(stem, {each.file.removesuffix(dot + ending) for each in self.streams})
        if other != stem:
            stream.remarks.add("", f"another file is called {stream.file} too: Weir gives each stream files of its own")
            stream.file = other + dot + ending
        self.streams.append(stream)

    def all_left_out(self) -> list[str]:
        """Sentences, after yaml() was made."""
        of_streams = [f"stream {stream.name}: {note}" for stream in self.streams for note in stream.left_out]
        return [*self.left_out, *of_streams]

    def tell_type(self) -> None:
        """The type of most variables is better said by the model, where it defines its fields."""
        outputs = [each for stream in self.streams for each in stream.outputs if each.scale_factor is None]
        types = Counter(each.type for each in outputs)
        common = types.most_common(1)[0][0] if types else None
        if None in types or common not in ("float", "double"):
            return
        others = "" if len(types) == 1 else ", but for those with a type of their own"
        self.remarks.add("", f"Variables are {common}{others}: weir_def_field(..., WEIR_{common.upper()}, ...).")
        for output in outputs:
            output.type = None if output.type == common else output.type

    def yaml(self) -> str:
        self.tell_type()
        return "\n".join(self.lines()) + "\n"

    def lines(self) -> Iterator[str]:
        yield f"# Made of {self.origin} by weir streams --from."
        yield from comments(self.remarks, "# ")
        yield from comments(self.left_out, "# left out: ")
        yield "streams:" if self.streams else "streams: {}"
        for number, stream in enumerate(self.streams):
            if number:
                yield ""
            yield from stream.lines()


def unlike(name: str, taken: Iterable[str]) -> str:
    """The name, or the first of name_2, name_3, ... that is not taken."""
    taken = set(taken)
    number, candidate = 1, name
    while candidate in taken:
        number += 1
        candidate = f"{name}_{number}"
    return candidate


def comments(notes: Iterable[str], mark: str) -> Iterator[str]:
    begin = re.match(r" *# ", mark)
    assert begin
    for note in notes:
        yield from textwrap.wrap(
            " ".join(note.split()), COLUMNS, initial_indent=mark, subsequent_indent=begin[0] + "  ",
            break_long_words=False, break_on_hyphens=False,
        )  # fmt: skip


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def scalar(text: str) -> str:
    """As YAML reads a text; within {} and [] too."""
    is_plain = re.fullmatch(r"[A-Za-z_](?:[\w ./^*()+-]*[\w/^*)+])?", text, re.ASCII) and not NOT_PLAIN.fullmatch(text)
    return text if is_plain else quoted(text)


def flow(value: dict[str, object] | dict[str, str]) -> str:
    """A map on one line. Numbers are texts here, and are written as they are; those of attributes are quoted."""
    parts = []
    for key, each in value.items():
        if isinstance(each, dict):
            parts.append(f"{scalar(key)}: {flow(each)}")
        else:
            parts.append(f"{scalar(key)}: {each if key in ('scale_factor', 'add_offset') else scalar(str(each))}")
    return f"{{{', '.join(parts)}}}"
