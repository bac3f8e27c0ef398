# SPDX-License-Identifier: Apache-2.0
"""A contest between contenders, each with its best of a stated set of settings (see matrix.py)."""

from collections.abc import Callable

from studies.matrix import Candidate, Case, Contender, Job, Setting, Size
from studies.record import Record
from studies.repeats import Timing

RAW = "peer:raw"
Contenders = Callable[[Case], list[Contender]]


def distinct(modes: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(modes))


class Contest:
    """`beside` are modes that run with the others and have nothing to choose."""

    def __init__(
        self, setting: Setting, cases: list[Case], contenders: Contenders, beside: tuple[str, ...] = (RAW,)
    ) -> None:
        self.setting, self.cases, self.beside = setting, cases, beside
        self._contenders = contenders

    def contenders(self, case: Case) -> list[Contender]:
        return self._contenders(case)

    def tried_in(self, case: Case) -> Case:
        """Where the settings for a case are found: in a full study in the case itself, else in its family's largest."""
        if self.setting.size is Size.FULL:
            return case
        return max((other for other in self.cases if other.family == case.family), key=lambda other: other.ranks)

    def find_name(self, case: Case, contender: Contender, candidate: Candidate) -> str:
        """The job of the first stage that tries a candidate. In a short study Weir's have their own, with a warm-up, since
        they make plans in their first run."""
        return f"find-{case.name}-{'ours' if self.setting.short and contender.ours else candidate.layer}"

    def find_jobs(self) -> list[Job]:
        jobs = []
        for case in dict.fromkeys(self.tried_in(case) for case in self.cases):
            modes: dict[tuple[str, str, int], list[str]] = {}
            for contender in self.contenders(case):
                warm_ups = 0 if self.setting.short and not contender.ours else 1
                for c in contender.candidates if len(contender.candidates) > 1 else ():
                    modes.setdefault((self.find_name(case, contender, c), c.layer, warm_ups), []).append(c.mode)
            for (name, layer, warm_ups), tried in modes.items():
                repeats = self.setting.find_repeats()
                jobs.append(
                    Job(name, case.ranks, case.workload, distinct(tried), repeats, layer, warm_ups, storage=case.storage)
                )
        return jobs

    def counterparts(self, case: Case, contender: Contender) -> list[tuple[str, str, Candidate]]:
        """The job of the first stage and the mode in it that stand for each candidate. What a mode says of ranks is other
        there, where the case has others; its place in the set is the same."""
        place = self.tried_in(case)
        there = next(who for who in self.contenders(place) if who.label == contender.label)
        pairs = zip(there.candidates, contender.candidates, strict=True)
        return [(self.find_name(place, there, ran), ran.mode, candidate) for ran, candidate in pairs]

    def tried(self, record: Record, case: Case, contender: Contender) -> list[tuple[Timing, Candidate]]:
        """Its candidates that ran in the first stage and left a right file: a fast wrong one is no setting."""
        timed = [
            (record.timing(job, mode, case.clock), candidate)
            for job, mode, candidate in self.counterparts(case, contender)
        ]
        return [(timing, candidate) for timing, candidate in timed if timing]

    def choose(self, record: Record, case: Case, contender: Contender) -> Candidate | None:
        """Its fastest in the first stage; None where all failed. Where no job of that stage tells: the first."""
        if tried := self.tried(record, case, contender):
            return min(tried, key=lambda pair: pair[0].median)[1]
        jobs = {job for job, _, _ in self.counterparts(case, contender)}
        if len(contender.candidates) == 1 or any("runs" not in record.jobs.get(name, {}) for name in jobs):
            return contender.candidates[0]
        return None

    def measure_jobs(self, record: Record) -> list[Job]:
        return [job for case in self.cases for job in self._jobs_of(record, case)]

    def _jobs_of(self, record: Record, case: Case) -> list[Job]:
        """One for each layer that somebody chose; Weir's modes and those beside run in each."""
        chosen = [(who, self.choose(record, case, who)) for who in self.contenders(case)]
        ours = [pick.mode for who, pick in chosen if pick and who.ours]
        theirs = [pick for who, pick in chosen if pick and not who.ours]
        layers = dict.fromkeys(pick.layer for pick in theirs) or {"romio321": None}
        jobs = []
        for layer in layers:
            modes = distinct([*ours, *(pick.mode for pick in theirs if pick.layer == layer), *self.beside])
            jobs.append(
                Job(
                    f"{case.name}-{layer}", case.ranks, case.workload, modes, self.setting.measure_repeats(), layer,
                    storage=case.storage,
                )
            )
        return jobs

    def jobs_with(self, record: Record, case: Case, mode: str) -> list[str]:
        names = [name for name in record.jobs if name.rpartition("-")[0] == case.name]
        return [name for name in names if record.run(name, mode)]

    def runs(self, record: Record, case: Case, mode: str) -> list[dict]:
        return [record.run(name, mode) for name in self.jobs_with(record, case, mode)]

    def timing_of(self, record: Record, case: Case, mode: str) -> Timing | None:
        """The repeats of a mode in all jobs of the case."""
        values = [value for run in self.runs(record, case, mode) for value in run[case.clock]]
        return Timing.of(values) if values else None

    def timing(self, record: Record, case: Case, contender: Contender) -> Timing | None:
        pick = self.choose(record, case, contender)
        if not pick:
            return None
        if contender.ours:
            return self.timing_of(record, case, pick.mode)
        return record.timing(f"{case.name}-{pick.layer}", pick.mode, case.clock)

    def megabytes(self, record: Record, case: Case) -> float | None:
        sizes = [record.megabytes(name) for name in record.jobs if name.rpartition("-")[0] == case.name]
        return max((size for size in sizes if size), default=None)

    def choices_table(self, record: Record) -> tuple[list[str], list[list[str]]]:
        """Who chose what, and the set it chose from."""
        rows = []
        for case in self.cases:
            for who in self.contenders(case):
                pick = self.choose(record, case, who)
                ran, stated = len(self.tried(record, case, who)), len(who.candidates)
                found = (
                    f"{ran} of {stated} ran well, in {self.tried_in(case).title}"
                    if stated > 1
                    else "only one is stated"
                )
                rows.append([case.title, who.label, pick.told() if pick else "all failed", found])
        return ["case", "contender", "its best", "tried"], rows

    def sets_table(self) -> tuple[list[str], list[list[str]]]:
        """What each contender chooses from, in the largest case of each family."""
        rows = []
        for case in dict.fromkeys(self.tried_in(case) for case in self.cases):
            for who in self.contenders(case):
                layers = dict.fromkeys(candidate.layer for candidate in who.candidates)
                told = [
                    f"{layer}: " + "; ".join(c.mode for c in who.candidates if c.layer == layer) for layer in layers
                ]
                rows.append([case.title, who.label, " | ".join(told)])
        return ["case", "contender", "the set, by MPI-IO layer"], rows

    def tables(self, record: Record) -> list[tuple[str, tuple[list[str], list[list[str]]]]]:
        name = ", ".join(dict.fromkeys(case.family for case in self.cases))
        return [
            (f"Settings that were found: {name}", self.choices_table(record)),
            (f"The sets they were found in: {name}", self.sets_table()),
        ]
