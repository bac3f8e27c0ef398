# SPDX-License-Identifier: Apache-2.0
"""What cannot be put: the sentence says what to change, all ranks get that of the one that has it wrong, and other
files go on."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import weir
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
odd = ranks - 1
folder = Path(sys.argv[1])
ROWS, NX = 4, 6
y = slice(ROWS * rank, ROWS * rank + ROWS)
GOOD = np.zeros((ROWS, NX), "f4")


def sentence_of(call: Callable[[], object]) -> str:
    try:
        call()
    except weir.Error as error:
        return f"{error.code.name} {error}"
    return "nothing"


def begin(path: Path) -> weir.Dataset:
    ds = weir.Dataset(path, "w", comm=comm)
    ds.createDimension("time")
    ds.createDimension("y", ROWS * ranks)
    ds.createDimension("x", NX)
    ds.createVariable("field", "f4", ("time", "y", "x"))
    ds.createVariable("level", "f4", "x")
    ds.createVariable("text", "S1", "x")
    return ds


def expect(
    place: str, wrong: Callable[[weir.Dataset], object], right: Callable[[weir.Dataset], object], words: list[str]
) -> None:
    """The same sentence on all ranks, at the latest at the close; the last rank alone is wrong."""
    path = folder / "refused.nc"
    ds = begin(path)
    own = sentence_of(lambda: (wrong if rank == odd else right)(ds))
    common = sentence_of(ds.close)
    assert common.startswith(f"EARGUMENT rank {odd}: "), f"{place}, rank {rank}: {common}"
    for word in [*words, str(path)]:
        assert word in common, f"{place}, rank {rank}: no '{word}' in: {common}"
    assert own in (common, "nothing") and (rank != odd or own == common), f"{place}, rank {rank}: {own}"
    assert not path.exists(), place


def put(key: Any, block: Any, name: str = "field") -> Callable[[weir.Dataset], object]:
    return lambda ds: ds[name].__setitem__(key(ds) if callable(key) else key, block)


good = put((0, y), GOOD)
for place, wrong, words in [
    (
        "shape",
        put((0, y), np.zeros((ROWS, NX + 1), "f4")),
        ['"field"', "(4, 7)", "(4, 6)", "give a block of shape (4, 6)"],
    ),
    ("order", put((0, y), GOOD.T), ["(6, 4)", "give block.T"]),
    ("dtype", put((0, y), GOOD.astype("c8")), ["complex64", "its real and its imaginary part"]),
    ("dates", put((0, y), np.full((ROWS, NX), "2026-01-01", "M8[D]")), ["datetime64", "units"]),
    ("objects", put((0, y), np.full((ROWS, NX), None)), ["object", "give numbers"]),
    ("text", put((0, y), np.full((ROWS, NX), b"a")), ["char", "float"]),
    ("index", put((0, 1.5, 0), GOOD), ["float", "integers and slices"]),
    ("index array", put((0, np.arange(4.0), 0), GOOD), ["index array", "float64", "createLayout"]),
    ("too many", put((0, y, 0, 0), GOOD), ["4 indices for 3 dimensions"]),
    ("outside", put((0, slice(4 * rank, 4 * rank + 9)), np.zeros((9, NX), "f4")), ['"field"', "dimension 0"]),
    ("text", put((0, y), [["a", "b"]]), ["S1"]),
]:
    expect(place, wrong, good, words)
by_layout = [lambda ds: ds.createLayout(("y", "x"), start=(y.start, 0), count=(ROWS, NX))]
expect(
    "layout", put(lambda ds: (0, by_layout[0](ds)), GOOD[1:]), put(lambda ds: (0, by_layout[0](ds)), GOOD),
    ["(3, 6)", "(4, 6)"],
)  # fmt: skip
expect("whole", put(slice(None), GOOD[0, :5], "level"), put(slice(None), GOOD[0], "level"), ['"level"', "(5,)", "(6,)"])


# On all ranks alike, and nobody waits.
del os.environ["WEIR_STRATEGY"]  # it would win over the configurations here
for call, words in [
    (lambda: weir.Dataset(folder / "no.nc", "w", comm=comm, format="HDF7"), ["HDF7", "NETCDF3_64BIT_DATA"]),
    (lambda: weir.Dataset(folder / "no.nc", "q", comm=comm), ["'q'", '"w"']),
    (lambda: weir.Dataset(folder / "no.nc", comm=comm), ["no.nc"]),
    (lambda: weir.Dataset(folder / "no.nc", "w", comm=comm, config="strategy: none_such\n"), ["none_such"]),
    (
        lambda: weir.Dataset(folder / "no.nc", "w", comm=comm, config="strategy: servers\n"),
        ["keeps ranks", "weir.Weir"],
    ),
]:
    sentence = sentence_of(call)
    for word in words:
        assert word in sentence, f"rank {rank}: no '{word}' in: {sentence}"
with weir.Dataset(folder / "definitions.nc", "w", comm=comm) as ds:
    ds.createDimension("x", NX)
    for call, words in [
        (lambda: ds.createVariable("a", "c16", "x"), ['"a"', "complex128", "f8 or S1"]),
        (lambda: ds.createVariable("a", str, "x"), ["S1", "length"]),
        (lambda: ds.createVariable("a", "f4", ("x", "z")), ['no dimension "z"', "it has x"]),
        (lambda: ds.createVariable("a", "f4", "x", zlib=True, zstd=True), ["take one"]),
        (lambda: ds.createLayout("x", [0, 1, NX]), ["index 6", "outside"]),
        (lambda: ds.createLayout("x", [0.5]), ["float64", "integers"]),
        (lambda: ds.createLayout("x", ([0], [1])), ["2 index arrays"]),
        (lambda: ds.createLayout("x", start=[0]), ["give start and count"]),
        (lambda: ds.setncattr("a", [["b"], ["c"]]), ["not an array of shape (2, 1)"]),
        (lambda: ds["nothing"], ['no variable "nothing"']),
        (lambda: ds.createVariable("b", "f4", "x")[:], ["sync"]),
    ]:
        sentence = sentence_of(call)
        for word in words:
            assert word in sentence, f"rank {rank}: no '{word}' in: {sentence}"
    ds["b"][:] = GOOD[0]
    assert not hasattr(ds["b"], "units")
sentence = sentence_of(lambda: ds["b"][:])
assert "closed" in sentence, sentence
with weir.Dataset(folder / "definitions.nc", comm=comm) as ds:
    assert (ds["b"][:] == 0).all()
os.write(1, b"well\n")
