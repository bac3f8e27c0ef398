# SPDX-License-Identifier: Apache-2.0
"""Dataset.weir.to_netcdf: blocks of an xarray dataset become the file that xarray itself makes of the whole."""

import os
import sys
from pathlib import Path

import numpy as np
import weir
import weir.xarray
import xarray
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
folder = Path(sys.argv[1])
NX, NT = 6, 3
NY = 4 * ranks


def whole() -> xarray.Dataset:
    random = np.random.default_rng(7)
    sst = random.random((NT, NY, NX)).astype("f4")
    sst[0, 2, 3] = np.nan
    made = xarray.Dataset(
        {"sst": (("time", "lat", "lon"), sst, {"units": "K"}), "sea": (("lat", "lon"), random.random((NY, NX)) > 0.5)},
        coords={
            "time": np.array(["2026-01-01", "2026-01-02", "2026-01-03"], "M8[ns]"),
            "lat": np.linspace(-89.0, 89.0, NY), "lon": np.arange(NX) * 60.0, "area": (("lat", "lon"),
            random.random((NY, NX))),
        },
        attrs={"title": "blocks", "steps": 3},
    )  # fmt: skip
    made.sst.encoding = {"dtype": "i2", "scale_factor": 1e-4, "_FillValue": -32768}
    made.time.encoding = {"units": "hours since 2026-01-01", "dtype": "f8"}
    return made


def refused(start: dict[str, int], length: dict[str, int], **more: object) -> str:
    try:
        block.weir.to_netcdf(folder / "refused.nc", comm, start=start, length=length, **more)
    except weir.Error as error:
        return str(error)
    return "nothing"


block = whole().isel(lat=slice(4 * rank, 4 * rank + 4))
block.weir.to_netcdf(folder / "blocks.nc", comm, start={"lat": 4 * rank}, length={"lat": NY}, unlimited_dims=["time"])
if rank == 0:
    whole().to_netcdf(folder / "whole.nc", unlimited_dims=["time"], format="NETCDF3_CLASSIC", engine="netcdf4")
    with xarray.open_dataset(folder / "blocks.nc") as found, xarray.open_dataset(folder / "whole.nc") as expected:
        xarray.testing.assert_identical(found.load(), expected.load())
        assert found.encoding["unlimited_dims"] == {"time"}
        for name in expected.variables:
            assert found[name].encoding["dtype"] == expected[name].encoding["dtype"], name
for start, length, words in [
    ({"lat": 4 * rank + 1}, {"lat": NY}, "correct start or length"),
    ({"lat": 4 * rank}, {}, "how long the whole is"),
    ({"y": 0}, {"y": 1}, 'no dimension "y"'),
    ({"lat": 0}, {"lat": NY}, "held by one rank only"),
]:
    sentence = refused(start, length)
    assert words in sentence or (ranks == 1 and start == {"lat": 0}), f"{words}: {sentence}"
if len(sys.argv) > 2:  # netCDF-4 is there
    packed = {"sst": {"zlib": True, "complevel": 1, "chunksizes": (1, 4, NX)}, "lat": {"dtype": "f4"}}
    place = {"start": {"lat": 4 * rank}, "length": {"lat": NY}}
    block.weir.to_netcdf(folder / "packed.nc", comm, **place, encoding=packed, format="NETCDF4")
    if rank == 0:
        with xarray.open_dataset(folder / "packed.nc") as found:
            assert (
                found.sst.encoding["zlib"]
                and found.sst.encoding["chunksizes"] == (1, 4, NX)
                and found.lat.dtype == "f4"
            )
            xarray.testing.assert_allclose(found.sst.load(), whole().sst, atol=1e-4)
    assert whole().lat.encoding == block.lat.encoding == {}
    assert 'no variable "ssh"' in refused({"lat": 4 * rank}, {"lat": NY}, encoding={"ssh": {"zlib": True}})
assert "divide another one" in refused({"lat": 4 * rank}, {"lat": NY}, unlimited_dims=["lat"])
assert not (folder / "refused.nc").exists()
os.write(1, b"well\n")
