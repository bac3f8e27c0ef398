# SPDX-License-Identifier: Apache-2.0
# timeout: 240
"""Records are appended to netCDF-4 files of netCDF-C and of Weir, whatever form the file gives a variable; netCDF-C
reads what was put and what was there. What cannot be appended to is told to all ranks in one sentence, and the file
stays as it was."""

import functools
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from output import built, launched
from output.launched import LAUNCH, WAYS, field

h5py = pytest.importorskip("h5py")
hdf5plugin = pytest.importorskip("hdf5plugin")
netCDF4 = pytest.importorskip("netCDF4")

BUILD = Path(os.environ["WEIR_BUILD_DIR"])
built.need("Python module", "netCDF-4")

BEFORE, AFTER, NZ, NY, NX = 4, 9, 3, 20, 33


PROGRAM = Path(__file__).parent / "output" / "appended.py"
launch = functools.partial(launched.launch, program=PROGRAM)


def of_netcdf(path: Path) -> dict[str, np.ndarray]:
    """BEFORE records in the forms that netCDF-C gives; and what the variables are to have with AFTER records."""
    wanted = {}
    with netCDF4.Dataset(path, "w") as file:
        file.set_auto_mask(False)
        for name, length in (("time", None), ("z", NZ), ("y", NY), ("x", NX), ("more", None)):
            file.createDimension(name, length)

        def make(name: str, dtype: str, dims: tuple[str, ...], values: np.ndarray, **how: object) -> None:
            variable = file.createVariable(name, dtype, dims, **how)
            there = values[:BEFORE] if dims[:1] == ("time",) else values
            variable[tuple(slice(length) for length in there.shape) or ...] = there
            # What was there before the first record that is put again stays.
            wanted[name] = values

        make("time", "f8", ("time",), np.arange(AFTER) / 2)  # 512 records in a chunk
        make("packed", "f4", ("time", "y", "x"), field("f4", AFTER, NY, NX), zlib=True, chunksizes=(1, 7, 16))
        make("zstd", "i8", ("time", "z", "y", "x"), field("i8", AFTER, NZ, NY, NX), compression="zstd", chunksizes=(1, 1, NY, NX))
        make("columns", "f4", ("time", "z", "y"), field("f4", AFTER, NZ, NY), zlib=True, fletcher32=True, chunksizes=(3, 2, 7))
        make("big", ">i2", ("time", "y", "x"), field("i2", AFTER, NY, NX), endian="big", zlib=True)
        make("plain", "u2", ("time", "x"), field("u2", AFTER, NX), chunksizes=(1, 10), fletcher32=True)
        make("two", "i4", ("time", "more"), field("i4", AFTER, 5), chunksizes=(1, 4), zlib=True)
        make("text", "S1", ("time", "x"), np.full((AFTER, NX), b"w", "S1"))
        make("mask", "i1", ("y", "x"), field("i1", NY, NX))  # in one piece
        make("scalar", "f8", (), np.array(1.5))
        rounded = np.round(field("f4", AFTER, NY, NX))
        make("rounded", "f4", ("time", "y", "x"), rounded, zlib=True, chunksizes=(1, NY, NX), significant_digits=3, quantize_mode="BitRound")
        file["rounded"][:] = rounded[:BEFORE]
        short = file.createVariable("short", "i4", ("time", "x"), fill_value=-1, zlib=True, chunksizes=(1, NX))
        short[0:1] = 7
        wanted["short"] = field("i4", AFTER, NX)
    return wanted


def read(path: Path, names: list[str]) -> dict[str, np.ndarray]:
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        assert len(file.dimensions["time"]) == AFTER
        return {name: file[name][...] for name in names}


@pytest.mark.parametrize("ranks", WAYS)
def test_records_come_behind_those_of_netcdf(ranks: int, tmp_path: Path) -> None:
    path = tmp_path / "of_netcdf.nc"
    wanted = of_netcdf(path)
    first = BEFORE - 1  # the last one once more
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        former = {name: file[name][:first] for name in wanted if file[name].dimensions[:1] == ("time",)}
        rounded = file["rounded"][:]
    np.savez(str(path) + ".npz", first=first, **wanted)
    config = tmp_path / "weir.yaml"
    config.write_text(WAYS[ranks] + "timeout: 50\n")
    done = launch(ranks, path, WEIR_CONFIG=str(config))
    assert (done.returncode, done.stdout) == (0, "well\n" * ranks), done.stdout + done.stderr
    found = read(path, list(wanted))
    for name, values in wanted.items():
        begin = first if name in former else 0
        if name == "rounded":  # by Weir to the bit as by netCDF-C
            assert np.array_equal(found[name][:BEFORE], rounded)
            continue
        since = (slice(begin, None),) if values.ndim else ()
        assert np.array_equal(found[name][since], values[since]), name
        assert begin == 0 or np.array_equal(found[name][:begin], former[name]), f"{name}: what was there"
    assert not [each for each in os.listdir(tmp_path) if each.startswith(".")]


