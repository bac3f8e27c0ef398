# SPDX-License-Identifier: Apache-2.0
"""Every type and every way to say what a rank holds, read back by Weir and by netCDF4-python; appending; several
communicators."""

import json
import os
import sys
import threading
import time
import tracemalloc
from pathlib import Path

import netCDF4
import numpy as np
import weir
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
folder = Path(sys.argv[1])
ROWS, NX = 4, 6
NY = ROWS * ranks
y = slice(ROWS * rank, ROWS * rank + ROWS)
NUMBERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"]


def field(dtype: str, record: int) -> np.ndarray:
    """Near the largest number of the type."""
    whole = np.arange(NY * NX).reshape(NY, NX) + record
    if dtype == "S1":
        return np.frombuffer(bytes(97 + value % 26 for value in whole.ravel()), "S1").reshape(NY, NX)
    if dtype[0] == "f":
        return (whole / 8 - 1e6).astype(dtype)
    return np.iinfo(dtype).max - (whole % 100).astype(dtype)


def same(found: np.ndarray, expected: np.ndarray, what: str) -> None:
    assert found.dtype == expected.dtype and found.shape == expected.shape, f"{what}: {found.dtype}, {found.shape}"
    assert (found == expected).all(), f"{what}: {found} and not {expected}"


def every_type() -> None:
    path = folder / "types.nc"
    with weir.Dataset(path, "w", comm=comm) as ds:
        ds.createDimension("time")
        ds.createDimension("y", NY)
        ds.createDimension("x", NX)
        for dtype in [*NUMBERS, "S1"]:
            variable = ds.createVariable(dtype, dtype, ("time", "y", "x"))
            ds[dtype].setncattr("value", field(dtype, 0)[0, :3] if dtype != "S1" else "abc")
            assert variable.dtype == dtype and variable.dimensions == ("time", "y", "x")
        for record in range(2):
            for dtype in [*NUMBERS, "S1"]:
                ds[dtype][record, y, :] = field(dtype, record)[y]
        ds.sync()
        for dtype in [*NUMBERS, "S1"]:
            same(ds[dtype][1], field(dtype, 1), dtype)
        assert ds.data_model == "NETCDF3_64BIT_DATA" and ds["i4"].shape == (2, NY, NX) and len(ds["i4"]) == 2
    with netCDF4.Dataset(path) as other:
        other.set_auto_mask(False)
        other.set_auto_chartostring(False)
        for dtype in [*NUMBERS, "S1"]:
            same(other[dtype][0], field(dtype, 0), f"{dtype} by netCDF4")
            expected = field(dtype, 0)[0, :3] if dtype != "S1" else "abc"
            assert np.all(other[dtype].getncattr("value") == expected), dtype


def blocks() -> dict[str, np.ndarray]:
    """The same block in the forms that programs have it in: other types, orders, strides, masks."""
    block = field("f4", 0)[y]
    wide = np.zeros((ROWS, 2 * NX), "f4")
    wide[:, ::2] = block
    forms = {
        "as it is": block, "double": block.astype("f8"), "big-endian": block.astype(">f4"), "Fortran's":
        np.asfortranarray(block), "strided": wide[:, ::2], "with an axis of length 1": block[np.newaxis], "a list":
        block.tolist(), "of another kind": np.ma.MaskedArray(block, block == block[0, 0]),
    }  # fmt: skip
    read_only = block.copy()
    read_only.flags.writeable = False
    return forms | {"read-only": read_only}


def every_form() -> None:
    with weir.Dataset(folder / "forms.nc", "w", comm=comm) as ds:
        ds.createDimension("y", NY)
        ds.createDimension("x", NX)
        forms = blocks()
        for name in forms:
            ds.createVariable(name, "f4", ("y", "x"), fill_value=-7)
        ds.createVariable("flags", "i1", "x")
        ds.createVariable("number", "f8")
        ds.createVariable("half", "f4", "x")
        for name, form in forms.items():
            ds[name][y, :] = form
        ds["flags"][:] = np.arange(NX) > 2
        ds["half"][:] = np.arange(NX, dtype="f2")
        ds["number"][...] = 2.5
    with weir.Dataset(folder / "forms.nc", comm=comm) as ds:
        for name in forms:
            expected = field("f4", 0)
            if name == "of another kind":
                expected[::ROWS, 0] = -7
            same(ds[name][:], expected, name)
        same(ds["flags"][:], np.array([0, 0, 0, 1, 1, 1], "i1"), "flags")
        same(ds["half"][1::2], np.array([1, 3, 5], "f4"), "half")
        assert ds["number"][...] == 2.5 and ds["number"].shape == ()


