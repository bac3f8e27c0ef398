# SPDX-License-Identifier: Apache-2.0
"""The command tools/stream-cases, and what the suite runs of it."""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from . import compare, reference
from .dates import Axis
from .draw import draw_case, job_of, sends_of

SOURCE = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("WEIR_BUILD_DIR", SOURCE / "build"))
PROGRAM = BUILD / "tests" / "stream_cases"
RANKS = 7


class Faults(list[str]):
    """What was found, each with the case by which it can be run again."""

    def note(self, case: dict, sentence: str) -> None:
        self.append(f"{case['name']}: {sentence}")


def launch(ranks: int, jobs: list[dict], folder: Path, seconds: float) -> subprocess.Popen:
    path = folder / f"jobs{time.monotonic_ns()}.json"
    path.write_text(json.dumps(jobs))
    line = [SOURCE / "tools" / "launch", "-n", ranks, "--timeout", seconds, "--", PROGRAM, path]
    return subprocess.Popen(
        [str(word) for word in line], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        env=os.environ | patience(),
    )  # fmt: skip


def patience() -> dict[str, str]:
    """Ranks that wait leave the processors to those that work, as in tools/run-test."""
    waits = BUILD / "tests" / "patient_waits.so"
    return {"PATIENT_WAITS": "yes", "LD_PRELOAD": str(waits)} if waits.exists() else {}


def run(ranks: int, jobs: list[dict], folder: Path, faults: Faults) -> None:
    """Runs jobs, and notes what a rank was refused."""
    for job in jobs:
        Path(job["folder"]).mkdir(parents=True, exist_ok=True)
    started = launch(ranks, jobs, folder, 100 + 3 * len(jobs))
    said, _ = started.communicate()
    told = set()
    for line in said.splitlines():
        if not line.startswith('{"call"'):
            if started.returncode:
                faults.append(line)
            continue
        of = json.loads(line)
        sentence = f"{of['call']} gives {of['code']}: {of['sentence']}"
        if (of["job"], sentence) not in told:
            told.add((of["job"], sentence))
            faults.append(f"{jobs[of['job']]['case']}: {sentence}")
    if started.returncode:
        faults.append(f"the job ended with {started.returncode}")


def side_by_side(cases: list[list[dict]]) -> list[dict]:
    """The jobs of cases, each case in its order, on ranks that leave room for others."""
    free, all_jobs = [0] * RANKS, []
    for jobs in cases:
        wide = max(job["ranks"] for job in jobs)
        first = min(range(RANKS - wide + 1), key=lambda at: max(free[at : at + wide]))
        begin = max(free[first : first + wide])
        free[first : first + wide] = [begin + len(jobs)] * wide
        all_jobs += [job | {"first": first} for job in jobs]
    return all_jobs


