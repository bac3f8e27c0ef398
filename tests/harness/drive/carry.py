# SPDX-License-Identifier: Apache-2.0
"""Carries out runs by name, judges them, and keeps what failed. One Bench a stream."""

import random
import re
import shutil
import subprocess
import threading
from dataclasses import dataclass, field, replace
from pathlib import Path

from . import draw, inputs, soak
from .job import BUILD, Run, carry_out
from .judge import WITHIN_SECONDS, Reader, Verdict, judge
from .plan import continuation
from .ways import Way

KEPT = BUILD / "faults"
FOLDERS = ["run", "again", "input", "soak"]
ATTEMPTS = 8  # to reach a call that is to fail: which ranks make it, and how often, differs from run to run
NOT_REACHED = f"the call that was to fail was not reached in {ATTEMPTS} runs"
GROUPS = {"open": ("open", "open64", "openat", "openat64", "opendir"),
          "write": ("write", "pwrite", "pwrite64", "writev", "pwritev", "pwritev64"),
          "sync": ("fsync", "fdatasync"), "length": ("ftruncate", "ftruncate64", "fallocate", "posix_fallocate"),
          "rename": ("rename", "renameat", "link"), "symlink": ("symlink",), "remove": ("unlink", "unlinkat", "remove"),
          "read": ("read", "pread", "pread64"), "seek": ("lseek",),
          "stat": ("stat", "lstat", "fstat", "access", "faccessat", "statfs", "statvfs", "readlink", "getxattr"),
          "mode": ("fchmod", "fchown"),
          "memory": ("mmap", "memfd_create"), "hint": ("sync_file_range",), "close": ("close",)}  # fmt: skip


@dataclass
class Result:
    name: str
    fault: str  # in words
    way: Way | None
    verdict: Verdict
    killed: bool = False
    skipped: str = ""  # why it could not be made
    kept: Path | None = None
    promised_seconds: float = 0.0  # within which those that live are told of a kill

    @property
    def late(self) -> bool:
        return self.killed and self.way.library == "weir" and self.verdict.seconds > self.promised_seconds

    def line(self) -> str:
        way = f" [{self.way.name}]" if self.way else ""
        seconds = f", {self.verdict.seconds:.1f} s" if self.verdict.seconds else ""
        return f"{self.name}{way} {self.fault}: {self.skipped or self.verdict.outcome()}{seconds}"


