# SPDX-License-Identifier: Apache-2.0
"""The command tools/faults."""

import argparse
import itertools
import os
import random
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from . import draw, tables
from .carry import KEPT, Bench, Result
from .job import BUILD, JOBS
from .ways import PEERS, WAYS, Way, way_of

MIX = {"kills": 58, "pauses": 10, "calls": 18, "disks": 4, "inputs": 8, "soak": 2}
DOCUMENT = {"kills": 2000, "chunks": 310, "pauses": 100, "calls": 300, "disks": 50, "inputs": 300, "soak": 20}
DOCUMENT |= {"tables": 0, "peers": 0}
# Of what chance draws the suite runs these: kills in each phase, of one rank, of a server and of all, before a call of each kind, after
# it and in a write, under each sink, of netCDF-4 under an undo log, and the other faults. Of more like them the simulated machine runs thousands.
SUITE_DRAWN = [
    *(f"kills/1:{number}" for number in (0, 3, 7, 9, 10, 11, 14, 15, 18, 19, 21, 25)), "chunks/2:33",
    *("calls/1:1", "calls/1:12", "pauses/1:4", "disks/1:8", "inputs/1:17", "inputs/1:20", "inputs/1:27"),
]
# What the suite runs beside them: what so few do not draw.
SUITE = [
    f"table/1:0/{draw.MAKING}/remap",
    f"table/1:0/{draw.MAKING}/servers",
    f"table/1:0/{draw.MAKING}/dynamic, control rank",  # the scheduler's rank waits for ranks that never begin
    "table/1:0/disk full/remap",
    "table/1:0/disk full/servers",
    "table/1:0/disk full/collective",
    "inputs/1:0/part",
    "inputs/1:1/part",
    "soak/156:0",  # boxes over several hosts, in parts of 1,300
]
SECTIONS = ["mix", *MIX, "chunks", "suite", "tables", "peers", "document"]


def names_of_ways(text: str) -> list[Way]:
    return [way_of(name.strip()) for name in text.split(";")]


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="tools/faults",
        description="Lets things go wrong while a model writes, and judges what is left (docs/results/reliability.md).",
    )
    parser.add_argument(
        "section", nargs="?", default="mix", choices=SECTIONS, help="mix (default): some of everything; suite: as ctest"
    )
    parser.add_argument("--seconds", type=float, default=600, help="begin no run after so many (default: 600)")
    parser.add_argument("--runs", type=int, default=0, help="so many runs instead, however long they take")
    parser.add_argument("--seed", type=int, default=0, help="default: another one each time")
    parser.add_argument("--streams", type=int, default=4, help="runs at once (default: 4)")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each cell of a table (default: 3)")
    parser.add_argument("--ways", type=names_of_ways, default=WAYS, help="rows of the tables: 'remap; servers, 2'")
    parser.add_argument("--document", type=Path, help="write the tables into this file, between their marks")
    parser.add_argument(
        "--threads", default="funneled", choices=("funneled", "serialized", "multiple"),
        help="by which level the model starts MPI (default: funneled)",
    )
    parser.add_argument("--replay", metavar="NAME", help="the run of this name, which is then kept")
    parser.add_argument("--dir", type=Path, help="where the runs' files go (default: a new folder on /dev/shm)")
    parser.add_argument("--verbose", action="store_true", help="a line a run")
    options = parser.parse_args(arguments)
    options.seed = options.seed or random.SystemRandom().randrange(1, 1_000_000)
    return options


# ---- what is run

def mixed(seed: int) -> Iterator[str]:
    for number in itertools.count():
        rng = random.Random(f"mix/{seed}:{number}")
        yield f"{rng.choices(list(MIX), list(MIX.values()))[0]}/{seed}:{number}"


def table_names(options: argparse.Namespace) -> list[str]:
    faults = ["no fault", *draw.KILLS, *draw.PAUSES, *draw.CALLS]
    return [
        f"table/{options.seed}:{number}/{fault}/{way.name}"
        for way in options.ways
        for fault in faults
        if way.reserved or fault != "server or scheduler killed"
        for number in range(options.repeat if fault != "no fault" else 1)
    ]


def peer_names(options: argparse.Namespace) -> list[str]:
    ways = [*PEERS, *(way for way in WAYS if way.name in tables.BESIDE_PEERS)]
    faults = [fault for fault in draw.KILLS if fault != draw.MAKING and not fault.startswith("server")]
    return [
        f"table/{options.seed}:{number}/{fault}/{way.name}"
        for way in ways
        for fault in faults
        for number in range(draw.PEER_NUMBERS, draw.PEER_NUMBERS + 2 * options.repeat)
    ]


def names(options: argparse.Namespace) -> Iterable[str]:
    if options.section == "tables":
        return table_names(options)
    if options.section == "peers":
        return peer_names(options)
    if options.section == "suite":
        return [*(itertools.islice(mixed(options.seed), options.runs) if options.runs else SUITE_DRAWN), *SUITE]
    numbered = (f"{options.section}/{options.seed}:{number}" for number in itertools.count())
    endless = mixed(options.seed) if options.section == "mix" else numbered
    return itertools.islice(endless, options.runs) if options.runs else endless


