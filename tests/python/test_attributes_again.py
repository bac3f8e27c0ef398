# SPDX-License-Identifier: Apache-2.0
# timeout: 240
"""An attribute that weir_redef sets anew has the new value, of whatever type and length that and the old one are, and
its neighbours keep theirs: read by netCDF-C, zarr-python and Weir. netCDF-C 4.9 itself leaves a text of one letter where
it is set to an empty one."""

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from output import built, launched

netCDF4 = pytest.importorskip("netCDF4")
zarr = pytest.importorskip("zarr")
built.need("Python module", "netCDF-4")

pytestmark = pytest.mark.filterwarnings("ignore")  # zarr's on consolidated metadata
PROGRAM = Path(__file__).parent / "output" / "attributes_again.py"
FORMATS = ["NETCDF3_CLASSIC", "NETCDF3_64BIT_DATA", "NETCDF4", "ZARR"]


def attributes_in(path: Path, format: str) -> list[dict[str, Any]]:
    if format == "ZARR":
        group = zarr.open_group(path, mode="r")
        return [dict(group["v"].attrs), dict(group.attrs)]
    with netCDF4.Dataset(path) as file:
        return [{name: of.getncattr(name) for name in of.ncattrs()} for of in (file["v"], file)]


@pytest.mark.parametrize("format", FORMATS)
def test_every_pair(tmp_path: Path, format: str) -> None:
    done = launched.launch(2, tmp_path, format, program=PROGRAM)
    assert (done.returncode, done.stdout) == (0, "well\n" * 2), done.stdout + done.stderr
    spec = importlib.util.spec_from_file_location("attributes_again", PROGRAM)
    assert spec and spec.loader
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    for first in program.VALUES:
        for second, (kind, values) in program.VALUES.items():
            for found in attributes_in(tmp_path / f"{first}.{second}", format):
                if kind == program.CHAR:
                    assert found["u"] == values.tobytes().decode(), (first, second)
                else:
                    assert not isinstance(found["u"], str), (first, second)
                    assert np.array_equal(np.atleast_1d(found["u"]), values), (first, second)
                assert (found["a"], found["z"]) == ("before", "z"), (first, second)
