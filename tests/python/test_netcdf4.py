# SPDX-License-Identifier: Apache-2.0
"""What Weir writes as netCDF-4 (tests/c/netcdf4.c) is read by ncdump, h5dump, h5py, netCDF4-python and xarray."""

import json
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


QUANTIZED = {"BitGroom": (1, 3), "GranularBitRound": (2, 4), "BitRound": (3, 9)}


def by_netcdf(path: Path, mode: str, digits: int, values: np.ndarray, times: np.ndarray) -> None:
    """The same variables, written by netCDF-C record by record."""
    with netCDF4.Dataset(path, "w") as file:
        for name, length in (("time", None), ("y", values.shape[1]), ("x", values.shape[2])):
            file.createDimension(name, length)
        how = {"significant_digits": digits, "quantize_mode": mode}
        time = file.createVariable("time", "f8", ("time",), **how)
        missing = values.flat[5]
        temp = file.createVariable("temp", "f4", ("time", "y", "x"), compression="zlib", fill_value=missing, **how)
        temp.set_auto_mask(False)
        for record in range(len(times)):
            time[record] = times[record]
            temp[record] = values[record]


@pytest.mark.parametrize("mode", QUANTIZED)
def test_quantized_values_have_the_bits_of_netcdf(mode: str, tmp_path: Path) -> None:
    number, digits = QUANTIZED[mode]
    ranks, path, other = 3, tmp_path / "weir.nc", tmp_path / "netcdf.nc"
    launch = [SOURCE / "tools" / "launch", "-n", str(ranks), "--timeout", "60", "--", PROGRAM]
    config = f"strategy: remap\ntimeout: 50\nreport: {tmp_path}/report.json\ntrace: {tmp_path}/trace.json\n"
    arguments = [path, config, "zlib", str(number), str(digits)]
    subprocess.run([*launch, *arguments], check=True, timeout=90)
    taken = json.loads((tmp_path / "report.json").read_text())["compress_processor_seconds"]
    assert 0 < taken["max"] <= taken["sum"]
    assert '"compress"' in (tmp_path / "trace.json").read_text()
    places = expected(ranks).astype("i8")
    values = (places * 7919 % 100003 - 50000).astype("f4") / np.float32(97)
    by_netcdf(other, mode, digits, values, np.arange(RECORDS) / 3.0)
    with netCDF4.Dataset(path) as ours, netCDF4.Dataset(other) as theirs:
        for name, bits in (("temp", "u4"), ("time", "u8")):
            seen, wanted = ours[name], theirs[name]
            for variable in (seen, wanted):
                variable.set_auto_mask(False)
            assert np.array_equal(seen[:].view(bits), wanted[:].view(bits))
            attributes = [key for key in wanted.ncattrs() if key.startswith("_Quantize")]
            assert len(attributes) == 1
            assert seen.getncattr(attributes[0]) == wanted.getncattr(attributes[0]) == digits
        assert not np.array_equal(ours["temp"][:], values)
        assert (ours["temp"][:] == values.flat[5]).any()


def test_a_file_is_as_small_as_one_of_nccopy(tmp_path: Path) -> None:
    """nccopy keeps chunks and filters and packs anew; the bench's values pack as a model's do."""
    mode = "remap:format=netcdf4,compression=zlib"
    bench = [BUILD / "bin" / "weir-bench", "--workload", "weak", "--scale", "0.5", "--data", "model", "--modes", mode]
    launch = [SOURCE / "tools" / "launch", "-n", "4", "--timeout", "60", "--", *bench, "--warm-up", "0", "--repeat", "1"]
    subprocess.run([*launch, "--keep", "--dir", tmp_path], check=True, timeout=90, capture_output=True)
    path, again = tmp_path / "weir-bench-0.nc", tmp_path / "again.nc"
    subprocess.run(["nccopy", path, again], check=True)
    with netCDF4.Dataset(path) as one, netCDF4.Dataset(again) as other:
        assert [v.chunking() for v in one.variables.values()] == [v.chunking() for v in other.variables.values()]
        assert [v.filters() for v in one.variables.values()] == [v.filters() for v in other.variables.values()]
    assert path.stat().st_size <= 1.02 * again.stat().st_size


def test_tables_that_leave_memory_are_right(tmp_path: Path) -> None:
    path = tmp_path / "many.nc"
    launch = [SOURCE / "tools" / "launch", "-n", "3", "--timeout", "80", "--", PROGRAM]
    subprocess.run([*launch, path, "strategy: remap\ntimeout: 70\n", "many"], check=True, timeout=100)
    with netCDF4.Dataset(path) as file:
        assert file["many"].chunking() == [1, 1]
        wanted = np.arange(60000)[None, :] * 7 + np.arange(3)[:, None]
        assert np.array_equal(file["many"][:], wanted.astype("i2"))
