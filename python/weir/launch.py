# SPDX-License-Identifier: Apache-2.0
"""Where Weir's MPI programs are, and how they are started."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
ROOT = PACKAGE.parents[1]
LAUNCHER = "weir-launch"  # tools/launch, as it is installed
QUIET = {"OMPI_MCA_orte_execute_quiet": "1"}  # OpenMPI's own words on an exit code add nothing to the program's


def is_checkout() -> bool:
    """Whether the package is the tree's own, and not an installed one."""
    return (ROOT / "tools" / "launch").is_file()


def program_folders() -> Iterator[Path]:
    """Where programs may be, in this order: in the build that WEIR_BUILD_DIR names, and then nowhere else; in the package
    (a wheel with programs); in the tree's build; where the Weir lies that the package was installed over; in PATH."""
    named = os.environ.get("WEIR_BUILD_DIR")
    if named:
        yield Path(named) / "bin"
        return
    yield PACKAGE / "bin"
    if is_checkout():
        yield ROOT / "build" / "bin"
    installed = PACKAGE / "programs.txt"
    if installed.is_file():
        yield Path(installed.read_text(encoding="utf-8").strip())
    yield from (Path(folder) for folder in os.get_exec_path() if folder)


def program_path(name: str) -> Path:
    """The program NAME. Raises FileNotFoundError with what to do."""
    for folder in program_folders():
        if (folder / name).is_file():
            return folder / name
    if is_checkout():
        place = Path(os.environ.get("WEIR_BUILD_DIR", ROOT / "build")) / "bin" / name
        raise FileNotFoundError(f"{place} is not there: run `make build` first, or set WEIR_BUILD_DIR")
    raise FileNotFoundError(f"{name} is not there: install Weir, and put its folder bin into PATH")


def launcher_path() -> Path:
    """What starts ranks on this machine: tools/launch. Raises FileNotFoundError with what to do."""
    return ROOT / "tools" / "launch" if is_checkout() else program_path(LAUNCHER)


def launch(ranks: int, name: str, arguments: list[str], timeout_seconds: float = 0) -> int:
    """Runs the program NAME over `ranks` ranks and returns its exit code; 124 where the time limit ended it."""
    command = [launcher_path(), "-n", str(ranks), "--timeout", str(timeout_seconds), "--"]
    environment = {**os.environ, **QUIET}
    return subprocess.run([*command, program_path(name), *arguments], check=False, env=environment).returncode


def run_alone(name: str, arguments: list[str], capture: bool = False) -> subprocess.CompletedProcess:
    """Runs the program NAME as a process of its own, MPI's launcher being none of its business."""
    return subprocess.run([program_path(name), *arguments], check=False, capture_output=capture, text=True)
