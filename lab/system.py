# SPDX-License-Identifier: Apache-2.0
"""Running the system's own tools, and what to say where one of them refuses."""

import subprocess
from collections.abc import Sequence

from cluster import LabError

NAMESPACES = ("--net", "--mount", "--uts")


def run(command: Sequence[object], what: str, stdin: str = "", timeout_seconds: float = 60) -> str:
    """Its standard output; raises LabError that says `what` could not be done, and why."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, input=stdin, capture_output=True, text=True, timeout=timeout_seconds, check=False)
    except subprocess.TimeoutExpired:
        raise LabError(f"{what}: {words[0]} did not answer within {timeout_seconds:.0f} s") from None
    if done.returncode != 0:
        raise LabError(f"{what}: {last_line(done.stderr + done.stdout) or f'{words[0]} ended with {done.returncode}'}")
    return done.stdout


def last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def on(pid: int, command: Sequence[object], namespaces: Sequence[str] = NAMESPACES) -> list[str]:
    """The command, within the namespaces of the process."""
    return ["nsenter", "--target", str(pid), *namespaces, "--", *map(str, command)]
