# SPDX-License-Identifier: Apache-2.0
"""The part of its grid that a field of XIOS has in a file: a zoom becomes a box; other transformations change values."""

from dataclasses import dataclass, field
from typing import Final

from weir.streams.xios_tree import Names, Node

GRID_KEYS: Final = ("grid_ref", "domain_ref", "axis_ref")
# Of a zoom: the dimension's name is an attribute of the domain, or else this.
SIDES: Final = {"i": "x", "j": "y"}
ZOOMS: Final = ("zoom_domain", "extract_domain", "zoom_axis", "extract_axis")


@dataclass
class Part:
    box: dict[str, str] = field(default_factory=dict)
    guessed: set[str] = field(default_factory=set)  # dimensions whose names the table does not say
    unknown: set[str] = field(default_factory=set)  # zooms that the model fills in
    transformations: list[str] = field(default_factory=list)  # that change values: interpolate_domain, ...


def part_of(names: Names, attributes: dict[str, str], sent: dict[str, str]) -> Part:
    """`attributes`: of the field in the file; `sent`: of the field that the model sends."""
    part = Part()
    is_other_grid = any(attributes.get(key) != sent.get(key) for key in GRID_KEYS)
    for element in elements_of(names, attributes):
        of_element = names.resolved(element)
        for node in names.chain(element):
            for child in node.children:
                if child.tag in ZOOMS:
                    add_zoom(part, element.kind, of_element, child.own, node.own.get("id", ""))
                elif is_other_grid:
                    part.transformations.append(child.tag)
        if element.kind == "domain" and "zoom_ni" in of_element:
            old = {key.removeprefix("zoom_"): value for key, value in of_element.items() if key.startswith("zoom_")}
            add_zoom(part, "domain", of_element, old, element.own.get("id", ""), counted_from=1)
    return part


def elements_of(names: Names, attributes: dict[str, str]) -> list[Node]:
    """The domains and axes of a field."""
    found = []
    grid = names.find("grid", attributes.get("grid_ref", ""))
    if grid is not None:
        for node in names.chain(grid):
            found += [child for child in node.below("domain", "axis") if child.tag in ("domain", "axis")]
    for kind in ("domain", "axis"):
        element = names.find(kind, attributes.get(f"{kind}_ref", ""))
        if element is not None:
            found.append(element)
    return found


def add_zoom(
    part: Part, kind: str, of_element: dict[str, str], zoom: dict[str, str], name: str, counted_from: int = 0
) -> None:
    """XIOS 1, whose zooms are attributes of the domain, counts from 1."""
    if kind == "axis":
        dimension = of_element.get("dim_name") or of_element.get("name") or name
        return add_side(part, name, dimension, zoom.get("begin"), zoom.get("n"), counted_from)
    for side, usual in SIDES.items():
        dimension = of_element.get(f"dim_{side}_name", usual)
        if f"dim_{side}_name" not in of_element and f"n{side}" in zoom:
            part.guessed.add(usual)
        add_side(part, name, dimension, zoom.get(f"{side}begin"), zoom.get(f"n{side}"), counted_from)


def add_side(part: Part, name: str, dimension: str, begin: str | None, count: str | None, counted_from: int) -> None:
    if begin is None and count is None:
        return
    first = int(begin) - counted_from if begin and begin.strip().isdigit() else -1
    number = int(count) if count and count.strip().isdigit() else 0
    if first < 0 or number < 1:
        part.unknown.add(name)
    else:
        part.box[dimension] = f"[{first}, {first + number - 1}]"
