# SPDX-License-Identifier: Apache-2.0
"""Every rank writes its own rows of one variable of one file."""

import numpy as np
import weir
from mpi4py import MPI

comm = MPI.COMM_WORLD
first = 4 * comm.rank
with weir.Dataset("hello.nc", "w", comm=comm) as ds:
    ds.createDimension("y", 4 * comm.size)
    ds.createDimension("x", 10)
    ds.createVariable("temperature", "f4", ("y", "x"))
    ds["temperature"][first : first + 4, :] = np.full((4, 10), comm.rank, "f4")
