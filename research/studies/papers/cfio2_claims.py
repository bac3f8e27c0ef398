# SPDX-License-Identifier: Apache-2.0
"""What Wang & Huang 2025 say of their figures 11 to 13, and whether it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.claims import Claim, amount, listed, not_measured, seconds
from studies.contest import Contest
from studies.matrix import Setting
from studies.record import Record

if TYPE_CHECKING:
    from studies.papers.cfio2 import Cfio2

MOST = 1.10  # times what a run must take
LEAST_REPEATS = 3  # to speak of the slowest of them
STABLE = 0.8  # of the highest throughput, in the slowest repeat
DEFAULT, DYNAMIC, NONE = "PnetCDF", "Weir, dynamic", "none"


def claims(study: Cfio2, setting: Setting, record: Record) -> list[Claim]:
    found = []
    for workload, contest in study.models(setting).items():
        found.append(faster(study, contest, record, workload))
        if len(contest.cases) > 1:
            found.append(gain_grows(study, contest, record, workload))
            found.append(default_grows(study, contest, record, workload))
        found.append(hidden(study, contest, record, workload))
    weak = study.weak(setting)
    return [*found, throughput(study, weak, record), stable(study, weak, record)]


def ratios(study: Cfio2, contest: Contest, record: Record) -> list[tuple[int, float]] | None:
    found = []
    for case in contest.cases:
        slow, fast = (study.timing(contest, record, case, label) for label in (DEFAULT, DYNAMIC))
        if not slow or not fast:
            return None
        found.append((case.ranks, slow.median / fast.median))
    return found


def faster(study: Cfio2, contest: Contest, record: Record, workload: str) -> Claim:
    words = f"{workload}: dynamic scheduling makes the run faster than PnetCDF does"
    found = ratios(study, contest, record)
    if not found:
        return not_measured(words, "one of them")
    told = listed([(ranks, f"{ratio:.2f}") for ranks, ratio in found])
    return Claim(words, all(ratio > 1 for _, ratio in found), f"Times faster, by ranks: {told}.")


def gain_grows(study: Cfio2, contest: Contest, record: Record, workload: str) -> Claim:
    words = f"{workload}: the gain grows with the ranks"
    found = ratios(study, contest, record)
    if not found:
        return not_measured(words, "one of them")
    told = listed([(ranks, f"{ratio:.2f}") for ranks, ratio in found])
    return Claim(words, found[-1][1] > found[0][1], f"Times faster, by ranks: {told}.")


def default_grows(study: Cfio2, contest: Contest, record: Record, workload: str) -> Claim:
    words = f"{workload}: what output by PnetCDF adds to the run grows with the ranks"
    added = []
    for case in contest.cases:
        default, none = (study.timing(contest, record, case, label) for label in (DEFAULT, NONE))
        if not default or not none:
            return not_measured(words, case.title)
        added.append((case.ranks, default.median - none.median))
    told = listed([(ranks, seconds(value)) for ranks, value in added])
    return Claim(words, added[-1][1] > added[0][1], f"More than without output, by ranks: {told}.")


def hidden(study: Cfio2, contest: Contest, record: Record, workload: str) -> Claim:
    words = (
        f"{workload}: dynamic takes at most {MOST:g} times the longer of computing alone and writing plain files alone"
    )
    told, within = [], []
    for case in contest.cases:
        run, none = (study.timing(contest, record, case, label) for label in (DYNAMIC, NONE))
        default, raw = study.timing(contest, record, case, DEFAULT), study.raw_seconds(record, case)
        if not run or not none or raw is None or not default:
            return not_measured(words, case.title)
        must = max(none.median, raw)
        within.append(run.median / must)
        told.append((case.ranks, f"{run.median / must:.2f} (PnetCDF {default.median / must:.2f})"))
    return Claim(words, max(within) <= MOST, f"Times that, by ranks: {listed(told)}.")


def throughput(study: Cfio2, contest: Contest, record: Record) -> Claim:
    words = "Highest throughput: dynamic has more than PnetCDF's (3.57 times)"
    best = {}
    for label in (DEFAULT, "PnetCDF nonblocking", DYNAMIC, "Weir, its best"):
        speeds = []
        for case in contest.cases:
            timing, size = study.timing(contest, record, case, label), contest.megabytes(record, case)
            if timing and size:
                speeds.append((size / timing.least, case.ranks))
        if not speeds:
            return not_measured(words, label)
        best[label] = max(speeds)
    theirs = max(best[DEFAULT][0], best["PnetCDF nonblocking"][0])
    told = listed([(label, f"{amount(speed)} MB/s on {ranks} ranks") for label, (speed, ranks) in best.items()])
    return Claim(words, best[DYNAMIC][0] > theirs, f"{told}; {best[DYNAMIC][0] / theirs:.2f} times.")


def stable(study: Cfio2, contest: Contest, record: Record) -> Claim:
    words = "Dynamic's slowest repeat has over 80 % of its highest throughput; PnetCDF's about half"
    told, share = [], {}
    for label in (DYNAMIC, DEFAULT):
        timings = [study.timing(contest, record, case, label) for case in contest.cases]
        if not all(timings):
            return not_measured(words, label)
        if any(len(timing.kept) < LEAST_REPEATS for timing in timings):
            return Claim(words, None, f"{label} was repeated fewer than {LEAST_REPEATS} times.")
        share[label] = min(timing.least / timing.most for timing in timings)
        told.append((label, f"{100 * share[label]:.0f} %"))
    return Claim(words, share[DYNAMIC] > STABLE, f"Slowest against fastest repeat, outliers left out: {listed(told)}.")
