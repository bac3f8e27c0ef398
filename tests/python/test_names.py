# SPDX-License-Identifier: Apache-2.0
# timeout: 240
"""A name is the same in every form of Unicode, as netCDF has it: Weir stores what programs define in NFC, and netCDF-C,
zarr-python and Weir find it by any form. Names of others that are not in NFC are found as well."""

from pathlib import Path
from unicodedata import normalize

import numpy as np
import pytest
from output import built, launched

h5py = pytest.importorskip("h5py")
netCDF4 = pytest.importorskip("netCDF4")
zarr = pytest.importorskip("zarr")
built.need("Python module", "netCDF-4")

pytestmark = pytest.mark.filterwarnings("ignore")  # zarr's on consolidated metadata
PROGRAM = Path(__file__).parent / "output" / "naming.py"
FORMATS = ["NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA", "NETCDF4", "ZARR"]
NFC, NFD = "temp_\u00e9", "temp_e\u0301"
STAND_IN = "temp_xyz"  # of as many bytes as NFD


def run(ranks: int, *words: object) -> None:
    done = launched.launch(ranks, *words, program=PROGRAM, PYTHONUTF8="1")
    assert (done.returncode, done.stdout) == (0, "well\n" * ranks), done.stdout + done.stderr


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("ranks", [1, 3])
def test_defined_and_found_in_any_form(tmp_path: Path, format: str, ranks: int) -> None:
    path = tmp_path / ("names.zarr" if format == "ZARR" else "names.nc")
    run(ranks, "make", path, format)
    if format == "ZARR":
        group = zarr.open_group(path, mode="r")
        assert {normalize("NFC", name) for name in group} == set(group) and (group[NFC][:] == np.arange(2 * ranks)).all()
        return
    with netCDF4.Dataset(path) as file:
        assert (file[NFC][:] == np.arange(2 * ranks)).all() and file[NFC].getncattr(NFD) == "again"
        assert "K" in file.variables and any(name.startswith("n" * 200) for name in file.variables) and list(file.dimensions) == [NFC]


@pytest.mark.parametrize("format", FORMATS)
def test_the_same_name_in_another_form_is_no_second_one(tmp_path: Path, format: str) -> None:
    run(1, "twice", tmp_path / "twice", format)


def test_foreign_names(tmp_path: Path) -> None:
    """netCDF-C composes what it writes, so these are made without it."""
    classic, netcdf4, folder = tmp_path / "classic.nc", tmp_path / "netcdf4.nc", tmp_path / "folder.zarr"
    with netCDF4.Dataset(classic, "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("x", 3)
        file.createVariable(STAND_IN, "i4", ("x",)).setncattr(STAND_IN, "K")
        file[STAND_IN][:] = [4, 5, 6]
    classic.write_bytes(classic.read_bytes().replace(STAND_IN.encode(), NFD.encode()))
    with h5py.File(netcdf4, "w") as file:
        file.create_dataset(NFD, data=np.array([4, 5, 6], "i4")).attrs[NFD] = np.bytes_("K")
    group = zarr.open_group(folder, mode="w", zarr_format=3)
    group.create_array(NFD, data=np.array([4, 5, 6], "i4"), dimension_names=["x"]).attrs[NFD] = "K"
    for path in (classic, netcdf4, folder):
        run(2, "read", path, NFD, NFC)
