# SPDX-License-Identifier: Apache-2.0
# timeout: 240
"""Strings, groups and further unlimited dimensions: netCDF-C, h5py, zarr-python and xarray find them in what Weir has written,
and Weir keeps those of others where it adds records and where it converts."""

import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from output import built, launched
from output.launched import WAYS

h5py = pytest.importorskip("h5py")
netCDF4 = pytest.importorskip("netCDF4")
xarray = pytest.importorskip("xarray")

BUILD = Path(os.environ["WEIR_BUILD_DIR"])
built.need("Python module", "netCDF-4")

pytestmark = pytest.mark.filterwarnings("ignore")  # zarr's on consolidated metadata

PROGRAM = Path(__file__).parent / "output" / "modelled.py"
ROWS, NX = 4, 6
FLAGS = ["clear", "", "Wolken über dem Meer"]


def run(ranks: int, path: Path, *words: str) -> None:
    config = path.parent / "weir.yaml"
    config.write_text(WAYS[ranks] + "timeout: 50\n")
    done = launched.launch(ranks, path, *words, program=PROGRAM, WEIR_CONFIG=str(config))
    assert (done.returncode, done.stdout.replace("\n", "")) == (0, "well" * ranks), done.stdout + done.stderr


def rows_of(ranks: int, seed: int, record: int, rows: int) -> np.ndarray:
    return seed * 1000.0 + record * 100 + np.arange(rows * ranks * NX).reshape(rows * ranks, NX)


def compare(flux: np.ndarray, site: np.ndarray, area: np.ndarray, ranks: int, records: int) -> None:
    """obs has grown from 4 to 7 for each rank after the first record."""
    before, after = ROWS * ranks, (ROWS + 3) * ranks
    assert flux.shape == (records, after, NX) and site.shape == (after,) and area.shape == (records, before, NX)
    assert np.array_equal(flux[0, :before], rows_of(ranks, 1, 0, ROWS)) and (flux[0, before:] == -5).all()
    for record in range(1, records):
        assert np.array_equal(flux[record], rows_of(ranks, 1, record, ROWS + 3)), record
    assert np.array_equal(site[:before], np.arange(before)) and (site[before:] == -5).all()
    for record in range(records):
        assert np.array_equal(area[record], rows_of(ranks, 2, record, ROWS)), record


def verify(path: Path) -> None:
    seen = subprocess.run([BUILD / "bin" / "weir-verify", path], check=False, capture_output=True, text=True)
    assert seen.returncode == 0, seen.stdout


def find_in_netcdf(path: Path, ranks: int, records: int) -> None:
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        assert {name: (len(dim), dim.isunlimited()) for name, dim in file.dimensions.items()} == {
            "time": (records, True), "obs": ((ROWS + 3) * ranks, True), "x": (NX, False)
        }  # fmt: skip
        assert list(file.groups) == ["ice"] and file["ice"].title == "of the group"
        assert list(file["ice"].dimensions) == ["y"] and file["ice/area"].dimensions == ("time", "y", "x")
        assert file["flux"].flag_meanings == FLAGS and file["flux"].alone == "one"
        assert file["flux"].chunking() == [2, 3, NX]
        compare(file["flux"][:], file["site"][:], file["ice/area"][:], ranks, records)
        assert np.array_equal(file["time"][:], np.arange(records) / 2)
    with h5py.File(path) as file:
        assert file["flux"].maxshape == (None, None, NX) and file["site"].maxshape == (None,)
        assert h5py.check_string_dtype(file["flux"].attrs.get_id("alone").dtype) is not None  # no text of fixed length
        assert [file["ice/area"].dims[d][0].name for d in range(3)] == ["/time", "/ice/y", "/x"]
        compare(file["flux"][:], file["site"][:], file["ice/area"][:], ranks, records)
    with xarray.open_dataset(path, group="ice", decode_times=False) as data:
        assert data["area"].dims == ("time", "y", "x") and data.attrs["title"] == "of the group"
    verify(path)


