# SPDX-License-Identifier: Apache-2.0
"""What Tseng & Ding 2008 say of their figures, and whether it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.claims import Claim, amount, listed, not_measured
from studies.matrix import Setting
from studies.record import Record

if TYPE_CHECKING:
    from studies.papers.tseng2008 import Tseng

PAPER_SHARE = 15  # percent of the time, reshuffling FV D
SAME_SHARE = 30  # percent: still a small part


def claims(study: Tseng, setting: Setting, record: Record) -> list[Claim]:
    found = [
        faster(
            study, setting, record, "cam-fvd", "FV D: remap + PnetCDF is faster than sequential output (9 to 14 times)"
        ),
        small_share(study, setting, record),
    ]
    if study.of(setting, "cam-t85"):
        found.insert(0, faster(study, setting, record, "cam-t85", "T85: it is faster (around 4 times)"))
    if len(study.of(setting, "cam-fvd")) > 1:
        found.append(more_ranks(study, setting, record))
        found.append(share_falls(study, setting, record))
    found += [
        better_than(study, setting, record, "remap + PnetCDF", "PnetCDF, no remap"),
        better_than(study, setting, record, "Weir, its best", "remap + PnetCDF"),
        flat_in_size(study, setting, record),
    ]
    return found


def faster(study: Tseng, setting: Setting, record: Record, workload: str, words: str) -> Claim:
    ratios = []
    for case in study.of(setting, workload):
        slow, fast = (study.speed(setting, record, case, label) for label in ("sequential", "remap + PnetCDF"))
        if not slow or not fast:
            return not_measured(words, case.title)
        ratios.append((case.ranks, fast / slow))
    told = listed([(ranks, f"{ratio:.2f}") for ranks, ratio in ratios])
    return Claim(words, ratios[-1][1] > 1, f"Times faster, by ranks: {told}.")


def more_ranks(study: Tseng, setting: Setting, record: Record) -> Claim:
    words = "FV D: parallel output gets faster with more processors, until it saturates"
    cases = study.of(setting, "cam-fvd")
    speeds = [study.speed(setting, record, case, "remap + PnetCDF") for case in cases]
    if not all(speeds):
        return not_measured(words, "one of them")
    told = listed([(case.ranks, f"{amount(speed)} MB/s") for case, speed in zip(cases, speeds, strict=True)])
    return Claim(words, max(speeds[1:]) > speeds[0], f"By ranks: {told}.")


def shares_of(study: Tseng, setting: Setting, record: Record) -> list[tuple[int, float]] | None:
    found = []
    for case in study.of(setting, "cam-fvd"):
        parts = study.shares(setting, record, case)
        if not parts:
            return None
        found.append((case.ranks, 100 * parts[1] / parts[0]))
    return found


def small_share(study: Tseng, setting: Setting, record: Record) -> Claim:
    words = f"FV D: reshuffling is a small part of the output time (roughly {PAPER_SHARE} %)"
    shares = shares_of(study, setting, record)
    if not shares:
        return not_measured(words, "one of them")
    told = listed([(ranks, f"{share:.0f} %") for ranks, share in shares])
    return Claim(
        words, all(share <= SAME_SHARE for _, share in shares), f"By ranks: {told} (small: up to {SAME_SHARE} %)."
    )


def share_falls(study: Tseng, setting: Setting, record: Record) -> Claim:
    words = "FV D: the share of reshuffling decreases with more processors"
    shares = shares_of(study, setting, record)
    if not shares:
        return not_measured(words, "one of them")
    told = listed([(ranks, f"{share:.1f} %") for ranks, share in shares])
    return Claim(words, shares[-1][1] < shares[0][1], f"By ranks: {told}.")


def better_than(study: Tseng, setting: Setting, record: Record, fast: str, slow: str) -> Claim:
    words = f"FV D: {fast} is faster than {slow}"
    case = study.of(setting, "cam-fvd")[-1]
    a, b = (study.speed(setting, record, case, label) for label in (fast, slow))
    if not a or not b:
        return not_measured(words, "one of them")
    return Claim(words, a > b, f"{case.ranks} ranks: {amount(a)} MB/s against {amount(b)} MB/s, {a / b:.2f} times.")


def flat_in_size(study: Tseng, setting: Setting, record: Record) -> Claim:
    words = "Sequential time grows linearly with the size of an output, parallel time hardly"
    small, large = (study.of(setting, name)[-1] for name in ("cam-fvc", "cam-fvd"))
    sizes = [study.contest(setting).megabytes(record, case) for case in (small, large)]
    growth = {}
    for label in ("sequential", "remap + PnetCDF"):
        timings = [study.timing(setting, record, case, label) for case in (small, large)]
        if not all(timings) or not all(sizes):
            return not_measured(words, label)
        growth[label] = timings[1].median / timings[0].median
    factor = sizes[1] / sizes[0]
    told = listed([(label, f"{value:.2f} times the time") for label, value in growth.items()])
    holds = growth["sequential"] > 0.7 * factor and growth["remap + PnetCDF"] < 0.5 * growth["sequential"]
    return Claim(words, holds, f"From FV C to FV D, {factor:.2f} times the bytes: {told}.")