def selections() -> None:
    """Ranges of records, single indices, an empty part, one value for a box, reading in pieces."""
    with weir.Dataset(folder / "parts.nc", "w", comm=comm) as ds:
        ds.createDimension("time")
        ds.createDimension("y", NY)
        ds.createDimension("x", NX)
        for name in "abd":
            ds.createVariable(name, "i4", ("time", "y", "x"))
        ds.createVariable("time", "f8", "time")
        ds["time"][:] = [0.0, 0.5, 1.0]
        ds["time"][-1] = 7.0
        records = np.stack([field("i4", record)[y] for record in range(3)])
        ds["a"][0:3, y] = records
        ds["b"][:, y] = records
        for record in range(3):
            half = slice(0, NY) if rank == 0 else slice(0, 0)
            ds["d"][record, half, 0:NX] = record
    with weir.Dataset(folder / "parts.nc", "a", comm=comm) as ds:
        ds["time"][3] = 9.0
        ds["a"][3, y] = records[0]
    with weir.Dataset(folder / "parts.nc", comm=comm) as ds:
        for name in "ab":
            for record in range(3):
                same(ds[name][record], field("i4", record), f"{name} {record}")
        same(ds["a"][3], field("i4", 0), "a record that was appended")
        same(ds["d"][2], np.full((NY, NX), 2, "i4"), "one value")
        same(ds["time"][:], np.array([0.0, 0.5, 7.0, 9.0]), "time")
        same(ds["a"][-2, 1:4, ::3], field("i4", 2)[1:4, ::3], "a piece")
        assert ds.dimensions["time"].isunlimited() and len(ds.dimensions["time"]) == 4
        assert ds["a"][0, 0, 0] == field("i4", 0)[0, 0]


def columns() -> None:
    """A record in pieces: what one leaves out keeps what others gave, or is filled."""
    with weir.Dataset(folder / "columns.nc", "w", comm=comm) as ds:
        ds.createDimension("time")
        ds.createDimension("y", NY)
        ds.createDimension("x", NX)
        ds.createVariable("a", "i4", ("time", "y", "x"))
        for x in range(NX):
            ds["a"][0, y, x] = field("i4", 0)[y, x]
            ds["a"][1, y, max(x, 1)] = field("i4", 1)[y, max(x, 1)]
    with weir.Dataset(folder / "columns.nc", comm=comm) as ds:
        same(ds["a"][0], field("i4", 0), "a in pieces")
        same(ds["a"][1, :, 1:], field("i4", 1)[:, 1:], "pieces but one")
        assert ds["a"][1, :, 0].mask.all() and (ds["a"][1, :, 0].data == -2147483647).all(), "netCDF's fill value"


def irregular() -> None:
    """Elements dealt out in turn, by one index array and by one for each dimension; read back by both."""
    j, i = np.divmod(np.arange(rank, NY * NX, ranks), NX)
    with weir.Dataset(folder / "irregular.nc", "w", comm=comm) as ds:
        ds.createDimension("time")
        ds.createDimension("y", NY)
        ds.createDimension("x", NX)
        ds.createVariable("a", "f8", ("time", "y", "x"))
        ds.createVariable("b", "f8", ("y", "x"))
        flat = ds.createLayout(("y", "x"), j * NX + i)
        both = ds.createLayout(("y", "x"), (j, np.where(i == 2, -1, i)))
        ds["a"][0, flat] = field("f8", 0)[j, i]
        ds["b"][both] = field("f8", 1)[j, i]
        ds.sync()
        late = ds.createLayout(("y", "x"), start=(y.start, 0), count=(ROWS, NX), order=(1, 0))
        ds["a"][1, late] = field("f8", 1)[y].T
    with weir.Dataset(folder / "irregular.nc", comm=comm) as ds:
        same(ds["a"][0], field("f8", 0), "a")
        same(ds["a"][1], field("f8", 1), "a, its axes in another order")
        expected = field("f8", 1)
        expected[:, 2] = 9.969209968386869e36
        same(ds["b"][:], expected, "b")
        same(ds["a"][0, flat], field("f8", 0)[j, i], "a by its layout")
        same(ds["a"][1, late], field("f8", 1)[y].T, "a by a box")
        halo = slice(max(y.start - 1, 0), min(y.stop + 1, NY))
        same(ds["a"].get_all((0, halo)), field("f8", 0)[halo], "a by all ranks, with halos")


def compressed() -> None:
    with weir.Dataset(folder / "packed.nc", "w", comm=comm, format="NETCDF4") as ds:
        ds.createDimension("time")
        ds.createDimension("y", NY)
        ds.createDimension("x", NX)
        ds.createVariable(
            "by zlib", "f4", ("time", "y", "x"), zlib=True, complevel=6, chunksizes=(1, 3, NX), fletcher32=True
        )
        ds.createVariable("by zstd", "f8", ("time", "y", "x"), zstd=True, shuffle=False)
        ds.createVariable("plain", "i2", ("y", "x"))
        for record in range(2):
            for name in ("by zlib", "by zstd"):
                ds[name][record, y] = field("f8", record)[y]
        ds["plain"][y] = field("i2", 0)[y]
        assert ds.data_model == "NETCDF4"
    assert comm.bcast(folder.joinpath("packed.nc").read_bytes()[:4] if rank == 0 else None) == b"\x89HDF"
    with netCDF4.Dataset(folder / "packed.nc") as other:
        for record in range(2):
            for name in ("by zlib", "by zstd"):
                assert (other[name][record] == field("f8", record)).all(), name
        same(other["plain"][:].data, field("i2", 0), "plain")
        how = other["by zlib"].filters()
        assert (how["zlib"], how["complevel"], how["shuffle"], how["fletcher32"]) == (True, 6, True, True), how
        assert other["by zlib"].chunking() == [1, 3, NX] and other.data_model == "NETCDF4"
        how = other["by zstd"].filters()
        assert (how["zlib"], how["zstd"], how["shuffle"]) == (False, True, False), how


