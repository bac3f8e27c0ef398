# SPDX-License-Identifier: Apache-2.0
"""Weir beside its peers, each with its best settings: how much faster, and where the bytes go."""

import os
from pathlib import Path

from studies.charts import draw_row_bars
from studies.claims import Claim, amount, not_measured
from studies.contest import RAW, Contest
from studies.matrix import IN_OUTPUT, OMPIO, ROMIO, WHOLE_RUN, Candidate, Case, Contender, Job, Setting, pnetcdf, weir
from studies.page import Page, Section
from studies.record import Record

LEAST_GAIN, LEAST_OF_RAW = 1.5, 0.9
SLOW = ("serial netCDF", "PnetCDF blocking, no two-phase")
WITHOUT = ":romio_cb_write=disable"
SHORT_MODES = ("rows", "remap", "remap:writers_per_host=2", "dynamic", "dynamic:writers_per_host=4")


def contenders(setting: Setting, case: Case) -> list[Contender]:
    def pnetcdf_of(mode: str) -> tuple[Candidate, ...]:
        """In a short study the slower layer is tried by one peer, with large fields: with small ones it needs minutes."""
        found = pnetcdf(setting, case.ranks, mode)
        slow = not setting.short or (case.family, mode) == ("weak", "peer:pnetcdf")
        return tuple(c for c in found if c.layer == ROMIO or slow)

    serial = (Candidate("peer:serial"), Candidate("peer:serial:lib=pnetcdf"))
    both = pnetcdf_of("peer:pnetcdf")
    without = [f"peer:pnetcdf{WITHOUT}", *([] if setting.short else [f"peer:pnetcdf{WITHOUT},romio_ds_write=disable"])]
    blocks = not case.name.startswith("map")  # peer:netcdf4 takes boxes only
    theirs = [
        Contender("serial netCDF", serial[1:] if setting.short else serial),
        Contender("PnetCDF blocking, two-phase", tuple(c for c in both if WITHOUT not in c.mode)),
        Contender("PnetCDF nonblocking", pnetcdf_of("peer:pnetcdf-nb")),
    ]
    if not (setting.short and case.family != "weak"):  # in short rows, each of which is a message
        theirs.append(Contender("PnetCDF blocking, no two-phase", tuple(Candidate(mode) for mode in without)))
    if blocks and not (setting.short and case.family != "weak"):
        more = (Candidate(f"peer:netcdf4{WITHOUT}"), Candidate("peer:netcdf4", OMPIO))
        theirs.append(Contender("netCDF-4 parallel", (Candidate("peer:netcdf4"), *(() if setting.short else more))))
    return [weir(SHORT_MODES) if setting.short else weir(), *theirs]


def map_cases(setting: Setting, ranks: int) -> list[Case]:
    """Decompositions of a real model, where WEIR_DATA names a folder that has them."""
    data = Path(os.environ.get("WEIR_DATA") or "/nonexistent")
    found = []
    cases = (("f", "f_case_h0.txt"), ("g", "g_case_hist.txt"))
    for letter, header in cases[1:] if setting.short else cases:
        map_file = data / f"map_{letter}_case_16p.nc"
        if map_file.is_file() and (data / header).is_file():
            words = ("--workload", "map", "--map", str(map_file), "--header", str(data / header))
            records = setting.pick("1", "1", "4")
            name = f"map-{letter}-{ranks}"
            title = f"map {letter.upper()}, {ranks} ranks"
            found.append(Case(name, title, ranks, (*words, "--records", records), f"map-{letter}"))
    return found


