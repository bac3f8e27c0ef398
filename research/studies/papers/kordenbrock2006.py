# SPDX-License-Identifier: Apache-2.0
"""Kordenbrock & Oldfield 2006, figure 3: total write time of CMAQ, serial, in parallel, and with two-phase."""

from studies.charts import Axes, Series, draw_bars
from studies.claims import Claim, listed, not_measured, percent, seconds
from studies.contest import Contest
from studies.matrix import IN_OUTPUT, OMPIO, Candidate, Case, Contender, Job, Setting, hint_sets, weir
from studies.page import Page, Section
from studies.record import Record
from studies.repeats import Timing, increase, relative_performance

SERIAL, WITHOUT, WITH, WEIR = "serial", "parallel, no two-phase", "parallel, two-phase", "Weir, its best"
PAPER_INCREASE = {SERIAL: 49, WITHOUT: 64, WITH: 10}  # percent from 16 to 32 processors
GROWS, NEARLY_FLAT = 5, 20  # percent: less than the first is noise
DISABLED = "romio_cb_write=disable"


def contenders(setting: Setting, case: Case) -> list[Contender]:
    two_phase = [hints for hints in hint_sets(setting, case.ranks) if DISABLED not in hints]
    return [
        Contender(SERIAL, (Candidate("peer:serial"), Candidate("peer:serial:lib=pnetcdf"))),
        Contender(
            WITHOUT,
            (Candidate(f"peer:pnetcdf:{DISABLED}"), Candidate(f"peer:pnetcdf:{DISABLED},romio_ds_write=disable")),
        ),
        Contender(WITH, (*(Candidate("peer:pnetcdf" + h) for h in two_phase), Candidate("peer:pnetcdf", OMPIO))),
        weir(label=WEIR),
    ]


class Kordenbrock:
    name = "kordenbrock2006"
    title = "Kordenbrock & Oldfield 2006: two-phase writing of CMAQ"

    def cases(self, setting: Setting) -> list[Case]:
        records = setting.pick(1, 2, 24) if not setting.in_lab else setting.pick(1, 1, 8)
        words = ("--workload", "cmaq-2km", "--records", str(records))
        counts = setting.pick([2], [8, 16] if setting.in_lab else [8, 16, 32], [8, 16, 32])
        return [Case(f"cmaq-2km-{n}", f"{n} ranks", n, words, "cmaq-2km", IN_OUTPUT) for n in counts]

    def contest(self, setting: Setting) -> Contest:
        return Contest(setting, self.cases(setting), lambda case: contenders(setting, case))

    def find(self, setting: Setting) -> list[Job]:
        return self.contest(setting).find_jobs()

    def measure(self, setting: Setting, record: Record) -> list[Job]:
        return self.contest(setting).measure_jobs(record)

    def timings(self, setting: Setting, record: Record) -> dict[str, list[Timing | None]]:
        """By contender, over the cases."""
        contest = self.contest(setting)
        found: dict[str, list[Timing | None]] = {}
        for case in contest.cases:
            for who in contest.contenders(case):
                found.setdefault(who.label, []).append(contest.timing(record, case, who))
        return found

    def page(self, setting: Setting, record: Record) -> Page:
        contest = self.contest(setting)
        timings = self.timings(setting, record)
        ranks = [case.ranks for case in contest.cases]
        page = Page(
            title="Parallel I/O advancements in air quality modeling systems, repeated",
            paper="Kordenbrock and Oldfield 2006, 5th Annual CMAS Conference, Chapel Hill.",
            summary="A day of CMAQ with small hourly writes: rank 0 gathers and writes (serial), PnetCDF without and "
            "with the "
            "two-phase writing of MPI-IO, and Weir. The sizes of the paper's data set are not published; cmaq-2km is "
            "of its kind.",
            sections=[self.section(ranks, timings)],
            claims=make_claims(ranks, timings),
        )
        page.tables += contest.tables(record)
        return page

    def section(self, ranks: list[int], timings: dict[str, list[Timing | None]]) -> Section:
        series = [
            Series(
                label,
                [t and t.median for t in row],
                [t and t.least for t in row],
                [t and t.most for t in row],
            )
            for label, row in timings.items()
        ]
        labels = Axes("ranks", "total write time, s (smaller is better)")
        figure = draw_bars("Total write time", labels, [str(n) for n in ranks], series)
        table = [
            [label, *(seconds(t.median) if t else "failed" for t in row), *changes(row)]
            for label, row in timings.items()
        ]
        steps = [f"{a} to {b}" for a, b in zip(ranks, ranks[1:], strict=False)]
        return Section(
            "Figure 3: total write time against ranks",
            [figure],
            "Medians; the bars' lines go from the least to the largest repeat. Time is what the slowest rank spent "
            "in output calls.",
            "The times themselves are graphical. From 16 to 32 processors write time increases by:",
            (["", "increase"], [[label, f"{value:+} %"] for label, value in PAPER_INCREASE.items()]),
            (["", *(f"{n} ranks" for n in ranks), *steps], table),
        )


