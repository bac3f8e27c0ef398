# SPDX-License-Identifier: Apache-2.0
"""A variable of a dataset: its data by what stands in the brackets. What netCDF4-python tells of one is in described.py."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from weir import _output
from weir.errors import Code, Error
from weir.output.described import Described
from weir.output.layout import IndexLayout, Layout
from weir.output.selection import Selection
from weir.output.types import Array, elements_of

class Variable(Described):
    """Made by Dataset.createVariable, or of a file that is there; `dataset["name"]` gives it.

    variable[t, y0:y1, x0:x1] = block   this rank's own box; an empty one if it has none. Of compressed netCDF-4 and
                                        Zarr all that it has of the record
    variable[t, layout] = block         what this rank holds by a layout (Dataset.createLayout)
    variable[:] = values, variable[t] = values
                                        without bounds: all ranks hold the same, and rank 0's is written
    variable[...]                       reads, by the same three ways; sees what is committed

    Steps and index arrays of one dimension work in all but layouts. Missing values are masked and packed ones scaled, as
    netCDF4-python does; set_auto_maskandscale(False) leaves values as they are in the file. Assignments are Collective, and
    so are reads by a layout; other reads are Local.
    """

    def __repr__(self) -> str:
        return f"<weir.Variable {self.dtype} {self.name}({', '.join(self.dimensions)}), shape {self.shape}>"

    def __setitem__(self, key: Any, values: Any) -> None:
        self._dataset.ready()
        selection = None
        try:
            selection = Selection(key, self._now(), self._has_records)
            self._put(selection, self._encoded(values))
        except Error as error:
            self._refuse(error, selection)
        except (TypeError, ValueError) as error:
            self._refuse(Error(Code.EARGUMENT, str(error)), selection)

    def __getitem__(self, key: Any) -> Any:
        return self._read(key, self._file.get_vara)

    def get_all(self, key: Any) -> Any:
        """variable[key] of all ranks together, each with a key of its own: the file is read once for all of them.
        Collective."""
        return self._read(key, self._file.get_vara_all)

    def _read(self, key: Any, get: Callable[[int, Sequence[int], Sequence[int], int, Array], None]) -> Any:
        self._dataset.require_readable()
        selection = Selection(key, self._now(), self._has_records, reads=True)
        if selection.layout is not None:
            return self._decoded(self._get_by_layout(selection, selection.layout), False)
        block = np.empty(selection.shape, self.dtype)
        get(self._id, selection.start, selection.count, self._type, block)
        whole = bool(selection.kept and selection.kept[-1]) and selection.places()[-1].size == self._lengths[-1]
        return self._decoded(block if selection.taken is None else selection.take(block), whole)

    def get(self, record: int, layout: Layout, block: Array) -> Array:
        """Reads into a block that is there, of the layout's shape; elements that are not in the file stay as they
        are. Collective."""
        _, number = elements_of(block, f"get of {self._called()}", self._type, None)
        if block.shape != layout.block_shape or not block.flags.c_contiguous:
            raise Error(
                Code.EARGUMENT,
                f"get of {self._called()}: the block has shape {block.shape}: give one of shape "
                f"{layout.block_shape}, contiguous",
            )
        self._dataset.require_readable()
        self._file.get(self._id, record, self._made_of(layout), number, block)
        return block

    def prefetch(self, record: int, layout: Layout) -> None:
        """Storage is asked for what a get of this record by this layout will read, while the program goes on.
        Collective."""
        self._dataset.require_readable()
        self._file.prefetch([self._id], record, self._made_of(layout))

    def _put(self, selection: Selection, values: Any) -> None:
        block, number = elements_of(values, "assignment", self._type, self._fill_value(values))
        if selection.layout is not None:
            return self._put_by_layout(selection, selection.layout, block, number)
        if selection.growing:
            self._grow(selection, block)
        block = fitted(block, selection.block_shape)
        if selection.taken is not None:
            self._put_places(selection, block, number)
        elif selection.bounded:
            self._file.put_vara(self._id, selection.start, selection.count, number, block)
        else:
            self._put_whole(selection, block, number)

    def _put_places(self, selection: Selection, block: Array, number: int) -> None:
        """By index arrays or steps: by a layout for this put. Without bounds all ranks hold the same, and rank 0's is
        written."""
        places = selection.places()
        shape, records = tuple(self._lengths), np.zeros(1, np.int64)
        if self._has_records:
            records, *places = places
            shape = shape[1:]
        rows = block.reshape(records.size, *[each.size for each in places])
        if not shape:
            for record, row in zip(records, rows, strict=True):
                self._file.put_var(self._id, int(record), number, row)
            return
        grid = tuple(np.meshgrid(*places, indexing="ij"))
        if not selection.bounded and self._dataset.rank != 0:
            grid, rows = tuple(each[:0] for each in grid), rows[:, :0]
        layout = IndexLayout(shape, grid)
        self._dataset.enter_layout(layout)
        for record, row in zip(records, rows, strict=True):
            self._file.put(self._id, int(record), self._made_of(layout), number, np.ascontiguousarray(row))
        self._dataset.forget_layout(layout)

    def _put_by_layout(self, selection: Selection, layout: Layout, block: Array, number: int) -> None:
        records = selection.count[0] if self._has_records else 1
        if records != 1:
            raise Error(Code.EARGUMENT, f"{records} records by a layout: put one record at a time")
        record = selection.start[0] if self._has_records else 0
        block = fitted(block, list(layout.block_shape))
        self._file.put(self._id, record, self._made_of(layout), number, block)

    def _put_whole(self, selection: Selection, block: Array, number: int) -> None:
        if not self._has_records:
            return self._file.put_var(self._id, 0, number, block)
        first, records = selection.start[0], selection.count[0]
        rows = block.reshape(records, *selection.count[1:])
        for record in range(records):
            self._file.put_var(self._id, first + record, number, rows[record])

    def _get_by_layout(self, selection: Selection, layout: Layout) -> Array:
        record = selection.start[0] if self._has_records else 0
        fill = self.getncattr("_FillValue") if "_FillValue" in self.ncattrs() else np.zeros((), self.dtype)
        return self.get(record, layout, np.full(layout.block_shape, fill, self.dtype))

    def _made_of(self, layout: Layout) -> _output.Layout:
        return self._dataset.made_of(layout)

    def _grow(self, selection: Selection, block: Array) -> None:
        """`variable[t:] = block`: as many records as the block has."""
        records = block.shape[0] if block.ndim == len(selection.shape) else selection.count[0]
        selection.count[0] = selection.shape[0] = records

    def _refuse(self, error: Error, selection: Selection | None) -> None:
        """All ranks hear what this one has wrong: at once where they put boxes, for which they meet, else where they
        meet next."""
        known = str(error).startswith("rank ") or self._called() in str(error)
        sentence = str(error) if known else f"put of {self._called()}: {error}"
        if known or selection is None or not selection.bounded:
            raise Error(error.code, self._file.fail(error.code, sentence)) from None
        self._file.fail_box(self._id, error.code, sentence)


def fitted(block: Array, shape: Sequence[int]) -> Array:
    """The block, if it has this shape but for axes of length 1; else repeated along axes that it lacks."""
    if block.shape == tuple(shape) or long_axes(block.shape) == long_axes(shape):
        return block
    wanted = tuple(shape)
    if block.ndim <= len(wanted) and all(one in (1, other) for one, other in zip(block.shape[::-1], wanted[::-1], strict=False)):
        return np.ascontiguousarray(np.broadcast_to(block, wanted))
    advice = f"give a block of shape {wanted}"
    if sorted(block.shape) == sorted(wanted) and len(wanted) > 1:
        axes = order_of(block.shape, wanted)
        advice = "give block.T" if axes == tuple(reversed(range(len(wanted)))) else f"give block.transpose{axes}"
    raise Error(Code.EARGUMENT, f"the block has shape {block.shape}, the selection has {wanted}: {advice}")


def long_axes(shape: Sequence[int]) -> list[int]:
    return [length for length in shape if length != 1]


def order_of(shape: Sequence[int], wanted: Sequence[int]) -> tuple[int, ...]:
    """The axes of an array of `shape`, in an order that gives `wanted`."""
    left = list(range(len(shape)))
    axes = []
    for length in wanted:
        axis = next(axis for axis in reversed(left) if shape[axis] == length)
        left.remove(axis)
        axes.append(axis)
    return tuple(axes)
