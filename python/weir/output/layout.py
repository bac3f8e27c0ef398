# SPDX-License-Identifier: Apache-2.0
"""What a rank holds of an array, said once and used for many puts: index arrays of an irregular decomposition, a
block with halos, a block whose axes lie in another order in memory."""

from collections.abc import Sequence
from operator import index
from typing import Any, Final

import numpy as np

from weir import _output
from weir.errors import Code, Error
from weir.output.types import Array

ABSENT: Final = -(2**63)  # WEIR_ABSENT in an offset map: this element of the block is not in the file


class Layout:
    """Made by Dataset.createLayout. `shape` is the array's in the file, `block_shape` that of the block that a put
    wants."""

    def __init__(self, shape: tuple[int, ...], block_shape: tuple[int, ...]) -> None:
        self.shape = shape
        self.block_shape = block_shape
        self.made: _output.Layout | None = None  # until the ranks have made it

    def define(self, instance: _output.Instance) -> None:
        """Collective."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<weir.Layout: a block of shape {self.block_shape} in an array of shape {self.shape}>"


class IndexLayout(Layout):
    """Element i of the block is element indices[i] of the array."""

    def __init__(self, shape: tuple[int, ...], indices: Any) -> None:
        arrays = indices if isinstance(indices, tuple) else (indices,)
        if len(arrays) != len(shape) and len(arrays) != 1:
            raise refusal(
                shape,
                f"{len(arrays)} index arrays: give one for each dimension, or one of places in the flattened array",
            )
        lengths = shape if len(arrays) == len(shape) else (int(np.prod(shape)),)
        self._offsets = offsets_of([as_indices(array, shape) for array in arrays], lengths, shape)
        super().__init__(shape, self._offsets.shape)

    def define(self, instance: _output.Instance) -> None:
        self.made = instance.def_layout_map(self.shape, self._offsets)
        self._offsets = np.empty(0, np.int64)


class BoxLayout(Layout):
    """A box whose block has its axes in `order` (the array's axes, slowest first in memory), alone or inside a larger
    block with halos: `memory_shape` is that one's, the box begins at `memory_start` of it."""

    def __init__(self, shape: tuple[int, ...], *numbers: Sequence[int] | None) -> None:
        """numbers: start, count, order, memory_shape, memory_start."""
        start, count, order, memory_shape, memory_start = (
            each_of(shape, *named) for named in zip(NAMES, numbers, strict=True)
        )
        if start is None or count is None or (memory_shape is None) != (memory_start is None):
            raise refusal(shape, "give start and count, and both of memory_shape and memory_start or none")
        axes = list(range(len(shape))) if order is None else order
        if sorted(axes) != list(range(len(shape))):
            raise refusal(shape, f"order is {axes}: give each of its axes 0 to {len(shape) - 1} once")
        super().__init__(shape, tuple(memory_shape or [count[axis] for axis in axes]))
        self._box, self._order = (start, count), order
        self._memory = None if memory_shape is None or memory_start is None else (memory_shape, memory_start)

    def define(self, instance: _output.Instance) -> None:
        if self._memory:
            self.made = instance.def_layout_subarray(self.shape, self._box, self._order, self._memory)
        else:
            self.made = instance.def_layout(self.shape, self._box[0], self._box[1], self._order)


def layout_over(shape: tuple[int, ...], indices: Any, box: tuple[Sequence[int] | None, ...]) -> Layout:
    """By indices, or by a box: start, count, order, memory_shape, memory_start."""
    if indices is not None and all(part is None for part in box):
        return IndexLayout(shape, indices)
    if indices is None:
        return BoxLayout(shape, *box)
    raise Error(Code.EARGUMENT, "createLayout: give indices alone, or start and count in their place")


NAMES: Final = ("start", "count", "order", "memory_shape", "memory_start")


def each_of(shape: tuple[int, ...], name: str, numbers: Sequence[int] | None) -> list[int] | None:
    """As Python's integers, one for each dimension."""
    if numbers is None:
        return None
    if len(numbers) != len(shape):
        what = f"{name} has {len(numbers)} numbers: give one for each of its {len(shape)} dimensions"
        raise refusal(shape, what)
    return [index(number) for number in numbers]


def refusal(shape: tuple[int, ...], what: str) -> Error:
    return Error(Code.EARGUMENT, f"a layout of an array of shape {shape}: {what}")


def as_indices(array: Any, shape: tuple[int, ...]) -> Array:
    """With -1 where an element is masked."""
    filled = array.filled(-1) if isinstance(array, np.ma.MaskedArray) else np.asarray(array)
    if filled.size and filled.dtype.kind not in "iu":
        raise refusal(shape, f"an index array is of type {filled.dtype}: give integers, counted from 0")
    return filled.astype(np.int64)


def offsets_of(arrays: list[Array], lengths: tuple[int, ...], shape: tuple[int, ...]) -> Array:
    """Places in the flattened array; ABSENT where an index is negative."""
    if len({array.shape for array in arrays}) > 1:
        raise refusal(
            shape, f"the index arrays have the shapes {[array.shape for array in arrays]}: give arrays of one shape"
        )
    offsets = np.zeros(arrays[0].shape, np.int64)
    absent = np.zeros(arrays[0].shape, bool)
    for axis, (array, length) in enumerate(zip(arrays, lengths, strict=True)):
        if array.size and array.max() >= length:
            raise refusal(
                shape, f"index {array.max()} of axis {axis} is outside of its {length} elements, counted from 0"
            )
        offsets = offsets * length + array
        absent |= array < 0
    offsets[absent] = ABSENT
    return offsets
