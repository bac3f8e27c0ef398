# SPDX-License-Identifier: Apache-2.0
"""What one small put costs in Python: put_cost.c once more, by weir.Dataset. Usage: put_cost.py FILE"""

import statistics
import sys
from time import perf_counter

import numpy as np
import weir
from mpi4py import MPI

VARIABLES, RECORDS, ROWS, COLUMNS = 20, 400, 16, 16
comm = MPI.COMM_WORLD
first = ROWS * comm.rank
block = np.zeros((ROWS, COLUMNS), "f4")


def measure(by_layout: bool) -> float:
    """The median in microseconds."""
    times = []
    with weir.Dataset(sys.argv[1], "w", comm=comm) as ds:
        ds.createDimension("time")
        ds.createDimension("y", ROWS * comm.size)
        ds.createDimension("x", COLUMNS)
        variables = [ds.createVariable(f"v{v}", "f4", ("time", "y", "x")) for v in range(VARIABLES)]
        layout = ds.createLayout(("y", "x"), start=(first, 0), count=(ROWS, COLUMNS))
        ds.ready()
        for record in range(RECORDS):
            for variable in variables:
                before = perf_counter()
                if by_layout:
                    variable[record, layout] = block
                else:
                    variable[record, first : first + ROWS, :] = block
                times.append(perf_counter() - before)
    return 1e6 * statistics.median(times)


medians = [measure(by_layout) for by_layout in (False, True)]
if comm.rank == 0:
    print(*(f"{median:.2f}" for median in medians))
