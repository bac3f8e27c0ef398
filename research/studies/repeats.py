# SPDX-License-Identifier: Apache-2.0
"""Repeats of one measurement: which of them are outliers, and what the others say."""

import statistics
from dataclasses import dataclass

LEAST_REPEATS = 4  # of fewer, none can be told to be an outlier
DEVIATIONS = 3.0  # of the median absolute deviation, scaled to a normal distribution's standard deviation
SCALE = 1.4826
LEAST_DISTANCE = 0.05  # of the median: repeats that agree by chance make no outlier of a near one
RULE = (
    f"A repeat is an outlier where it is more than {DEVIATIONS:g} scaled median absolute deviations "
    f"({SCALE} MAD) and more than {LEAST_DISTANCE:.0%} away from the median; of fewer than {LEAST_REPEATS} repeats "
    f"none "
    "is told apart. Outliers are counted and stay in the JSON; figures are made of the others."
)


def tell_apart(values: list[float]) -> tuple[list[float], list[float]]:
    """What is kept, and what is outlying."""
    if len(values) < LEAST_REPEATS:
        return list(values), []
    middle = statistics.median(values)
    spread = SCALE * statistics.median(abs(value - middle) for value in values)
    most = max(DEVIATIONS * spread, LEAST_DISTANCE * middle)
    kept = [value for value in values if abs(value - middle) <= most]
    return kept, [value for value in values if abs(value - middle) > most]


@dataclass(frozen=True)
class Timing:
    """Seconds of one measurement."""

    kept: tuple[float, ...]
    outliers: tuple[float, ...] = ()

    @staticmethod
    def of(values: list[float]) -> "Timing":
        kept, outliers = tell_apart(values)
        return Timing(tuple(kept), tuple(outliers))

    @property
    def median(self) -> float:
        return statistics.median(self.kept)

    @property
    def mean(self) -> float:
        return statistics.fmean(self.kept)

    @property
    def least(self) -> float:
        return min(self.kept)

    @property
    def most(self) -> float:
        return max(self.kept)


def relative_performance(first: float, second: float) -> float:
    """Formula (1) of Wong et al. 2015: by how many percent of the first method's time the second is faster."""
    return 100 * (first - second) / first


def increase(before: float, after: float) -> float:
    """In percent."""
    return 100 * (after - before) / before
