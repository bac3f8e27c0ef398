# SPDX-License-Identifier: Apache-2.0
# timeout: 120
"""weir-convert keeps every value, type, dimension and attribute from format to format, on one rank and on three, and says in
one sentence what it cannot do. Files are read by netCDF4-python and zarr-python."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from output import built

pytest.importorskip("hdf5plugin")  # zstd, for netCDF-C's reader
netCDF4 = pytest.importorskip("netCDF4")
xarray = pytest.importorskip("xarray")
zarr = pytest.importorskip("zarr", minversion="3.0.8")

SOURCE, BUILD = Path(os.environ["WEIR_SOURCE_DIR"]), Path(os.environ["WEIR_BUILD_DIR"])
built.need("netCDF-4")

TYPES = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8")
SMALL = {"WEIR_DURABILITY": "cache", "WEIR_BUFFER_LIMIT": "128KiB"}
# A share of more than 32 KiB is copied in pieces, as one rank has of eight-byte values.


def convert(ranks: int, *words: object) -> subprocess.CompletedProcess[str]:
    """On one rank as on a login node, without a launcher, which takes seconds to end a program that fails."""
    launcher = [SOURCE / "tools" / "launch", "-n", ranks, "--timeout", 60, "--"] if ranks > 1 else []
    line = [*launcher, BUILD / "bin" / "weir-convert", *words]
    return subprocess.run(
        [str(word) for word in line], capture_output=True, text=True, check=False, env=os.environ | SMALL, timeout=90
    )


def field(dtype: str, *shape: int) -> np.ndarray:
    """Any bits that the type can have."""
    count = int(np.prod(shape)) * np.dtype(dtype).itemsize
    return np.random.default_rng(7).integers(0, 256, count, dtype="u1").view(dtype).reshape(shape)


def make(path: Path, records: int) -> None:
    with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_DATA") as file:
        file.set_auto_mask(False)
        for name, length in (("time", None), ("y", 61), ("x", 83), ("one", 1)):
            file.createDimension(name, length)
        file.title = "values of all types"
        file.createVariable("scalar", "f8", ())[...] = -0.1
        file.createVariable("text", "S1", ("time", "x"))[0:records] = np.full((records, 83), b"w", "S1")
        file.createVariable("time", "f8", ("time",))[0:records] = np.arange(records) / 3
        for dtype in TYPES:
            fixed = file.createVariable("fixed_" + dtype, dtype, ("y", "x"), fill_value=np.dtype(dtype).type(3))
            fixed[:] = field(dtype, 61, 83)
            fixed.numbers = np.arange(3, dtype=dtype)
            many = file.createVariable("many_" + dtype, dtype, ("time", "y", "x"))
            many[0:records] = field(dtype, records, 61, 83)
            file.createVariable("short_" + dtype, dtype, ("time", "one"))[0:records] = field(dtype, records, 1)


def contents(path: Path) -> dict[str, object]:
    with netCDF4.Dataset(path) as file:
        file.set_auto_maskandscale(False)
        found: dict[str, object] = {"": {name: file.getncattr(name) for name in file.ncattrs()}}
        found["dimensions"] = [(each.name, len(each), each.isunlimited()) for each in file.dimensions.values()]
        for name, variable in file.variables.items():
            attributes = {each: np.asarray(variable.getncattr(each)) for each in variable.ncattrs()}
            attributes = {each: (value.dtype.str, value.tobytes()) for each, value in attributes.items()}
            values = np.asarray(variable[...])
            found[name] = (variable.dtype, variable.dimensions, values.shape, values.tobytes(), attributes)
    return found


@pytest.mark.parametrize(("ranks", "records"), [(1, 3), (3, 3), (3, 0)])
def test_nothing_is_lost_on_the_way(ranks: int, records: int, tmp_path: Path) -> None:
    first, packed, back, folder, again = (
        tmp_path / name for name in ("first.nc", "packed.nc", "back.nc", "out.zarr", "again.nc")
    )
    make(first, records)
    for words in (
        ("--zstd", 1, "--shuffle", "--chunks", "time=2,y=10,x=100", first, packed),
        ("--format", "cdf5", packed, back),
        ("--deflate", 1, "--shuffle", packed, folder),
        ("--format", "cdf5", folder, again),
    ):
        done = convert(ranks, *words)
        assert (done.returncode, done.stderr) == (0, "")
    expected = contents(first)
    assert contents(packed) == expected
    assert contents(back) == expected
    assert contents(again) == expected
    with netCDF4.Dataset(packed) as file:
        assert file["many_f4"].chunking() == [2, 10, 83]
        assert file["many_f4"].filters()["zstd"] and file["many_f4"].filters()["shuffle"]
    with netCDF4.Dataset(back) as file:
        assert file.data_model == "NETCDF3_64BIT_DATA"
    group = zarr.open_group(folder, mode="r")
    assert set(group.array_keys()) == set(expected) - {"", "dimensions"}
    for name in group.array_keys():
        if name != "text":
            assert (group[name].dtype, group[name].shape) == (expected[name][0], expected[name][2]), name
        assert np.asarray(group[name][...]).tobytes() == expected[name][3], name


def test_what_cannot_be_done_is_said_and_leaves_nothing(tmp_path: Path) -> None:
    first, out = tmp_path / "first.nc", tmp_path / "out.nc"
    make(first, 1)
    for code, sentence, words in (
        (1, "none.nc", (tmp_path / "none.nc", out)),
        (2, 'unknown format "grib"', ("--format", "grib", first, out)),
        (1, 'no dimension "depth"', ("--chunks", "depth=3", first, out)),
        (2, "not \"y\"", ("--chunks", "y", first, out)),
        (2, "neither chunks nor compression", ("--format", "cdf5", "--zstd", 1, first, out)),
        (1, "CDF-1", ("--format", "cdf1", first, out)),
        (1, "CDF-2", ("--format", "cdf2", first, out)),
        (1, "is the input file", ("--overwrite", first, first)),
    ):
        done = convert(2 if "cdf1" in words else 1, *words)
        assert done.returncode == code and sentence in done.stderr, (words, done)
        assert sorted(each.name for each in tmp_path.iterdir()) == ["first.nc"], words
    out.write_text("of somebody")
    done = convert(1, first, out)
    assert done.returncode == 1 and "--overwrite" in done.stderr and out.read_text() == "of somebody"
    assert convert(1, "--overwrite", first, out).returncode == 0
    assert contents(out) == contents(first)


def test_strings_are_text_and_what_is_left_out_is_named_once(tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as file:
        file.createDimension("x", 3)
        file.createVariable("names", str, ("x",))[:] = np.array(["a", "Süd", "see"], dtype=object)
        file.createVariable("long", str, ("x",))[:] = np.array(["a" * 400_000, "", "c"], dtype=object)
        file.createVariable("kept", "i4", ("x",))[:] = [1, 2, 3]
    done = convert(3, tmp_path / "in.nc", tmp_path / "out.nc")
    assert done.returncode == 0, done.stderr
    said = [line for line in done.stderr.splitlines() if "is left out" in line]
    assert len(said) == 1 and '"long"' in said[0] and "1 MiB" in said[0]
    for words, out in ((("--format", "cdf5"), "out.nc"), ((), "out.zarr"), ((), "packed.nc")):
        path = tmp_path / out
        assert convert(3, "--overwrite", *words, tmp_path / "in.nc", path).returncode == 0, out
        opened = xarray.open_zarr(path) if out.endswith(".zarr") else xarray.open_dataset(path)
        with opened as data:
            assert sorted(data.variables) == ["kept", "names"] and list(data["kept"].values) == [1, 2, 3]
            assert list(data["names"].values) == ["a", "Süd", "see"], out


def test_strings_of_a_zarr_folder_come_along(tmp_path: Path) -> None:
    names = ["a", "Süd", "see"]
    xarray.Dataset({"names": ("x", np.array(names)), "kept": ("x", [1, 2, 3])}).to_zarr(tmp_path / "in.zarr", zarr_format=3)
    for out in ("out.nc", "out.zarr"):
        assert convert(3, tmp_path / "in.zarr", tmp_path / out).returncode == 0, out
        opened = xarray.open_zarr(tmp_path / out) if out.endswith(".zarr") else xarray.open_dataset(tmp_path / out)
        with opened as data:
            assert list(data["names"].values) == names and list(data["kept"].values) == [1, 2, 3], out
