# SPDX-License-Identifier: Apache-2.0
"""netCDF4-python, ncdump and ncmpidump read what Weir wrote: a file with every type (tests/c/all_types.c)."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

netCDF4 = pytest.importorskip("netCDF4")

ROWS, COLUMNS, RECORDS = 4, 9, 3
STEPS = 7 * np.arange(ROWS * COLUMNS, dtype=np.int64).reshape(ROWS, COLUMNS)
TYPES = {
    "byte": ("i1", lambda step: -128 + step % 200),
    "char": ("S1", None),
    "short": ("i2", lambda step: -30000 + step),
    "int": ("i4", lambda step: -2000000000 + step),
    "float": ("f4", lambda step: (step.astype("f4") / np.float32(8)) - np.float32(1e6)),
    "double": ("f8", lambda step: step.astype("f8") / 3 - 1e100),
    "ubyte": ("u1", lambda step: step % 255),
    "ushort": ("u2", lambda step: 60000 + step),
    "uint": ("u4", lambda step: 4000000000 + step),
    "int64": ("i8", lambda step: np.int64(-8000000000000000000) + step),
    "uint64": ("u8", lambda step: np.uint64(18000000000000000000) + step.astype("u8")),
}


def expected(name: str, record: int) -> np.ndarray:
    kind, value = TYPES[name]
    step = STEPS + record
    if value is None:
        return (ord("a") + step % 26).astype("u1").view("S1")
    return value(step).astype(kind)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("readers") / "all_types.nc"
    program = Path(os.environ["WEIR_BUILD_DIR"]) / "tests" / "test_c_all_types"
    launch = Path(os.environ["WEIR_SOURCE_DIR"]) / "tools" / "launch"
    subprocess.run([launch, "-n", "3", "--timeout", "60", "--", program, file], check=True)
    return file


@pytest.fixture
def dataset(path: Path):
    with netCDF4.Dataset(path) as open_dataset:
        open_dataset.set_auto_maskandscale(False)
        open_dataset.set_auto_chartostring(False)
        yield open_dataset


@pytest.mark.parametrize("name", TYPES)
def test_values(dataset, name: str) -> None:
    variable = dataset[f"{name}_record"]
    assert variable.dtype == np.dtype(TYPES[name][0])
    assert variable.shape == (RECORDS, ROWS, COLUMNS)
    for record in range(RECORDS):
        assert np.array_equal(variable[record], expected(name, record)), f"record {record}"
    assert np.array_equal(dataset[f"{name}_fixed"][:], expected(name, 0))


@pytest.mark.parametrize("name", TYPES)
def test_attributes(dataset, name: str) -> None:
    wanted = expected(name, 0).ravel()[1:3]
    for found in (dataset[f"{name}_record"].getncattr("two_values"), dataset.getncattr(name)):
        if name == "char":
            assert found == b"".join(wanted).decode()
        else:
            assert np.array_equal(found, wanted)
            assert found.dtype == wanted.dtype


def test_structure(dataset) -> None:
    assert dataset.data_model == "NETCDF3_64BIT_DATA"
    assert dataset.dimensions["time"].isunlimited()
    assert {key: len(value) for key, value in dataset.dimensions.items()} == {
        "time": RECORDS,
        "row": ROWS,
        "column": COLUMNS,
    }
    assert dataset.title == "every type é"
    assert dataset["scalar"][...] == 3.141592653589793


def test_hole(dataset) -> None:
    hole = dataset["hole"][:]
    assert np.array_equal(hole[:, :-1], expected("short", 0)[:, :-1])
    assert (hole[:, -1] == netCDF4.default_fillvals["i2"]).all()


def dump(program: str, path: Path) -> dict[str, list[str]]:
    """The values of each variable as `program` prints them."""
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed")
    text = subprocess.run([program, path], check=True, capture_output=True, text=True).stdout
    data = text.split("\ndata:\n")[1]
    return {
        name: [word.strip() for word in values.replace("\n", " ").split(",")]
        for name, values in re.findall(r"^ *(\w+) =((?:[^;\"]|\"[^\"]*\")*);", data, re.MULTILINE)
    }


def test_dumps_agree(path: Path) -> None:
    by_netcdf, by_pnetcdf = dump("ncdump", path), dump("ncmpidump", path)
    assert set(by_netcdf) == set(by_pnetcdf)
    assert len(by_netcdf) == 2 * len(TYPES) + 2
    for name, values in by_netcdf.items():
        assert values == by_pnetcdf[name], name
    for name in ("short", "int", "uint", "int64", "uint64"):
        wanted = [int(value) for record in range(RECORDS) for value in expected(name, record).ravel()]
        assert [int(re.match(r"-?\d+", word).group()) for word in by_netcdf[f"{name}_record"]] == wanted
