# SPDX-License-Identifier: Apache-2.0
"""Tseng & Ding 2008: CAM's history output, sequential and remapped to slabs that PnetCDF writes."""

from weir.century import PAPER_REMARK, PAPER_TABLE, Model, century_table

from studies.charts import Axes, Series, draw_lines
from studies.claims import amount
from studies.contest import Contest
from studies.matrix import DISABLED, ROMIO, Candidate, Case, Contender, Job, Setting, hint_sets, pnetcdf, weir
from studies.page import Page, Section
from studies.papers import tseng_claims
from studies.record import Record
from studies.repeats import Timing

SEQUENTIAL, PARALLEL, STRAIGHT, WEIR = "sequential", "remap + PnetCDF", "PnetCDF, no remap", "Weir, its best"
LABELS = (SEQUENTIAL, PARALLEL, STRAIGHT, WEIR)
MOST_STAGING = 32  # of the paper: all ranks up to 32, then 32
SIZES_MB = {"cam-fvb": 49.2, "cam-t85": 123, "cam-fvc": 196, "cam-fvd": 827}  # table 1
TITLES = {"cam-t85": "EUL T85", "cam-fvb": "FV B", "cam-fvc": "FV C", "cam-fvd": "FV D"}
MEDIANS = "Medians, with lines from the slowest to the fastest repeat."
RESHUFFLE, WRITE = ("put", "forward", "rearrange"), ("write", "commit")


def remap_mode(ranks: int) -> str:
    """As the paper has it: staging ranks hold slabs, PnetCDF writes them collectively."""
    return f"remap:writers={min(ranks, MOST_STAGING)},sink=pnetcdf"


def contenders(setting: Setting, case: Case) -> list[Contender]:
    base = remap_mode(case.ranks)
    hinted = [
        base + hints.replace(":", ",hints.", 1).replace(",romio", ",hints.romio") for hints in hints_of(setting, case)
    ]
    return [
        Contender(SEQUENTIAL, (Candidate("peer:serial"), Candidate("peer:serial:lib=pnetcdf"))),
        Contender(PARALLEL, tuple(Candidate(mode) for mode in hinted)),
        Contender(STRAIGHT, pnetcdf(setting, case.ranks)),
        weir(("remap", f"remap:writers={min(4, case.ranks)}", "dynamic", "serial"), WEIR),
    ]


def hints_of(setting: Setting, case: Case) -> list[str]:
    """Slabs are long: writing them as they are is a way, too."""
    found = [hints for hints in hint_sets(setting, case.ranks) if "cb_nodes" not in hints]
    return list(dict.fromkeys([*found, *DISABLED]))


