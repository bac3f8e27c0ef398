# SPDX-License-Identifier: Apache-2.0
"""One study from its matrix to its page."""

import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from weir.bench.matrix import Job, Setting, Size
from weir.bench.page import Page, draw_page
from weir.bench.place import Place
from weir.bench.progress import Steps, show_progress
from weir.bench.record import Record
from weir.bench.repeats import RULE, Timing
from weir.bench.runner import Runner, write_whole

LIMIT_SECONDS = {Size.MINIATURE: 60, Size.QUICK: 240, Size.FULL: 3600}  # of one job


class Study(Protocol):
    """What a module of studies/ offers as STUDY."""

    name: str
    title: str

    def find(self, setting: Setting) -> list[Job]:
        """The first stage."""

    def measure(self, setting: Setting, record: Record) -> list[Job]:
        """The second stage, from what the first has found."""

    def page(self, setting: Setting, record: Record) -> Page: ...


def run_jobs(study: Study, setting: Setting, runner: Runner, steps: Steps, record: Record) -> None:
    done = 0.0

    def left(jobs: list[Job]) -> float:
        return sum(job.weight() for job in jobs if runner.kept(job) is None)

    def run_all(jobs: list[Job], later: Callable[[], float]) -> None:
        nonlocal done
        steps.expect(done + left(jobs) + later())
        for job in jobs:
            new = runner.kept(job) is None
            record.add(job, runner.run(job, steps.note))
            if new:
                done += job.weight()
                steps.done(job.weight())

    run_all(study.find(setting), lambda: left(study.measure(setting, Record())))
    run_all(study.measure(setting, record), lambda: 0.0)


def describe_machine(machine: dict) -> str:
    if not machine:
        return "no job left results"
    return (
        f"{machine['cpus']} x {machine['cpu_model']}, {machine['memory_bytes'] / 2**30:.0f} GiB, {machine['kernel']}, "
        f"{machine['mpi'].split(',')[0]}, PnetCDF {machine['pnetcdf'].split()[0]}, files on {machine['file_system']}"
    )


def timings_table(record: Record) -> tuple[list[str], list[list[str]]]:
    rows = []
    for name, done in record.jobs.items():
        for run in done.get("runs", ()):
            if not run["seconds"]:
                rows.append([name, str(run["ranks"]), run["mode"], "failed", "", "", "", "", ""])
                continue
            timing, visible = Timing.of(run["seconds"]), Timing.of(run["visible_seconds"])
            speed = f"{run['bytes'] / 1e6 / timing.median:,.0f}" if run["bytes"] else "-"
            spread = f"{timing.least:.4f} to {timing.most:.4f}"
            counts = [str(len(timing.kept)), str(len(timing.outliers))]
            rows.append([name, str(run["ranks"]), run["mode"], f"{timing.median:.4f}", spread, *counts,
                         f"{visible.median:.4f}", speed])  # fmt: skip
    return ["job", "ranks", "mode", "median s", "range s", "kept", "outliers", "in output s", "MB/s"], rows


def summary(study: Study, setting: Setting, place: Place, record: Record, command: str) -> dict:
    """All that is kept of a study, every repeat included."""
    return {
        "study": study.name,
        "size": setting.size.value,
        "place": place.description,
        "machine": record.machine(),
        "command": command,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "failures": record.failures(),
        "jobs": [
            {"name": name} | {key: value for key, value in done.items() if key not in ("key", "machine")}
            for name, done in record.jobs.items()
        ],
    }


def write_results(
    study: Study, setting: Setting, place: Place, record: Record, command: str, folder: Path
) -> tuple[Path, Path]:
    content = summary(study, setting, place, record, command)
    page = study.page(setting, record)
    content["claims"] = [{"paper": c.words, "verdict": c.verdict, "why": c.why} for c in page.claims]
    if hasattr(study, "bandwidths"):
        content["bandwidths"] = study.bandwidths(setting, record)
    page.tables.append(("All runs", timings_table(record)))
    page.notes += [
        "Modes of one job are interleaved: each repeat runs every mode once, in an order that turns by one. The "
        "first round "
        "is not counted. Files are read back and compared in the jobs whose name does not begin with find.",
        RULE,
    ]
    facts = [
        ("machine", describe_machine(content["machine"])),
        ("place", place.description),
        ("command", command),
        ("date", content["date"]),
    ]
    json_path, html_path = folder / f"{study.name}.json", folder / f"{study.name}.html"
    write_whole(json_path, json.dumps(content, separators=(",", ":")) + "\n")
    write_whole(html_path, draw_page(page, facts, content["failures"]))
    return json_path, html_path


def run_study(study: Study, setting: Setting, place: Place, runner: Runner) -> Record:
    record = Record()
    expected = [*study.find(setting), *study.measure(setting, Record())]
    with show_progress(study.title, sum(job.weight() for job in expected)) as steps:
        run_jobs(study, setting, runner, steps, record)
    return record


def told_command() -> str:
    return " ".join(["weir", *sys.argv[1:]])
