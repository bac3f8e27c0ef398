# SPDX-License-Identifier: Apache-2.0
"""What tests of reading and appending have in common: a program on several ranks, and values to read."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

PROGRAM = Path(__file__).with_name("stored.py")
LAUNCH = Path(os.environ["WEIR_SOURCE_DIR"]) / "tools" / "launch"

WAYS = {
    2: "strategy: collective\nbuffer_limit: 64KiB\n",
    3: "strategy: dynamic\ndebug.ranks_per_host: 2\ndebug.forward: messages\n",
    5: "strategy: rows\ndebug.ranks_per_host: 2\nbuffer_limit: 96KiB\nbundle_size: 0\n",
}


def launch(
    ranks: int, *command: object, program: Path = PROGRAM, **environment: str
) -> subprocess.CompletedProcess[str]:
    line = [LAUNCH, "-n", ranks, "--timeout", 60, "--", sys.executable, program, *command]
    return subprocess.run(
        [str(word) for word in line], capture_output=True, text=True, check=False, env=os.environ | environment
    )


def expect_well(ranks: int, folder: Path, *files: Path) -> None:
    """Each file holds what FILE.npz does; read by the way for so many ranks."""
    config = folder / "weir.yaml"
    config.write_text(WAYS[ranks] + "timeout: 50\n")
    done = launch(ranks, *files, WEIR_CONFIG=str(config))
    assert (done.returncode, done.stdout) == (0, "well\n" * ranks), done.stdout + done.stderr


def told(path: Path, name: str, ranks: int = 3) -> str:
    """What all ranks are told alike."""
    done = launch(ranks, "--refused", name, path, WEIR_TIMEOUT="50s")
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and len(lines) == ranks, done.stdout + done.stderr
    assert len(set(lines)) == 1, done.stdout
    return lines[0]


def field(dtype: str, *shape: int) -> np.ndarray:
    return (np.arange(np.prod(shape)) * 7919 % 251 - (0 if dtype[0] == "u" else 100)).reshape(shape).astype(dtype)
