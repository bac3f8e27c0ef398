# SPDX-License-Identifier: Apache-2.0
# timeout: 300
"""Rank 0 is killed in commits of two to four files, classic and netCDF-4, that are committed as one: after recovery all of
them show the same records, and none that was committed is lost. GROUP_KILLS=1000 makes it more than a few, GROUP_SEED=500
begins with another seed."""

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

netCDF4 = pytest.importorskip("netCDF4")

BUILD = Path(os.environ["WEIR_BUILD_DIR"])
SOURCE = Path(os.environ["WEIR_SOURCE_DIR"])
PROGRAM = BUILD / "tests" / "group_killed"
ROWS, COLUMNS = 16, 25
CONFIG = "strategy: remap\nwriters_per_host: 2\ntimeout: 20\ntuned: none\ndone_marker: yes\n"
KILLS = int(os.environ.get("GROUP_KILLS", "8"))
SEED = int(os.environ.get("GROUP_SEED", "1"))

pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason="built without tests")


def values_in(path: Path, first: float, ranks: int) -> int:
    """How many records the file has; all of them must hold what was put."""
    of_all = np.arange(ranks * ROWS * COLUMNS, dtype="f8").reshape(ranks * ROWS, COLUMNS)
    with netCDF4.Dataset(path) as file:
        records = len(file.dimensions["time"])
        for record in range(records):
            assert np.array_equal(file["v"][record], of_all + first + 1e4 * record), f"{path}, record {record}"
    return records


def shown(folder: Path, ranks: int) -> set[int]:
    """The records that each file shows; a restart is a file for each record. Alike on all, if all is well."""
    found = {values_in(path, 1e6 * int(path.stem[4:]), ranks) for path in folder.glob("?/file*.nc")}
    restarts = sorted(int(path.stem[7:]) for path in folder.glob("a/restart*.nc"))
    for number in restarts:
        assert values_in(folder / "a" / f"restart{number}.nc", 1e4 * number, ranks) == 1
    assert restarts == list(range(len(restarts)))
    return found | {len(restarts)} if restarts else found


def check_markers(folder: Path) -> int:
    """A marker is beside a file that was closed, and tells of what is in it. How many there are."""
    markers = sorted(folder.glob("?/*.nc.done"))
    assert not [marker for marker in markers if not marker.name.startswith("restart")], "a marker beside an open file"
    if markers:
        files = [marker.with_suffix("") for marker in markers]
        answer = subprocess.run([BUILD / "bin" / "weir-verify", *files], check=False, capture_output=True, text=True)
        assert answer.returncode == 0 and answer.stdout.count(" agrees with ") == len(files), answer.stdout + answer.stderr
    return len(markers)


def recover(folder: Path, seed: int) -> bool:
    """By one of the files, in one of the two ways, whether it is there yet or not. Whether there was something to do."""
    names = {link.parent / link.name[1:].removesuffix(".weir-commit") for link in folder.glob("?/.*.nc.weir-commit")}
    if not names:
        return False
    path = sorted(names)[seed // 2 % len(names)]
    verify = [BUILD / "bin" / "weir-verify"]
    cut_short = "was interrupted" in subprocess.run([*verify, path], check=False, capture_output=True, text=True).stdout
    how = [PROGRAM, "--open", path] if seed % 2 else [*verify, "--clean", path]
    launch = [SOURCE / "tools" / "launch", "-n", "1", "--timeout", "100", "--"]
    subprocess.run([*launch, *how], check=False, timeout=120, capture_output=True)
    return cut_short


def kill(folder: Path, seed: int) -> tuple[int, bool, int]:
    """How many records were committed, whether a commit was cut short that counts, and how many files have markers."""
    ranks = (1, 2, 3)[seed % 3]
    for name in "ab":
        (folder / name).mkdir(parents=True)
    launch = [SOURCE / "tools" / "launch", "-n", str(ranks), "--timeout", "100", "--"]
    run = subprocess.run([*launch, PROGRAM, folder, CONFIG, str(seed)], check=False, timeout=120, capture_output=True, text=True)
    said = f"seed {seed}: {run.stdout}{run.stderr}"
    committed = max((int(line.split()[1]) for line in run.stdout.splitlines() if line.startswith("committed")), default=0)
    assert run.returncode == 137, said
    cut_short = recover(folder, seed)
    after = shown(folder, ranks)
    assert len(after) <= 1, f"files disagree, {after}: {said}"
    assert committed <= max(after, default=0) <= committed + 1, f"{after} shown: {said}"
    return committed, cut_short, check_markers(folder)


def test_a_group_shows_a_commit_or_none_of_it(tmp_path: Path) -> None:
    committed = cut_short = marked = 0
    for seed in range(SEED, SEED + KILLS):
        records, found, markers = kill(tmp_path / str(seed), seed)
        marked += markers
        shutil.rmtree(tmp_path / str(seed))
        committed += records
        cut_short += found
    assert cut_short > 0, "no kill met a commit that counts"
    assert marked > 0, "no restart has a marker"
    print(f"{KILLS} kills, {committed} commits that returned; {cut_short} kills cut one short that counts")