@pytest.mark.parametrize("ranks", WAYS)
def test_netcdf_finds_groups_strings_and_dimensions(ranks: int, tmp_path: Path) -> None:
    path = tmp_path / "model.nc"
    run(ranks, path, "NETCDF4")
    find_in_netcdf(path, ranks, 2)
    run(ranks, path, "NETCDF4", "append")
    find_in_netcdf(path, ranks, 3)
    with netCDF4.Dataset(path, "a") as file:  # stock netCDF goes on with it
        file["site"][(ROWS + 3) * ranks] = 7
        file["ice"].createVariable("late", "f4", ("y",))[:] = 1
        file["time"][3] = 1.5
    with netCDF4.Dataset(path) as file:
        assert len(file.dimensions["obs"]) == (ROWS + 3) * ranks + 1
        assert file["site"][-1] == 7


@pytest.mark.parametrize("ranks", WAYS)
def test_zarr_finds_groups_strings_and_longer_dimensions(ranks: int, tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr", minversion="3.0.8")
    path = tmp_path / "model.zarr"
    for records, words in ((2, ()), (3, ("append",))):
        run(ranks, path, "ZARR", *words)
        for consolidated in (True, False):
            group = zarr.open_group(path, mode="r", use_consolidated=consolidated)
            assert {*group.group_keys()} == {"ice"} and dict(group["ice"].attrs) == {"title": "of the group"}
            assert {*group["ice"].array_keys()} == {"area"} and group["ice/area"].shape[0] == records
            with xarray.open_zarr(path, consolidated=consolidated, decode_times=False, mask_and_scale=False) as data:
                assert data["flux"].attrs["flag_meanings"] == FLAGS and data["flux"].attrs["alone"] == "one"
                compare(data["flux"].values, data["site"].values, group["ice/area"][...], ranks, records)
        with xarray.open_zarr(path, group="ice", consolidated=False, decode_times=False) as data:
            assert data["area"].dims == ("time", "y", "x") and data.attrs["title"] == "of the group"
        with xarray.open_datatree(path, engine="zarr", decode_times=False) as tree:
            assert [*tree.groups] == ["/", "/ice"] and tree["ice/area"].shape == (records, ROWS * ranks, NX)
        verify(path)


def of_netcdf(path: Path) -> None:
    """By netCDF-C: three unlimited dimensions, groups in groups, and all strings that it has."""
    with netCDF4.Dataset(path, "w") as file:
        for name, length in (("time", None), ("station", None), ("x", 3)):
            file.createDimension(name, length)
        inner = file.createGroup("level").createGroup("inner")
        inner.createDimension("more", None)
        file.createVariable("temp", "f4", ("time", "station"), zlib=True, chunksizes=(1, 4))[:] = np.arange(10).reshape(2, 5)
        file.createVariable("name", str, ("station",))[:] = np.array(list("abcde"), object)
        file.createVariable("height", "f8", ("station",))[:] = np.arange(5) / 2
        inner.createVariable("wind", "f4", ("time", "x"), zlib=True, chunksizes=(1, 3))[:] = np.arange(6).reshape(2, 3)
        inner.createVariable("own", "i4", ("more",))[:] = np.arange(4)
        inner.flags = FLAGS
        file["level"].setncattr_string("one", "text")
        file["temp"].setncattr_string("units", "K")


def contents(path: Path, *, of_weir: bool = False) -> dict[str, Any]:
    """of_weir: variables of strings as a copy has them, which is text."""
    found: dict[str, Any] = {}

    def look(group: Any, prefix: str) -> None:
        for name, dim in group.dimensions.items():
            found[f"{prefix}{name} (dimension)"] = len(dim), dim.isunlimited()
        for name in group.ncattrs():
            found[f"{prefix}{name} (attribute)"] = group.getncattr(name)
        for name, variable in group.variables.items():
            variable.set_auto_mask(False)
            kind, dimensions = variable.dtype, variable.dimensions
            if kind is str and of_weir:
                longest = f"string{max(len(text) for text in variable[...].flat)}"
                kind, dimensions = np.dtype("S1"), (*dimensions, longest)
                found[f"{longest} (dimension)"] = int(longest.removeprefix("string")), False
                found[f"{prefix}{name}:_Encoding"] = "utf-8"
            found[prefix + name] = kind, dimensions, variable[...].tolist()
            for attribute in variable.ncattrs():
                found[f"{prefix}{name}:{attribute}"] = variable.getncattr(attribute)
        for name, inner in group.groups.items():
            look(inner, f"{prefix}{name}/")

    with netCDF4.Dataset(path) as file:
        look(file, "")
    return found


ADD = """
import numpy as np, weir
from mpi4py import MPI
with weir.Dataset({path!r}, "a") as file:
    assert list(file.left_out) == ["name"] and "strings" in file.left_out["name"]
    assert file["temp"].units == "K" and file.getncattr("level/one") == "text"
    assert file.getncattr("level/inner/flags") == {flags!r}
    file["temp"][2] = np.arange(5) + 20
    file["level/inner/wind"][2] = np.arange(3) + 30
print("well")
"""


def test_what_others_have_stays_where_records_are_added(tmp_path: Path) -> None:
    path, program = tmp_path / "others.nc", tmp_path / "add.py"
    of_netcdf(path)
    before = contents(path)
    program.write_text(ADD.format(path=str(path), flags=FLAGS))
    done = launched.launch(3, program=program)
    assert (done.returncode, done.stdout.replace("\n", "")) == (0, "well" * 3), done.stdout + done.stderr
    after = contents(path)
    assert after["temp"][2] == before["temp"][2] + [[20, 21, 22, 23, 24]]
    assert after["level/inner/wind"][2] == before["level/inner/wind"][2] + [[30, 31, 32]]
    assert before["time (dimension)"] == (2, True) and after["time (dimension)"] == (3, True)
    for name in before.keys() - {"temp", "level/inner/wind", "time (dimension)"}:
        assert after[name] == before[name], name
    verify(path)


def convert(*words: object) -> subprocess.CompletedProcess[str]:
    line = [BUILD / "bin" / "weir-convert", *words]
    return subprocess.run([str(word) for word in line], capture_output=True, text=True, check=False, timeout=90)


def test_a_conversion_keeps_them(tmp_path: Path) -> None:
    path, copy = tmp_path / "others.nc", tmp_path / "copy.nc"
    of_netcdf(path)
    done = convert("--zstd", 1, path, copy)
    assert done.returncode == 0, done.stderr
    assert contents(copy) == contents(path, of_weir=True)
    with h5py.File(path) as file, h5py.File(copy) as other:
        for name in ("temp", "height", "level/inner/wind", "level/inner/own"):
            assert file[name].maxshape == other[name].maxshape, name
    other = tmp_path / "no.nc"
    refused = convert("--format", "cdf5", path, other)
    assert refused.returncode == 1 and "is in a group" in refused.stderr and "level/" in refused.stderr, refused.stderr
    assert not other.exists()
    folder, again = tmp_path / "copy.zarr", tmp_path / "again.nc"
    for one, other in ((path, folder), (folder, again)):
        done = convert(one, other)
        assert done.returncode == 0, done.stderr
    assert contents(again) == contents(path, of_weir=True)


def test_groups_of_others_are_read_from_zarr_and_added_to(tmp_path: Path) -> None:
    """By xarray: coordinates in the root, arrays in groups whose dimensions are the root's, or have another length."""
    zarr = pytest.importorskip("zarr", minversion="3.0.8")
    folder, program, copy = tmp_path / "tree.zarr", tmp_path / "add.py", tmp_path / "copy.nc"
    root = xarray.Dataset({"time": ("time", [0, 1]), "y": ("y", np.arange(3.0))})
    ice = xarray.Dataset({"area": (("time", "y"), np.arange(6.0).reshape(2, 3))}, attrs={"title": "of the group"})
    fine = xarray.Dataset({"area": (("y",), np.arange(7))})
    for data, group in ((root, None), (ice, "ice"), (fine, "fine/grid")):
        data.to_zarr(folder, group=group, zarr_format=3, consolidated=False, mode="a")
    zarr.consolidate_metadata(folder)
    program.write_text(
        f"""import numpy as np, weir
with weir.Dataset({str(folder)!r}, "a") as file:
    assert {{*file.variables}} == {{"time", "y"}} and {{*file.groups}} == {{"ice", "fine"}}, [*file.variables]
    assert {{*file["fine/grid"].variables}} == {{*file["ice"].variables}} == {{"area"}} and file["ice"].title == "of the group"
    assert {{name: len(dim) for name, dim in file.dimensions.items()}} == {{"time": 2, "y": 3}}
    assert len(file["fine/grid"].dimensions["y"]) == 7 and file["ice/area"].dimensions == ("time", "y")
    assert file.getncattr("ice/title") == "of the group"
    file["time"][2] = 2
    file["ice/area"][2] = np.arange(3.0) + 6
print("well")
"""
    )
    done = launched.launch(3, program=program)
    assert (done.returncode, done.stdout.replace("\n", "")) == (0, "well" * 3), done.stdout + done.stderr
    for consolidated in (True, False):
        group = zarr.open_group(folder, mode="r", use_consolidated=consolidated)
        assert group["ice/area"][...].tolist() == np.arange(9.0).reshape(3, 3).tolist(), consolidated
        assert group["time"][...].tolist() == [0, 1, 2] and group["fine/grid/area"][...].tolist() == [*range(7)]
    done = convert(folder, copy)
    assert done.returncode == 0, done.stderr
    with netCDF4.Dataset(copy) as file:
        assert file["ice/area"][:].tolist() == np.arange(9.0).reshape(3, 3).tolist() and file["ice"].title == "of the group"
        assert file["fine/grid/area"].dimensions == ("y",) and len(file["fine/grid"].dimensions["y"]) == 7


def test_strings_and_dimensions_go_through_zarr(tmp_path: Path) -> None:
    pytest.importorskip("zarr", minversion="3.0.8")
    path, folder, again = tmp_path / "flat.nc", tmp_path / "flat.zarr", tmp_path / "again.nc"
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("time", None)
        file.createDimension("obs", None)
        file.createVariable("a", "f4", ("time", "obs"))[:] = np.arange(12).reshape(3, 4)
        file["a"].flags = FLAGS
        file["a"].setncattr_string("one", "text")
        file["a"].units = "K"
    for one, other in ((path, folder), (folder, again)):
        done = convert(one, other)
        assert done.returncode == 0, done.stderr
    assert contents(again) == contents(path)
    with h5py.File(path) as file, h5py.File(again) as other:
        for name in ("flags", "one", "units"):
            assert file["a"].attrs.get_id(name).dtype == other["a"].attrs.get_id(name).dtype, name
    # A single string is a text where no strings are; a list of them is refused by its name.
    refused = convert("--format", "cdf5", path, tmp_path / "no.nc")
    assert refused.returncode == 1 and '"flags"' in refused.stderr, refused.stderr
    with netCDF4.Dataset(path, "a") as file:
        file["a"].delncattr("flags")
    assert convert("--format", "cdf5", path, tmp_path / "plain.nc").returncode == 0
    with netCDF4.Dataset(tmp_path / "plain.nc") as file:
        assert file["a"].one == "text" and len(file.dimensions["obs"]) == 4 and not file.dimensions["obs"].isunlimited()


def test_lists_of_texts_of_others_are_read(tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr", minversion="3.0.8")
    folder, path = tmp_path / "others.zarr", tmp_path / "copy.nc"
    group = zarr.create_group(folder, attributes={"authors": ["Ada", "Grace"], "title": "one", "mixed": ["a", 1]})
    group.create_array("a", data=np.arange(4.0), dimension_names=("x",), attributes={"flags": FLAGS})
    zarr.consolidate_metadata(group.store)
    done = convert(folder, path)
    assert done.returncode == 0, done.stderr
    with netCDF4.Dataset(path) as file:
        assert file.authors == ["Ada", "Grace"] and file.title == "one" and file["a"].flags == FLAGS
        assert "mixed" not in file.ncattrs()
