# SPDX-License-Identifier: Apache-2.0
"""What stands in the brackets of `variable[...]`: which part of the array that is."""

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from weir.errors import Code, Error
from weir.output.layout import Layout
from weir.output.types import Array


class Selection:
    """start and count of a box over all the variable's dimensions.

    shape     of the block: axes that were given by one index are left out
    bounded   a dimension other than the record dimension has bounds: this is the rank's own part, else the whole
    growing   the record dimension goes on to wherever the block ends
    kept      of each dimension, whether it is an axis of the block
    taken     for each axis of `shape` the places within the box, or None for all of them; None: the whole box

    Index arrays and steps, each along its own dimension, take places out of the box.
    """

    __slots__ = ("bounded", "count", "growing", "kept", "layout", "reads", "shape", "start", "taken")

    def __init__(self, key: Any, lengths: Sequence[int], has_records: bool, *, reads: bool = False) -> None:
        """reads: ranges end where the array ends."""
        self.start: list[int] = []
        self.count: list[int] = []
        self.shape: list[int] = []
        self.kept: list[bool] = []
        self.taken: list[Array | None] | None = None
        self.bounded = self.growing = False
        self.reads = reads
        self.layout: Layout | None = None
        parts = key if type(key) is tuple else (key,)
        if parts and type(parts[-1]) is not slice and isinstance(parts[-1], Layout):
            self.layout, parts = parts[-1], parts[:-1]
            lengths = lengths[:1] if has_records else ()
        elif len(parts) < len(lengths) or has_ellipsis(parts):
            parts = spread(parts, len(lengths))
        elif not lengths and len(parts) == 1 and type(parts[0]) in (int, slice) and parts[0] in (0, slice(None)):
            parts = ()  # all of a scalar
        if len(parts) != len(lengths):
            raise Error(
                Code.EARGUMENT,
                f"{len(parts)} indices for {len(lengths)} dimensions: give one for each, or ... for the rest",
            )
        for axis, part in enumerate(parts):
            self._add(part, lengths[axis], has_records and axis == 0)

    @property
    def block_shape(self) -> list[int]:
        """Of what is put or read: without the places that are not taken."""
        if self.taken is None:
            return self.shape
        return [length if places is None else places.size for length, places in zip(self.shape, self._taken(), strict=True)]

    def take(self, box: Array) -> Array:
        """The places of the box that are taken."""
        for axis, places in enumerate(self._taken()):
            if places is not None:
                box = box.take(places, axis)
        return box

    def places(self) -> list[Array]:
        """The indices of each of the variable's dimensions."""
        found = []
        along = iter(self._taken())
        for start, count, is_axis in zip(self.start, self.count, self.kept, strict=True):
            places = next(along) if is_axis else None
            found.append(np.arange(start, start + count) if places is None else start + places)
        return found

    def _taken(self) -> list[Array | None]:
        taken = self.taken or []
        return [*taken, *[None] * (len(self.shape) - len(taken))]

    def _add(self, part: Any, length: int, is_record: bool) -> None:
        axes = len(self.shape)
        self._add_part(part, length, is_record)
        self.kept.append(len(self.shape) > axes)

    def _add_part(self, part: Any, length: int, is_record: bool) -> None:
        if type(part) is slice:
            self._add_range(part, length, is_record)
        elif isinstance(part, list | np.ndarray) and np.ndim(part) > 0:
            self._add_places(indices_of(part, length), length)
            self.bounded = self.bounded or not is_record
        else:
            begin = place(part)
            self.start.append(begin + length if begin < 0 else begin)
            self.count.append(1)
            self.bounded = self.bounded or not is_record

    def _add_range(self, part: slice, length: int, is_record: bool) -> None:
        first, last = part.start, part.stop
        if not is_record and (first is not None or last is not None):
            self.bounded = True
        if part.step not in (None, 1):
            whole = length if self.reads or not is_record or last is None else max(length, index(last))
            return self._add_places(np.arange(*part.indices(whole)), whole)
        if self.reads:
            begin, end, _ = part.indices(length)
        else:
            begin = 0 if first is None else index(first)
            end = length if last is None else index(last)
            begin = begin + length if begin < 0 else begin
            end = end + length if end < 0 else end
            self.growing = self.growing or (is_record and last is None)
        count = end - begin if end > begin else 0
        self.shape.append(count)
        self.start.append(begin)
        self.count.append(count)

    def _add_places(self, places: Array, length: int) -> None:
        begin = int(places.min()) if places.size else 0
        if begin < 0 or (self.reads and places.size and places.max() >= length):
            raise Error(Code.EARGUMENT, f"index {begin if begin < 0 else places.max()} is outside of {length} elements")
        count = int(places.max()) + 1 - begin if places.size else 0
        self.taken = self._taken()
        self.taken.append(places - begin)
        self.shape.append(count)
        self.start.append(begin)
        self.count.append(count)


def indices_of(part: Any, length: int) -> Array:
    """An index array's, counted from the array's begin."""
    array = np.asarray(part)
    if array.ndim == 1 and array.dtype.kind == "b" and array.size == length:
        return np.flatnonzero(array)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise Error(
            Code.EARGUMENT,
            f"an index array of type {array.dtype} and shape {array.shape}: along one dimension of {length} give integers, or "
            "that many booleans; for places all over the array make a layout (createLayout)",
        )
    return np.where(array < 0, array + length, array).astype(np.int64)


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