class Tseng:
    name = "tseng2008"
    title = "Tseng & Ding 2008: parallel output of CAM"

    def cases(self, setting: Setting) -> list[Case]:
        factor = setting.pick(0.002, 0.06, 0.3) * (0.4 if setting.in_lab else 1)
        ranks = setting.pick([2], [8, 16] if setting.short else [4, 8, 16], [4, 8, 16, 32])
        several = ["cam-fvc", "cam-fvd"]
        found = []
        for name in setting.pick(several, several if setting.short else list(SIZES_MB), list(SIZES_MB)):
            # FV B only stands in figure 8, which has one number of ranks.
            for count in ranks[-1:] if name == "cam-fvb" else ranks:
                words = ("--workload", name, "--scale", f"{factor:g}")
                found.append(Case(f"{name}-{count}", f"{TITLES[name]}, {count} ranks", count, words, name))
        return found

    def contest(self, setting: Setting) -> Contest:
        return Contest(setting, self.cases(setting), lambda case: contenders(setting, case))

    def find(self, setting: Setting) -> list[Job]:
        return self.contest(setting).find_jobs()

    def measure(self, setting: Setting, record: Record) -> list[Job]:
        return self.contest(setting).measure_jobs(record)

    # What was measured, by workload.

    def of(self, setting: Setting, workload: str) -> list[Case]:
        return [case for case in self.cases(setting) if case.family == workload]

    def timing(self, setting: Setting, record: Record, case: Case, label: str) -> Timing | None:
        contest = self.contest(setting)
        who = next(who for who in contest.contenders(case) if who.label == label)
        return contest.timing(record, case, who)

    def speed(self, setting: Setting, record: Record, case: Case, label: str) -> float | None:
        """MB/s."""
        timing = self.timing(setting, record, case, label)
        return self.contest(setting).megabytes(record, case) / timing.median if timing else None

    def best_speed(self, setting: Setting, record: Record, workload: str, label: str) -> float | None:
        speeds = [self.speed(setting, record, case, label) for case in self.of(setting, workload)]
        return max((speed for speed in speeds if speed), default=None)

    def shares(self, setting: Setting, record: Record, case: Case) -> tuple[float, float, float] | None:
        """Seconds in all, of reshuffling and of writing, of the paper's way; each step's is its slowest rank's."""
        contest = self.contest(setting)
        who = next(who for who in contest.contenders(case) if who.label == PARALLEL)
        pick, timing = contest.choose(record, case, who), contest.timing(record, case, who)
        run = pick and record.run(f"{case.name}-{pick.layer or ROMIO}", pick.mode)
        if not run or not timing or not run.get("steps"):
            return None
        steps = run["steps"]
        parts = (sum(steps.get(step, 0.0) for step in names) for names in (RESHUFFLE, WRITE))
        return timing.median, *parts

    def page(self, setting: Setting, record: Record) -> Page:
        page = Page(
            title="Efficient parallel I/O in CAM, repeated",
            paper="Tseng and Ding 2008, Int. J. High Perform. Comput. Appl. 22, 206-218, doi:10.1177/1094342008090914.",
            summary="CAM's history output (61 fields of two dimensions and 34 of three, held as x, z, y and wanted "
            "as x, y, z): "
            "rank 0 gathers, swaps and writes (sequential); staging ranks remap to slabs and PnetCDF writes them; "
            "PnetCDF writes "
            "what each rank holds; and Weir's best. The paper's threads a task have no counterpart here: every rank "
            "is one process.",
        )
        figures = [("cam-t85", "Figure 3"), ("cam-fvd", "Figures 4 and 5"), ("cam-fvc", "Figure 6")]
        for workload, title in figures:
            if self.of(setting, workload):
                page.sections.append(self.bandwidth_section(setting, record, workload, title))
        page.sections.append(self.share_section(setting, record))
        page.sections.append(self.size_section(setting, record))
        if century := self.century_section(setting, record):
            page.sections.append(century)
        page.claims = tseng_claims.claims(self, setting, record)
        page.tables += self.contest(setting).tables(record)
        return page

    def bandwidth_section(self, setting: Setting, record: Record, workload: str, title: str) -> Section:
        cases = self.of(setting, workload)
        sizes = [self.contest(setting).megabytes(record, case) for case in cases]
        series = []
        for label in LABELS:
            timings = [self.timing(setting, record, case, label) for case in cases]
            pairs = list(zip(sizes, timings, strict=True))
            series.append(
                Series(
                    label,
                    [size / t.median if t else None for size, t in pairs],
                    [size / t.most if t else None for size, t in pairs],
                    [size / t.least if t else None for size, t in pairs],
                )
            )
        labels = Axes("ranks", "bandwidth, MB/s (larger is better)")
        figure = draw_lines(
            f"Bandwidth of history output, {TITLES[workload]}", labels, [c.ranks for c in cases], series
        )
        size = next((size for size in sizes if size), 0)
        caption = f"{amount(size)} MB an output here; {SIZES_MB[workload]:g} MB in the paper. {MEDIANS}"
        return Section(f"{title}: {TITLES[workload]}", [figure], caption, *PAPER_BANDWIDTH[workload])

    def share_section(self, setting: Setting, record: Record) -> Section:
        figures, rows = [], []
        for workload in ("cam-fvd", "cam-fvc"):
            cases = self.of(setting, workload)
            found = [self.shares(setting, record, case) for case in cases]
            series = [
                Series(name, [part and part[i] for part in found])
                for i, name in enumerate(("total output", "reshuffle", "write"))
            ]
            labels = Axes("ranks", "seconds", log=True)
            figures.append(
                draw_lines(f"Reshuffle and write, {TITLES[workload]}", labels, [c.ranks for c in cases], series)
            )
            for case, part in zip(cases, found, strict=True):
                cells = [f"{value:.4f}" for value in part] if part else ["failed"] * 3
                rows.append([case.title, *cells, f"{100 * part[1] / part[0]:.0f} %" if part else "-"])
        return Section(
            "Figure 7: reshuffle and write",
            figures,
            "Of remap + PnetCDF. Reshuffle is copying, sending and placing (steps put, forward and rearrange), write "
            "is the "
            "steps write and commit; each is its slowest rank's, and what is left of the total is waiting.",
            "The figure is graphical. In the text: for FV D roughly 15 % of the output time is reshuffling, and the "
            "share "
            "decreases with more processors; reshuffling scales, writing less.",
            table=(["case", "total s", "reshuffle s", "write s", "reshuffle, of the total"], rows),
        )

    def size_section(self, setting: Setting, record: Record) -> Section:
        cases = [self.of(setting, name)[-1] for name in SIZES_MB if self.of(setting, name)]
        sizes = [self.contest(setting).megabytes(record, case) for case in cases]
        measured = [(size, case) for size, case in zip(sizes, cases, strict=True) if size]
        series = []
        for label in LABELS:
            timings = [self.timing(setting, record, case, label) for _, case in measured]
            series.append(Series(label, [t and t.median for t in timings], [t and t.least for t in timings],
                                 [t and t.most for t in timings]))  # fmt: skip
        labels = Axes("size of an output, MB", "time of an output, s (smaller is better)", log=True)
        places = [float(f"{size:.3g}") for size, _ in measured]
        figure = draw_lines(f"Time against size, {cases[-1].ranks} ranks", labels, places, series)
        return Section(
            "Figure 8: time against the size of an output",
            [figure],
            "From the smallest: " + ", ".join(TITLES[case.family] for _, case in measured) + ".",
            "The figure is graphical. In the text: the time of sequential output increases linearly with the size, "
            "that of "
            "parallel output is almost constant.",
        )

    def bandwidths(self, setting: Setting, record: Record) -> dict[str, float]:
        """Bytes a second of FV D, each at its best number of ranks: what `weir estimate` starts from."""
        found = {label: self.best_speed(setting, record, "cam-fvd", label) for label in LABELS}
        return {label: speed * 1e6 for label, speed in found.items() if speed}

    def century_section(self, setting: Setting, record: Record) -> Section | None:
        bandwidths = {name: speed for name, speed in self.bandwidths(setting, record).items() if name != STRAIGHT}
        if not bandwidths:
            return None
        head, rows = century_table(Model(), list(PAPER_TABLE), bandwidths)
        paper = [[interval, *(f"{value:g}" for value in days)] for interval, days in PAPER_TABLE.items()]
        return Section(
            "Table 3: a century of FV D",
            [],
            "Outputs of 827 MB, with the bandwidth that was measured here on smaller ones, beside the paper's 125.3 "
            "days of "
            "computing. `weir estimate` makes this table for other models.",
            PAPER_REMARK,
            (["output", "sequential: total", "output", "parallel: total", "output"], paper),
            (head, rows),
        )


PAPER_BANDWIDTH = {
    "cam-t85": ("The figure is graphical. In the text: on IBM SP3 parallel output is around 4 times faster, and "
                "more processors help.",),
    "cam-fvd": (
        "The figures are graphical. In the text, up to 1024 processors:",
        (["machine", "sequential", "parallel", "faster by"],
         [["IBM SP3", "~10 MB/s", "~139 MB/s", "14"], ["IBM SP5", "~44 MB/s", "~380 MB/s", "9"]]),
    ),
    "cam-fvc": ("The figure is graphical. In the text: performance saturates; on BlueGene/L sequential output does "
                "not fit the memory.",),
}  # fmt: skip
STUDY = Tseng()
