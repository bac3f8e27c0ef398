# SPDX-License-Identifier: Apache-2.0
"""The labs that are up: a directory each, with a file that names the processes a lab hangs on."""

import contextlib
import json
import os
import shutil
import signal
import time
from dataclasses import astuple, dataclass
from pathlib import Path

from cluster import LABS, Lab, LabError

FILE = "state.json"


@dataclass(frozen=True)
class Process:
    """A process, told apart by its start time from a later one with the same id."""

    pid: int
    started: int

    @staticmethod
    def of(pid: int) -> "Process":
        return Process(pid, read_start(pid) or 0)

    def runs(self) -> bool:
        return read_start(self.pid) == self.started


def stat_fields(process: int | str, proc: Path = Path("/proc")) -> list[str]:
    """Fields of its `stat` from the third on; the name before them may hold blanks. Empty: no such process."""
    try:
        return (proc / str(process) / "stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def read_start(pid: int) -> int | None:
    """When the process started, in clock ticks; None where there is none, or only a dead one to be reaped."""
    fields = stat_fields(pid)
    return int(fields[19]) if fields and fields[0] not in "ZX" else None


def child_of(pid: int) -> int | None:
    for name in os.listdir("/proc"):
        if name.isdigit() and (fields := stat_fields(name)) and int(fields[1]) == pid:
            return int(name)
    return None


@dataclass(frozen=True)
class Running:
    """A lab that is up: its keeper is process 1 of the lab's own process ids, so all of the lab ends with it."""

    lab: Lab
    keeper: Process
    guard: Process  # the keeper's parent

    def ends(self, within_seconds: float) -> bool:
        """Whether the keeper has ended, or does so within that time."""
        deadline = time.monotonic() + within_seconds
        while self.keeper.runs() and time.monotonic() < deadline:
            time.sleep(0.02)
        return not self.keeper.runs()

    def end(self) -> None:
        end_lab(self.keeper, self.guard)


def end_lab(keeper: Process, guard: Process, limit_seconds: float = 30) -> None:
    """The kernel ends all of the lab before the keeper; the guard takes note of the keeper's end, and ends too."""
    first = keeper if keeper.runs() else guard
    if first.runs():
        with contextlib.suppress(ProcessLookupError):
            os.kill(first.pid, signal.SIGKILL)
    deadline = time.monotonic() + limit_seconds
    while guard.runs():
        if time.monotonic() > deadline:
            raise LabError(f"process {first.pid} of the lab does not end: look at it with ps, then try again")
        time.sleep(0.02)


def write_state(lab: Lab, directory: Path, **processes: Process) -> None:
    content = {"lab": json.loads(lab.to_json())} | {name: astuple(process) for name, process in processes.items()}
    beside = directory / (FILE + ".new")
    beside.write_text(json.dumps(content))
    beside.rename(directory / FILE)


def read_state(name: str) -> dict:
    try:
        return json.loads((LABS / name / FILE).read_text())
    except FileNotFoundError:
        return {}


def find_running(name: str) -> Running | None:
    state = read_state(name)
    if "keeper" not in state:
        return None
    running = Running(Lab(**state["lab"]), Process(*state["keeper"]), Process(*state["guard"]))
    return running if running.keeper.runs() else None


def need_running(name: str) -> Running:
    running = find_running(name)
    if not running:
        raise LabError(f"no lab '{name}' is up: lab/lab up{spell_name(name)} makes one")
    return running


def spell_name(name: str) -> str:
    return "" if name == "lab" else f" --name {name}"


def preparation(name: str) -> Path:
    return LABS / f".{name}.{os.getpid()}"


def claim(lab: Lab) -> None:
    """Makes the lab's directory, with its file in it from the beginning; of several `up` with one name, one gets it."""
    content = read_state(lab.name)
    if find_running(lab.name):
        down = f"lab/lab down{spell_name(lab.name)} ends it"
        raise LabError(f"lab '{lab.name}' is up already: {down}, --name NAME makes another beside it")
    if content and not Process(*content["up"]).runs():
        remove(lab.name)  # what a killed `up`, or a lab whose keeper was killed, left
    prepared = preparation(lab.name)
    prepared.mkdir(parents=True)
    write_state(lab, prepared, up=Process.of(os.getpid()))
    try:
        prepared.rename(lab.directory)
    except OSError:
        remove(prepared.name)
        raise LabError(f"lab '{lab.name}' is just being brought up: wait for it, or take another --name") from None


def unclaim(lab: Lab) -> None:
    remove(preparation(lab.name).name)
    if read_state(lab.name).get("up") == list(astuple(Process.of(os.getpid()))):
        remove(lab.name)


def remove(name: str) -> None:
    shutil.rmtree(LABS / name, ignore_errors=True)
    with contextlib.suppress(OSError):
        LABS.rmdir()  # unless another lab is there