@dataclass
class Bench:
    """A folder and a reader: what one stream of runs needs."""

    folder: Path
    threads: str = "funneled"  # by which thread level the model starts MPI, where the way to write wants none
    # Of runs in which nothing went wrong: how they ended, and the calls of each rank by group.
    clean: dict[str, tuple[Verdict, dict[int, dict[str, int]]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.reader = Reader(self.folder)

    def close(self) -> None:
        self.reader.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def do(self, name: str) -> Result:
        if name.startswith("inputs/"):
            return self.keep(inputs.one(name, self))
        if name.startswith("soak/"):
            verdict = Verdict(fired=True)
            return self.keep(Result(name, soak.one(name, self.folder / "soak", verdict), None, verdict))
        run = draw.by_name(name)
        run.model["threads"] = "multiple" if run.way.threads else self.threads
        if run.fault and run.fault.phase == "*":
            clean, found = self._where_it_is_called(run)
            if clean.problems:
                return self.keep(Result(name, "no fault", run.way, clean))
            if found is None:
                return Result(name, run.fault.words(), run.way, Verdict(), skipped="no such call")
            run = found
        if run.disk_bytes and not may_mount():
            return Result(name, "disk full", run.way, Verdict(), skipped="mounting a tmpfs is not permitted here")
        verdict = self.run(run)
        for attempt in range(1, ATTEMPTS):
            if verdict.fired or verdict.problems or not run.fault or run.fault.phase != "*":
                break
            run = self._where_it_is_called(run, attempt)[1]
            verdict = self.run(run)
        if run.fault and run.fault.phase == "*" and not verdict.fired and not verdict.problems:
            return Result(name, run.fault.words(), run.way, verdict, skipped=NOT_REACHED)
        if verdict.timed_out:  # the machine was too busy for this timeout, and nothing had gone wrong
            run = replace(run, timeout=10 * run.timeout)
            verdict = self.run(run)
        if run.fault and "hang" in verdict.kinds and not verdict.fired:  # nor did it come to where it was to go wrong
            verdict = self.run(replace(run, limit=10 * run.limit_seconds))
        self._go_on(run, verdict)
        fault = run.fault.words() if run.fault else "disk full" if run.disk_bytes else "no fault"
        killed = bool(run.fault and run.fault.kills and verdict.fired)
        promised = run.timeout + WITHIN_SECONDS
        return self.keep(Result(name, fault, run.way, verdict, killed, promised_seconds=promised))

    def run(self, run: Run, where: str = "run") -> Verdict:
        folder = self.folder / where
        verdict = judge(run, folder, carry_out(run, folder), self.reader)
        if run.fault and draw.borne(run.fault) and verdict.codes - {0}:
            verdict.add("error", f"it gave up where it need not: {next(iter(verdict.sentences.values()), '')}")
        return verdict

    def _go_on(self, run: Run, verdict: Verdict) -> None:
        """After a kill the model is started again, in the same folder; now and then, by the run's name."""
        files = self.folder / "run" / "files"
        if not (run.fault and run.fault.kills and verdict.fired) or verdict.problems or run.way.in_parts:
            return
        if run.way.library != "weir" or random.Random(run.name + "/again").random() > 0.3:
            return
        script = continuation(verdict.states, run.script.files())
        again = replace(run, fault=None, script=script, timeout=draw.PATIENT_SECONDS)
        kept = self.folder / "kept"
        files.rename(kept)  # with its inodes, by which an undo log knows its file
        shutil.copytree(kept, files, symlinks=True)
        verdict_again = judge(again, self.folder / "again", carry_out(again, self.folder / "again", kept), self.reader)
        verdict.problems += [(kind, "in the next run: " + words) for kind, words in verdict_again.problems]
        left = [p.name for p in (self.folder / "again" / "files").iterdir() if p.name.endswith(".weir")]
        if left and not verdict_again.problems:
            verdict.add("leftover", f"the next run left {', '.join(left)}")

    def _where_it_is_called(self, run: Run, attempt: int = 0) -> tuple[Verdict, Run | None]:
        """How a run without the fault ends; and the fault at a rank and a number at which that makes such a call, None
        where no rank does. In a table the runs of a way are the same but for the fault."""
        key = run.way.name if run.name.startswith("table/") else run.name
        if key not in self.clean:
            self.clean[key] = self.run(replace(run, fault=None)), tally(self.folder / "run" / "notes")
        clean, counts = self.clean[key]
        ranks = [(rank, of[run.fault.call]) for rank, of in counts.items() if of.get(run.fault.call)]
        if not ranks:
            return clean, None
        rng = random.Random(f"{run.name}/where {attempt}")
        rank, most = rng.choice(sorted(ranks))
        # Where the first attempts were not reached, earlier calls are tried: a rank makes those in every run.
        return clean, replace(run, fault=replace(run.fault, rank=rank, n=rng.randint(1, max(1, most >> attempt // 2))))

    def keep(self, result: Result) -> Result:
        """Keeps the folders of a run that was not as promised."""
        if result.verdict.problems:
            result.kept = KEPT / re.sub(r"[^\w.-]+", "_", result.name)
            shutil.rmtree(result.kept, ignore_errors=True)
            result.kept.mkdir(parents=True)
            for part in FOLDERS:
                if (self.folder / part).exists():
                    shutil.copytree(self.folder / part, result.kept / part, symlinks=True)
            problems = [f"{kind}: {words}" for kind, words in result.verdict.problems]
            told = [f"rank {rank} was told: {words}" for rank, words in result.verdict.sentences.items()]
            (result.kept / "problems").write_text("\n".join([result.line(), *problems, *told]) + "\n")
        for part in FOLDERS[1:]:
            shutil.rmtree(self.folder / part, ignore_errors=True)
        return result


def tally(notes: Path) -> dict[int, dict[str, int]]:
    """How many calls of each group each rank has made."""
    counts = {}
    for path in notes.glob("calls.*"):
        calls = dict(line.split() for line in path.read_text().splitlines())
        groups = {group: sum(int(calls.get(name, 0)) for name in names) for group, names in GROUPS.items()}
        groups["memory"] += sum(int(number) for name, number in calls.items() if name.startswith("memory."))
        counts[int(path.suffix[1:])] = groups
    return counts


_mount_lock = threading.Lock()
_may_mount: list[bool] = []


def may_mount() -> bool:
    with _mount_lock:
        if not _may_mount:
            trial = ["unshare", "--mount", "bash", "-c", "mount -t tmpfs -o size=64k tmpfs /mnt"]
            _may_mount.append(subprocess.run(trial, capture_output=True, check=False).returncode == 0)
        return _may_mount[0]