def zarr_folder() -> None:
    """Read as it is laid down: what zarr-python makes of it is tests/python/test_zarr.py's."""
    with weir.Dataset(folder / "model.zarr", "w", comm=comm, format="ZARR") as ds:
        ds.createDimension("time")
        ds.createDimension("y", NY)
        ds.createDimension("x", NX)
        ds.createVariable("v", "i4", ("time", "y", "x"), chunksizes=(1, ROWS, NX))
        for record in range(2):
            ds["v"][record, y] = field("i4", record)[y]
        ds.sync()
        assert ds.data_model == "ZARR"
    text = json.loads((folder / "model.zarr" / "v" / "zarr.json").read_text())
    assert text["shape"] == [2, NY, NX] and text["dimension_names"] == ["time", "y", "x"]
    for record in range(2):
        shards = sorted((folder / "model.zarr" / "v").glob(f"c.{record}.*"))
        count = text["chunk_grid"]["configuration"]["chunk_shape"][1] // ROWS  # chunks of a shard, an index behind them
        chunks = b"".join(shard.read_bytes()[: -(16 * count + 4)] for shard in shards)
        same(np.frombuffer(chunks, "i4").reshape(NY, NX), field("i4", record), f"record {record} of a Zarr folder")


def no_copy() -> None:
    """A contiguous block goes to Weir as it lies; one with strides is copied before."""
    block = np.zeros((1_000_000, 2))
    blocks = {"contiguous": block.reshape(-1)[:1_000_000], "strided": block[:, 0]}
    peaks = {}
    with weir.Dataset(folder / "large.nc", "w", comm=comm) as ds:
        ds.createDimension("x", 1_000_000 * ranks)
        for name in blocks:
            ds.createVariable(name, "f8", "x")
        tracemalloc.start()
        for name, part in blocks.items():
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            ds[name][1_000_000 * rank : 1_000_000 * rank + 1_000_000] = part
            peaks[name] = tracemalloc.get_traced_memory()[1] - before
        tracemalloc.stop()
    assert peaks["contiguous"] < 100_000 and peaks["strided"] >= 8_000_000, peaks


def others_go_on() -> None:
    """While a rank waits in a call of Weir its other threads go on: the last rank comes once it has heard of them."""
    sign = folder / "sign"
    with weir.Dataset(folder / "threads.nc", "w", comm=comm) as ds:
        ds.createDimension("x", ranks)
        ds.createVariable("x", "i4", "x")
        ds.ready()
        waits = threading.Event()
        thread = threading.Thread(target=lambda: (waits.wait(), time.sleep(0.2), sign.touch()))
        if rank == 0:
            thread.start()
            waits.set()
        while rank == ranks - 1 and not sign.exists():
            time.sleep(0.01)
        ds["x"][rank : rank + 1] = rank
        if rank == 0:
            thread.join()


def communicators() -> None:
    """Halves of the ranks write files of their own; a Weir by name, with ranks that it keeps."""
    half = comm.Split(rank % 2)
    with weir.Dataset(folder / f"half{rank % 2}.nc", "w", comm=half) as ds:
        ds.createDimension("x", half.size)
        ds.createVariable("x", "i4", "x")[half.rank : half.rank + 1] = rank
    with weir.Dataset(folder / f"half{rank % 2}.nc", comm=half) as ds:
        assert list(ds["x"][:]) == list(range(rank % 2, ranks, 2))
    half.Free()
    del os.environ["WEIR_STRATEGY"]  # it would win
    with weir.Weir(comm, "strategy: servers\nservers: 1") as w:
        assert (w.comm is None) == (rank == ranks - 1)
        if w.comm is not None:
            assert w.comm.size == ranks - 1
            with w.dataset(folder / "servers.nc", "w") as ds:
                ds.createDimension("x", ranks - 1)
                ds.createVariable("x", "i4", "x")[rank : rank + 1] = rank
            assert w.report()["strategy"] == "servers"
    with weir.Dataset(folder / "servers.nc", comm=comm) as ds:
        assert list(ds["x"][:]) == list(range(ranks - 1))


for part in (every_type, every_form, selections, columns, irregular, zarr_folder, no_copy, others_go_on, communicators):
    part()
if len(sys.argv) > 2:  # netCDF-4 is there
    compressed()
os.write(1, b"well\n")
