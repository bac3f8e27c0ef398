# SPDX-License-Identifier: Apache-2.0
"""Classic files have the same bytes as netCDF-C's, also where variables are padded to four bytes: with their fill value in a
file that is filled, with zeros in one that is not."""

import importlib.util
from pathlib import Path

import pytest
from output import built, launched

netCDF4 = pytest.importorskip("netCDF4")
built.need("Python module")

PROGRAM = Path(__file__).parent / "output" / "padded.py"
spec = importlib.util.spec_from_file_location("padded", PROGRAM)
assert spec and spec.loader
padded = importlib.util.module_from_spec(spec)
spec.loader.exec_module(padded)


@pytest.mark.parametrize(("ranks", "strategy"), [(1, "serial"), (3, "remap"), (3, "dynamic"), (4, "columns")])
def test_bytes(tmp_path: Path, ranks: int, strategy: str) -> None:
    columns = 2 * ranks + 1
    done = launched.launch(ranks, tmp_path, program=PROGRAM, WEIR_STRATEGY=strategy)
    assert (done.returncode, done.stdout) == (0, "well\n" * ranks), done.stdout + done.stderr
    for format, fill, record_variables in padded.CASES:
        theirs = tmp_path / "theirs.nc"
        with netCDF4.Dataset(theirs, "w", format=format) as file:
            if fill == "nofill":
                file.set_fill_off()
            padded.put(file, padded.define(file, columns, record_variables), columns, slice(None))
        ours = tmp_path / f"{format}.{fill}.{record_variables}"
        assert ours.read_bytes() == theirs.read_bytes(), ours.name
