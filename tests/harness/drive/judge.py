# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a run that has ended: its files against the log of commits, its ranks against the promises."""

import json
import os
import re
import select
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from .job import BUILD, JOBS, LAUNCH, ROOT, Run
from .plan import State

CODES = {0: "OK", -1: "ended by Weir"}
CODES |= {
    int(code): name
    for name, code in re.findall(r"WEIR_(E[A-Z]+) = (-\d+)", (ROOT / "include" / "weir" / "types.h").read_text())
}
TIMEOUT = -1010
ENDED = -1  # by Weir itself, with a sentence: MPI would never have come back
ENDING = {TIMEOUT, -1012, ENDED}  # errors after which Weir is over, for servers, too
READER_SECONDS = 60
WITHIN_SECONDS = 5.0  # beyond `timeout`: by then those that live are told of a kill


@dataclass
class Verdict:
    """Problems are (kind, sentence). Kinds: lost (what was committed), extra (more than that shows, and is not right),
    unreadable (a file that nothing was committed of), leftover, hang, overdue (waited for longer than promised, and
    then all was well), late (told of a kill later than promised, on an idle machine, too), crash, unlike (codes), error
    (where there may be none), soak (memory that grows), unmade (a run of the suite in which nothing went wrong)."""

    problems: list[tuple[str, str]] = field(default_factory=list)
    fired: bool = False
    codes: set[int] = field(default_factory=set)  # first errors of the ranks that lived; 0 where there was none
    seconds: float = 0.0  # from the fault to the first error of the slowest of them
    end_seconds: float = 0.0  # to its end
    records: int = 0  # committed ones that were looked for
    lost_records: int = 0
    undo_logs: int = 0  # of files: a commit was under way
    open_chunks: int = 0  # files whose last commit was within a chunk
    states: dict[int, State] = field(default_factory=dict)  # of the files that are right
    sentences: dict[int, str] = field(default_factory=dict)
    timed_out: bool = False  # without any fault: a machine that is too busy for the run's timeout

    def add(self, kind: str, sentence: str) -> None:
        self.problems.append((kind, sentence))

    @property
    def kinds(self) -> set[str]:
        return {kind for kind, _ in self.problems}

    def outcome(self) -> str:
        names = sorted(CODES.get(code, str(code)) for code in self.codes)
        return "+".join(sorted(self.kinds) or names)


class Reader:
    """A reader program that answers many requests; one that has died is started again."""

    def __init__(self, folder: Path) -> None:
        self._pipe = folder / f"requests.{os.getpid()}.{id(self)}"
        os.mkfifo(self._pipe)
        self._job: subprocess.Popen | None = None
        self._requests = None

    def ask(self, request: dict) -> dict:
        if self._job is None or self._job.poll() is not None:
            self._start()
        try:
            print(json.dumps(request), file=self._requests, flush=True)
        except BrokenPipeError:
            pass
        ready, _, _ = select.select([self._job.stdout], [], [], READER_SECONDS)
        line = self._job.stdout.readline() if ready else b""
        if line:
            return json.loads(line)
        self.close()
        return {"wrong": "the reader crashed" if ready else f"the reader gave no answer in {READER_SECONDS} s"}

    def _start(self) -> None:
        command = [LAUNCH, "-n", "1", "--", BUILD / "tests" / "harness_reader", self._pipe]
        self._job = JOBS.start(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0)
        # Both directions: opening waits for nobody then, and a reader that never comes is seen by select.
        self._requests = os.fdopen(os.open(self._pipe, os.O_RDWR), "w")

    def close(self) -> None:
        if self._job is None:
            return
        self._job.terminate()
        self._job.wait()
        self._job.stdout.close()
        self._requests.close()
        JOBS.done(self._job)
        self._job = None


@dataclass
class Notes:
    """What the ranks and the layer wrote into the run's folder."""

    done: set[int]  # lines that some rank saw committed
    begun: set[int]  # lines that all ranks of the model have begun
    errors: dict[int, dict]
    ends: dict[int, dict]
    fired: dict[int, tuple[float, str]]  # time, words


