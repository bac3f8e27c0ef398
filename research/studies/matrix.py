# SPDX-License-Identifier: Apache-2.0
"""What a study runs, said and not done: jobs of weir-bench, and contests.

A contest is held in a case (a workload on some ranks) between contenders. Each contender has a stated set of candidates
(a mode with its hints, over an MPI-IO layer). A first stage tries all of them; a second one runs every contender's best
interleaved with the others, and only that is shown.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum

ROMIO, OMPIO = "romio321", "ompio"
WHOLE_RUN, IN_OUTPUT = "seconds", "visible_seconds"


class Size(Enum):
    """How much is run."""

    MINIATURE = "miniature"  # shows that a study runs, and nothing else
    QUICK = "quick"
    FULL = "full"


@dataclass(frozen=True)
class Setting:
    """What was asked for, and what there is."""

    size: Size
    hosts: int = 1
    repeats: int | None = None

    @property
    def in_lab(self) -> bool:
        return self.hosts > 1

    @property
    def short(self) -> bool:
        """Minutes for a network that is slower than this machine's memory: few cases, few settings."""
        return self.in_lab and self.size is Size.QUICK

    def pick(self, miniature, quick, full):
        return {Size.MINIATURE: miniature, Size.QUICK: quick, Size.FULL: full}[self.size]

    def measure_repeats(self) -> int:
        return self.repeats or self.pick(1, 4, 7)

    def find_repeats(self) -> int:
        return self.pick(1, 1, 2)


@dataclass(frozen=True)
class Job:
    """One run of weir-bench: its modes interleaved, so many times."""

    name: str
    ranks: int
    workload: tuple[str, ...]
    modes: tuple[str, ...]
    repeats: int
    layer: str = ROMIO
    warm_ups: int = 1
    verify: bool = True
    traffic: bool = False  # count what the cards of a lab carry
    seconds: float | None = None  # that its modes share
    storage: str = ""  # its bandwidth, as tools/slow_storage has it; "": as it is

    def arguments(self) -> list[str]:
        words = [*self.workload, "--modes", ",".join(self.modes)]
        words += ["--repeat", str(self.repeats), "--warm-up", str(self.warm_ups)]
        words += ["--seconds", f"{self.seconds:g}"] if self.seconds else []
        return words if self.verify else [*words, "--no-verify"]

    def within(self, seconds: float | None) -> "Job":
        """The same, but a mode that had its share of so many seconds is not repeated; None: as many as they need."""
        return replace(self, seconds=None if seconds is None else max(1.0, round(seconds, 1)))

    def weight(self) -> float:
        """How long it is likely to take, against other jobs."""
        runs = len(self.modes) * (self.repeats + self.warm_ups)
        return 4 + runs * (self.ranks / 8 + (0.5 if self.verify else 0))


@dataclass(frozen=True)
class Candidate:
    mode: str
    layer: str = ROMIO

    def told(self) -> str:
        return f"{self.mode}, {self.layer}"


@dataclass(frozen=True)
class Contender:
    label: str
    candidates: tuple[Candidate, ...]
    ours: bool = False


@dataclass(frozen=True)
class Case:
    """A workload on some ranks. Cases of one family take their settings from the same first stage. `clock` is what is
    compared: the whole run, or what the slowest rank spent in output calls, where the run reads or computes too."""

    name: str
    title: str
    ranks: int
    workload: tuple[str, ...]
    family: str
    clock: str = WHOLE_RUN
    storage: str = ""  # of a job


DISABLED = (":romio_cb_write=disable", ":romio_cb_write=disable,romio_ds_write=disable")


def hint_sets(setting: Setting, ranks: int) -> tuple[str, ...]:
    """The hints that each peer over PnetCDF may choose from; `:` and what follows a mode."""
    several = min(4, max(1, ranks // setting.hosts))
    return (
        "",
        ":romio_cb_write=enable",
        *(() if setting.short else DISABLED),  # minutes where each row of a field is a message
        f":cb_config_list=*:{several},cb_nodes={several * setting.hosts},cb_buffer_size=67108864",
    )


def over_layers(mode: str, hints: Iterable[str]) -> tuple[Candidate, ...]:
    """ROMIO with each of the hints, and OpenMPI's own layer, which knows none of them."""
    return (*(Candidate(mode + hint) for hint in hints), Candidate(mode, OMPIO))


def pnetcdf(setting: Setting, ranks: int, mode: str = "peer:pnetcdf") -> tuple[Candidate, ...]:
    hints = hint_sets(setting, ranks)
    return over_layers(mode, hints) if setting.size is not Size.MINIATURE else over_layers(mode, hints[:1])


WEIR_MODES = ("serial", "collective", "rows", "columns", "remap", "remap:writers_per_host=2", "dynamic")


def weir(modes: Iterable[str] = WEIR_MODES, label: str = "Weir, its best") -> Contender:
    return Contender(label, tuple(Candidate(mode) for mode in modes), ours=True)
