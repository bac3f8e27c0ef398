# SPDX-License-Identifier: Apache-2.0
"""What Wong et al. 2015 conclude (section 6), and whether it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.claims import Claim, listed, not_measured, percent
from studies.matrix import Setting
from studies.papers.wong_paper import DOMAINS, Domain
from studies.record import Record
from studies.repeats import relative_performance

if TYPE_CHECKING:
    from studies.papers.wong2015 import Wong

ROWS_OVER_COLUMNS = "{}: aggregation along rows is better than along columns"
PNETCDF_LOSES = "{}: pnetCDF loses against rnetCDF as ranks increase"
ROWS_GAIN = "{}: pnetCDFcr gains on pnetCDF as ranks increase"
NOT_DEFAULT = "{}: the best stripe setting is not the default (1 stripe of 1 MB)"
APPLICATION_TWICE = "The application: pnetCDFcr is two times better than pnetCDF"
WORSE_THAN_SERIAL = "With many ranks pnetCDF is worse than serial, and pnetCDFcr is not"


def claims(study: Wong, setting: Setting, record: Record) -> list[Claim]:
    found = []
    for domain in study.domains(setting):
        found.append(rows_over_columns(study, setting, record, domain))
        if len(study.ranks(setting)) > 1:
            found.append(trend(study, setting, record, domain, PNETCDF_LOSES, ("rnetCDF", "pnetCDF"), -1))
            found.append(trend(study, setting, record, domain, ROWS_GAIN, ("pnetCDF", "pnetCDFcr"), 1))
        if len(study.stripes(setting)) > 1:
            found.append(not_default(study, setting, record, domain))
    if study.many_ranks(setting):
        found.append(many_ranks(study, setting, record))
    return [*found, application(study, setting, record)]


def application(study: Wong, setting: Setting, record: Record) -> Claim:
    ranks, times = study.application_times(setting, record)
    straight, rows = times["pnetCDF"][-1], times["pnetCDFcr"][-1]
    if not straight or not rows:
        return not_measured(APPLICATION_TWICE, "one of them")
    gain = straight.mean / rows.mean
    return Claim(APPLICATION_TWICE, gain >= 2, f"{ranks[-1]} ranks: {gain:.2f} times faster.")


def rows_over_columns(study: Wong, setting: Setting, record: Record, domain: Domain) -> Claim:
    words = ROWS_OVER_COLUMNS.format(domain.name)
    gains = []
    for ranks in study.ranks(setting):
        pair = []
        for method in ("pnetCDFcc", "pnetCDFcr"):
            stripe = study.best(setting, record, domain, method)
            pair.append(stripe and study.timing(record, domain, ranks, method, stripe))
        if not all(pair):
            return not_measured(words, f"{ranks} ranks")
        gains.append((ranks, relative_performance(pair[0].mean, pair[1].mean)))
    why = f"pnetCDFcr relative to pnetCDFcc, each with its best stripes, by ranks: {told(gains)}."
    return Claim(words, all(gain > 0 for _, gain in gains), why)


def told(gains: list[tuple[int, float]]) -> str:
    return listed([(ranks, percent(gain)) for ranks, gain in gains])


def trend(
    study: Wong, setting: Setting, record: Record, domain: Domain, words: str, methods: tuple[str, str], sign: int
) -> Claim:
    """Whether the last is on the `sign` side of the first."""
    words = words.format(domain.name)
    stripe = study.best(setting, record, domain, methods[1])
    gains = [(r, stripe and study.gain(record, domain, r, methods, stripe)) for r in study.ranks(setting)]
    if any(gain is None for _, gain in gains):
        return not_measured(words, "one of them")
    why = f"{methods[1]} relative to {methods[0]} with {stripe.label}, by ranks: {told(gains)}."
    return Claim(words, sign * (gains[-1][1] - gains[0][1]) > 0, why)


def not_default(study: Wong, setting: Setting, record: Record, domain: Domain) -> Claim:
    words = NOT_DEFAULT.format(domain.name)
    first, *_ = study.stripes(setting)
    found = []
    for method in ("pnetCDF", "pnetCDFcr"):
        best = study.best(setting, record, domain, method)
        if best is None:
            return not_measured(words, method)
        ranks = study.ranks(setting)[-1]
        slow, fast = (study.timing(record, domain, ranks, method, stripe) for stripe in (first, best))
        found.append((method, best, relative_performance(slow.mean, fast.mean), slow.least > fast.most))
    why = "; ".join(
        f"{method}: {best.label}, relative to the default {percent(gain)} at {study.ranks(setting)[-1]} ranks"
        + ("" if apart or best == first else " (within the repeats' range)")
        for method, best, gain, apart in found
    )
    return Claim(words, all(best != first and apart for _, best, _, apart in found), why + ".")


def many_ranks(study: Wong, setting: Setting, record: Record) -> Claim:
    domain, ranks = DOMAINS[-1], study.many_ranks(setting)[-1]
    gains = {}
    for method in ("pnetCDF", "pnetCDFcr"):
        stripe = study.best(setting, record, domain, method)
        gain = stripe and study.gain(record, domain, ranks, ("rnetCDF", method), stripe)
        if gain is None:
            return not_measured(WORSE_THAN_SERIAL, f"{method} on {ranks} ranks")
        gains[method] = gain
    why = f"{domain.name}, {ranks} ranks, relative to rnetCDF: {listed([(m, percent(g)) for m, g in gains.items()])}."
    return Claim(WORSE_THAN_SERIAL, gains["pnetCDF"] < 0 < gains["pnetCDFcr"], why)
