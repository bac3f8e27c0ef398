# SPDX-License-Identifier: Apache-2.0
# timeout: 200
"""A file with data gets new definitions (weir_redef); netCDF-C, h5py, zarr-python and xarray find them as if they had
been there from the start. A kill leaves the old definitions or the new ones."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from output import built
from output.launched import LAUNCH

netCDF4 = pytest.importorskip("netCDF4")
xarray = pytest.importorskip("xarray")

BUILD = Path(os.environ["WEIR_BUILD_DIR"])
built.need("Python module")

pytestmark = pytest.mark.filterwarnings("ignore")  # zarr's on consolidated metadata

PROGRAM = Path(__file__).parent / "output" / "redefined.py"
ROWS, NX, RECORDS = 4, 6, 4
CONFIGS = {2: "strategy: remap\n", 3: "strategy: dynamic\noverlap: background\n"}


def run(ranks: int, path: Path, format: str) -> None:
    config = path.parent / "weir.yaml"
    config.write_text(CONFIGS[ranks] + "timeout: 50\nheader_free: 4KiB\nrecord_align: 64KiB\n")
    line = [LAUNCH, "-n", ranks, "--timeout", 60, "--", sys.executable, PROGRAM, path, format]
    done = subprocess.run(
        [str(word) for word in line], capture_output=True, text=True, check=False, env=os.environ | {"WEIR_CONFIG": str(config)}
    )
    assert (done.returncode, done.stdout) == (0, "well\n" * ranks), done.stdout + done.stderr


def rows_of(ranks: int, seed: int, record: int) -> np.ndarray:
    return seed * 1000.0 + record * 100 + np.arange(ROWS * ranks * NX).reshape(ROWS * ranks, NX)


def compare(data: Any, ranks: int, packed: bool) -> None:
    assert data.attrs["title"] == "a title that is longer than the first one"
    assert data["a"].attrs == {"units": "K", "long_name": "added later"}
    assert data["depth"].attrs["units"] == "m"
    assert np.array_equal(data["time"], np.arange(RECORDS) / 2)
    for record in range(RECORDS):
        assert np.array_equal(data["a"][record], rows_of(ranks, 1, record)), record
    assert np.array_equal(data["mask"], rows_of(ranks, 2, 0))
    assert np.array_equal(data["depth"], rows_of(ranks, 3, 0))
    assert np.array_equal(data["z"], np.arange(3) / 4) and np.array_equal(data["x"], np.arange(NX) / 8)
    assert (data["unput"] == -5).all() and data["offset"] == 2.5
    if packed:
        assert data["b"].dims == ("time", "z", "y")
        for record in range(2, RECORDS):
            assert np.array_equal(data["b"][record], rows_of(ranks, 4, record)[:, :3].T), record


@pytest.mark.parametrize("ranks", CONFIGS)
@pytest.mark.parametrize("format", ["NETCDF3", "NETCDF4"])
def test_netcdf_finds_what_was_defined_later(ranks: int, format: str, tmp_path: Path) -> None:
    path = tmp_path / "later.nc"
    run(ranks, path, format)
    with xarray.open_dataset(path, engine="netcdf4", decode_times=False, mask_and_scale=False) as data:
        compare(data, ranks, format == "NETCDF4")
    if format == "NETCDF4":
        h5py = pytest.importorskip("h5py")
        with h5py.File(path) as file:
            assert file["b"].compression == "gzip" and file["b"].chunks == (1, 2, ROWS)
            assert [file["b"].dims[d][0].name for d in range(3)] == ["/time", "/z", "/y"]
            assert [file["a"].dims[d][0].name for d in range(3)] == ["/time", "/y", "/x"]
    seen = subprocess.run([BUILD / "bin" / "weir-verify", path], check=False, capture_output=True, text=True)
    assert seen.returncode == 0, seen.stdout
    with netCDF4.Dataset(path, "a") as file:  # stock netCDF goes on with it
        file["a"].comment = "by netCDF"
        file["time"][RECORDS] = 9
    assert {*os.listdir(tmp_path)} == {"later.nc", "weir.yaml"}


@pytest.mark.parametrize("ranks", CONFIGS)
def test_zarr_finds_what_was_defined_later(ranks: int, tmp_path: Path) -> None:
    pytest.importorskip("zarr", minversion="3.0.8")
    path = tmp_path / "later.zarr"
    run(ranks, path, "ZARR")
    for consolidated in (True, False):
        with xarray.open_zarr(path, consolidated=consolidated, decode_times=False, mask_and_scale=False) as data:
            compare(data, ranks, True)
    assert not [item for item in path.rglob("*") if item.name.startswith(".")]
    seen = subprocess.run([BUILD / "bin" / "weir-verify", path], check=False, capture_output=True, text=True)
    assert seen.returncode == 0, seen.stdout
