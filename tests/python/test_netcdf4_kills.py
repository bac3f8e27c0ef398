# SPDX-License-Identifier: Apache-2.0
# timeout: 300
"""Rank 0 is killed at random moments, most of them within a commit of a netCDF-4 file: what was committed is there, and
the file opens with stock netCDF once weir-verify --clean has seen it. NETCDF4_KILLS=500 makes it more than a few."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

netCDF4 = pytest.importorskip("netCDF4")

BUILD = Path(os.environ["WEIR_BUILD_DIR"])
SOURCE = Path(os.environ["WEIR_SOURCE_DIR"])
PROGRAM = BUILD / "tests" / "netcdf4_killed"
RANKS, ROWS, COLUMNS, VARIABLES = 2, 64, 100, 3
CONFIG = "strategy: remap\nwriters_per_host: 2\ntimeout: 20\noverlap: background\n"
KILLS = int(os.environ.get("NETCDF4_KILLS", "8"))

pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason="built without tests")


def records_in(path: Path) -> int:
    """How many records the file has; all of them must hold what was put."""
    of_all = np.arange(RANKS * ROWS * COLUMNS, dtype="f8").reshape(RANKS * ROWS, COLUMNS)
    with netCDF4.Dataset(path) as file:
        records = len(file.dimensions["time"])
        for v in range(VARIABLES):
            for record in range(records):
                assert np.array_equal(file[f"v{v}"][record], of_all + 1e6 * v + 1e4 * record), f"v{v}, record {record}"
    return records


def test_a_kill_loses_nothing_that_was_committed(tmp_path: Path) -> None:
    journals = 0
    for seed in range(1, KILLS + 1):
        path = tmp_path / f"killed{seed}.nc"
        journal = tmp_path / f".killed{seed}.nc.journal.weir"
        launch = [SOURCE / "tools" / "launch", "-n", str(RANKS), "--timeout", "60", "--", PROGRAM]
        run = subprocess.run([*launch, path, CONFIG, str(seed)], check=False, timeout=90, capture_output=True, text=True)
        committed = max((int(line.split()[1]) for line in run.stdout.splitlines() if line.startswith("committed")), default=0)
        assert run.returncode == 137, f"seed {seed} was not killed: {run.stdout}{run.stderr}"
        journals += journal.exists()
        if path.exists():
            subprocess.run([BUILD / "bin" / "weir-verify", "--clean", path], check=False, capture_output=True)
            assert committed <= records_in(path) <= committed + 1, f"seed {seed}: {run.stdout}{run.stderr}"
        else:
            assert committed == 0, f"seed {seed}"
        assert not journal.exists()
        path.unlink(missing_ok=True)
    assert journals > 0
    print(f"{KILLS} kills, {journals} of them within a commit under a journal")
