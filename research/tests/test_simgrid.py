# SPDX-License-Identifier: Apache-2.0
# timeout: 1200
"""Weir's own MPI code under SimGrid's SMPI, beside the simulator (research/simgrid): where SimGrid is installed."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "research" / "simgrid"


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run([TOOL, *arguments], capture_output=True, text=True, env=os.environ | environment)


def needs_simgrid() -> None:
    if not shutil.which("smpirun"):
        pytest.skip("SimGrid is not installed (Debian: libsimgrid-dev)")
    if Path(os.environ.get("WEIR_BUILD_DIR", ROOT / "build")) != ROOT / "build":
        pytest.skip("research/simgrid builds in build/ only")


def test_sixteen_ranks_do_what_is_simulated(tmp_path: Path) -> None:
    needs_simgrid()
    results = tmp_path / "results.json"
    modes = "serial,rows,columns,remap,dynamic,dynamic:control=rank,collective"
    done = run("--ranks", "16", "--ranks-per-node", "4", "--modes", modes, "--json", str(results))
    assert done.returncode == 0, done.stderr
    found = json.loads(results.read_text())
    assert len(found) == 2 * 7
    for one in found:
        smpi, simulated = one["smpi"], one["simulated"]
        what = (one["mode"], one["forward"], smpi, simulated)
        assert smpi["bytes_written"] == smpi["bytes"] > 0 and smpi["wrong_elements"] == 0, what
        assert smpi["cycles"] == simulated["cycles"], what
        if one["mode"].endswith("control=rank"):  # who holds what follows from who comes first, and so do messages
            continue
        assert smpi["messages"] == simulated["messages"], what
        assert smpi["message_bytes"] == simulated["message_bytes"], what
        # A message alone within a node is slower in the simulator (docs/results/simulate_simgrid.md).
        most = 0.3 if one["forward"] == "shared" else 0.6
        assert abs(simulated["seconds"] / smpi["seconds"] - 1) < most, what


def test_says_what_cannot_be_run() -> None:
    needs_simgrid()
    done = run("--ranks", "4", "--ranks-per-node", "2", "--modes", "remap:sink=direct")
    assert done.returncode == 1
    assert "there is no storage here; set sink: memory or null" in done.stderr


def test_says_that_simgrid_is_missing(tmp_path: Path) -> None:
    python = tmp_path / "python3"
    python.symlink_to(sys.executable)
    done = run("--ranks", "4", PATH=f"{tmp_path}")
    assert done.returncode == 1
    assert done.stderr == "simgrid: SimGrid is not installed: install libsimgrid-dev (Debian), then call this again\n"
