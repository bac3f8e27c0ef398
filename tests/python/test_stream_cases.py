# SPDX-License-Identifier: Apache-2.0
# timeout: 180
"""Streams of random models equal what NumPy and cftime give, to the last bit, and also if the run stops and goes on: some of what
tools/stream-cases draws."""

import os
import sys
from pathlib import Path

import pytest

for module in ("netCDF4", "cftime", "zarr", "compliance_checker"):
    pytest.importorskip(module)
sys.path.insert(0, str(Path(os.environ["WEIR_SOURCE_DIR"]) / "tests" / "harness"))

from streams import command  # noqa: E402

sys.path.insert(0, str(Path(__file__).parent / "output"))
from built import need  # noqa: E402

need("netCDF-4")
pytestmark = pytest.mark.skipif(not command.PROGRAM.exists(), reason="built without tests")
SEED = 40


def test_random_cases(tmp_path: Path) -> None:
    assert command.try_cases(SEED, range(40), tmp_path, conforming=3) == []


def test_runs_that_stop(tmp_path: Path) -> None:
    assert command.try_restarts(SEED, range(15), tmp_path) == []