def merge_parts(folder: Path, names: list[str]) -> Iterator[str]:
    for name in names:
        if not list(folder.glob(f"{name}.[0-9]*")):
            continue
        done = subprocess.run(
            [SOURCE / "tools" / "launch", "-n", "1", "--timeout", "60", "--", BUILD / "bin" / "weir-merge", folder / name],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            yield f"weir-merge {name}: {done.stdout}{done.stderr}"
        for part in folder.glob(f"{name}.[0-9]*"):
            part.unlink()


def try_cases(seed: int, numbers: range, folder: Path, conforming: int = 0) -> Faults:
    """Cases without a stop."""
    faults = Faults()
    drawn, jobs = [], []
    for number in numbers:
        rng = random.Random(f"ranks/{seed}:{number}")
        case, expected = draw_case(f"{seed}:{number}")
        case["folder"] = str(folder / f"case{number}")
        job = job_of(rng, case, restart=False)
        axis = Axis(case["units"], case["calendar"])
        jobs.append([job | {"start": axis.time(case["start"]), "sends": sends_of(axis, expected.sends, set())}])
        drawn.append((case, expected))
    run(RANKS, side_by_side(jobs), folder, faults)
    checked = 0
    for case, expected in drawn:
        place = Path(case["folder"])
        for sentence in merge_parts(place, list(expected.files)):
            faults.note(case, sentence)
        for sentence in compare.folder_faults(place, expected.files):
            faults.note(case, sentence)
        if checked < conforming:
            checked += conformance(case, place, expected, faults)
    return faults


def conformance(case: dict, folder: Path, expected: reference.Expected, faults: Faults) -> int:
    """Holds files of a case against the CF conventions; returns how many."""
    from conforming import OF_THE_MODEL
    from conforming import faults as of_conventions

    # Attributes, names and the order of dimensions are drawn, and a count has no method.
    of_drawing = ("§2.3 ", "§2.4 ", "§2.5 ", "§3.1 Units", "§3.3 Standard Name", "§4.1 ", "§4.2 ", "units_metadata",
                  "Gregorian calendar and does not cross", "cell_methods does not say what")  # fmt: skip
    checked = 0
    for name, file in expected.files.items():
        if file.format != "zarr" and (folder / name).exists():
            checked += 1
            for sentence in of_conventions(folder / name, OF_THE_MODEL + of_drawing):
                faults.note(case, f"{name}: {sentence}")
    return checked


# ---- runs that stop


def draw_stops(rng: random.Random, case: dict, expected: reference.Expected) -> list[tuple[int, str, int]]:
    """When a run stops, how, and how many sends it makes beyond."""
    times = sorted({at for at, *_ in expected.sends if at > case["start"]})
    cuts = sorted(rng.sample(times[:-1], min(len(times) - 1, rng.choice((1, 1, 2, 3)))))
    ways = ["finalize", "beyond", "abandon"]
    if any(stream.get("format") == "zarr" for stream in case["streams"]):
        ways.remove("abandon")  # the process that writes a folder is still there
    return [(cut, rng.choice(ways), rng.randint(1, 25)) for cut in cuts]


def jobs_with_stops(rng: random.Random, case: dict, expected: reference.Expected) -> list[dict]:
    axis = Axis(case["units"], case["calendar"])
    jobs, begin = [], case["start"]
    sends = expected.sends
    for cut, how, beyond in [*draw_stops(rng, case, expected), (sends[-1][0], "end", 0)]:
        again = jobs and rng.random() < 0.3  # it sends once more what was sent at its start
        mine = [each for each in sends if (each[0] > begin or (not jobs or again) and each[0] == begin) and each[0] <= cut]
        behind = [each for each in sends if each[0] > cut][:beyond] if how in ("beyond", "abandon") else []
        syncs = {index for index in range(len(mine) - 1) if mine[index][0] != mine[index + 1][0] and rng.random() < 0.05}
        if how != "end" and how != "finalize":
            syncs.add(len(mine) - 1)
        job = job_of(rng, case, restart=True, reserves=how != "abandon")
        job |= {"start": axis.time(begin), "sends": sends_of(axis, mine + behind, syncs)}
        jobs.append(job | {"end": "abandon" if how == "abandon" else "finalize"})
        begin = cut
    return jobs


def try_restarts(seed: int, numbers: range, folder: Path) -> Faults:
    faults = Faults()
    drawn, jobs = [], []
    for number in numbers:
        rng = random.Random(f"restarts/{seed}:{number}")
        case, expected = draw_case(f"{seed}:restart{number}", lags=False)
        if len({at for at, *_ in expected.sends if at > case["start"]}) < 2:
            continue
        axis = Axis(case["units"], case["calendar"])
        case["folder"] = str(folder / f"whole{number}")
        whole = job_of(rng, case, restart=True)
        jobs.append([whole | {"start": axis.time(case["start"]), "sends": sends_of(axis, expected.sends, set())}])
        case["folder"] = str(folder / f"cut{number}")
        jobs.append(jobs_with_stops(rng, case, expected))
        drawn.append((case, expected, folder / f"whole{number}", folder / f"cut{number}"))
    run(RANKS, side_by_side(jobs), folder, faults)
    for case, expected, whole, cut in drawn:
        for place in (whole, cut):
            for sentence in compare.folder_faults(place, expected.files):
                faults.note(case, f"{place.name}: {sentence}")
        for sentence in compare.different_bytes(whole, cut):
            faults.note(case, sentence)
    return faults


# ---- runs that are killed


def newest_restart(folder: Path, axis: Axis, times: list[int]) -> int | None:
    """The time of the last restart file that is there."""
    names = {path.name for path in folder.glob("restart_*.nc")}
    found = [at for at in times if f"restart_{axis.formatted('%Y%m%dT%H%M%S', at)}.nc" in names]
    return max(found, default=None)


def try_kill(seed: int, number: int, folder: Path) -> tuple[Faults, int]:
    """Kills a run at random moments until it comes to its end; returns how often."""
    faults = Faults()
    rng = random.Random(f"kill/{seed}:{number}")
    case, expected = draw_case(f"{seed}:kill{number}", lags=False)
    axis = Axis(case["units"], case["calendar"])
    case["folder"] = str(folder)
    for stream in case["streams"]:
        stream["existing"] = "replace"
    times = sorted({at for at, *_ in expected.sends if at > case["start"]})
    begin, kills = case["start"], 0
    while True:
        job = job_of(rng, case, restart=True)
        mine = [each for each in expected.sends if each[0] > begin or (begin == case["start"] and each[0] == begin)]
        ends = [index for index in range(len(mine)) if index + 1 == len(mine) or mine[index][0] != mine[index + 1][0]]
        syncs = {index for index in ends if rng.random() < 0.3}
        job |= {"start": axis.time(begin), "sends": sends_of(axis, mine, syncs), "pause": 0.01 if kills < 6 else 0}
        folder.mkdir(parents=True, exist_ok=True)
        started = launch(job["ranks"], [job], folder.parent, 100)
        if kills < 6 and rng.random() < 0.8:
            time.sleep(0.4 + rng.random() * (1.0 + 0.012 * len(mine)))
            if started.poll() is None:
                kill_all(started.pid)
                kills += 1
        said, _ = started.communicate()
        if started.returncode == 0 and '{"call"' not in said:
            break
        if '{"call"' in said:
            faults.note(case, said)
            return faults, kills
        begin = newest_restart(folder, axis, times) or case["start"]
        if begin == times[-1]:
            break
    for sentence in compare.folder_faults(folder, expected.files):
        faults.note(case, f"after {kills} kills: {sentence}")
    return faults, kills


def kill_all(session: int) -> None:
    """Of the launcher's session: the ranks first, which leave it to nobody to tell them."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = status.read_text().rsplit(")", 1)[1].split()
            if int(words[3]) == session and PROGRAM.samefile(status.parent / "exe"):
                found.append(int(status.parent.name))
        except (OSError, IndexError):
            continue
    for process in found:
        os.kill(process, signal.SIGKILL)


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="tools/stream-cases",
        description="Streams of random models, held against NumPy and cftime to the last bit (docs/results/streams.md).",
    )
    parser.add_argument("--cases", type=int, default=100, help="runs without a stop (default: 100)")
    parser.add_argument("--restarts", type=int, default=40, help="runs that stop and go on (default: 40)")
    parser.add_argument("--kills", type=int, default=0, help="runs that are killed again and again (default: 0)")
    parser.add_argument("--seed", type=int, default=0, help="default: another one each time")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case: SEED:NUMBER in what is printed")
    parser.add_argument("--conforming", type=int, default=10, help="files that are held against the CF conventions (default: 10)")
    parser.add_argument("--keep", type=Path, help="where files go, and stay (default: a new folder on /dev/shm)")
    options = parser.parse_args(arguments)
    options.seed = options.seed or random.SystemRandom().randrange(1, 1_000_000)
    return options


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    shm = Path("/dev/shm")
    folder = options.keep or Path(tempfile.mkdtemp(prefix="stream-cases.", dir=shm if os.access(shm, os.W_OK) else None))
    folder.mkdir(exist_ok=True)
    faults, at_once, kills = Faults(), 50, 0
    print(f"stream-cases: seed {options.seed}", flush=True)
    try:
        for kind, count in (("case", options.cases), ("restart", options.restarts)):
            for begin in range(options.first, options.first + count, at_once):
                numbers = range(begin, min(begin + at_once, options.first + count))
                if kind == "case":
                    found = try_cases(options.seed, numbers, folder, options.conforming if begin == options.first else 0)
                else:
                    found = try_restarts(options.seed, numbers, folder)
                faults += found
                print(*found, f"{kind}s {numbers.start} to {numbers.stop - 1}: {len(found)} faults", sep="\n", flush=True)
                if not options.keep:
                    for path in folder.iterdir():
                        shutil.rmtree(path) if path.is_dir() else path.unlink()
        # Processes, since netCDF-4 may be read by one thread of a process only.
        with ProcessPoolExecutor(2) as pool:
            tries = [
                pool.submit(try_kill, options.seed, number, folder / f"kill{number}")
                for number in range(options.first, options.first + options.kills)
            ]
            for each in tries:
                found, times = each.result()
                kills += times
                faults += found
                print(*found, sep="\n", end="\n" if found else "", flush=True)
    finally:
        if not options.keep:
            shutil.rmtree(folder)
    print(
        f"stream-cases: seed {options.seed}: {options.cases} cases, {options.restarts} runs with stops, {options.kills} runs "
        f"with {kills} kills: {len(faults)} faults"
    )
    return 1 if faults else 0
