# SPDX-License-Identifier: Apache-2.0
"""Bytes over time, from a trace: what the model put, what went to files."""

from collections.abc import Iterable
from dataclasses import dataclass

from weir.trace import Trace

BINS = 200

Piece = tuple[float, float, float]  # begin, end, bytes


@dataclass
class Volumes:
    """Bytes of all ranks in BINS equal stretches from `begin` to `end`."""

    begin: float
    end: float
    put: list[float]
    written: list[float]

    @property
    def width(self) -> float:
        return (self.end - self.begin) / BINS

    def rate(self, each: list[float]) -> list[float]:
        """Bytes a second."""
        return [count / self.width for count in each]


def spread(pieces: Iterable[Piece], begin: float, end: float) -> list[float]:
    """What of each piece, evenly over its time, falls into each stretch."""
    width = (end - begin) / BINS
    bins = [0.0] * BINS
    for first, last, count in pieces:
        last = max(last, first + width * 1e-6)
        column = max(0, int((first - begin) / width))
        while column < BINS and begin + column * width < last:
            left, right = begin + column * width, begin + (column + 1) * width
            bins[column] += count * max(0.0, min(last, right) - max(first, left)) / (last - first)
            column += 1
    return bins


def volumes(trace: Trace, begin: float, end: float) -> Volumes:
    put = spread((piece for rank in trace.ranks for piece in rank.puts), begin, end)
    return Volumes(begin, end, put, spread((piece for rank in trace.ranks for piece in rank.writings), begin, end))
