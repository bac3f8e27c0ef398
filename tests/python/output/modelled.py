# SPDX-License-Identifier: Apache-2.0
"""Makes FILE in FORMAT with what classic files have not, or adds a record to the one that is there: modelled.py FILE FORMAT
[append]."""

import sys

import numpy as np
import weir
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
path, format, *append = sys.argv[1:]
ROWS, NX = 4, 6
GROUP = "ice/"


def rows_of(seed: int, record: int, rows: int) -> np.ndarray:
    return seed * 1000.0 + record * 100 + np.arange(rows * rank * NX, rows * (rank + 1) * NX).reshape(rows, NX)


def mine(rows: int) -> slice:
    return slice(rows * rank, rows * (rank + 1))


def put(file: weir.Dataset, record: int, rows: int) -> None:
    file["time"][record] = record / 2
    file["flux"][record, mine(rows)] = rows_of(1, record, rows)
    file[GROUP + "area"][record, mine(ROWS)] = rows_of(2, record, ROWS)


def make() -> None:
    with weir.Dataset(path, "w", format=format, comm=comm) as file:
        file.createDimension("time", None)
        file.createDimension("obs", ROWS * ranks, unlimited=True)
        file.createDimension("x", NX)
        file.createDimension(GROUP + "y", ROWS * ranks)
        file.createVariable("time", "f8", ("time",))
        file.createVariable("flux", "f4", ("time", "obs", "x"), zlib=True, chunksizes=(2, 3, NX), fill_value=-5)
        file.createVariable("site", "i4", ("obs",), fill_value=-5)
        file.createVariable(GROUP + "area", "f4", ("time", GROUP + "y", "x"), zlib=True)
        file["flux"].flag_meanings = ["clear", "", "Wolken über dem Meer"]
        file["flux"].setncattr("alone", np.array(["one"]))
        file.setncattr(GROUP + "title", "of the group")
        put(file, 0, ROWS)
        file["site"][mine(ROWS)] = np.arange(ROWS * rank, ROWS * (rank + 1))
        file.redef()
        file.dimensions["obs"].extend((ROWS + 3) * ranks)
        put(file, 1, ROWS + 3)
        assert file.dimensions["obs"].isunlimited() and not file.dimensions["x"].isunlimited()


def add() -> None:
    with weir.Dataset(path, "a", comm=comm) as file:
        assert file["flux"].flag_meanings == ["clear", "", "Wolken über dem Meer"], file["flux"].flag_meanings
        assert file["flux"].alone == "one" and file.getncattr(GROUP + "title") == "of the group"
        put(file, 2, ROWS + 3)


add() if append else make()
sys.stdout.write("well\n")
