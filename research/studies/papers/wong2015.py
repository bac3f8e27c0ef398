# SPDX-License-Identifier: Apache-2.0
"""Wong et al. 2015: aggregation along process rows and columns before PnetCDF, over stripe counts and sizes."""

from dataclasses import dataclass

from studies.charts import Axes, Series, draw_bars, draw_lines
from studies.claims import amount
from studies.matrix import Job, Setting
from studies.page import Page, Section
from studies.papers import wong_claims
from studies.papers.wong_paper import APPLICATION, DOMAINS, FIGURE_10_WORDS, Domain
from studies.record import Record
from studies.repeats import Timing, relative_performance

CLOCK = "visible_seconds"  # the paper's time: writing, gathering and messages, without computing
SERIAL = "peer:serial"
MEBIBYTE = 1 << 20


@dataclass(frozen=True)
class Stripe:
    """As the paper names it. Where a file system takes no such hints, what MPI-IO makes of them is left: as many
    aggregators as stripes, whose parts of the file begin at multiples of the size."""

    count: int
    mebibytes: int
    hosts: int = 1

    @property
    def hints(self) -> dict[str, str]:
        many = str(self.count)
        size = str(self.mebibytes * MEBIBYTE)
        return {
            "striping_factor": many,
            "striping_unit": size,
            "cb_nodes": many,
            "cb_config_list": f"*:{-(-self.count // self.hosts)}",
        }

    def mode(self, name: str, prefix: str = "") -> str:
        return f"{name}{',' if '=' in name else ':'}" + ",".join(f"{prefix}{k}={v}" for k, v in self.hints.items())

    @property
    def label(self) -> str:
        return f"{self.count} x {self.mebibytes} MB"


METHODS = {"rnetCDF": "serial", "pnetCDF": "straight", "pnetCDFcr": "rows", "pnetCDFcc": "columns"}


def mode_of(method: str, stripe: Stripe) -> str:
    if method == "rnetCDF":
        return SERIAL
    if method == "pnetCDF":
        return stripe.mode("peer:pnetcdf")
    strategy = {"pnetCDFcr": "rows", "pnetCDFcc": "columns"}[method]
    return stripe.mode(f"{strategy}:sink=pnetcdf", "hints.")


OURS = ("rows", "remap", "serial")  # as Weir writes them by itself


