# SPDX-License-Identifier: Apache-2.0
"""What tests of reading and appending have in common: a program on several ranks, and values to read."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable
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


def told_each(asked: Iterable[tuple[Path, str]], ranks: int = 3, program: Path = PROGRAM) -> list[str]:
    """What all ranks are told alike of each file and variable, in one job."""
    words = [word for path, name in asked for word in (name, path)]
    done = launch(ranks, "--refused", *words, program=program, WEIR_TIMEOUT="50s")
    assert done.returncode == 0, done.stdout + done.stderr
    of_ranks = json.loads(done.stdout)
    assert len(of_ranks) == ranks and all(told == of_ranks[0] for told in of_ranks), of_ranks
    assert len(of_ranks[0]) == len(words) / 2
    assert not any("\n" in sentence for sentence in of_ranks[0]), "one line each"
    return of_ranks[0]


def told(path: Path, name: str) -> str:
    return told_each([(path, name)])[0]


def field(dtype: str, *shape: int) -> np.ndarray:
    return (np.arange(np.prod(shape)) * 7919 % 251 - (0 if dtype[0] == "u" else 100)).reshape(shape).astype(dtype)
