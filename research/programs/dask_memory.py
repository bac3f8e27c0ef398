# SPDX-License-Identifier: Apache-2.0
"""The memory that a rank takes for a field of 256 MB in 64 records, as an array of Dask or of NumPy, of classic netCDF or
netCDF-4. A line a rank. research/dask-memory runs all four. Usage: dask_memory.py dask|numpy classic|NETCDF4 FILE"""

import resource
import sys

import dask.array
import weir.xarray
import xarray
from mpi4py import MPI

array, format, path = sys.argv[1:]
comm = MPI.COMM_WORLD
NT, NY, NX = 64, 512, 2048
values = dask.array.random.default_rng(comm.rank).random((NT, NY, NX), chunks=(1, NY, NX), dtype="f4")
block = xarray.Dataset({"a": (("time", "lat", "lon"), values if array == "dask" else values.compute())})


def megabytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


before = megabytes()
block.weir.to_netcdf(
    path, comm, start={"lat": comm.rank * NY}, length={"lat": comm.size * NY}, unlimited_dims=["time"],
    format=None if format == "classic" else format, config="buffer_limit: 32MiB\n",
)  # fmt: skip
lines = comm.gather(f"{array} {format} rank {comm.rank}: {before} MB before, at most {megabytes()} MB")
print("\n".join(lines or []), end="\n" if lines else "", flush=True)
