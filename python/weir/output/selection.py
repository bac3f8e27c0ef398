# SPDX-License-Identifier: Apache-2.0
"""What stands in the brackets of `variable[...]`: which part of the array that is."""

from collections.abc import Sequence
from operator import index
from typing import Any

from weir.errors import Code, Error
from weir.output.layout import Layout


class Selection:
    """start and count of a box over all the variable's dimensions.

    shape     of the block: axes that were given by one index are left out
    bounded   a dimension other than the record dimension has bounds: this is the rank's own part, else the whole
    growing   the record dimension goes on to wherever the block ends
    steps     a step for each axis of `shape`; None: no step
    """

    __slots__ = ("bounded", "count", "growing", "layout", "shape", "start", "steps")

    def __init__(self, key: Any, lengths: Sequence[int], has_records: bool) -> None:
        self.start: list[int] = []
        self.count: list[int] = []
        self.shape: list[int] = []
        self.steps: list[slice] | None = None
        self.bounded = self.growing = False
        self.layout: Layout | None = None
        parts = key if type(key) is tuple else (key,)
        if parts and type(parts[-1]) is not slice and isinstance(parts[-1], Layout):
            self.layout, parts = parts[-1], parts[:-1]
            lengths = lengths[:1] if has_records else ()
        elif len(parts) < len(lengths) or has_ellipsis(parts):
            parts = spread(parts, len(lengths))
        if len(parts) != len(lengths):
            raise Error(
                Code.EARGUMENT,
                f"{len(parts)} indices for {len(lengths)} dimensions: give one for each, or ... for the rest",
            )
        for axis, part in enumerate(parts):
            self._add(part, lengths[axis], has_records and axis == 0)

    def _add(self, part: Any, length: int, is_record: bool) -> None:
        if type(part) is slice:
            first, last = part.start, part.stop
            begin = 0 if first is None else index(first)
            end = length if last is None else index(last)
            begin = begin + length if begin < 0 else begin
            end = end + length if end < 0 else end
            if part.step not in (None, 1):
                self._step(part.step)
            if is_record:
                self.growing = last is None
            elif first is not None or last is not None:
                self.bounded = True
            count = end - begin if end > begin else 0
            self.shape.append(count)
        else:
            begin, count = place(part), 1
            begin = begin + length if begin < 0 else begin
            self.bounded = self.bounded or not is_record
        self.start.append(begin)
        self.count.append(count)

    def _step(self, step: Any) -> None:
        if index(step) < 1:
            raise Error(Code.EARGUMENT, f"a step of {step}: steps are 1 or more; turn the block around by block[::-1]")
        self.steps = [*(self.steps or []), *[slice(None)] * (len(self.shape) - len(self.steps or []))]
        self.steps.append(slice(None, None, step))


def place(part: Any) -> int:
    try:
        return index(part)
    except TypeError:
        raise Error(
            Code.EARGUMENT,
            f"an index of type {type(part).__name__}: give integers and slices, or for index arrays a layout of "
            "createLayout",
        ) from None


def has_ellipsis(parts: tuple[Any, ...]) -> bool:
    # By `in` an index array would be compared element by element.
    return any(part is Ellipsis for part in parts)


def spread(parts: tuple[Any, ...], dimensions: int) -> tuple[Any, ...]:
    """With `:` in the place of ... , or at the end."""
    places = [number for number, part in enumerate(parts) if part is Ellipsis]
    if len(places) > 1:
        raise Error(Code.EARGUMENT, "more than one ... in an index: one stands for all dimensions that are not named")
    at = places[0] if places else len(parts)
    rest = parts[at + 1 :]
    return parts[:at] + (slice(None),) * (dimensions - at - len(rest)) + rest
