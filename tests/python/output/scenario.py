# SPDX-License-Identifier: Apache-2.0
"""The same model output as tests/c/scenario.c, to the byte."""

import sys
from pathlib import Path

import numpy as np
import weir
from mpi4py import MPI

NX, NY, NZ = 23, 17, 5
comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
first = rank * NY // ranks
rows = (rank + 1) * NY // ranks - first
mine = np.arange(rank, NX * NY, ranks)
sea = np.ma.masked_where((mine + 1) % 3 == 0, mine)
row = first + 1 + np.arange(rows)[:, np.newaxis]
column = (1 + np.arange(NX)) / 100.0


def put_record(ds: weir.Dataset, record: int) -> None:
    flow = 1000 * (record + 1) + row + column
    salt = np.full((rows + 2, NZ, NX), -1.0)
    salt[1:-1] = flow[:, np.newaxis, :] + (np.arange(NZ)[:, np.newaxis] + 1) / 8.0
    ds["counter"][record] = 7 * (record + 1)
    ds["flow"][record, plane] = flow
    ds["salt"][record, volume] = salt


with weir.Dataset(Path(sys.argv[1]) / "scenario_python.nc", "w", comm=comm) as ds:
    for name, size in {"x": NX, "y": NY, "z": NZ, "t": None, "title_length": 11}.items():
        ds.createDimension(name, size)
    ds.Conventions = "CF-1.10"
    ds.setncattr("levels", np.array([1, 2, 3], "i2"))
    ds.createVariable("lon", "f8", ("x",)).units = "degrees_east"
    ds.createVariable("title", "S1", "title_length")
    ds.createVariable("depth", "i2", ("y", "x"), fill_value=-9999)
    ds.createVariable("counter", "i4", ("t",))
    ds.createVariable("flow", "f4", ("t", "y", "x")).valid_range = np.array([-1e6, 1e6], "f4")
    ds.createVariable("salt", "f8", ("t", "z", "y", "x"))
    plane = ds.createLayout(("y", "x"), start=(first, 0), count=(rows, NX))
    volume = ds.createLayout(
        ("z", "y", "x"),
        start=(0, first, 0), count=(NZ, rows, NX), order=(1, 0, 2),
        memory_shape=(rows + 2, NZ, NX), memory_start=(1, 0, 0),
    )  # fmt: skip
    of_sea = ds.createLayout(("y", "x"), sea)
    ds["lon"][:] = 0.25 * (np.arange(NX) + 1)
    ds["title"][:] = "weir & flow"
    ds["depth"][of_sea] = 10 * (mine + 1)
    put_record(ds, 0)
    ds.sync()
    put_record(ds, 1)
    put_record(ds, 2)
