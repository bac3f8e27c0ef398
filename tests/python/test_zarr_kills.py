# SPDX-License-Identifier: Apache-2.0
# timeout: 400
"""Rank 0 is killed at random moments, most of them within a commit of a Zarr folder: what was committed is there and the
folder opens at once, by itself and with consolidated metadata; so it is with a run that appends, to a folder of Weir or
of zarr-python, and the next run goes on from there. A reader beside a run finds whole records at every moment.
ZARR_KILLS=500 makes it more than a few, ZARR_FIRST_SEED=501 others."""

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

zarr = pytest.importorskip("zarr", minversion="3.0.8")
xarray = pytest.importorskip("xarray")

BUILD = Path(os.environ["WEIR_BUILD_DIR"])
SOURCE = Path(os.environ["WEIR_SOURCE_DIR"])
PROGRAM = BUILD / "tests" / "netcdf4_killed"
RANKS, ROWS, COLUMNS, VARIABLES, RECORDS = 2, 64, 100, 3, 40
CONFIG = "strategy: remap\nwriters_per_host: 2\ntimeout: 20\noverlap: background\nbundle_size: 4KiB\n"
KILLS = int(os.environ.get("ZARR_KILLS", "2"))
FIRST = int(os.environ.get("ZARR_FIRST_SEED", "1"))

pytestmark = [
    pytest.mark.skipif(not PROGRAM.exists(), reason="built without tests"),
    pytest.mark.filterwarnings("ignore"),
]


