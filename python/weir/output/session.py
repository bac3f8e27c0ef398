# SPDX-License-Identifier: Apache-2.0
"""One running Weir of a Python program, and the ones that datasets share: one for all datasets on communicators of
the same ranks, from the first such dataset to the end of the program."""

import atexit
import json
import os
import sys
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any

from mpi4py import MPI

from weir import _output
from weir.errors import Code, Error

if TYPE_CHECKING:
    from weir.output.dataset import Dataset

Text = str | os.PathLike[str]


def check_mpi() -> None:
    """A communicator of one MPI means nothing to another one."""
    ours, theirs = _output.mpi_library(), MPI.Get_library_version().rstrip("\0")
    same_text = ours.rstrip("\0") == theirs
    if not same_text or MPI._sizeof(MPI.Comm) != _output.comm_bytes:
        # Where mpi4py's MPI came first, Weir's calls reach it too.
        named = "another MPI" if same_text else first_line(ours)
        raise ImportError(
            f"mpi4py runs on {first_line(theirs)}, Weir on {named}: install an mpi4py of Weir's MPI "
            "(MPICC=mpicc pip install --no-binary mpi4py mpi4py), or set MPI4PY_MPIABI, if it is one that can choose"
        )


def first_line(text: str) -> str:
    return text.splitlines()[0].split(",")[0]


class Weir:
    """A running Weir over the ranks of `comm` (default: all). Collective.

    config   a YAML file's path, or YAML text (`"strategy: remap"`); default: the file that WEIR_CONFIG names, if any.

    Programs need it by name where the strategy keeps ranks for itself, or for the report; else datasets share one.
    On a rank that is kept the call serves until the others have ended theirs, and `comm` is None:

        with weir.Weir(MPI.COMM_WORLD, "strategy: servers") as w:
            if w.comm is not None:
                model(w.comm, w.dataset("ocean.nc", "w"))
    """

    def __init__(self, comm: MPI.Intracomm | None = None, config: Text | None = None) -> None:
        check_mpi()
        world = MPI.COMM_WORLD if comm is None else comm
        text = None if config is None else os.fspath(config)
        self._open: dict[int, Dataset] = {}
        self.instance = _output.Instance(MPI._addressof(world), text)
        self.comm: MPI.Intracomm | None = None
        if not self.instance.reserved:
            self.comm = MPI.Intracomm()
            self.instance.give_comm(MPI._addressof(self.comm))
            atexit.register(self._end)

    def dataset(self, filename: Text, mode: str = "r", *, format: str | None = None, clobber: bool = True) -> "Dataset":
        """weir.Dataset, on this Weir."""
        from weir.output.dataset import Dataset

        return Dataset(filename, mode, format=format, clobber=clobber, weir=self)

    def report(self) -> dict[str, Any]:
        """What the output took so far, as docs/observing.md tells. Collective."""
        report: dict[str, Any] = json.loads(self.instance.report())
        return report

    def finalize(self) -> None:
        """Closes what is open, writes the report where one was asked for. Collective."""
        atexit.unregister(self._end)
        self.comm = None
        if not self.instance.ended:
            self.instance.finalize()

    def fail(self, error: BaseException) -> None:
        """This rank goes no further: the others hear it, of each dataset that is open."""
        for dataset in list(self._open.values()):
            dataset.give_up(error)

    def __enter__(self) -> "Weir":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            return self.finalize()
        self.fail(error)
        with suppress(Error):  # the program has its error, and shows that
            self.finalize()

    def entered(self, dataset: "Dataset") -> None:
        self._open[id(dataset)] = dataset

    def left(self, dataset: "Dataset") -> None:
        self._open.pop(id(dataset), None)

    def _end(self) -> None:
        """At the program's end, before mpi4py ends MPI."""
        if MPI.Is_finalized():
            return
        error = getattr(sys, "last_value", None)
        if error is not None:
            self.fail(error)
        self.finalize()


def whole(world: MPI.Intracomm, config: str | None, instead: str) -> Weir:
    """A new Weir for a program that does not ask which ranks have a part in it. Refuses a strategy that keeps ranks for
    itself; `instead`: what to do on the others then. Collective."""
    weir = Weir(world, config)
    if weir.comm is None or weir.comm.size < world.size:
        if weir.comm is not None:
            weir.finalize()
        raise Error(
            Code.ESTATE,
            "this strategy keeps ranks for itself, which then have no part in the program: "
            f"begin with `with weir.Weir(comm) as w:`, and on ranks with a w.comm {instead}",
        )
    return weir


_shared: list[tuple[MPI.Intracomm, str | None, Weir]] = []


def shared(comm: MPI.Intracomm | None, config: Text | None) -> Weir:
    """The one of these ranks. Collective where it is new."""
    world = MPI.COMM_WORLD if comm is None else comm
    text = None if config is None else os.fspath(config)
    _shared[:] = [entry for entry in _shared if entry[2].comm is not None]
    for ranks, setting, weir in _shared:
        if setting == text and MPI.Comm.Compare(ranks, world) in (MPI.IDENT, MPI.CONGRUENT):
            return weir
    weir = whole(world, text, "open the dataset by w.dataset(...)")
    assert weir.comm is not None
    _shared.append((weir.comm, text, weir))
    return weir
