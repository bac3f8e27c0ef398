# SPDX-License-Identifier: Apache-2.0
# timeout: 180
"""`import weir` in programs on mpi4py: what they put comes out, what is wrong is told to all ranks, and a rank that
leaves holds nobody up. The programs are in output/; each ends with "well" on every rank."""

import filecmp
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from output import built

SOURCE, BUILD = Path(os.environ["WEIR_SOURCE_DIR"]), Path(os.environ["WEIR_BUILD_DIR"])
PROGRAMS = SOURCE / "tests" / "python" / "output"
built.need("Python module")


# The programs write netCDF-4 too where the build can.
NETCDF4 = ["netcdf4"] if list((BUILD / "lib").glob("libweir_netcdf4_*.so")) else []


def launch(ranks: int, *command: object, **environment: str) -> subprocess.CompletedProcess[str]:
    line = [SOURCE / "tools" / "launch", "-n", ranks, "--timeout", 60, "--", *command]
    return subprocess.run(
        [str(word) for word in line], capture_output=True, text=True, check=False, env=os.environ | environment
    )


@pytest.mark.parametrize("program, ranks, strategy", [
    ("values", 3, "dynamic"),
    ("values", 3, "rows"),
    ("streamed", 3, "dynamic"),
    ("refusals", 3, "dynamic"),
    ("leaving", 2, "dynamic"),
    ("leaving", 3, "collective"),
    ("xarray_blocks", 3, "remap"),
    ("xarray_dask", 1, "dynamic"),
    ("xarray_dask", 3, "rows"),
    ("xarray_cases", 1, "remap"),
    ("xarray_cases", 3, "dynamic"),
])  # fmt: skip
def test_program(tmp_path: Path, program: str, ranks: int, strategy: str) -> None:
    done = launch(
        ranks,
        sys.executable,
        PROGRAMS / f"{program}.py",
        tmp_path,
        *NETCDF4,
        WEIR_STRATEGY=strategy,
        WEIR_TIMEOUT="30s",
    )
    assert (done.returncode, done.stdout) == (0, "well\n" * ranks), done.stdout + done.stderr


def test_an_mpi4py_of_another_mpi_whose_calls_weir_reaches_too_is_named() -> None:
    other = "from weir import _output; from weir.output import session; _output.comm_bytes += 1; session.check_mpi()"
    done = launch(1, sys.executable, "-c", other)
    assert done.returncode != 0
    assert re.search("ImportError: mpi4py runs on .*, Weir on another MPI: install", done.stderr), done.stderr


@pytest.mark.parametrize("ranks", [1, 4])
def test_same_file_as_from_c(tmp_path: Path, ranks: int) -> None:
    done = launch(ranks, sys.executable, PROGRAMS / "scenario.py", tmp_path)
    assert done.returncode == 0, done.stderr
    done = launch(ranks, BUILD / "tests" / "test_c_scenario", TMPDIR=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert filecmp.cmp(tmp_path / "scenario_c.nc", tmp_path / "scenario_python.nc", shallow=False)


def test_example_is_the_same_on_any_number_of_ranks(tmp_path: Path) -> None:
    for ranks in (1, 3):
        folder = tmp_path / str(ranks)
        folder.mkdir()
        done = launch(ranks, "env", "-C", folder, sys.executable, SOURCE / "examples" / "python" / "ocean.py")
        assert done.returncode == 0, done.stderr
    assert filecmp.cmp(tmp_path / "1" / "ocean.nc", tmp_path / "3" / "ocean.nc", shallow=False)


def test_codes_are_those_of_the_header() -> None:
    from weir import Code

    header = (SOURCE / "include" / "weir" / "types.h").read_text()
    codes = {name: int(value) for name, value in re.findall(r"WEIR_(E[A-Z]+) = (-\d+)", header)}
    assert len(codes) > 10
    assert {code.name: code.value for code in Code} == codes