def changes(row: list[Timing | None]) -> list[str]:
    return [percent(increase(a.median, b.median)) if a and b else "-" for a, b in zip(row, row[1:], strict=False)]


def make_claims(ranks: list[int], timings: dict[str, list[Timing | None]]) -> list[Claim]:
    last = {label: row[-1] for label, row in timings.items()}
    claims = []
    if len(ranks) > 1:
        claims += [growth(ranks, timings)]
    claims.append(compare("In parallel without two-phase it is worse than serial", last, WITHOUT, SERIAL, ranks[-1]))
    claims.append(
        compare("With two-phase it is better than serial (by 48 % with all changes)", last, SERIAL, WITH, ranks[-1])
    )
    for other in (SERIAL, WITHOUT, WITH):
        claims.append(compare(f"Weir's best is below: {other}", last, other, WEIR, ranks[-1]))
    return claims if len(ranks) == 1 else [*each_growth(ranks, timings), *claims]


def pair_of(row: list[Timing | None]) -> float | None:
    """Percent from the last but one number of ranks to the last, twice as many."""
    return increase(row[-2].median, row[-1].median) if row[-1] and row[-2] else None


def each_growth(ranks: list[int], timings: dict[str, list[Timing | None]]) -> list[Claim]:
    span = f"from {ranks[-2]} to {ranks[-1]} ranks"
    found = []
    for label, words, holds in (
        (SERIAL, "Serial write time grows with the ranks (+49 %)", lambda value: value > GROWS),
        (WITH, "With two-phase it stays nearly flat (+10 %)", lambda value: value <= NEARLY_FLAT),
    ):
        value = pair_of(timings[label])
        if value is None:
            found.append(not_measured(words, label))
        else:
            found.append(Claim(words, holds(value), f"{percent(value)} {span}."))
    return found


def growth(ranks: list[int], timings: dict[str, list[Timing | None]]) -> Claim:
    words = "Without two-phase it grows more than serial (+64 % against +49 %)"
    serial, without = pair_of(timings[SERIAL]), pair_of(timings[WITHOUT])
    if serial is None or without is None:
        return not_measured(words, "one of them")
    pairs = listed([(SERIAL, percent(serial)), (WITHOUT, percent(without))])
    return Claim(words, without > serial, f"From {ranks[-2]} to {ranks[-1]} ranks: {pairs}.")


def compare(words: str, last: dict[str, Timing | None], slow: str, fast: str, ranks: int) -> Claim:
    """Whether `fast` takes less than `slow`."""
    if not last[slow] or not last[fast]:
        return not_measured(words, "one of them")
    a, b = last[slow].median, last[fast].median
    gain = percent(relative_performance(a, b))
    why = f"{ranks} ranks: {fast} {seconds(b)}, {slow} {seconds(a)} ({gain} by formula (1))."
    return Claim(words, b < a, why)


STUDY = Kordenbrock()