@pytest.mark.parametrize("ranks", list(WAYS)[:2])
def test_a_file_of_netcdf_goes_back_to_fewer_records(ranks: int, tmp_path: Path) -> None:
    path = tmp_path / "back.nc"
    first, records = 1, 3  # of BEFORE, and of the file in the end
    wanted = of_netcdf(path)
    del wanted["rounded"]  # to the bit only as netCDF rounds it
    with netCDF4.Dataset(path, "a") as file:
        strings = file.createVariable("strings", str, ("time",))  # which Weir leaves out
        for record in range(BEFORE):
            strings[record] = f"text {record}"
        grows = [name for name in wanted if file[name].dimensions[:1] == ("time",)]
    wanted = {name: values[:records] if name in grows else values for name, values in wanted.items()}
    np.savez(str(path) + ".npz", first=first, goes_back=True, **wanted)
    done = launch(ranks, path, WEIR_STRATEGY="remap", WEIR_TIMEOUT="50s")
    assert (done.returncode, done.stdout) == (0, "well\n" * ranks), done.stdout + done.stderr
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        assert len(file.dimensions["time"]) == records
        for name in grows:
            assert np.array_equal(file[name][first:], wanted[name][first:]), name
            assert name == "short" or np.array_equal(file[name][:first], wanted[name][:first]), name
        assert list(file["strings"][:]) == ["text 0", "", ""]
    with h5py.File(path) as file:
        assert all(file[name].shape[0] == records for name in grows)


def test_weirs_own_file_grows_in_several_runs(tmp_path: Path) -> None:
    path = tmp_path / "own.nc"
    program = BUILD / "tests" / "test_c_netcdf4"
    done = subprocess.run([LAUNCH, "-n", "3", "--timeout", "60", "--", program, path, "strategy: remap\ntimeout: 50\n", "zlib"])
    assert done.returncode == 0
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        wanted = {name: file[name][...] for name in ("time", "temp", "steps")}
    for run in range(2):
        records = len(wanted["time"])
        more = {"time": [9.5 + run], "temp": wanted["temp"][:1] + 17 * (run + 1)}
        for name, values in more.items():
            wanted[name] = np.concatenate([wanted[name], np.asarray(values, wanted[name].dtype)])
        np.savez(str(path) + ".npz", first=records, **wanted)
        done = launch(2 + run, path, WEIR_TIMEOUT="50s")
        assert (done.returncode, done.stdout) == (0, "well\n" * (2 + run)), done.stdout + done.stderr
        with netCDF4.Dataset(path) as file:
            file.set_auto_mask(False)
            for name, values in wanted.items():
                assert np.array_equal(file[name][...], values), f"{name} after run {run}"


def test_what_cannot_be_appended_to_is_told(tmp_path: Path) -> None:
    path, newest = tmp_path / "others.nc", tmp_path / "newest.nc"
    with h5py.File(path, "w") as file:
        file.create_dataset("bz", data=field("i4", NY, NX), chunks=(5, 5), **hdf5plugin.BZip2())
        file.create_dataset("large", data=np.zeros((600, 600), "f4"))
    with h5py.File(newest, "w", libver="latest") as file:
        file.create_dataset("v", data=field("i4", NY, NX))
    before = path.read_bytes(), newest.read_bytes()
    of_bz, of_large, of_newest = launched.told_each([(path, "bz"), (path, "large"), (newest, "v")], program=PROGRAM)
    assert of_bz.startswith("EFORMAT ") and "filter 307" in of_bz and '"bz"' in of_bz, of_bz
    assert "one piece and is larger than 1 MiB" in of_large and "weir convert" in of_large, of_large
    assert of_newest.startswith("EFORMAT ") and "newest superblock" in of_newest and "nccopy" in of_newest, of_newest
    assert (path.read_bytes(), newest.read_bytes()) == before
