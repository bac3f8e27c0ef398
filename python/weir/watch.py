# SPDX-License-Identifier: Apache-2.0
"""What a run does now, from the status that rank 0 keeps beside the report (src/instance/run_status.hpp), or from its report."""

import json
import os
import socket
import time
from dataclasses import dataclass, field
from pathlib import Path

from weir.limits import counted, size
from weir.report import is_number, read_report
from weir.trace import ReadError

ENDING = ".live"
VERSION = 1
SILENT_SECONDS = 30  # a run is heard every ten seconds, whatever its model does
NUMBERS = (
    *("ranks", "hosts", "process", "elapsed_seconds", "told_seconds", "buffer_limit_bytes", "records", "bytes"),
    *("high_water_bytes", "output_seconds", "visible_seconds", "files", "in_call_seconds", "in_storage_seconds"),
)
WORDS = ("state", "host", "strategy", "behind", "warning")
RUNNING, SILENT, ENDED, FINISHED = "running", "silent", "ended", "finished"
# Where a model that has waited for longest is, by the step of rank 0; accumulate is told where a stream has folded samples.
STEPS = ("plan", "put", "forward", "rearrange", "write", "commit", "wait")


@dataclass
class View:
    """A run as it was heard of last."""

    state: str
    path: Path
    silent_seconds: float = 0.0
    gone: bool = False  # rank 0's process, where it ran on this host
    told: dict = field(default_factory=dict)  # the status, or the report

    @property
    def alive(self) -> bool:
        return self.state == RUNNING


def paths_of(run: Path) -> tuple[Path, Path]:
    """The status and the report of a run that is named by either, or by the folder that holds one of them."""
    if run.is_dir():
        found = sorted(run.glob(f"*{ENDING}"))
        if len(found) != 1:
            told = f"{len(found)} runs go on there" if found else "no run goes on there"
            raise ReadError(f"{run} is a folder, and {told}: name the report, as the key report of the configuration does")
        run = found[0]
    if run.name.endswith(ENDING):
        return run, run.with_name(run.name.removesuffix(ENDING))
    return run.with_name(run.name + ENDING), run


def what_lacks(status: dict) -> str:
    """What of a status is not as it should be, in words; "" where all is."""
    for key in NUMBERS:
        if not is_number(status.get(key)):
            return f"{key} is no number"
    for key in WORDS:
        if not isinstance(status.get(key), str):
            return f"{key} is no text"
    seconds = status.get("seconds")
    if not isinstance(seconds, dict) or not all(is_number(seconds.get(step)) for step in STEPS):
        return "seconds has not all steps"
    if not is_number(seconds.get("accumulate", 0.0)):
        return "seconds.accumulate is no number"
    files = status.get("open_files")
    if not isinstance(files, list):
        return "open_files is no list"
    for file in files:
        good = isinstance(file, dict) and isinstance(file.get("path"), str)
        if not good or not is_number(file.get("records")) or not is_number(file.get("committed")):
            return "a file has no path, records and committed"
    return ""


def read_status(path: Path) -> dict:
    """Raises ReadError where it is none that this program reads, and FileNotFoundError where it is not there."""
    try:
        status = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ReadError(f"{path} is no status of Weir, or cut off: {error}") from error
    if not isinstance(status, dict) or "weir_status" not in status:
        raise ReadError(f"{path} is no status of Weir: a run with the key report keeps it beside its report")
    if not is_number(status["weir_status"]) or status["weir_status"] != VERSION:
        raise ReadError(f"{path} is of another version of Weir ({status['weir_status']}; this one reads {VERSION})")
    if lacking := what_lacks(status):
        raise ReadError(f"{path} is damaged: {lacking}")
    return status


