# SPDX-License-Identifier: Apache-2.0
"""Starting Weir's MPI programs through the project's launcher."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
QUIET = {"OMPI_MCA_orte_execute_quiet": "1"}  # OpenMPI's own words on an exit code add nothing to the program's


def program_path(name: str) -> Path:
    """The program NAME in WEIR_BUILD_DIR, or else in build/. Raises FileNotFoundError with what to do."""
    path = Path(os.environ.get("WEIR_BUILD_DIR", ROOT / "build")) / "bin" / name
    if not path.is_file():
        raise FileNotFoundError(f"{path} is not there: run `make build` first, or set WEIR_BUILD_DIR")
    return path


def launch(ranks: int, name: str, arguments: list[str], timeout_seconds: float = 0) -> int:
    """Runs the program NAME over `ranks` ranks and returns its exit code; 124 where the time limit ended it."""
    command = [ROOT / "tools" / "launch", "-n", str(ranks), "--timeout", str(timeout_seconds), "--"]
    environment = {**os.environ, **QUIET}
    return subprocess.run([*command, program_path(name), *arguments], check=False, env=environment).returncode


def run_alone(name: str, arguments: list[str], capture: bool = False) -> subprocess.CompletedProcess:
    """Runs the program NAME as a process of its own, MPI's launcher being none of its business."""
    return subprocess.run([program_path(name), *arguments], check=False, capture_output=capture, text=True)
