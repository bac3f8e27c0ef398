# SPDX-License-Identifier: Apache-2.0
# timeout: 300
"""Rank 0 is killed at random moments, most of them within a commit of a netCDF-4 file: what was committed is there, and
the file opens with stock netCDF once weir-verify --clean has seen it, on a file system without locks too. A disk that
is full within a commit leaves the file at the one before. NETCDF4_KILLS=500 makes it more than a few."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

netCDF4 = pytest.importorskip("netCDF4")

BUILD = Path(os.environ["WEIR_BUILD_DIR"])
SOURCE = Path(os.environ["WEIR_SOURCE_DIR"])
PROGRAM = BUILD / "tests" / "netcdf4_killed"
NO_LOCKS = BUILD / "tests" / "no_locks.so"
RANKS, ROWS, COLUMNS, VARIABLES = 2, 64, 100, 3
CONFIG = "strategy: remap\nwriters_per_host: 2\ntimeout: 20\noverlap: background\n"
KILLS = int(os.environ.get("NETCDF4_KILLS", "8"))
FIRST = int(os.environ.get("NETCDF4_FIRST_SEED", "1"))

pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason="built without tests")


def records_in(path: Path) -> int:
    """How many records the file has; all of them must hold what was put."""
    of_all = np.arange(RANKS * ROWS * COLUMNS, dtype="f8").reshape(RANKS * ROWS, COLUMNS)
    with netCDF4.Dataset(path) as file:
        records = len(file.dimensions["time"])
        assert np.array_equal(file["time"][:], np.arange(records) / 2)
        for v in range(VARIABLES):
            for record in range(records):
                assert np.array_equal(file[f"v{v}"][record], of_all + 1e6 * v + 1e4 * record), f"v{v}, record {record}"
    return records


def of_netcdf(path: Path) -> int:
    """A file of stock netCDF-C, with many times in a chunk: how many records it has."""
    of_all = np.arange(RANKS * ROWS * COLUMNS, dtype="f8").reshape(RANKS * ROWS, COLUMNS)
    with netCDF4.Dataset(path, "w") as file:
        for name, length in (("time", None), ("y", RANKS * ROWS), ("x", COLUMNS)):
            file.createDimension(name, length)
        file.createVariable("time", "f8", ("time",))[:] = np.arange(2) / 2
        for v in range(VARIABLES):
            variable = file.createVariable(f"v{v}", "f8", ("time", "y", "x"), zlib=True, fletcher32=True, chunksizes=(1, 16, 50))
            variable[:] = [of_all + 1e6 * v + 1e4 * record for record in range(2)]
    return 2


def test_a_kill_loses_nothing_that_was_committed(tmp_path: Path) -> None:
    kill(tmp_path, KILLS)


def test_a_kill_of_a_run_that_appends_loses_nothing(tmp_path: Path) -> None:
    kill(tmp_path, KILLS, "append")


def kill(tmp_path: Path, kills: int, *mode: str) -> None:
    journals = 0
    for seed in range(FIRST, FIRST + kills):
        path = tmp_path / f"killed{seed}.nc"
        journal = tmp_path / f".killed{seed}.nc.journal.weir"
        there = of_netcdf(path) if mode else 0
        launch = [SOURCE / "tools" / "launch", "-n", str(RANKS), "--timeout", "60", "--", PROGRAM]
        run = subprocess.run(
            [*launch, path, CONFIG, str(seed), *mode], check=False, timeout=90, capture_output=True, text=True
        )
        lines = [line.split() for line in run.stdout.splitlines() if line.startswith("committed")]
        committed = max((int(words[1]) for words in lines), default=there)
        assert run.returncode == 137, f"seed {seed} was not killed: {run.stdout}{run.stderr}"
        journals += journal.exists()
        if path.exists():
            verify = [BUILD / "bin" / "weir-verify", "--clean", path]
            verified = subprocess.run(verify, check=False, capture_output=True, text=True)
            assert verified.returncode == 0, f"seed {seed}: {verified.stdout}{verified.stderr}"
            assert committed <= records_in(path) <= committed + 1, f"seed {seed}: {run.stdout}{run.stderr}"
        else:
            assert committed == 0, f"seed {seed}"
        assert not journal.exists()
        path.unlink(missing_ok=True)
    assert journals > 0
    print(f"{kills} kills, {journals} of them within a commit under a journal")


def third_commit(path: Path, writes: int, how: str, *before: str) -> subprocess.CompletedProcess:
    """What becomes of it where so many writes over what is in the file come to their end."""
    launch = [SOURCE / "tools" / "launch", "-n", str(RANKS), "--timeout", "60", "--", *before, PROGRAM]
    return subprocess.run(
        [*launch, path, CONFIG, str(writes), how], check=False, timeout=90, capture_output=True, text=True
    )


def verify(*words: str | Path, locks: bool = True) -> subprocess.CompletedProcess:
    environment = dict(os.environ) if locks else {**os.environ, "LD_PRELOAD": str(NO_LOCKS)}
    return subprocess.run(
        [BUILD / "bin" / "weir-verify", *words], check=False, capture_output=True, text=True, env=environment
    )


@pytest.mark.parametrize("writes", [1, 2, 3])
def test_a_full_disk_leaves_the_commit_before(tmp_path: Path, writes: int) -> None:
    path = tmp_path / "full.nc"
    run = third_commit(path, writes, "full")
    assert run.returncode == 0, run.stdout + run.stderr
    assert "committed 2\n" in run.stdout and "committed 3\n" not in run.stdout
    assert "No space left on device" in run.stdout
    assert records_in(path) == 2
    assert sorted(each.name for each in tmp_path.iterdir()) == ["full.nc"]
    verified = verify(path)
    assert verified.returncode == 0, verified.stdout


def test_a_disk_that_takes_nothing_back_keeps_the_journal(tmp_path: Path) -> None:
    path = tmp_path / "full.nc"
    run = third_commit(path, 2, "full_for_good")
    assert run.returncode == 0, run.stdout + run.stderr
    assert "No space left on device" in run.stdout and "weir-verify --clean" in run.stdout
    assert verify(path).returncode == 1
    verified = verify("--clean", path)
    assert verified.returncode == 0, verified.stdout
    assert records_in(path) == 2
    assert sorted(each.name for each in tmp_path.iterdir()) == ["full.nc"]


def test_a_kill_is_taken_back_where_there_are_no_locks(tmp_path: Path) -> None:
    path = tmp_path / "torn.nc"
    without = ["env", f"LD_PRELOAD={NO_LOCKS}"]
    assert third_commit(path, 2, "torn", *without).returncode == 137
    # Whether that run still lives nobody can know here: neither may a next run, which says so.
    append = third_commit(path, 2, "append", *without)
    assert append.returncode != 0
    assert "cannot determine" in append.stderr and "weir-verify --clean" in append.stderr
    looked = verify(path, locks=False)
    assert looked.returncode == 2 and "cannot determine" in looked.stderr
    cleaned = verify("--clean", path, locks=False)
    assert cleaned.returncode == 0 and "rolled back" in cleaned.stdout
    assert records_in(path) == 2
    assert not (tmp_path / ".torn.nc.journal.weir").exists()