def read_notes(run: Run, folder: Path) -> Notes:
    def of(kind: str) -> dict[int, list[str]]:
        found = {}
        for path in (folder / "notes").glob(f"{kind}.*"):
            found[int(path.suffix[1:])] = path.read_text().splitlines()
        return found

    done, begun = set(), []
    logs = of("log")
    for rank in range(run.ranks - run.way.reserved):
        words = [line.split() for line in logs.get(rank, [])]
        begun.append({int(word[1]) for word in words if word[0] == "begin"})
        done |= {int(word[1]) for word in words if word[0] == "done"}
    fired = {rank: (float(lines[0].split()[0]), lines[0]) for rank, lines in of("fired").items() if lines}
    errors = {rank: json.loads(lines[0]) for rank, lines in of("error").items() if lines}
    ends = {rank: json.loads(lines[0]) for rank, lines in of("end").items() if lines}
    return Notes(done, set.intersection(*begun), errors, ends, fired)


def states_of(run: Run, notes: Notes, file: int) -> tuple[State | None, list[State]]:
    """The last state that was committed, and all those that the file may have instead."""
    last, last_line, allowed = None, -1, []
    for line, (of, state) in run.script.commits().items():
        if of == file and line in notes.done:
            last, last_line, allowed = state, line, [state]
    for line, (of, state) in run.script.commits().items():
        if of == file and line > last_line and line in notes.begun:
            allowed.append(state)
    return last, allowed


def put_back(left: Path, files: Path) -> None:
    """What a kill has left, for the next run to find. An undo log knows its file by the inode, which stays."""
    for path in left.iterdir():
        if not path.is_symlink():
            shutil.copyfile(path, files / path.name)
        elif not os.path.lexists(files / path.name):
            (files / path.name).symlink_to(path.readlink())


def files_of(run: Run, files: Path, file: int) -> list[Path]:
    whole = files / f"file{file}.nc"
    if not run.way.in_parts:
        return [whole] if whole.exists() else []
    return sorted(path for path in whole.parent.glob(f"{whole.name}.*") if re.fullmatch(r"\.\d{4}", path.suffix))


def clean(path: Path) -> str:
    """Why this netCDF-4 file of Weir is none that opens, after a kill and weir-verify --clean."""
    for command in ([BUILD / "bin" / "weir-verify", "--clean", path], ["h5dump", "-H", path], ["ncdump", "-h", path]):
        said = subprocess.run(command, check=False, capture_output=True, text=True)
        if said.returncode != 0:
            return f"{Path(command[0]).name}: {said.stdout}{said.stderr}".strip()
    return ""


def judge_files(run: Run, folder: Path, notes: Notes, reader: Reader, verdict: Verdict) -> None:
    files = folder / ("files.kept" if run.disk_bytes else "files")
    if not run.packs:
        judge_each_file(run, folder, files, notes, reader, verdict)
        return
    with tempfile.TemporaryDirectory() as left:
        shutil.copytree(files, left, symlinks=True, dirs_exist_ok=True)
        judge_each_file(run, folder, files, notes, reader, verdict)
        put_back(Path(left), files)


def judge_each_file(run: Run, folder: Path, files: Path, notes: Notes, reader: Reader, verdict: Verdict) -> None:
    kind = "part" if run.way.in_parts else "netcdf4" if run.is_netcdf4 else "whole"
    for file in run.script.files():
        last, allowed = states_of(run, notes, file)
        found = files_of(run, files, file)
        verdict.undo_logs += (files / f".file{file}.nc.journal.weir").exists()
        verdict.open_chunks += bool(last and last[1] % int(run.options.get("chunk_records", 1)))
        verdict.records += last[1] if last else 0
        if last and not found:
            verdict.add("lost", f"file {file} is not there, and generation {last[0]} was committed")
            verdict.lost_records += last[1]
        for path in found:
            request = {"plan": str(folder / "plan.json"), "file": str(path), "number": file, "kind": kind}
            unclean = clean(path) if run.packs else ""
            answer = {"wrong": unclean} if unclean else reader.ask(request | {"states": allowed, "last": last})
            if "wrong" in answer:
                kind_of_wrong = "extra" if answer.get("kept") else "lost" if last else "unreadable"
                verdict.add(kind_of_wrong, f"{path.name}: {answer['wrong']}")
                verdict.lost_records += last[1] if kind_of_wrong == "lost" else 0
            elif last and len(found) < answer["parts"]:
                verdict.add("lost", f"{path.name} tells of {answer['parts']} parts, and there are {len(found)}")
            else:
                verdict.states[file] = tuple(answer["state"])


