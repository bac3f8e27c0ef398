# SPDX-License-Identifier: Apache-2.0
"""Wang & Huang 2025 (CFIO2), figures 11 to 13: run time of models with output, and throughput, against ranks."""

from dataclasses import replace

from studies.charts import Axes, Series, draw_lines
from studies.contest import RAW, Contest
from studies.matrix import Candidate, Case, Contender, Job, Setting, pnetcdf, weir
from studies.page import Page, Section
from studies.papers import cfio2_claims
from studies.record import Record
from studies.repeats import Timing

NONE = "none"
DEFAULT, DYNAMIC, BEST = "PnetCDF", "Weir, dynamic", "Weir, its best"
NONBLOCKING = "PnetCDF nonblocking"
COLOUR = {label: i for i, label in enumerate((NONE, DEFAULT, DYNAMIC, BEST, NONBLOCKING))}
DYNAMIC_SET = ("dynamic", "dynamic:overlap=slack", "dynamic:writers_per_host=2", "dynamic:debug.choose=arrival")
SHORT_DYNAMIC_SET = ("dynamic", "dynamic:debug.choose=arrival")
STATIC_SET = ("remap", "rows", "serial")
FIRST_RANKS = 4  # whose computing and data the others share
MODELS = {"jacobi": ("11", "GOMO"), "licom": ("12", "LICOM")}
STORAGE = "60MB"  # a second, where there is no storage but memory


def best_of_weir(setting: Setting) -> Contender:
    modes = (*SHORT_DYNAMIC_SET, "remap") if setting.short else (*DYNAMIC_SET, *STATIC_SET)
    return weir(modes, BEST)


def model_contenders(setting: Setting, case: Case) -> list[Contender]:
    return [
        Contender(DEFAULT, pnetcdf(setting, case.ranks)),
        Contender(DYNAMIC, (Candidate("dynamic"),), ours=True),
        best_of_weir(setting),
    ]


def weak_contenders(setting: Setting, case: Case) -> list[Contender]:
    return [
        Contender(DEFAULT, pnetcdf(setting, case.ranks)),
        Contender(NONBLOCKING, pnetcdf(setting, case.ranks, "peer:pnetcdf-nb")),
        Contender(DYNAMIC, (Candidate("dynamic"),), ours=True),
        best_of_weir(setting),
    ]


def rank_counts(setting: Setting) -> list[int]:
    return setting.pick([2], [8, 16] if setting.short else [4, 8, 16], [4, 8, 16, 32])


