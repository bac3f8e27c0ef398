# SPDX-License-Identifier: Apache-2.0
"""Dataset.weir.to_netcdf and to_zarr of Dask arrays: the file of the whole, while no more than a chunk is in memory."""

import os
import sys
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dask.array
import numpy as np
import weir
import weir.xarray
import xarray
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
folder = Path(sys.argv[1])
NT, NX = 7, 10
NY = 6 * ranks
PLACE = {"start": {"lat": 6 * rank}, "length": {"lat": NY}}
MINE = slice(6 * rank, 6 * rank + 6)
random = np.random.default_rng(3)
SST = random.random((NT, NY, NX)).astype("f4")
SST[2, 3, 4] = np.nan
COUNTS = random.integers(-1000, 1000, (NT, NY, NX))
DEPTH = random.random((NY, NX))
MASK = random.random((NX, 4))
LEVELS = random.random(NT)


class Chunks:
    """A Dask array of values that are there only when asked for. most: how many of its chunks there were at a time."""

    def __init__(self, values: Any, chunks: Sequence[Any]) -> None:
        self.most, self.made, self.alive = 0, 0, weakref.WeakValueDictionary[int, Any]()
        lazy = dask.array.empty(values.shape, dtype=values.dtype, chunks=chunks)
        self.array = lazy.map_blocks(self.make, values, dtype=values.dtype, meta=values[:0])

    def make(self, _: Any, values: Any, block_info: Any = None) -> Any:
        place = tuple(slice(*ends) for ends in block_info[0]["array-location"])
        made = values[place].copy()
        self.made += 1
        self.alive[self.made] = made
        self.most = max(self.most, len(self.alive))
        return made


def block(**chunks: Sequence[Any]) -> tuple[xarray.Dataset, dict[str, Chunks]]:
    """What this rank holds; of each variable that is named, in chunks."""
    dims = {"sst": ("time", "lat", "lon"), "counts": ("time", "lat", "lon"), "depth": ("lat", "lon"), "mask": ("lon", "four"), "level": "time"}
    held = {"sst": SST[:, MINE], "counts": COUNTS[:, MINE], "depth": DEPTH[MINE], "mask": MASK, "level": LEVELS}
    lazy = {name: Chunks(held[name], each) for name, each in chunks.items()}
    data = {name: (dims[name], lazy[name].array if name in lazy else held[name]) for name in dims}
    made = xarray.Dataset(data, coords={"time": np.arange("2001-01-01", "2001-01-08", dtype="M8[D]").astype("M8[ns]")})
    made.sst.attrs["units"] = "K"
    return made, lazy


def whole() -> xarray.Dataset:
    made, _ = block()
    dims = {"sst": made.sst.dims, "counts": made.counts.dims, "depth": made.depth.dims}
    parts = {name: (dims[name], values) for name, values in {"sst": SST, "counts": COUNTS, "depth": DEPTH}.items()}
    made = made.drop_vars(parts).assign(parts)
    made.sst.attrs["units"] = "K"
    return made


def expect(path: Path, **tolerance: float) -> None:
    """The file holds the whole."""
    comm.Barrier()
    if rank:
        return
    with xarray.open_zarr(path, consolidated=False) if path.suffix == ".zarr" else xarray.open_dataset(path) as found:
        xarray.testing.assert_allclose(found.load(), whole(), **tolerance or {"rtol": 0, "atol": 0})
        assert found.sst.attrs["units"] == "K"


# Classic files take each chunk by itself; ranks have other chunks across records than each other, and rank 0 other ones along them.
ACROSS = (2, 1, 3) if rank else (4, 2)
ALONG = (3, 3, 1) if rank else (2, 5)
for name, more in {"records": {"unlimited_dims": ["time"]}, "fixed": {}}.items():
    made, lazy = block(sst=(ALONG, ACROSS, (5, 5)), counts=(2, 3, 10), depth=(4, 10), mask=(5, 4), level=(3,))
    made.weir.to_netcdf(folder / f"{name}.nc", comm, **PLACE, **more)
    expect(folder / f"{name}.nc")
    held = lazy["sst"]
    assert held.most <= 2, f"{name}: {held.most} chunks at a time of {held.made}"
    assert rank == 0 or lazy["mask"].made == 0, "what is not divided is computed by a rank that does not write it"
# One rank alone has Dask's arrays.
made, lazy = block(sst=(2, 2, 5)) if rank == ranks - 1 else block()
made.weir.to_netcdf(folder / "mixed.nc", comm, **PLACE, unlimited_dims=["time"])
expect(folder / "mixed.nc")
# Packed.
made, lazy = block(sst=(2, 2, 5))
packing = {"sst": {"dtype": "i2", "scale_factor": 1e-4, "_FillValue": -32768}}
made.weir.to_netcdf(folder / "packed.nc", comm, **PLACE, unlimited_dims=["time"], encoding=packing)
expect(folder / "packed.nc", atol=1e-4)
assert lazy["sst"].most <= 2, f"packed: {lazy['sst'].most}"
# Integers in a format that lacks them.
made, lazy = block(counts=(2, 3, 5))
made.weir.to_netcdf(folder / "narrow.nc", comm, **PLACE, unlimited_dims=["time"], format="NETCDF3_64BIT_OFFSET")
expect(folder / "narrow.nc")
assert lazy["counts"].most <= 2, f"narrow: {lazy['counts'].most}"
# Zarr and netCDF-4 take what a rank holds of a record at once: the chunks of a few records are in memory, not all of them.
paths = {"compressed.zarr": "ZARR", **({"compressed.nc": "NETCDF4"} if len(sys.argv) > 2 else {})}
for name, format in paths.items():
    made, lazy = block(sst=(1, 3, 5), counts=(2, 6, 10), depth=(2, 2))
    encoding = {"sst": {"zlib": True, "complevel": 1}}
    more = {"unlimited_dims": ["time"], "encoding": encoding}
    if format == "ZARR":
        made.weir.to_zarr(folder / name, comm, **PLACE, **more)
    else:
        made.weir.to_netcdf(folder / name, comm, **PLACE, **more, format=format)
    expect(folder / name)
    assert lazy["sst"].made == 4 * NT and lazy["sst"].most <= 8, f"{name}: {lazy['sst'].most} of {lazy['sst'].made}"
# A chunk that a format cannot hold, and one that cannot be computed, end the file on all ranks.
large, _ = block(counts=(2, 3, 10))
large["counts"] = large["counts"] + (2**40 if rank == ranks - 1 else 0)


def fails(values: Any) -> Any:
    if rank == ranks - 1:
        raise OSError("the disk of the input is gone")
    return values


broken, _ = block(sst=(2, 3, 10))
broken["sst"] = ("time", "lat", "lon"), broken["sst"].data.map_blocks(fails, dtype="f4", meta=SST[:0])
for asked, words in ((large, "do not fit i4"), (broken, "the disk of the input is gone")):
    try:
        asked.weir.to_netcdf(folder / "refused.nc", comm, **PLACE, unlimited_dims=["time"], format="NETCDF3_64BIT_OFFSET")
    except (weir.Error, OSError) as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"nobody says {words}")
    assert not (folder / "refused.nc").exists()
# A program on one rank, or of what is not divided, names no places.
single = whole()
single.weir.to_netcdf(folder / "undivided.nc", comm)
expect(folder / "undivided.nc")
os.write(1, b"well\n")
