# SPDX-License-Identifier: Apache-2.0
"""A rank leaves `with` by an exception, at each place where it can. The others get one sentence, with its number;
nobody hangs, the file is gone, or as it was at its last sync; and the same Weir goes on to write the next one."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import weir
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
odd = ranks - 1
folder = Path(sys.argv[1])


def leave(here: bool) -> None:
    if here and rank == odd:
        raise ValueError("the field has no mean")


def model(path: Path, place: str, by_layout: bool) -> None:
    with weir.Dataset(path, "w", comm=comm) as ds:
        leave(place == "at once")
        ds.createDimension("time")
        ds.createDimension("y", 4 * ranks)
        ds.createDimension("x", 6)
        leave(place == "while it is defined")
        layout = ds.createLayout(("y", "x"), start=(4 * rank, 0), count=(4, 6))
        field = ds.createVariable("field", "f4", ("time", "y", "x"))
        leave(place == "before the first put")
        for t in range(5):
            leave(place == "between puts" and t == 2)
            if by_layout:
                field[t, layout] = np.full((4, 6), t)
            else:
                field[t, 4 * rank : 4 * rank + 4, :] = np.full((4, 6), t)
            if t == 3:
                leave(place == "before a sync")
                ds.sync()
        leave(place == "before the end")


def what_came(call: Callable[[], None]) -> str:
    try:
        call()
    except weir.Error as error:
        assert error.code is weir.Code.ESTATE, error.code
        return str(error)
    except ValueError as error:
        return repr(error)
    return "nothing"


places = ["at once", "while it is defined", "before the first put", "between puts", "before a sync", "before the end"]
for number, place in enumerate(places):
    for by_layout in (False, True):
        path = folder / f"{number}.nc"
        came = what_came(lambda path=path, place=place, by_layout=by_layout: model(path, place, by_layout))
        all_came = comm.gather(came, 0)
        if rank == 0:
            expected = f"rank {odd}: the program left {path} before its end: ValueError: the field has no mean"
            for other, sentence in enumerate(all_came):
                wanted = "ValueError('the field has no mean')" if other == odd else expected
                assert sentence == wanted, f"{place}, {by_layout}, rank {other}: {sentence}"
            assert path.exists() == (place == "before the end"), place
        comm.Barrier()
        if place == "before the end":
            with weir.Dataset(path, comm=comm) as ds:
                assert ds["field"].shape[0] == 4 and (ds["field"][3] == 3).all()
        path.unlink(missing_ok=True)

with weir.Dataset(folder / "next.nc", "w", comm=comm) as ds:
    ds.createDimension("x", ranks)
    ds.createVariable("x", "i4", ("x",))[rank : rank + 1] = rank
with weir.Dataset(folder / "next.nc", comm=comm) as ds:
    assert list(ds["x"][:]) == list(range(ranks))


def reader(path: Path) -> None:
    with weir.Dataset(path, comm=comm) as ds:
        leave(True)
        assert ds["x"][0] == 0


came = what_came(lambda: reader(folder / "next.nc"))
assert "the field has no mean" in came, came
os.write(1, b"well\n")
