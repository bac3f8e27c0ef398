# SPDX-License-Identifier: Apache-2.0
"""Appends to netCDF-4 files and Zarr folders: FILE.npz has all values that FILE is to have in the end, and `first`, the first record
that is put, to which the file goes back where there is `goes_back`: appended.py FILE.... With "--refused NAME FILE...": prints what each rank is told of the opening, or of a put into that
variable, for each pair, as JSON."""

import json
import sys

import numpy as np
import weir
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size


def own_part(length: int) -> slice:
    return slice(rank * length // ranks, (rank + 1) * length // ranks)


def put(variable: weir.Variable, record: int | None, values: np.ndarray) -> None:
    """Each rank a part of the slowest dimension; what has none all ranks alike."""
    if values.ndim == 0:
        variable[... if record is None else record] = values
        return
    part = own_part(values.shape[0])
    variable[part if record is None else (record, part)] = values[part]


def append(path: str) -> None:
    with np.load(path + ".npz") as stored:
        wanted = {name: stored[name] for name in stored.files}
    first = int(wanted.pop("first"))
    records = first if wanted.pop("goes_back", False) else None
    with weir.Dataset(path, "a", comm=comm, records=records) as file:
        record_dimension = next(name for name, dimension in file.dimensions.items() if dimension.isunlimited())
        grows = [name for name in wanted if file[name].dimensions[:1] == (record_dimension,)]
        for name in wanted:
            if name not in grows:
                put(file[name], None, wanted[name])
        for record in range(first, len(wanted[grows[0]])):
            for name in grows:
                put(file[name], record, wanted[name][record])
            file.sync()


def refusal(path: str, name: str) -> str:
    try:
        with weir.Dataset(path, "a", comm=comm) as file:
            variable = file[name]
            variable[(0,) * len(variable.dimensions)] = 0
    except weir.Error as error:
        return f"{error.code.name} {error}"
    return "nothing"


def say(line: str) -> None:
    """In one write, so that lines of ranks do not mix."""
    sys.stdout.write(line + "\n")


arguments = sys.argv[1:]
if arguments[0] == "--refused":
    told = comm.gather([refusal(path, name) for name, path in zip(arguments[1::2], arguments[2::2], strict=True)])
    if rank == 0:
        say(json.dumps(told))
else:
    for each in arguments:
        append(each)
    say("well")