class Cfio2:
    name = "cfio2"
    title = "Wang & Huang 2025 (CFIO2): output beside computing"

    def model_cases(self, setting: Setting, workload: str) -> list[Case]:
        """One domain over more and more ranks: computing and data of a rank shrink."""
        found = []
        for ranks in rank_counts(setting):
            share = FIRST_RANKS / ranks
            compute = setting.pick(0.05, 0.6, 2.0) * share
            # jacobi has a block of 0.84 MB a rank, licom one domain of 18.2 GB, both for one record
            data = setting.pick(0.2, 5.0, 24.0) * (0.6 if setting.in_lab else 1)
            # The last record's output has no computing beside it: with few records it is what is seen.
            records = setting.pick(2, 10 if setting.short else 3, 12)
            scale = data / (0.84 * ranks) if workload == "jacobi" else data / 18234
            words = ["--workload", workload, "--scale", f"{scale:.4g}", "--records", str(records)]
            words += ["--compute", f"{compute:.4g}", "--compute-kind", "sleep", "--imbalance", "0.3", "--steps", "2"]
            storage = "" if setting.in_lab else STORAGE
            title = f"{workload}, {ranks} ranks"
            found.append(Case(f"{workload}-{ranks}", title, ranks, tuple(words), workload, storage=storage))
        return found

    def weak_cases(self, setting: Setting) -> list[Case]:
        scale = setting.pick(0.002, 0.2, 1) * (0.3 if setting.in_lab else 1)
        words = ("--workload", "weak", "--scale", f"{scale:g}")
        counts = rank_counts(setting)
        return [Case(f"weak-{ranks}", f"weak, {ranks} ranks", ranks, words, "weak") for ranks in counts]

    def models(self, setting: Setting) -> dict[str, Contest]:
        return {
            workload: Contest(
                setting, self.model_cases(setting, workload), lambda case: model_contenders(setting, case), (NONE,)
            )
            for workload in MODELS
        }

    def weak(self, setting: Setting) -> Contest:
        return Contest(setting, self.weak_cases(setting), lambda case: weak_contenders(setting, case))

    def contests(self, setting: Setting) -> list[Contest]:
        return [*self.models(setting).values(), self.weak(setting)]

    def find(self, setting: Setting) -> list[Job]:
        return [job for contest in self.contests(setting) for job in contest.find_jobs()]

    def measure(self, setting: Setting, record: Record) -> list[Job]:
        jobs = [job for contest in self.contests(setting) for job in contest.measure_jobs(record)]
        repeats = setting.find_repeats() + 1
        for contest in self.models(setting).values():
            jobs += [
                Job(f"alone-{case.name}", case.ranks, alone(case).workload, (RAW,), repeats, storage=case.storage)
                for case in contest.cases
            ]
        return [shortened(job, setting) for job in jobs]

    # What was measured.

    def timing(self, contest: Contest, record: Record, case: Case, label: str) -> Timing | None:
        if label == NONE:
            return contest.timing_of(record, case, NONE)
        who = next(who for who in contest.contenders(case) if who.label == label)
        return contest.timing(record, case, who)

    def raw_seconds(self, record: Record, case: Case) -> float | None:
        """Writing the same bytes as plain files, without computing."""
        timing = record.timing(f"alone-{case.name}", RAW)
        return timing.median if timing else None

    def page(self, setting: Setting, record: Record) -> Page:
        storage = "the lab's storage" if setting.in_lab else f"a storage that takes {STORAGE} a second from all ranks"
        page = Page(
            title="Output through dynamic scheduling, repeated",
            paper="Wang and Huang 2025, Optimizing output operations in high-resolution climate models through "
            "dynamic scheduling.",
            summary=f"Models that compute (unevenly over their ranks) and write to {storage}: without output, by "
            f"PnetCDF with its "
            "best settings, and by Weir. Then throughput alone. Computing is sleep, so that ranks that share a "
            "processor compute at once.",
        )
        for workload, contest in self.models(setting).items():
            page.sections.append(self.model_section(contest, record, workload))
        page.sections.append(self.throughput_section(setting, record))
        page.claims = cfio2_claims.claims(self, setting, record)
        for contest in self.contests(setting):
            page.tables += contest.tables(record)
        return page

    def model_section(self, contest: Contest, record: Record, workload: str) -> Section:
        number, model = MODELS[workload]
        ranks = [case.ranks for case in contest.cases]
        series, rows = [], []
        for label, words in ((NONE, "no output"), (DEFAULT, DEFAULT), (DYNAMIC, DYNAMIC), (BEST, BEST)):
            timings = [self.timing(contest, record, case, label) for case in contest.cases]
            series.append(Series(words, [t and t.median for t in timings], [t and t.least for t in timings],
                                 [t and t.most for t in timings], COLOUR[label]))  # fmt: skip
            rows.append([words, *(f"{t.median:.3f}" if t else "failed" for t in timings)])
        raw = [self.raw_seconds(record, case) for case in contest.cases]
        rows.append(
            ["plain files, without computing", *("failed" if value is None else f"{value:.3f}" for value in raw)]
        )
        labels = Axes("ranks", "run time, s (smaller is better)")
        figure = draw_lines(f"Run time, {workload} for {model}", labels, ranks, series)
        size = next((s for s in (contest.megabytes(record, case) for case in contest.cases) if s), 0)
        return Section(
            f"Figure {number}: run time of {model} (here {workload})",
            [figure],
            f"{size:,.1f} MB in all outputs, one domain over all numbers of ranks. Medians, from the least to the "
            f"largest repeat.",
            *PAPER_RUN_TIMES[workload],
            (["seconds", *(f"{n} ranks" for n in ranks)], rows),
        )

    def throughput_section(self, setting: Setting, record: Record) -> Section:
        """The fastest repeat, as the paper takes it, and down to the slowest."""
        contest = self.weak(setting)
        series = []
        for label in (DEFAULT, NONBLOCKING, DYNAMIC, BEST):
            pairs = [(contest.megabytes(record, c), self.timing(contest, record, c, label)) for c in contest.cases]
            best = [size / t.least if t else None for size, t in pairs]
            series.append(Series(label, best, [size / t.most if t else None for size, t in pairs], best, COLOUR[label]))
        labels = Axes("ranks", "throughput, MB/s (larger is better)")
        figure = draw_lines("Throughput, weak scaling", labels, [case.ranks for case in contest.cases], series)
        return Section(
            "Figure 13: throughput against ranks",
            [figure],
            "20 variables, a block of the same size a rank. As in the paper the fastest repeat is drawn, with a line "
            "down to the slowest. "
            "PIO, which the paper has too, is not among Weir's peers.",
            "Highest throughputs in the text; the curves are graphical:",
            (["", "GB/s", "processes"], [["PIO, stride 2", "1.88", "512"], ["PIO, stride 20", "3.15", "2048"],
             ["PIO, stride 60", "3.44", "6144"], ["PnetCDF", "4.22", "8192"], ["CFIO2, by hand", "14.2", "9000"],
             ["CFIO2, learnt", "15.1", "9000"]]),
        )  # fmt: skip


def alone(case: Case) -> Case:
    """The same without computing."""
    words = list(case.workload)
    for option in ("--compute", "--compute-kind", "--imbalance", "--steps"):
        at = words.index(option)
        del words[at : at + 2]
    return replace(case, workload=(*words, *(("--steps", "0") if case.family == "jacobi" else ())))


def shortened(job: Job, setting: Setting) -> Job:
    """Runs that compute are long: fewer of them are repeated in a quick study."""
    computing = "--compute" in job.workload
    return replace(job, repeats=min(job.repeats, 2)) if computing and setting.size.value == "quick" else job


PAPER_RUN_TIMES = {
    "jacobi": (
        "In the text, seconds; the rest is graphical:",
        (["processes", "default", "CFIO2, by hand", "learnt", "faster by"],
         [["900", "1853", "1798", "1753", "1.06"], ["4800", "948", "", "612", "1.54"]]),
    ),
    "licom": (
        "In the text, seconds; the rest is graphical:",
        (["processes", "no output", "default (MPI-IO)", "CFIO2, by hand", "learnt", "faster by"],
         [["1200", "5687", "7562", "5932", "5903", "1.28"], ["19200", "474", "7015", "568", "533", "13.14"]]),
    ),
}  # fmt: skip
STUDY = Cfio2()