def is_gone(status: dict) -> bool:
    """Whether rank 0 ran on this host, and runs no more."""
    if status["host"] != socket.gethostname():
        return False
    try:
        os.kill(int(status["process"]), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


def look_at(run: Path, now: float | None = None) -> View:
    """Raises ReadError where there is nothing to read."""
    live, report = paths_of(run)
    try:
        status = read_status(live)
        silent = max(0.0, (time.time() if now is None else now) - live.stat().st_mtime)
    except FileNotFoundError:
        return finished(live, report)
    except OSError as error:
        raise ReadError(f"{live} cannot be read: {error.strerror}") from error
    if status["state"] != RUNNING:
        return View(ENDED, live, silent, False, status)
    gone = is_gone(status)
    return View(SILENT if gone or silent > SILENT_SECONDS else RUNNING, live, silent, gone, status)


def finished(live: Path, report: Path) -> View:
    try:
        told = read_report(report)
    except FileNotFoundError:
        raise ReadError(
            f"neither {live} nor {report} is there: start the model with WEIR_REPORT={report.name}, and name that file"
        ) from None
    except OSError as error:
        raise ReadError(f"{report} cannot be read: {error.strerror}") from error
    return View(FINISHED, report, 0.0, False, told)


def headline(view: View) -> str:
    """Whether it goes on, in a sentence."""
    told = view.told
    if view.state == FINISHED:
        return "The run has ended well; `weir report` says what limited it."
    ran = f"{told['elapsed_seconds']:.0f} s after its start"
    if view.state == ENDED:
        return f"The run has ended without a report, {ran}: by an error, which its output tells."
    heard = f"Nothing heard for {view.silent_seconds:.0f} s"
    if view.gone:
        return f"{heard}: the process of rank 0 ({told['process']:.0f} on {told['host']}) is gone; the run was killed, {ran}."
    if view.state == SILENT:
        return f"{heard}: the run was killed or suspended, or its storage hangs; last, it was {ran}."
    return f"The run goes on, {ran}."


def waits(view: View) -> str:
    """What waits for what, as far as rank 0 sees it."""
    told = view.told
    if view.state != RUNNING:
        return ""
    if told["in_storage_seconds"] > 0:
        return f"Rank 0 waits for the storage: one call to it goes on for {told['in_storage_seconds']:.0f} s."
    if told["in_call_seconds"] <= 0:
        return "The model computes."
    since = f"The model has been in Weir's calls for {told['in_call_seconds']:.0f} s"
    if told["behind"]:
        return f"{since}: of rank 0's host, rank(s) {told['behind']} have not come as far as rank 0."
    step = max((*STEPS, "accumulate"), key=lambda name: told["seconds"].get(name, 0.0))
    return f"{since}; most of rank 0's time in them was the step {step} until the last record."


def cost(told: dict) -> str:
    return f"output took {told['output_seconds']:.3g} s; the model waited for {told['visible_seconds']:.3g} s of it."


def rows_of(view: View) -> list[tuple[str, str]]:
    """What stands in the table: name and value, with units."""
    told = view.told
    limit = told["buffer_limit_bytes"]
    memory = f"{size(told['high_water_bytes'])} of {size(limit)}" + (
        f" ({100 * told['high_water_bytes'] / limit:.0f} %)" if limit > 0 else ""
    )
    run = f"{told['strategy']}, {counted(told['ranks'], 'rank')} on {counted(told['hosts'], 'host')}"
    if view.state == FINISHED:
        files = counted(len(told["files"]), "file")
        rate = size(told["bytes_put"] / told["visible_seconds"]) + "/s" if told["visible_seconds"] > 0 else "-"
        rows = [("run", run), ("files", files), ("put", size(told["bytes_put"])), ("while the model waited", rate)]
        return [*rows, ("memory, fullest rank", memory), ("warning", "; ".join(map(str, told.get("notes", []))) or "none")]
    rate = size(told["bytes"] / told["told_seconds"]) + "/s" if told["told_seconds"] > 0 else "-"
    rows = [("run", run), ("records", f"{told['records']:,.0f}"), ("put", size(told["bytes"])), ("a second of the run", rate)]
    rows += [
        (file["path"], f"{counted(int(file['records']), 'record')}, {file['committed']:,.0f} of them committed")
        for file in told["open_files"]
    ]
    return [*rows, ("memory, fullest rank of rank 0's host", memory), ("warning", told["warning"] or "none")]


def sentences(view: View) -> list[str]:
    told = view.told["sentence"] if view.state == FINISHED else f"Of rank 0: {cost(view.told)}"
    return [words for words in (headline(view), waits(view), told) if words]


def as_json(view: View) -> dict:
    facts = {"state": view.state, "silent_seconds": round(view.silent_seconds, 1), "sentences": sentences(view)}
    return {**facts, "told": view.told}