class Peers:
    name = "peers"
    title = "Weir beside its peers"

    def cases(self, setting: Setting) -> list[Case]:
        def case(workload: str, ranks: int, scale: float) -> Case:
            scale = f"{scale * (0.33 if setting.in_lab else 1):.3g}"  # its network is slower than this machine's memory
            words = ("--workload", workload, "--scale", scale)
            words += ("--records", "1") if workload == "cmaq-eus" and setting.short else ()
            clock = IN_OUTPUT if workload.startswith("cmaq") else WHOLE_RUN  # it reads, too
            return Case(f"{workload}-{ranks}", f"{workload}, {ranks} ranks", ranks, words, workload, clock)

        if setting.size.value == "miniature":
            return [case("weak", 2, 0.002)]
        many = 16
        large = 0.45 if setting.short else setting.pick(0, 0.3, 1)
        chosen = [case("weak", ranks, large) for ranks in ((many,) if setting.in_lab else (4, many))]
        chosen.append(case("cmaq-eus", many, setting.pick(0, 0.02, 0.1)))
        if not setting.short:
            chosen.append(case("cam-fvc", 8, setting.pick(0, 0.5, 1)))
        return chosen + map_cases(setting, many)

    def contest(self, setting: Setting) -> Contest:
        return Contest(setting, self.cases(setting), lambda case: contenders(setting, case))

    def find(self, setting: Setting) -> list[Job]:
        return self.contest(setting).find_jobs()

    def measure(self, setting: Setting, record: Record) -> list[Job]:
        contest = self.contest(setting)
        return [*contest.measure_jobs(record), *(self.traffic_jobs(contest, record) if setting.in_lab else [])]

    def traffic_jobs(self, contest: Contest, record: Record) -> list[Job]:
        """Each chosen mode alone, so that the cards of the hosts carry its bytes and no other's. In a short study not
        of the slow ones."""
        jobs = []
        for case in contest.cases:
            for who in contest.contenders(case):
                if contest.setting.short and who.label in SLOW:
                    continue
                if pick := contest.choose(record, case, who):
                    name = f"traffic-{case.name}-{who.label}".replace(" ", "_").replace(",", "")
                    jobs.append(
                        Job(name, case.ranks, case.workload, (pick.mode,), 1, pick.layer, 0, verify=False, traffic=True)
                    )
        return jobs

    def page(self, setting: Setting, record: Record) -> Page:
        contest = self.contest(setting)
        page = Page(
            title="Weir beside its peers",
            paper="Serial netCDF, PnetCDF with and without two-phase and nonblocking, netCDF-4, and plain files a "
            "rank.",
            summary="Each contender runs with its best of a stated set of hints and MPI-IO layers, found in a first "
            "stage; "
            "in the second one it runs interleaved with Weir. The plain files are the ceiling and no netCDF.",
            claims_title="What Weir is held to",
        )
        for case in contest.cases:
            page.sections.append(self.section(contest, record, case))
            page.claims.append(self.claim(contest, record, case))
        if setting.in_lab:
            page.claims.append(self.idle_claim(record))
        page.tables += contest.tables(record)
        return page

    def figures(self, contest: Contest, record: Record, case: Case) -> list[tuple[str, float | None, bool]]:
        """Throughput of each contender, in MB/s."""
        size = contest.megabytes(record, case)
        found = []
        for who in contest.contenders(case):
            timing = contest.timing(record, case, who)
            found.append((who.label, size / timing.median if timing and size else None, who.ours))
        raw = contest.timing_of(record, case, RAW)
        return [*found, ("plain files a rank", size / raw.median if raw and size else None, False)]

    def section(self, contest: Contest, record: Record, case: Case) -> Section:
        figures = self.figures(contest, record, case)
        mine = figures[0][1]
        rows = []
        for (label, speed, _), who in zip(figures, [*contest.contenders(case), None], strict=True):
            pick = contest.choose(record, case, who) if who else Candidate(RAW, "")
            ratio = f"{mine / speed:.2f}" if mine and speed else "-"
            rows.append([label, pick.mode if pick else "-", pick.layer if pick else "", ratio,
                         self.traffic(record, case, who)])  # fmt: skip
        size = contest.megabytes(record, case)
        return Section(
            f"{case.title}, {amount(size)} MB" if size else f"{case.title}: nothing was measured",
            [
                draw_row_bars(
                    f"Throughput, {case.title}", "MB/s (larger is better)", *map(list, zip(*figures, strict=True))
                )
            ],
            table=(["contender", "its mode", "MPI-IO layer", "Weir is faster by", "between hosts, MB"], rows),
        )

    @staticmethod
    def idle_claim(record: Record) -> Claim:
        words = "The processors are less than half busy: network and storage are the limit, and not this machine"
        usages = [done["usage"]["processors"] for name, done in record.jobs.items() if "usage" in done]
        if not usages:
            return not_measured(words, "traffic")
        busy, own = (
            max(100 * sum(usage[key] for key in keys) / usage["all"] for usage in usages)
            for keys in (("busy",), ("program", "file_system"))
        )
        why = f"At most {busy:.0f} % busy in jobs of one mode, their start and end included; {own:.0f} % by the lab."
        return Claim(words, busy < 50, why)

    @staticmethod
    def traffic(record: Record, case: Case, who: Contender | None) -> str:
        """Megabytes that the hosts sent each other in one run."""
        if who is None:
            return "-"
        name = f"traffic-{case.name}-{who.label}".replace(" ", "_").replace(",", "")
        usage = record.jobs.get(name, {}).get("usage")
        return f"{sum(host['hosts_sent'] for host in usage['hosts'].values()) / 1e6:,.1f}" if usage else "-"

    def claim(self, contest: Contest, record: Record, case: Case) -> Claim:
        words = f"{case.title}: Weir's best has {LEAST_GAIN} times the best peer's throughput"
        words += f", or {LEAST_OF_RAW} of plain files'"
        (_, mine, _), *others, (_, raw, _) = self.figures(contest, record, case)
        speeds = [(speed, label) for label, speed, _ in others if speed]
        if not mine or not raw or not speeds:
            return not_measured(words, "one of them")
        best, label = max(speeds)
        why = f"{amount(mine)} MB/s: {mine / best:.2f} times {label} ({amount(best)})"
        why += f", {mine / raw:.2f} of plain files ({amount(raw)})."
        return Claim(words, mine >= LEAST_GAIN * best or mine >= LEAST_OF_RAW * raw, why)


STUDY = Peers()