class Wong:
    name = "wong2015"
    title = "Wong et al. 2015: aggregation along rows and columns"

    def domains(self, setting: Setting) -> tuple[Domain, ...]:
        return setting.pick(DOMAINS[:1], DOMAINS[1:2] if setting.short else DOMAINS, DOMAINS)

    def stripes(self, setting: Setting) -> list[Stripe]:
        counts = setting.pick([1], [1, 4], [1, 2, 5, 11])
        sizes = setting.pick([1], [1, 4], [1, 2, 4, 8, 16])
        if setting.size.value == "full" and setting.in_lab:
            counts, sizes = [1, 4, 8], [1, 4, 16]
        return [Stripe(count, size, setting.hosts) for count in counts for size in sizes]

    def default(self, setting: Setting) -> Stripe:
        """One stripe of 1 MB, on both machines of the paper."""
        return Stripe(1, 1, setting.hosts)

    def ranks(self, setting: Setting) -> list[int]:
        return setting.pick([2], [4, 8, 16], [4, 8, 16, 32])

    def many_ranks(self, setting: Setting) -> list[int]:
        return setting.pick([], [] if setting.short else [32], [64])

    def job(self, setting: Setting, domain: Domain, ranks: int, stripes: list[Stripe]) -> Job:
        bytes_wanted = setting.pick(1e6, 12e6, 48e6) * domain.relative_size * (0.4 if setting.in_lab else 1)
        records = setting.pick(1, 1, domain.steps)
        scale = f"{bytes_wanted / records / domain.step_bytes:.3g}"
        modes = [SERIAL, *OURS]
        modes += [mode_of(method, stripe) for stripe in stripes for method in ("pnetCDF", "pnetCDFcr", "pnetCDFcc")]
        words = ("--workload", domain.workload, "--scale", scale, "--records", str(records))
        return Job(f"{domain.workload}-{ranks}", ranks, words, tuple(modes), setting.measure_repeats())

    def find(self, setting: Setting) -> list[Job]:
        """All stripe settings: the matrix is the search."""
        stripes = self.stripes(setting)
        return [self.job(setting, domain, r, stripes) for domain in self.domains(setting) for r in self.ranks(setting)]

    def measure(self, setting: Setting, record: Record) -> list[Job]:
        """The large numbers of ranks, with the best stripes of each method."""
        domain = DOMAINS[-1]
        if domain not in self.domains(setting):
            counts = self.ranks(setting)[-2:]
            return [self.job(setting, APPLICATION, ranks, [self.default(setting)]) for ranks in counts]
        stripes = {best for method in ("pnetCDF", "pnetCDFcr") if (best := self.best(setting, record, domain, method))}
        chosen = sorted(stripes or {self.default(setting)}, key=lambda stripe: (stripe.count, stripe.mebibytes))
        many = [self.job(setting, domain, ranks, chosen) for ranks in self.many_ranks(setting)]
        return [*many, *(self.job(setting, APPLICATION, ranks, chosen) for ranks in self.ranks(setting)[-2:])]

    def timing(self, record: Record, domain: Domain, ranks: int, method: str, stripe: Stripe) -> Timing | None:
        return record.timing(f"{domain.workload}-{ranks}", mode_of(method, stripe), CLOCK)

    def gain(
        self, record: Record, domain: Domain, ranks: int, methods: tuple[str, str], stripe: Stripe
    ) -> float | None:
        """Formula (1) of the mean times, outliers left out, as in the paper."""
        first, second = (self.timing(record, domain, ranks, method, stripe) for method in methods)
        return relative_performance(first.mean, second.mean) if first and second else None

    def best(self, setting: Setting, record: Record, domain: Domain, method: str) -> Stripe | None:
        """The stripes with the least time over all numbers of ranks."""
        found = []
        for i, stripe in enumerate(self.stripes(setting)):
            timings = [self.timing(record, domain, ranks, method, stripe) for ranks in self.ranks(setting)]
            if all(timings):
                found.append((sum(timing.mean for timing in timings), i, stripe))
        return min(found, default=(0, 0, None))[2]

    def page(self, setting: Setting, record: Record) -> Page:
        page = Page(
            title="An approach to enhance PnetCDF performance, repeated",
            paper="Wong, Yang, Fu, Wong and Gao 2015, Geosci. Model Dev. 8, 1033-1046, doi:10.5194/gmd-8-1033-2015.",
            summary="The mock-up of CMAQ on three domains: serial netCDF (rnetCDF), PnetCDF as it is (pnetCDF), and "
            "data "
            "aggregated along process rows (pnetCDFcr) or columns (pnetCDFcc) before PnetCDF writes them. Here "
            "rnetCDF is "
            "peer:serial, pnetCDF is peer:pnetcdf, and the other two are Weir's strategies rows and columns over the "
            "sink pnetcdf.",
            notes=[self.stripe_words(record)],
        )
        for domain in self.domains(setting):
            page.sections += [self.stripe_section(setting, record, domain), self.rank_section(setting, record, domain)]
        if self.many_ranks(setting):
            page.sections.append(self.many_section(setting, record))
        page.sections.append(self.application_section(setting, record))
        page.claims = wong_claims.claims(self, setting, record)
        return page

    @staticmethod
    def stripe_words(record: Record) -> str:
        system = record.machine().get("file_system", "unknown")
        striping = ("lustre", "pvfs2", "orangefs", "beegfs", "panfs")
        if any(name in str(system).lower() for name in striping):
            return f"The file system ({system}) takes stripe counts and sizes as hints."
        return (
            f"The file system ({system}) takes no stripe hints. What MPI-IO makes of them is what differs here: as "
            f"many "
            "aggregators as stripes (cb_nodes), whose parts of the file begin at multiples of the stripe size "
            "(striping_unit)."
        )

    PAIRS = (("rnetCDF", "pnetCDF"), ("pnetCDF", "pnetCDFcc"), ("pnetCDF", "pnetCDFcr"))

    def stripe_section(self, setting: Setting, record: Record, domain: Domain) -> Section:
        """Figures 3 to 8: three parts, over stripes and numbers of ranks."""
        stripes, ranks = self.stripes(setting), self.ranks(setting)
        figures = []
        for methods in self.PAIRS:
            series = [
                Series(f"{r} ranks", [self.gain(record, domain, r, methods, stripe) for stripe in stripes])
                for r in ranks
            ]
            title = f"{methods[1]} relative to {methods[0]}, {domain.name}"
            labels = Axes("stripe count x stripe size", "relative performance, %")
            figures.append(draw_bars(title, labels, [stripe.label for stripe in stripes], series))
        return Section(
            f"Figures {domain.figures}: {domain.title}",
            figures,
            "Relative performance by formula (1), (T1 - T2) / T1, of the mean output times: above 0 the second "
            "method is faster.",
            domain.words,
        )

    def rank_section(self, setting: Setting, record: Record, domain: Domain) -> Section:
        ranks = self.ranks(setting)
        series = []
        for methods in (("rnetCDF", "pnetCDF"), ("pnetCDF", "pnetCDFcr"), ("pnetCDF", "pnetCDFcc")):
            stripe = self.best(setting, record, domain, methods[1]) or self.default(setting)
            label = f"{methods[1]} to {methods[0]}, {stripe.label}"
            series.append(Series(label, [self.gain(record, domain, r, methods, stripe) for r in ranks]))
        labels = Axes("ranks", "relative performance, %")
        figure = draw_lines(f"Against ranks, {domain.name}, each with its best stripes", labels, ranks, series)
        return Section(
            f"{domain.name}: with the best stripes, against ranks",
            [figure],
            paper="What the text of the paper gives at its best stripes, from its fewest to its most processors:",
            paper_table=(["machine", "what", "from", "to"], [list(row) for row in domain.table]),
            table=self.time_table(setting, record, domain),
        )

    def time_table(self, setting: Setting, record: Record, domain: Domain) -> tuple[list[str], list[list[str]]]:
        """Seconds, and Weir beside the paper's methods."""
        rows = []
        for ranks in self.ranks(setting):
            row = [str(ranks)]
            for method in METHODS:
                stripe = self.best(setting, record, domain, method) or self.default(setting)
                timing = self.timing(record, domain, ranks, method, stripe)
                row.append(f"{timing.mean:.4f}" if timing else "failed")
            own = [record.timing(f"{domain.workload}-{ranks}", mode, CLOCK) for mode in OURS]
            rows.append(row + [f"{timing.mean:.4f}" if timing else "failed" for timing in own])
        head = ["ranks", *(f"{method}, s" for method in METHODS), *(f"Weir, {mode}, s" for mode in OURS)]
        return head, rows

    def many_section(self, setting: Setting, record: Record) -> Section:
        domain = DOMAINS[-1]
        ranks = [*self.ranks(setting), *self.many_ranks(setting)]
        series = []
        for method in ("pnetCDF", "pnetCDFcr"):
            stripe = self.best(setting, record, domain, method) or self.default(setting)
            label = f"{method}, {stripe.label}"
            series.append(Series(label, [self.gain(record, domain, r, ("rnetCDF", method), stripe) for r in ranks]))
        labels = Axes("ranks", "relative performance to rnetCDF, %")
        figure = draw_bars(f"Large numbers of ranks, {domain.name}", labels, [str(r) for r in ranks], series)
        return Section("Figure 10: a large number of processors", [figure], paper=FIGURE_10_WORDS)

    def application_times(self, setting: Setting, record: Record) -> tuple[list[int], dict[str, list[Timing | None]]]:
        """Of the paper's methods with the stripes that are best for the largest domain, and of Weir by itself."""
        ranks = self.ranks(setting)[-2:]
        found: dict[str, list[Timing | None]] = {}
        for method in ("rnetCDF", "pnetCDF", "pnetCDFcr"):
            stripe = self.best(setting, record, DOMAINS[-1], method) or self.default(setting)
            found[method] = [self.timing(record, APPLICATION, r, method, stripe) for r in ranks]
        for mode in ("remap", "rows"):
            label = f"Weir, {mode}"
            found[label] = [record.timing(f"{APPLICATION.workload}-{r}", mode, CLOCK) for r in ranks]
        return ranks, found

    def application_section(self, setting: Setting, record: Record) -> Section:
        ranks, times = self.application_times(setting, record)
        series = [
            Series(label, [t and t.mean for t in row], [t and t.least for t in row], [t and t.most for t in row])
            for label, row in times.items()
        ]
        labels = Axes("ranks", "write time, s (smaller is better)")
        figure = draw_bars("Write time of the application", labels, [str(r) for r in ranks], series)
        size = record.megabytes(f"{APPLICATION.workload}-{ranks[-1]}")
        caption = (
            f"{amount(size)} MB in all steps. Means, with lines from the least to the largest repeat." if size else ""
        )
        return Section(f"Figure 12: {APPLICATION.title}", [figure], caption, APPLICATION.words)


STUDY = Wong()
