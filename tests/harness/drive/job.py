# SPDX-License-Identifier: Apache-2.0
"""One run of the model in a folder of its own: started by tools/launch, watched, ended."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from .faults import Fault
from .plan import Script
from .ways import Way

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("WEIR_BUILD_DIR", ROOT / "build"))
LAUNCH = ROOT / "tools" / "launch"
PATIENCE_SECONDS = 60  # beyond `timeout`, before a run counts as a hang: the machine may be busy
START_SECONDS = 30


@dataclass
class Run:
    """What is to be run. `pause` is how long a stopped rank stays so; `faults` are rules, at most one for now."""

    name: str
    way: Way
    ranks: int  # of the whole job
    script: Script
    shape: list[int]
    seed: int
    fault: Fault | None = None
    timeout: float = 3.0
    options: dict[str, object] = field(default_factory=dict)  # more keys of the configuration
    model: dict[str, object] = field(default_factory=dict)  # more words of the plan
    limit: float = 0.0  # seconds after which a job that is still there hangs; 0: by the timeout
    disk_bytes: int = 0  # its files lie on a disk that is so small

    @property
    def limit_seconds(self) -> float:
        return self.limit or self.timeout + PATIENCE_SECONDS

    @property
    def is_netcdf4(self) -> bool:
        return self.way.library == "netcdf4" or self.options.get("format") == "netcdf4"

    @property
    def packs(self) -> bool:
        """Whether its files are netCDF-4 of Weir."""
        return self.is_netcdf4 and self.way.library == "weir"

    def plan(self, folder: Path) -> dict:
        plan = {"library": self.way.library, "config": str(folder / "weir.yaml"), "seed": self.seed}
        plan |= {"notes": str(folder / "notes"), "folder": str(folder / "files"), "shape": self.shape}
        plan |= {"threads": "funneled", "decomposition": "rows", "holes": False, "format": 5}
        plan |= {"puts": "layout", "after_error": "go_on", "script": self.script.lines}
        return plan | {"linger": self.timeout + 10} | self.model


class Jobs:
    """The jobs under way, so that none is left behind when the harness itself is ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: set[subprocess.Popen] = set()
        self.closing = False

    def start(self, *arguments, **options) -> subprocess.Popen:
        with self._lock:
            if self.closing:
                raise InterruptedError
            job = subprocess.Popen(*arguments, **options)
            self._jobs.add(job)
            return job

    def done(self, job: subprocess.Popen) -> None:
        with self._lock:
            self._jobs.discard(job)

    def end_all(self) -> None:
        if self.closing:  # a second signal comes in the middle of the first one's
            return
        self.closing = True
        with self._lock:
            jobs = list(self._jobs)
        for job in jobs:
            job.terminate()
        for job in jobs:
            job.wait()


JOBS = Jobs()


def prepare(run: Run, folder: Path, files: Path | None) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "notes").mkdir(parents=True)
    if files:
        files.rename(folder / "files")
    else:
        (folder / "files").mkdir()
    keys = {"timeout": run.timeout} | run.options
    (folder / "weir.yaml").write_text(run.way.configuration() + "".join(f"{k}: {v}\n" for k, v in keys.items()))
    (folder / "plan.json").write_text(json.dumps(run.plan(folder)))
    (folder / "rule").write_text((run.fault.rule() if run.fault else "no fault") + "\n")


def command(run: Run, folder: Path) -> list[str]:
    """mpirun hands the layer to the ranks alone; where one dies, the others go on."""
    layer = {"LD_PRELOAD": BUILD / "tests" / "harness_layer.so", "FAULT_NOTES": folder / "notes"}
    layer |= {"FAULT_FILES": folder / "files", "FAULT_RULE": run.fault.rule() if run.fault else ""}
    words = [LAUNCH, "-n", run.ranks, "--timeout", int(run.limit_seconds + START_SECONDS), "--", "--enable-recovery"]
    words += [word for name, value in layer.items() for word in ("-x", f"{name}={value}")]
    words += [BUILD / "tests" / "harness_model", folder / "plan.json"]
    if run.disk_bytes:
        mount = 'mount -t tmpfs -o size="$1" tmpfs "$2" && shift 2 && "$@"; code=$?; cp -a "$0"/. "$0.kept"; exit $code'
        files = str(folder / "files")
        words = ["unshare", "--mount", "bash", "-c", mount, files, run.disk_bytes, files, *words]
    return [str(word) for word in words]


def carry_out(run: Run, folder: Path, files: Path | None = None) -> int:
    """The job's exit code; 124 where it did not end by itself. `files`: the folder that it begins with."""
    prepare(run, folder, files)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WEIR_")}
    with open(folder / "output", "wb") as output:
        job = JOBS.start(command(run, folder), stdout=output, stderr=output, env=environment)
        try:
            watch(run, folder, job)
        finally:
            JOBS.done(job)
    return job.returncode


def watch(run: Run, folder: Path, job: subprocess.Popen) -> None:
    """Waits for the job. A rank that has stopped is continued after its pause; one whose time is up hangs."""
    fired = folder / "notes" / f"fired.{run.fault.rank}" if run.fault else None
    to_continue = run.fault is not None and run.fault.action == "stop"
    fired_at = None
    while True:
        try:
            job.wait(timeout=0.02)
            return
        except subprocess.TimeoutExpired:
            pass
        if fired is None or (fired_at is None and not fired.exists()):
            continue
        fired_at = fired_at or time.monotonic()
        since = time.monotonic() - fired_at
        if to_continue and since > run.fault.argument / 1e6:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int((folder / "notes" / f"pid.{run.fault.rank}").read_text()), signal.SIGCONT)
            to_continue = False
        pause = run.fault.argument / 1e6 if run.fault.action in ("stop", "sleep") else 0
        if since > run.limit_seconds + pause + run.timeout:
            job.terminate()
            job.wait()
            return
