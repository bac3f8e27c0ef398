# SPDX-License-Identifier: Apache-2.0
"""Where jobs run: on this machine by tools/launch, or over the hosts of a lab by lab/lab."""

import os
import re
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from weir.launch import ROOT, program_path

from studies.errors import StudyError
from studies.matrix import Job

LEAST_HOSTS = 2


def bench_program() -> Path:
    try:
        return program_path("weir-bench")
    except FileNotFoundError as error:
        raise StudyError(str(error)) from error


class Place(Protocol):
    hosts: int
    description: str

    def command(self, job: Job, json_path: Path, usage_path: Path | None, limit_seconds: float) -> list[str]:
        """What runs a job; `job.arguments()` are weir-bench's."""

    def clean_up(self) -> None:
        """After a job that may have left files."""


class OneHost:
    """This machine. The files go to a folder of this study's own in `directory`, by default in memory."""

    hosts = 1

    def __init__(self, directory: Path | None = None) -> None:
        self._program = bench_program()
        memory = Path("/dev/shm")
        parent = directory or (memory if os.access(memory, os.W_OK) else Path(tempfile.gettempdir()))
        self._files = tempfile.TemporaryDirectory(prefix="weir-study.", dir=parent)
        self.description = f"one host, files in {parent}"

    def command(self, job: Job, json_path: Path, usage_path: Path | None, limit_seconds: float) -> list[str]:
        slowly = [ROOT / "tools" / "slow_storage", job.storage] if job.storage else []
        start = [ROOT / "tools" / "launch", "-n", job.ranks, "--timeout", f"{limit_seconds:g}", "--io", job.layer, "--"]
        program = [self._program, *job.arguments(), "--dir", self._files.name, "--json", json_path]
        return [str(word) for word in [*slowly, *start, *program]]

    def clean_up(self) -> None:
        for path in Path(self._files.name).iterdir():
            with suppress(OSError):
                path.unlink()

    def close(self) -> None:
        self._files.cleanup()


def lab_program() -> Path:
    path = ROOT / "lab" / "lab"
    if not path.is_file():
        raise StudyError(f"{path} is not there: this tree has no lab, leave --lab out")
    return path


def ask_lab(name: str) -> str:
    """What `lab status` says of a lab that is up. Raises StudyError with what it says of one that is not."""
    done = subprocess.run([lab_program(), "status", "--name", name], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise StudyError(done.stderr.strip().removeprefix("lab: ") or f"lab '{name}' does not answer: lab/lab status")
    return done.stdout


def lab_is_up(name: str) -> bool:
    with suppress(StudyError):
        return bool(ask_lab(name))
    return False


class LabPlace:
    """The hosts of a lab. The files go to the lab's parallel file system."""

    def __init__(self, name: str) -> None:
        told = ask_lab(name)
        self._program = bench_program()
        self._name = name
        self.description = told.splitlines()[0].removeprefix(f"lab '{name}': ")
        self.hosts = len(re.findall(r"^ +host\d+ ", told, re.MULTILINE))
        if self.hosts < LEAST_HOSTS or "no storage" in self.description:
            raise StudyError(
                f"lab '{name}' is too small for a study ({self.description}): it takes {LEAST_HOSTS} hosts and a "
                f"storage "
                "server at least, as in lab/lab up --hosts 4 --servers 2"
            )

    def command(self, job: Job, json_path: Path, usage_path: Path | None, limit_seconds: float) -> list[str]:
        start = [lab_program(), "run", "--name", self._name, "-n", job.ranks, "--timeout", f"{limit_seconds:g}"]
        start += ["--io", job.layer, *(["--json", usage_path] if usage_path else []), "--"]
        # Only the lab knows where its file system is.
        shell = ["sh", "-c", 'exec "$0" "$@" --dir "$LAB_STORAGE"', self._program]
        return [str(word) for word in [*start, *shell, *job.arguments(), "--json", json_path]]

    def clean_up(self) -> None:
        remove = ["sh", "-c", 'rm -f "$LAB_STORAGE"/weir-bench-* "$LAB_STORAGE"/.weir-bench-*']
        command = [lab_program(), "shell", "--name", self._name, "host1", "--", *remove]
        subprocess.run(command, capture_output=True, check=False)

    def close(self) -> None:
        pass


def choose_place(lab: str | None, no_lab: bool, directory: Path | None) -> OneHost | LabPlace:
    """A lab that was named; else the lab of the usual name where it is up, unless none is wanted."""
    usual = "lab"
    if lab:
        return LabPlace(lab)
    if no_lab or directory or not (ROOT / "lab" / "lab").is_file() or not lab_is_up(usual):
        return OneHost(directory)
    return LabPlace(usual)