def start(path: Path, seed: int, config: str = CONFIG, *mode: str) -> subprocess.Popen:
    launch = [SOURCE / "tools" / "launch", "-n", str(RANKS), "--timeout", "60", "--", PROGRAM, path, config, str(seed)]
    return subprocess.Popen([*launch, *mode], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def verify(path: Path, *options: str) -> subprocess.CompletedProcess:
    return subprocess.run([BUILD / "bin" / "weir-verify", *options, path], check=False, capture_output=True, text=True)


def records_in(path: Path, consolidated: bool) -> list[int]:
    """How many records each array has; all of them must hold what was put."""
    of_all = np.arange(RANKS * ROWS * COLUMNS, dtype="f8").reshape(RANKS * ROWS, COLUMNS)
    group = zarr.open_group(path, mode="r", use_consolidated=consolidated)
    times = group["time"][...]
    assert np.array_equal(times, np.arange(len(times)) / 2)
    found = [len(times)]
    for v in range(VARIABLES):
        values = group[f"v{v}"][...]
        for record, of_record in enumerate(values):
            assert np.array_equal(of_record, of_all + 1e6 * v + 1e4 * record), f"v{v}, record {record}"
        found.append(len(values))
    return found


def of_weir(path: Path) -> int:
    run = start(path, 0, CONFIG, "zarr", "stop")
    output, _ = run.communicate(timeout=90)
    assert run.returncode == 0, output
    return 2


def of_zarr_python(path: Path) -> int:
    """Files of one record, shards, files of several records, and many times in one."""
    of_all = np.arange(RANKS * ROWS * COLUMNS, dtype="f8").reshape(RANKS * ROWS, COLUMNS)
    group = zarr.create_group(path)
    for name, how in (
        ("v0", {"chunks": (1, 16, 50)}),
        ("v1", {"chunks": (1, 8, 25), "shards": (1, 64, 100)}),
        ("v2", {"chunks": (3, 32, 100)}),
    ):
        values = np.stack([of_all + 1e6 * int(name[1]) + 1e4 * record for record in range(2)])
        array = group.create_array(name, shape=values.shape, dtype="f8", dimension_names=("time", "y", "x"), **how)
        array[...] = values
    group.create_array("time", shape=(2,), dtype="f8", chunks=(512,), dimension_names=("time",))[...] = np.arange(2) / 2
    zarr.consolidate_metadata(path)
    return 2


def goes_on(path: Path, records: int) -> None:
    """A run that appends to what a kill has left."""
    run = start(path, 0, CONFIG, "zarr", "append", "stop")
    output, _ = run.communicate(timeout=90)
    assert run.returncode == 0, output
    assert records_in(path, True) == records_in(path, False) == [records + 2] * (1 + VARIABLES)
    assert not [item for item in path.rglob("*") if item.name.startswith(".")]


def judge(path: Path, seed: int, committed: int) -> tuple[int, bool, bool]:
    """How many records there are, whether a commit was cut short between its texts, and whether something was left."""
    one, *others = set(records_in(path, True))
    assert not others and committed <= one <= committed + 1, f"seed {seed}: {one} of {committed}"
    assert {*records_in(path, False)} <= {one, one + 1}, f"seed {seed}"
    seen = verify(path)
    assert "is whole" in seen.stdout, seen.stdout
    return one, "was interrupted" in seen.stdout, "that readers ignore" in seen.stdout


def kill(path: Path, seed: int, there: int, *mode: str) -> tuple[int, str]:
    """How many records the run has said to be committed, and what else it said."""
    run = start(path, seed, CONFIG, "zarr", *mode)
    output, _ = run.communicate(timeout=90)
    assert run.returncode == 137, f"seed {seed} was not killed: {output}"
    return max((int(line.split()[1]) for line in output.splitlines() if line.startswith("committed")), default=there), output


def test_a_kill_loses_nothing_that_was_committed(tmp_path: Path) -> None:
    cut_short = left = 0
    for seed in range(FIRST, FIRST + KILLS):
        path = tmp_path / f"killed{seed}.zarr"
        committed, output = kill(path, seed, 0)
        if path.exists():
            one, cut, leaves = judge(path, seed, committed)
            cut_short += cut
            left += leaves
            assert verify(path, "--clean").returncode == 0
            assert {*records_in(path, False)} == {one}
            assert verify(path).returncode == 0
        else:
            assert committed == 0, f"seed {seed}"
            verify(path, "--clean")
        assert not [*tmp_path.glob(".*")], f"seed {seed}: {output}"
        shutil.rmtree(path, ignore_errors=True)
    print(f"{KILLS} kills, {cut_short} of them between the texts of a commit, {left} left something")
    assert left > 0


def test_a_kill_of_a_run_that_appends_loses_nothing(tmp_path: Path) -> None:
    cut_short = left = 0
    for seed in range(FIRST, FIRST + KILLS):
        path = tmp_path / f"killed{seed}.zarr"
        there = of_weir(path) if seed % 3 == 0 else of_zarr_python(path)
        committed, _ = kill(path, seed, there, "append")
        one, cut, leaves = judge(path, seed, committed)
        cut_short += cut
        left += leaves
        if seed % 2 == 0:  # else the next run cleans up for itself
            assert verify(path, "--clean").returncode == 0
            assert {*records_in(path, False)} == {one} and verify(path).returncode == 0
        goes_on(path, one)
        shutil.rmtree(path)
    print(f"{KILLS} kills of runs that append, {cut_short} of them between the texts of a commit, {left} left something")
    assert left > 0


def test_a_reader_beside_the_run_finds_whole_records(tmp_path: Path) -> None:
    path = tmp_path / "read.zarr"
    run = start(path, 0, CONFIG, "zarr")
    looks = 0
    while run.poll() is None:
        if path.exists():
            assert len({*records_in(path, True)}) == 1
            records_in(path, False)
            looks += 1
    output, _ = run.communicate()
    assert run.returncode == 0, output
    assert records_in(path, True) == records_in(path, False) == [RECORDS] * (1 + VARIABLES)
    with xarray.open_zarr(path, decode_times=False) as data:
        assert data.sizes["time"] == RECORDS and "time" in data.coords
    print(f"{looks} looks while it was written")


def half_written_is_told(path: Path) -> None:
    assert verify(path).returncode == 0
    for name, why in (("v1/c.3.0.0", "is truncated"), ("time/c.0", "its checksum does not match")):
        shard = path / name
        bytes_before = shard.read_bytes()
        shard.write_bytes(bytes_before[: len(bytes_before) * 2 // 3])
        seen = verify(path)
        assert seen.returncode == 1 and why in seen.stdout and name in seen.stdout, seen.stdout
        assert verify(path, "--clean").returncode == 1
        shard.write_bytes(bytes_before)
    assert verify(path).returncode == 0
    (path / "v0" / "zarr.json").write_text("{")
    assert "is not valid JSON" in verify(path).stdout


def test_a_rule_makes_it_of_a_program_that_says_netcdf4_and_its_leftovers_go(tmp_path: Path) -> None:
    path = tmp_path / "cut.zarr"
    leftover, link = tmp_path / ".cut.zarr.0123abcd.weir", tmp_path / ".cut.zarr.weir"
    (leftover / "v0").mkdir(parents=True)
    link.symlink_to(leftover.name)
    run = start(path, 0, CONFIG + 'files: {"*.zarr": {format: zarr, compression: zstd}}\n')
    output, _ = run.communicate()
    assert run.returncode == 0, output
    assert [*tmp_path.iterdir()] == [path]
    assert records_in(path, True) == [RECORDS] * (1 + VARIABLES)
    half_written_is_told(path)
