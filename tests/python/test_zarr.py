# SPDX-License-Identifier: Apache-2.0
# timeout: 300
"""What Weir writes as Zarr is read by zarr-python and xarray: random models (tests/harness/packed_models.cpp) hold in a
Zarr folder and in a netCDF-4 file what they hold in a CDF-5 file, under every strategy: values, types, dimensions and
attributes, as netCDF-C and h5py read them too; quantized values (tests/c/netcdf4.c) have the same bits."""

import base64
import json
import os
import struct
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

netCDF4 = pytest.importorskip("netCDF4")
zarr = pytest.importorskip("zarr", minversion="3.0.8")
xarray = pytest.importorskip("xarray")
h5py = pytest.importorskip("h5py")

BUILD = Path(os.environ["WEIR_BUILD_DIR"])
SOURCE = Path(os.environ["WEIR_SOURCE_DIR"])
PROGRAM = BUILD / "tests" / "packed_models"
OF_NETCDF4 = BUILD / "tests" / "test_c_netcdf4"
SEEDS = int(os.environ.get("ZARR_MODELS", "3"))
# ranks, of them serving, configuration
WAYS = {
    "one rank": (1, 0, "strategy: remap\n"),
    "serial": (3, 0, "strategy: serial\n"),
    "collective": (4, 0, "strategy: collective\n"),
    "rows": (4, 0, "strategy: rows\n"),
    "columns": (4, 0, "strategy: columns\noverlap: background\n"),
    "remap": (4, 0, "strategy: remap\nwriters_per_host: 2\noverlap: background\n"),
    "little memory": (4, 0, "strategy: remap\nbuffer_limit: 1MiB\n"),
    "several hosts": (4, 0, "strategy: remap\ndebug.ranks_per_host: 2\ndebug.forward: messages\n"),
    "dynamic": (5, 0, "strategy: dynamic\nwriters_per_variable: 2\noverlap: background\n"),
    "dynamic, hosts": (4, 0, "strategy: dynamic\ndebug.ranks_per_host: 1\n"),
    "dynamic, a rank": (4, 1, "strategy: dynamic\ncontrol: rank\n"),
    "servers": (4, 1, "strategy: servers\n"),
}

pytestmark = [
    pytest.mark.skipif(not PROGRAM.exists(), reason="built without tests"),
    pytest.mark.filterwarnings("ignore"),  # zarr's on text and on consolidated metadata, xarray's on repeated dimensions
]


def launch(ranks: int, *command: Any) -> None:
    start = [SOURCE / "tools" / "launch", "-n", str(ranks), "--timeout", "100", "--"]
    subprocess.run([*start, *map(str, command)], check=True, timeout=120)


def as_zarr_has_it(value: Any, name: str) -> Any:
    """An attribute of netCDF as JSON keeps it; xarray decodes _FillValue."""
    if isinstance(value, bytes):
        return value
    if name == "_FillValue" and np.asarray(value).dtype.kind == "f":
        return base64.b64encode(struct.pack("<d", float(value))).decode()
    return value if isinstance(value, str) else np.asarray(value).tolist()


def attributes_of(item: Any) -> dict[str, Any]:
    """Without the _FillValue of text, which xarray does not decode: fill_value has it."""
    all_of = {name: as_zarr_has_it(item.getncattr(name), name) for name in item.ncattrs()}
    return {name: value for name, value in all_of.items() if not isinstance(value, bytes)}


def compare_by_zarr(reference: Any, path: Path) -> None:
    for consolidated in (True, False):
        group = zarr.open_group(path, mode="r", use_consolidated=consolidated)
        assert dict(group.attrs) == attributes_of(reference)
        assert {*group.array_keys()} == {*reference.variables}
        for name, variable in reference.variables.items():
            array = group[name]
            where = f"{path.name}: {name}"
            assert array.metadata.dimension_names == variable.dimensions or variable.ndim == 0, where
            assert array.dtype == variable.dtype, where
            assert dict(array.attrs) == attributes_of(variable), where
            wanted = variable[...]
            assert array.shape == np.shape(wanted), where
            assert np.array_equal(np.asarray(array[...]), np.asarray(wanted)), where


def same_attributes(one: Any, other: Any) -> bool:
    """Their names in their order, their types and their values, to the bit."""
    values = [[np.asarray(item.getncattr(name)) for name in item.ncattrs()] for item in (one, other)]
    return one.ncattrs() == other.ncattrs() and all(
        a.dtype == b.dtype and a.tobytes() == b.tobytes() for a, b in zip(*values, strict=True)
    )


