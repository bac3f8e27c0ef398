# SPDX-License-Identifier: Apache-2.0
"""What the scripts that measure share: running weir-bench, finding a mode's figures, printing a table."""

import json
import os
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn, TextIO

ROOT = Path(__file__).resolve().parents[1]
BUILD = Path(os.path.relpath(os.environ.get("WEIR_BUILD_DIR", ROOT / "build"), ROOT))
BENCH = BUILD / "bin" / "weir-bench"
UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}


def stop(words: str) -> NoReturn:
    """Ends the script."""
    sys.exit(f"{Path(sys.argv[0]).name}: {words}")


def clean_environment() -> dict[str, str]:
    """Without what begins with WEIR_: keys of the configuration, which would change what is measured."""
    return {name: value for name, value in os.environ.items() if not name.startswith("WEIR_")}


def run_bench(ranks: int, arguments: list[str], name: str, storage: str = "", said: TextIO = sys.stdout, lab: str = "") -> dict:
    """Runs weir-bench, telling `said` how, and returns its JSON, which stays in the build directory under `name`. A mode that
    failed is told there; no JSON ends the script. `storage` is the bandwidth of the storage, as tools/slow_storage has it. `lab`: a
    lab that is up; the ranks run on its hosts, and the files are on its storage."""
    results = ROOT / BUILD / name
    if not (ROOT / BENCH).exists():
        stop(f"{BENCH} is not there: make build")
    results.parent.mkdir(parents=True, exist_ok=True)
    results.unlink(missing_ok=True)
    command = ["tools/slow_storage", storage] if storage else []
    bench = [str(BENCH), *arguments, "--json", str(BUILD / name)]
    if lab:
        command += ["lab/lab", "run", "--name", lab, "-n", str(ranks), "--", "sh", "-c", f'exec {shlex.join(bench)} --dir "$LAB_STORAGE"']
    else:
        command += ["tools/launch", "-n", str(ranks), "--", *bench]
    print("$", shlex.join(command), file=said, flush=True)
    done = subprocess.run(command, cwd=ROOT, env=clean_environment(), check=False, text=True, stdout=said, stderr=subprocess.PIPE)
    if not results.exists():
        stop(f"weir-bench ended with {done.returncode} and left no results\n{done.stderr}")
    return json.loads(results.read_text(encoding="utf-8"))


@contextmanager
def directory_for_files(wanted: str | None) -> Iterator[str]:
    """A folder of this run's own, in `wanted` or on /dev/shm; it goes afterwards."""
    with tempfile.TemporaryDirectory(prefix="weir-files.", dir=wanted or "/dev/shm") as directory:
        yield directory


def find_run(results: dict, mode: str) -> dict | None:
    return next((run for run in results["runs"] if run["mode"] == mode), None)


def seconds_of(run: dict | None) -> float | None:
    """The median run time, where the mode ran and its file was right."""
    return median(run["seconds"]) if run and run["verified"] is not False else None


def median(values: list[float]) -> float | None:
    return statistics.median(values) if values else None


def bytes_of(size: str) -> float:
    """'200MB' as a number."""
    match = re.fullmatch(r"(\d+) ?([A-Za-z]*)", size.strip())
    if not match or match.group(2).upper() not in UNITS:
        stop(f"{size!r} is not a size; give one as 200MB")
    return float(match.group(1)) * UNITS[match.group(2).upper()]


def shown(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def print_table(head: list[str], rows: list[list[str]]) -> None:
    print("\n| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")


def describe_machine(results: dict) -> str:
    machine = results["machine"]
    return (
        f"{machine['cpus']} x {machine['cpu_model']}, {machine['hosts']} host(s), {machine['kernel']}, "
        f"{machine['mpi'].split(',')[0]}, MPI-IO {machine['mpi_io']}, PnetCDF {machine['pnetcdf'].split()[0]}, "
        f"files on {machine['file_system']}"
    )
