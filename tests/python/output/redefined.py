# SPDX-License-Identifier: Apache-2.0
"""Makes FILE in FORMAT, puts two records, defines more (weir.Dataset.redef), and puts on: redefined.py FILE FORMAT."""

import sys

import numpy as np
import weir
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
path, format = sys.argv[1:]
ROWS, NX = 4, 6
packing = {"zlib": True} if format != "NETCDF3" else {}


def rows_of(seed: int, record: int) -> np.ndarray:
    return seed * 1000.0 + record * 100 + np.arange(ROWS * rank * NX, ROWS * (rank + 1) * NX).reshape(ROWS, NX)


with weir.Dataset(path, "w", format="NETCDF3_64BIT_DATA" if format == "NETCDF3" else format, comm=comm) as file:
    for name, length in (("time", None), ("y", ROWS * ranks), ("x", NX)):
        file.createDimension(name, length)
    part = slice(ROWS * rank, ROWS * (rank + 1))
    file.createVariable("time", "f8", ("time",))
    file.createVariable("a", "f4", ("time", "y", "x"), **packing).units = "K"
    file.createVariable("mask", "i4", ("y", "x"))
    file.title = "first"
    for record in range(2):
        file["time"][record] = record / 2
        file["a"][record, part] = rows_of(1, record)
    file["mask"][part] = rows_of(2, 0)
    file.redef()
    file.createDimension("z", 3)
    file.createVariable("z", "f8", ("z",))
    file.createVariable("x", "f8", ("x",))  # of a dimension that is there
    file.createVariable("depth", "f4", ("y", "x"), fill_value=-5, **packing).units = "m"
    file.createVariable("unput", "i2", ("y", "x"), fill_value=-5)
    file.createVariable("offset", "f8")
    file["a"].long_name = "added later"
    file.title = "a title that is longer than the first one"
    if packing:
        file.createVariable("b", "f4", ("time", "z", "y"), **packing, chunksizes=(1, 2, ROWS))
    file["z"][:] = np.arange(3) / 4
    file["x"][:] = np.arange(NX) / 8
    file["depth"][part] = rows_of(3, 0)
    file["offset"][...] = 2.5
    for record in range(2, 4):
        file["time"][record] = record / 2
        file["a"][record, part] = rows_of(1, record)
        if packing:
            file["b"][record, :, part] = rows_of(4, record)[:, :3].T
sys.stdout.write("well\n")