def compare_by_netcdf(reference: Any, path: Path) -> None:
    """And by h5py, which knows HDF5 alone."""
    with netCDF4.Dataset(path) as other:
        other.set_auto_maskandscale(False)
        other.set_auto_chartostring(False)
        sizes = [{name: (len(d), d.isunlimited()) for name, d in each.dimensions.items()} for each in (reference, other)]
        assert sizes[0] == sizes[1], path.name
        assert same_attributes(reference, other), path.name
        assert [*reference.variables] == [*other.variables], path.name
        for name, variable in reference.variables.items():
            where = f"{path.name}: {name}"
            assert variable.dimensions == other[name].dimensions and variable.dtype == other[name].dtype, where
            assert same_attributes(variable, other[name]), where
            assert np.array_equal(variable[...], other[name][...]), where
    with h5py.File(path) as file:
        for name, variable in reference.variables.items():
            assert np.array_equal(np.asarray(file[name][...]), np.asarray(variable[...])), f"{path.name}: {name}, by h5py"


def compare_by_xarray(file: Path, path: Path, consolidated: bool, **how: Any) -> None:
    with (
        xarray.open_dataset(file, engine="netcdf4", decode_times=False, **how) as one,
        xarray.open_dataset(path, engine="zarr", decode_times=False, consolidated=consolidated, **how) as other,
    ):
        assert {*one.variables} == {*other.variables}
        for name in one.variables:
            a, b = one[name], other[name]
            if a.dtype.kind == "O":  # what xarray makes of text in netCDF that has a _FillValue
                continue
            assert a.dims == b.dims and a.dtype == b.dtype, f"{path.name}: {name}"
            same = np.array_equal(a.values, b.values, equal_nan=a.dtype.kind == "f")
            assert same, f"{path.name}: {name}"
            for key in (set(a.attrs) | set(b.attrs)) - ({"_FillValue"} if a.dtype.kind == "S" else set()):
                assert np.array_equal(np.asarray(a.attrs[key]).tolist(), b.attrs[key]), f"{path.name}: {name}:{key}"


def compare_large(path: Path) -> None:
    group = zarr.open_group(path, mode="r")
    wanted = np.sin(np.arange(1000000) / 1000)
    for name in ("zlib", "zstd"):
        assert np.allclose(group[name][...], wanted, rtol=0, atol=1e-12), name
        assert sum(file.stat().st_size for file in (path / name).glob("c.*")) < 0.95 * wanted.nbytes


@pytest.mark.parametrize("way", WAYS)
def test_random_models_are_equal_in_every_format(way: str, tmp_path: Path) -> None:
    ranks, serving, config = WAYS[way]
    config += "timeout: 60\ndurability: cache\nbundle_size: 0\n"  # small shards: else each variable would have one
    launch(ranks, PROGRAM, tmp_path, config, SEEDS, serving)
    for seed in range(1, SEEDS + 1):
        file, packed, path = (tmp_path / f"{seed}{ending}" for ending in (".nc", ".nc4", ".zarr"))
        with netCDF4.Dataset(file) as reference:
            reference.set_auto_maskandscale(False)
            reference.set_auto_chartostring(False)
            compare_by_zarr(reference, path)
            compare_by_netcdf(reference, packed)
        compare_by_xarray(file, path, True, mask_and_scale=False)
        compare_by_xarray(file, path, False)
        # Nothing but texts and shards is left.
        assert not [item for item in path.rglob("*") if item.name.startswith(".")]
        assert {item.name for item in tmp_path.iterdir() if item.name.startswith(".")} == set()
    compare_large(tmp_path / "large.zarr")


@pytest.mark.parametrize("mode", [1, 2, 3])
def test_quantized_values_have_the_bits_they_have_in_netcdf(mode: int, tmp_path: Path) -> None:
    file, path, digits = tmp_path / "model.nc", tmp_path / "model.zarr", "4"
    config = f"strategy: remap\ntimeout: 50\nreport: {tmp_path}/report.json\ntrace: {tmp_path}/trace.json\n"
    launch(3, OF_NETCDF4, file, config, "zlib", mode, digits)
    launch(3, OF_NETCDF4, path, config + "format: zarr\n", "zlib", mode, digits)
    taken = json.loads((tmp_path / "report.json").read_text())["compress_processor_seconds"]
    assert 0 < taken["max"] <= taken["sum"]
    assert '"compress"' in (tmp_path / "trace.json").read_text()
    group = zarr.open_group(path, mode="r")
    with netCDF4.Dataset(file) as reference:
        reference.set_auto_maskandscale(False)
        for name, bits in (("temp", "u4"), ("time", "u8")):
            variable = reference[name]
            assert np.array_equal(variable[...].view(bits), np.asarray(group[name][...]).view(bits)), name
            attributes = [key for key in variable.ncattrs() if key.startswith("_Quantize")]
            assert len(attributes) == 1
            assert group[name].attrs[attributes[0]] == variable.getncattr(attributes[0])
