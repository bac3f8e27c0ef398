# SPDX-License-Identifier: Apache-2.0
"""Makes a file for each pair of values, the second of which an attribute gets by weir.Dataset.redef:
attributes_again.py FOLDER FORMAT. Beside it other attributes stay."""

import sys
from pathlib import Path

import numpy as np
import weir
from mpi4py import MPI

CHAR, INT, DOUBLE = 2, 4, 6


def text(value: str) -> tuple[int, np.ndarray]:
    return CHAR, np.frombuffer(value.encode(), "S1")


VALUES = {
    "letter": text("x"),
    "text": text("metres"),
    "empty": text(""),
    "long": text("q" * 3000),
    "int": (INT, np.array([5], "i4")),
    "no_int": (INT, np.zeros(0, "i4")),
    "doubles": (DOUBLE, np.array([1.0, 2, 3])),
}


def make(path: Path, format: str, first: str, second: str) -> None:
    with weir.Dataset(path, "w", format=format, config="strategy: remap\nheader_free: 64KiB\n") as file:
        file.createDimension("x", MPI.COMM_WORLD.size)
        variable = file.createVariable("v", "i4", ("x",))
        places = (variable._id, -1)
        for place in places:
            file._file.put_att(place, "a", *text("before"))
            file._file.put_att(place, "u", *VALUES[first])
            file._file.put_att(place, "z", *text("z"))
        variable[MPI.COMM_WORLD.rank] = MPI.COMM_WORLD.rank
        file.sync()
        file.redef()
        for place in places:
            file._file.put_att(place, "u", *VALUES[second])


if __name__ == "__main__":
    for first in VALUES:
        for second in VALUES:
            make(Path(sys.argv[1]) / f"{first}.{second}", sys.argv[2], first, second)
    sys.stdout.write("well\n")
