# SPDX-License-Identifier: Apache-2.0
"""Writes hourly records of a compressed field, smooth with noise in its last bits, by chunks that the configuration
chooses: what research/point-series reads. Usage: hourly_field.py FILE RECORDS CHUNK_RECORDS"""

import sys

import numpy as np
import weir
from mpi4py import MPI

ROWS, COLUMNS = 720, 1440
path, records, chunk_records = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
comm = MPI.COMM_WORLD
first, end = (ROWS * rank // comm.size for rank in (comm.rank, comm.rank + 1))
row, column = np.arange(first, end, dtype="f4")[:, None] / 50, np.arange(COLUMNS, dtype="f4") / 70
random = np.random.default_rng(comm.rank)

with weir.Dataset(path, "w", comm=comm, format="NETCDF4", config=f"chunk_records: {chunk_records}\n") as ds:
    ds.createDimension("time")
    ds.createDimension("lat", ROWS)
    ds.createDimension("lon", COLUMNS)
    ds.createVariable("t2m", "f4", ("time", "lat", "lon"), zlib=True, complevel=1)
    for record in range(records):
        smooth = 280 + 20 * np.sin(row + record / 24) * np.cos(column - record / 12)
        noise = random.random((end - first, COLUMNS), dtype="f4") / 100
        ds["t2m"][record, first:end, :] = (smooth + noise).astype("f4")
