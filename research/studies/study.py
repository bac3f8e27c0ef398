# SPDX-License-Identifier: Apache-2.0
"""One study from its matrix to its page."""

import json
import shlex
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from weir.launch import ROOT
from weir.progress import Steps, show_progress

from studies.account import describe_machine, reasons, steps_table, timings_table
from studies.matrix import Job, Setting, Size
from studies.page import Page, draw_page
from studies.place import Place
from studies.record import Record
from studies.repeats import RULE
from studies.runner import Runner, write_whole

LIMIT_SECONDS = {Size.MINIATURE: 60, Size.QUICK: 240, Size.FULL: 3600}  # of one job
QUICK_SECONDS = 180  # of all jobs: what they cannot repeat in it on a busy machine is left out


class Study(Protocol):
    """What a module of papers/ offers as STUDY."""

    name: str
    title: str

    def find(self, setting: Setting) -> list[Job]:
        """The first stage."""

    def measure(self, setting: Setting, record: Record) -> list[Job]:
        """The second stage, from what the first has found."""

    def page(self, setting: Setting, record: Record) -> Page: ...


class Session:
    """Runs a study's jobs; in a quick study each has its share of the time."""

    def __init__(self, study: Study, setting: Setting, runner: Runner, steps: Steps) -> None:
        self._study, self._setting, self._runner, self._steps = study, setting, runner, steps
        self._done = 0.0  # weight of what was run
        self._deadline = time.monotonic() + QUICK_SECONDS
        self.record = Record()

    def run(self) -> Record:
        study, setting = self._study, self._setting
        self._run_all(study.find(setting), lambda: study.measure(setting, Record()))
        self._run_all(study.measure(setting, self.record), list)
        return self.record

    def _left(self, jobs: list[Job]) -> float:
        return sum(job.weight() for job in jobs if self._runner.kept(job) is None)

    def _seconds(self, job: Job, left: float) -> float | None:
        if self._setting.size is not Size.QUICK:
            return None
        return (self._deadline - time.monotonic()) * job.weight() / left

    def _run_all(self, jobs: list[Job], later: Callable[[], list[Job]]) -> None:
        left = self._left([*jobs, *later()])
        self._steps.expect(self._done + left)
        for job in jobs:
            found = self._runner.kept(job)
            self.record.add(job, found or self._runner.run(job.within(self._seconds(job, left)), self._steps.note))
            if not found:
                self._done += job.weight()
                left -= job.weight()
                self._steps.done(job.weight())


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
            {"name": name}
            | {key: value for key, value in done.items() if key not in ("key", "machine")}
            | {"command": without_machine(done["command"])}
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
    page.reasons += reasons(record)
    page.tables += [
        ("Where Weir's time goes, by step", steps_table(record)),
        ("All runs", timings_table(record)),
    ]
    page.notes += [
        "Modes of one job are interleaved: each repeat runs every mode once, in an order that turns by one. The "
        "first round is not counted, but in the first stage of a quick study in a lab. Files are read back and "
        "compared after each run, but not in the jobs whose name begins with traffic.",
        RULE,
    ]
    if setting.size is Size.QUICK:
        page.notes.append(
            f"A quick study: {QUICK_SECONDS} s are shared out to its jobs, and in each to its modes: repeats that do "
            "not fit are left out, but each mode runs once."
        )
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
    with show_progress(study.title) as steps:
        return Session(study, setting, runner, steps).run()


def without_machine(words: list[str]) -> list[str]:
    """A command as it is on any machine: paths of the tree from its top, others by their last part."""
    shown = [word.replace(f"{ROOT}/", "") for word in words]
    return [Path(word).name if word.startswith("/") else word for word in shown]


def told_command() -> str:
    return shlex.join(without_machine(["research/study", *sys.argv[1:]]))
