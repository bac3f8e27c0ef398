# SPDX-License-Identifier: Apache-2.0
"""What a paper says, and whether it shows here: decided from what was measured."""

from dataclasses import dataclass

SHOWS, NOT, UNKNOWN = "shows here", "does not show here", "cannot be told"


@dataclass(frozen=True)
class Claim:
    words: str  # the paper's
    holds: bool | None  # None: what it needs was not measured, or failed
    why: str  # from measured values

    @property
    def verdict(self) -> str:
        return UNKNOWN if self.holds is None else SHOWS if self.holds else NOT


def not_measured(words: str, what: str) -> Claim:
    return Claim(words, None, f"{what} was not measured, or failed.")


def percent(value: float) -> str:
    return f"{value:+.0f} %"


def amount(value: float) -> str:
    """With three digits that mean something."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def seconds(value: float) -> str:
    return f"{value:.3g} s"


def listed(pairs: list[tuple[object, str]]) -> str:
    """'4: 12 %, 8: 30 %'."""
    return ", ".join(f"{name}: {value}" for name, value in pairs)
