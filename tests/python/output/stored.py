# SPDX-License-Identifier: Apache-2.0
"""Reads variables of netCDF-4 files and Zarr folders by boxes of all ranks, by a layout, and alone, and compares them with FILE.npz:
stored.py FILE.... With "--refused NAME FILE...": prints what each rank is told of the file, or of that variable, for each pair, as JSON. With
"--described": prints the definitions of a file as JSON."""

import json
import sys
from itertools import pairwise

import numpy as np
import weir
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size


def say(line: str) -> None:
    """In one write, so that lines of ranks do not mix."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def sentence(path: str, name: str) -> str:
    """All ranks are told the same, of the opening or of a get that all of them make; and afterwards they go on."""
    told = []
    try:
        with weir.Dataset(path, "r", comm=comm) as file:
            for _ in range(2):
                try:
                    file[name].get_all(Ellipsis)
                except weir.Error as error:
                    told.append(f"{error.code.name} {error}")
            others = [file[other][...].size for other in file.variables if other != name]
            return f"{told[0]}, others: {sum(others)}" if told[0] == told[1] else f"first {told[0]}, then {told[1]}"
    except weir.Error as error:
        return f"{error.code.name} {error}"


def own_box(shape: tuple[int, ...], has_records: bool) -> tuple[slice, ...]:
    """A part of the array with a neighbour's row on either side; of the records all ranks take the same."""
    random = np.random.default_rng(rank)
    box = []
    for axis, length in enumerate(shape):
        if axis == 0 and has_records:
            box.append(slice(length // 3, length))
            continue
        first, last = sorted(random.integers(0, length + 1, 2).tolist())
        box.append(slice(first, last))
    return tuple(box)


def compare(file: weir.Dataset, name: str, wanted: np.ndarray) -> None:
    variable = file[name]
    assert variable.shape == wanted.shape, f"{name}: {variable.shape}"
    has_records = variable.has_records
    assert np.array_equal(variable[...], wanted), f"{name}: alone"
    assert np.array_equal(variable.get_all(Ellipsis), wanted), f"{name}: all ranks all of it"
    if not wanted.shape:
        return
    box = own_box(wanted.shape, has_records)
    assert np.array_equal(variable[box], wanted[box]), f"{name}: alone {box}"
    assert np.array_equal(variable.get_all(box), wanted[box]), f"{name}: of all ranks {box}"
    fixed = variable.dimensions[1:] if has_records else variable.dimensions
    if not fixed:
        return
    dims = variable.get_dims()[-len(fixed):]
    length = len(dims[-1])
    bounds = [length * r // ranks for r in range(ranks + 1)]
    start, end = list(pairwise(bounds))[rank]
    whole = [len(dim) for dim in dims[:-1]]
    layout = file.createLayout(dims, start=[0 for _ in whole] + [start], count=[*whole, end - start])
    for record in range(len(wanted)) if has_records else [0]:
        variable.prefetch(record, layout)
        values = wanted[record] if has_records else wanted
        block = np.empty(layout.block_shape, wanted.dtype)
        variable.get(record, layout, block)
        assert np.array_equal(block, values[..., start:end]), f"{name}: by columns, record {record}"


def attributes_of(item: weir.Dataset | weir.Variable) -> dict[str, tuple[str, object]]:
    values = {name: np.asarray(item.getncattr(name)) for name in item.ncattrs()}
    return {name: (value.dtype.str[1:] if value.dtype.kind != "U" else "text", value.tolist()) for name, value in values.items()}


def definitions(path: str) -> dict[str, object]:
    with weir.Dataset(path, "r", comm=comm) as file:
        return {
            "dimensions": {name: (len(dim), dim.isunlimited()) for name, dim in file.all_dimensions.items()},
            "variables": {name: (each.dtype.str[1:], each.dimensions) for name, each in file.all_variables.items()},
            "left_out": dict(file.left_out),
            "attributes": {"": attributes_of(file)} | {name: attributes_of(each) for name, each in file.all_variables.items()},
        }


if sys.argv[1] == "--refused":
    told = comm.gather([sentence(path, name) for name, path in zip(sys.argv[2::2], sys.argv[3::2], strict=True)])
    if rank == 0:
        say(json.dumps(told))
elif sys.argv[1] == "--described":
    say(json.dumps(definitions(sys.argv[2])))
else:
    for path in sys.argv[1:]:
        expected = np.load(path + ".npz")
        with weir.Dataset(path, "r", comm=comm) as file:
            assert set(expected) <= set(file.all_variables), f"{path} has {[*file.all_variables]}"
            file.set_auto_maskandscale(False)
            file.set_auto_chartostring(False)
            for name in expected:
                compare(file, name, expected[name])
    say("well")
