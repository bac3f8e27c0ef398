# SPDX-License-Identifier: Apache-2.0
"""Runs jobs one after another. What a job measured is kept in a file of its own; the same job is not run again."""

import hashlib
import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from weir.launch import ROOT

from studies.matrix import Job
from studies.place import Place, bench_program
from studies.record import trim

FORMAT = 1  # of the files: a change makes old ones be measured anew
NEVER_KEPT = ("WEIR_",)  # every variable that begins so is a key of Weir's configuration


def program_digest() -> str:
    """Of weir-bench and the library beside it: another program is another measurement."""
    program = bench_program()
    digest = hashlib.sha256(program.read_bytes())
    library = program.parents[1] / "lib" / "libweir.so"
    if library.is_file():
        digest.update(library.read_bytes())
    return digest.hexdigest()[:16]


def write_whole(path: Path, content: str) -> None:
    """The file is there whole, or not at all."""
    beside = path.with_name(path.name + ".new")
    beside.write_text(content, encoding="utf-8")
    beside.replace(path)


def last_words(output: str) -> str:
    """Of a program that failed: its last line that says something."""
    lines = [line.strip() for line in output.splitlines() if line.strip() and not set(line.strip()) <= {"-", "="}]
    told = [line for line in lines if line.startswith(("weir-bench:", "launch:", "lab:"))]
    return (told or lines or ["it said nothing"])[-1].replace(f"{ROOT}/", "")[:300]


class Runner:
    def __init__(self, place: Place, folder: Path, fresh: bool, limit_seconds: float) -> None:
        self._place, self._fresh, self._limit_seconds = place, fresh, limit_seconds
        self._jobs = folder / "jobs"
        self._jobs.mkdir(parents=True, exist_ok=True)
        self._digest = program_digest()
        self.ran = 0  # jobs that were not there already

    def key(self, job: Job) -> dict:
        """What makes a measurement another one."""
        return {
            "format": FORMAT,
            "ranks": job.ranks,
            "arguments": job.within(None).arguments(),
            "layer": job.layer,
            "traffic": job.traffic,
            "place": self._place.description,
            "machine": os.uname().nodename,
            "program": self._digest,
        }

    def kept(self, job: Job) -> dict | None:
        if self._fresh:
            return None
        with suppress(OSError, ValueError):
            found = json.loads((self._jobs / f"{job.name}.json").read_text(encoding="utf-8"))
            if found.get("key") == self.key(job):
                return found
        return None

    def run(self, job: Job, note: Callable[[str], None] = lambda words: None) -> dict:
        """The job's results: those kept, or those measured now. A job that left none says why under `error`."""
        if found := self.kept(job):
            return found
        note(job.name)
        self.ran += 1
        done = self._measure(job)
        if "error" not in done:
            write_whole(self._jobs / f"{job.name}.json", json.dumps(done) + "\n")
        return done

    def _measure(self, job: Job) -> dict:
        with tempfile.TemporaryDirectory(prefix="weir-job.") as scratch:
            results, usage = Path(scratch) / "results.json", Path(scratch) / "usage.json"
            command = self._place.command(job, results, usage if job.traffic else None, self._limit_seconds)
            begin = time.monotonic()
            try:
                code, output = self._wait(command)
            except BaseException:
                self._place.clean_up()
                raise
            done = {"key": self.key(job), "command": job.arguments(), "ranks": job.ranks, "layer": job.layer}
            done |= {
                "date": datetime.now(UTC).isoformat(timespec="seconds"),
                "took": round(time.monotonic() - begin, 2),
            }
            if not results.exists():
                self._place.clean_up()
                return done | {"error": f"{last_words(output)} (exit code {code})"}
            measured = json.loads(results.read_text(encoding="utf-8"))
            done |= {"machine": measured["machine"], "runs": [trim(run) for run in measured["runs"]]}
            if usage.exists():
                done["usage"] = json.loads(usage.read_text(encoding="utf-8"))
            return done

    @staticmethod
    def _wait(command: list[str]) -> tuple[int, str]:
        """Runs it to its end. Where we are ended, it ends first, and has time to clean up."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(NEVER_KEPT)}
        child = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, start_new_session=True,
        )  # fmt: skip
        try:
            output, _ = child.communicate()
        except BaseException:
            child.send_signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                child.wait(timeout=20)
            raise
        return child.returncode, output
