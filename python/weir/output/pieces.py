# SPDX-License-Identifier: Apache-2.0
"""A rank's values in pieces that fit into memory: the chunks of a Dask array, computed one after another as they are put."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
from mpi4py import MPI

from weir.output.types import Array

Place = tuple[slice, ...]


def is_lazy(values: Any) -> bool:
    """Dask's arrays, and such as have their chunks."""
    return hasattr(values, "chunks") and hasattr(values, "rechunk")


class Pieces:
    """Of `values`, a NumPy or Dask array whose first element lies at `begin` of the whole.

    has_records     the first axis is the record dimension
    whole_records   a piece has all that this rank holds of its records; without records, all that it holds

    No more than one piece is in memory.
    """

    def __init__(self, values: Any, begin: Sequence[int], has_records: bool, *, whole_records: bool) -> None:
        self._values = values
        self._begin = begin
        self._has_records = has_records
        self._whole = whole_records

    def of_all_ranks(self, comm: MPI.Intracomm, divided: bool) -> Iterator[tuple[Place, Array]]:
        """Where the next piece lies in the whole, and its values. All ranks get as many, each time of the same records; a
        rank that has none left gets an empty one. Where the ranks have not divided the values, rank 0 alone has any.
        Collective."""
        records = self._agreed_records(comm)
        boxes = self._boxes()
        if not divided and comm.rank and self._axes():
            boxes = []
        most = comm.allreduce(len(boxes), MPI.MAX)
        for of_records in records:
            for number in range(most):
                box = boxes[number] if number < len(boxes) else (slice(0, 0),) * len(self._axes())
                place = (*of_records, *box)
                yield self._in_whole(place), self._computed(place) if number < len(boxes) else self._nothing(place)

    def _computed(self, place: Place) -> Array:
        return np.asarray(self._values[place])

    def _nothing(self, place: Place) -> Array:
        """Dask computes a chunk to take nothing of it."""
        return np.empty([part.stop - part.start for part in place], self._values.dtype)

    def _agreed_records(self, comm: MPI.Intracomm) -> list[Place]:
        """Ranges along the record dimension: rank 0's chunks."""
        if not self._has_records:
            return [()]
        lengths: tuple[int, ...] = comm.bcast(self._lengths(0))
        if is_lazy(self._values) and sum(lengths) == self._values.shape[0]:
            self._values = self._values.rechunk({0: lengths})
        return [(part,) for part in ranges(lengths)]

    def _axes(self) -> range:
        """All but that of records."""
        return range(int(self._has_records), self._values.ndim)

    def _boxes(self) -> list[Place]:
        whole = [(self._values.shape[axis],) for axis in self._axes()]
        lengths = whole if self._whole else [self._lengths(axis) for axis in self._axes()]
        return list(product(*map(ranges, lengths)))

    def _lengths(self, axis: int) -> tuple[int, ...]:
        return self._values.chunks[axis] if is_lazy(self._values) else (self._values.shape[axis],)

    def _in_whole(self, place: Place) -> Place:
        return tuple(slice(first + part.start, first + part.stop) for first, part in zip(self._begin, place, strict=True))


def ranges(lengths: Sequence[int]) -> list[slice]:
    """One behind the other."""
    ends = np.cumsum(lengths).tolist()
    return [slice(end - length, end) for end, length in zip(ends, lengths, strict=True)]