# ---- running it

class Streams:
    """Several runs at a time; results come as they end."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self._options, self._folder = options, folder
        self._lock = threading.Lock()
        self.results: list[Result] = []
        self.late: list[Result] = []
        self.error: BaseException | None = None

    def run(self, work: Iterable[str]) -> list[Result]:
        bounded = not isinstance(work, list) and not self._options.runs
        until = time.monotonic() + self._options.seconds if bounded else float("inf")
        source = iter(work)
        streams = range(self._options.streams)
        threads = [threading.Thread(target=self._stream, args=(number, source, until)) for number in streams]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self.error:
            raise self.error
        if self.late:
            self._again_alone()
        return self.results

    def _again_alone(self) -> None:
        """Ranks that are told of a kill too late may have waited for the machine: who is late alone, too, is a
        failure."""
        bench = Bench(self._folder / "alone", self._options.threads)
        try:
            for result in self.late:
                again = bench.do(result.name)
                if JOBS.closing:
                    return
                first, alone = result.verdict.seconds, again.verdict.seconds
                print(f"late {result.name} {first:.1f}: {alone:.1f} alone", flush=True)
                if again.late and not again.verdict.problems:
                    words = f"{first:.1f} s after the kill, and {alone:.1f} s where nothing else ran"
                    again.verdict.add("late", f"a rank was told of it {words}")
                    bench.keep(again)
                if again.verdict.problems:
                    result.verdict.problems += again.verdict.problems
                    result.kept = again.kept
                    tell_failure(result, self._options.threads)
        except InterruptedError:  # ended from outside
            return
        finally:
            bench.close()

    def _stream(self, number: int, source: Iterator[str], until: float) -> None:
        bench = Bench(self._folder / str(number), self._options.threads)
        try:
            while time.monotonic() < until and not self.error:
                with self._lock:
                    name = next(source, None)
                if name is None:
                    return
                self.told(bench.do(name))
        except BaseException as error:  # of the harness itself: told by who waits for the streams
            if not JOBS.closing:
                self.error = self.error or error
        finally:
            bench.close()

    def told(self, result: Result) -> None:
        made = result.skipped or result.verdict.fired or result.verdict.codes - {0}
        if self._options.section == "suite" and result.name in SUITE and not made:
            result.verdict.add("unmade", "its fault did not happen: the run tests nothing")
        with self._lock:
            if JOBS.closing:  # ended from outside: what is left of this run says nothing
                return
            self.results.append(result)
            if result.late and not result.verdict.problems:
                self.late.append(result)
                print(f"late {result.name} {result.verdict.seconds:.1f}", flush=True)
            if result.verdict.problems:
                tell_failure(result, self._options.threads)
            elif self._options.verbose:
                print(result.line(), flush=True)


def tell_failure(result: Result, threads: str) -> None:
    print(f"FAILED {result.line()}", flush=True)
    for kind, words in result.verdict.problems:
        print(f"       {kind}: {words}")
    level = "" if threads == "funneled" else f" --threads {threads}"
    print(f"       again: tools/faults --replay '{result.name}'{level}; kept in {result.kept}", flush=True)


def end_jobs(*_) -> None:
    JOBS.end_all()


def run_sections(options: argparse.Namespace, folder: Path) -> list[Result]:
    if options.section != "document":
        return Streams(options, folder).run(names(options))
    found = []
    for section, runs in DOCUMENT.items():
        part = argparse.Namespace(**vars(options) | {"section": section, "runs": runs})
        print(f"faults: {section}", flush=True)
        found += Streams(part, folder).run(names(part))
    return found


def replay(name: str, threads: str, folder: Path) -> int:
    bench = Bench(folder / "replay", threads)
    try:
        result = bench.do(name)
        print(result.line())
        for kind, words in result.verdict.problems:
            print(f"{kind}: {words}")
        for rank, words in sorted(result.verdict.sentences.items()):
            print(f"rank {rank} was told: {words}")
        shutil.rmtree(KEPT / "replay", ignore_errors=True)
        if (bench.folder / "run").exists():
            shutil.copytree(bench.folder / "run", KEPT / "replay", symlinks=True)
            print(f"kept in {KEPT / 'replay'}")
        return 1 if result.verdict.problems else 0
    finally:
        bench.close()


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    if not (BUILD / "tests" / "harness_model").exists():
        raise SystemExit(f"faults: {BUILD}/tests/harness_model was not built (make faults builds it)")
    base = os.environ.get("TMPDIR") or ("/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    folder = Path(tempfile.mkdtemp(prefix="weir-faults.", dir=options.dir or base))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end_jobs)
    try:
        if options.replay:
            return replay(options.replay, options.threads, folder)
        print(f"faults: {options.section}, seed {options.seed}", flush=True)
        results = run_sections(options, folder)
        ended = JOBS.closing
    finally:
        JOBS.end_all()
        shutil.rmtree(folder, ignore_errors=True)
    if not results:
        return 1
    text = tables.all_tables(options, results) + (" Ended before it was through." if ended else "")
    print(text)
    if options.document:
        tables.write_into(options.document, text)
    failed = [result for result in results if result.verdict.problems and result.way not in PEERS]
    return 1 if failed else 0


