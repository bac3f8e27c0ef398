# SPDX-License-Identifier: Apache-2.0
"""Every rank sends its rows of a field each hour, and names no file: streams.yaml says what becomes of them.

    WEIR_CONFIG=examples/streams.yaml mpirun -n 4 .venv/bin/python examples/python/streams.py
"""

import numpy as np
import weir
from mpi4py import MPI

ROWS, COLUMNS, HOURS = 4, 10, 72

comm = MPI.COMM_WORLD
with weir.Streams(comm) as streams:
    streams.createDimension("y", ROWS * comm.size)
    streams.createDimension("x", COLUMNS)
    mine = streams.createLayout(("y", "x"), start=(ROWS * comm.rank, 0), count=(ROWS, COLUMNS))
    sst = streams.createField("sst", "f4", ("y", "x"), mine)
    sst.units = "degC"
    streams.start("hours since 1990-01-30", calendar="noleap")
    for hour in range(1, HOURS + 1):
        sst.send(hour, np.full((ROWS, COLUMNS), comm.rank + hour % 24, "f4"))
