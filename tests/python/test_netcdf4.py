# SPDX-License-Identifier: Apache-2.0
"""What Weir writes as netCDF-4 (tests/c/netcdf4.c) is read by ncdump, h5dump, h5py, netCDF4-python and xarray."""

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

h5py = pytest.importorskip("h5py")
hdf5plugin = pytest.importorskip("hdf5plugin")
netCDF4 = pytest.importorskip("netCDF4")
xarray = pytest.importorskip("xarray")

BUILD = Path(os.environ["WEIR_BUILD_DIR"])
SOURCE = Path(os.environ["WEIR_SOURCE_DIR"])
PROGRAM = BUILD / "tests" / "test_c_netcdf4"
RECORDS, ROWS, COLUMNS = 4, 30, 40
WAYS = {
    "remap": (4, "strategy: remap\noverlap: background\n"),
    "several hosts": (4, "strategy: dynamic\ndebug.ranks_per_host: 1\n"),
    "servers": (4, "strategy: servers\n"),
}

pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason="built without tests")


def expected(ranks: int) -> np.ndarray:
    of_rank = np.arange(ranks * ROWS * COLUMNS, dtype="f4").reshape(ranks * ROWS, COLUMNS)
    return np.stack([of_rank + np.float32(100000 * record) for record in range(RECORDS)])


@pytest.fixture(scope="module", params=[(way, packed) for way in WAYS for packed in ("zlib", "zstd")], ids=str)
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int, str]:
    way, packed = request.param
    ranks, config = WAYS[way]
    path = tmp_path_factory.mktemp("netcdf4") / "model.nc"
    launch = [SOURCE / "tools" / "launch", "-n", str(ranks), "--timeout", "60", "--", PROGRAM]
    subprocess.run([*launch, path, config + "timeout: 50\n", packed], check=True, timeout=90)
    return path, ranks - (way == "servers"), packed


def test_netcdf_python_reads_values_and_definitions(written: tuple[Path, int, str]) -> None:
    path, ranks, packed = written
    with netCDF4.Dataset(path) as file:
        assert file.data_model == "NETCDF4"
        assert [*file.variables] == ["time", "temp", "steps"]
        assert file.dimensions["time"].isunlimited()
        temp = file["temp"]
        assert temp.units == "K"
        assert temp.chunking() == [1, 7, 16]
        filters = temp.filters()
        assert filters["shuffle"] and filters["fletcher32"]
        assert filters["zlib"] == (packed == "zlib")
        assert np.array_equal(temp[:], expected(ranks))
        assert np.array_equal(file["time"][:], np.arange(RECORDS) / 2)
        assert int(file["steps"][...]) == RECORDS


def test_h5py_reads_values_and_scales(written: tuple[Path, int, str]) -> None:
    path, ranks, _ = written
    with h5py.File(path) as file:
        assert np.array_equal(file["temp"][:], expected(ranks))
        assert [scale.label or scale[0].name for scale in file["temp"].dims] == ["/time", "/y", "/x"]


def test_xarray_reads_values(written: tuple[Path, int, str]) -> None:
    path, ranks, _ = written
    with xarray.open_dataset(path, engine="netcdf4", decode_times=False) as data:
        assert np.array_equal(data["temp"].values, expected(ranks))
        assert data["temp"].dims == ("time", "y", "x")


def test_tools_of_netcdf_and_hdf5_read_it(written: tuple[Path, int, str]) -> None:
    path, _, packed = written
    text = subprocess.run(["ncdump", "-hs", path], check=True, capture_output=True, text=True).stdout
    assert "time = UNLIMITED ; // (4 currently)" in text
    assert "temp:_ChunkSizes = 1, 7, 16 ;" in text
    if packed == "zlib" and shutil.which("h5dump"):
        shown = subprocess.run(["h5dump", "-d", "temp", path], check=True, capture_output=True, text=True).stdout
        assert "h5dump error" not in shown
        again = path.with_suffix(".again")
        subprocess.run(["nccopy", path, again], check=True)
        with netCDF4.Dataset(path) as one, netCDF4.Dataset(again) as other:
            assert np.array_equal(one["temp"][:], other["temp"][:])