def note_given_up(folder: Path, notes: Notes) -> None:
    """Ranks that Weir ended with a sentence, because MPI would never have come back to them."""
    output = folder / "output"
    told = re.findall(r"^weir: (rank (\d+): creation of a communicator: .*)$", output.read_text(errors="replace"), re.M)
    since_then = time.time() - output.stat().st_mtime
    end = {"time": time.monotonic() - since_then, "code": ENDED, "last": ENDED}
    for sentence, rank in told:
        notes.ends[int(rank)] = end
        notes.errors[int(rank)] = end | {"sentence": sentence}


def judge_ranks(run: Run, code: int, notes: Notes, verdict: Verdict) -> None:
    """Whether all ranks that lived came to an end, alike."""
    fault = run.fault
    if fault and fault.kills and fault.who == "all" and notes.fired:
        return
    dead = set(notes.fired) if fault and fault.kills else set()
    began = min((time for time, _ in notes.fired.values()), default=None)
    for rank in range(run.ranks):
        if rank in dead:
            continue
        end = notes.ends.get(rank)
        if end is None:
            hangs = code in (124, 143, -15)
            verdict.add("hang" if hangs else "crash", f"rank {rank} did not come to an end (exit code {code})")
            continue
        verdict.codes.add(end["code"])
        if rank in notes.errors:
            verdict.sentences[rank] = notes.errors[rank]["sentence"]
        if began is not None and rank != fault.rank:
            error = notes.errors.get(rank)
            verdict.seconds = max(verdict.seconds, error["time"] - began if error else 0)
            verdict.end_seconds = max(verdict.end_seconds, end["time"] - began)
    judge_likeness(run, notes, verdict)


def judge_likeness(run: Run, notes: Notes, verdict: Verdict) -> None:
    """All that lived were told the same, with two exceptions: what is wrong with a file alone is none of a server's
    business, and of the last meeting of all some may know that it is over before another rank is gone."""
    codes = {rank: TIMEOUT if end["code"] == ENDED else end["code"] for rank, end in notes.ends.items()}
    errors = verdict.codes - {0}
    if errors and not errors & ENDING:
        codes = {rank: code for rank, code in codes.items() if rank < run.ranks - run.way.reserved}
    over = run.fault is not None and run.fault.of_the_rank and set(run.script.commits()) <= notes.begun
    if len(set(codes.values()) - ({0} if over else set())) > 1:
        told = ", ".join(f"rank {rank} {CODES.get(code, code)}" for rank, code in sorted(codes.items()))
        verdict.add("unlike", f"the ranks were told: {told}")


def judge_waiting(run: Run, notes: Notes, verdict: Verdict) -> None:
    """Nobody waits for a rank that is late by more than `timeout`: all was well, but nobody ended before it came. A rank
    that sleeps in a call of the system has a slow storage, for which the others wait until `storage_timeout`."""
    fault = run.fault
    pause = fault.argument / 1e6 if fault and fault.action in ("stop", "sleep") else 0
    if pause <= run.timeout or fault.phase == "*" or verdict.codes != {0} or not notes.fired:
        return
    began, words = notes.fired[fault.rank]
    call = words.split()[2]
    if fault.action == "sleep" and not call.startswith("MPI_") and call not in ("entry", "leaving"):
        return
    waited = [end["time"] - began for rank, end in notes.ends.items() if rank != fault.rank]
    if waited and min(waited) >= pause:
        words = f"all waited {min(waited):.1f} s for rank {fault.rank}, with a timeout of {run.timeout} s"
        verdict.add("overdue", words)


def judge_expectation(run: Run, notes: Notes, verdict: Verdict) -> None:
    """A run in which nothing went wrong, or nothing that may not be borne, gives no error."""
    errors = verdict.codes - {0}
    wrong = verdict.fired or run.disk_bytes
    if not errors or (wrong and not run.model.get("must_succeed")):
        return
    what = "; ".join(sorted({error["sentence"] for error in notes.errors.values()}))
    if not verdict.fired and errors == {-1010}:
        verdict.timed_out = True
    verdict.add("error", f"an error where there may be none: {what}")


def judge(run: Run, folder: Path, code: int, reader: Reader) -> Verdict:
    verdict = Verdict()
    notes = read_notes(run, folder)
    verdict.fired = bool(notes.fired)
    note_given_up(folder, notes)
    judge_ranks(run, code, notes, verdict)
    judge_waiting(run, notes, verdict)
    judge_expectation(run, notes, verdict)
    judge_files(run, folder, notes, reader, verdict)
    return verdict
