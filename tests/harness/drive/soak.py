# SPDX-License-Identifier: Apache-2.0
"""A soak: files, layouts or boxes, made and freed in thousands by one program, whose memory must stay flat
(tests/conformance/soak_mpi_test.cpp). Chance chooses what, the way to write, the ranks and how many."""

import os
import random
import shutil
import subprocess
from pathlib import Path

from .job import BUILD, JOBS, LAUNCH
from .judge import Verdict

PROGRAM = BUILD / "tests" / "test_conformance_mpi"
SECONDS = 600
# Beyond some 10,000 boxes the program would put boxes that hold more values than it has.
FEWEST, MOST = 2_300, 10_000
KINDS = ["Files", "Layouts", "Boxes"]
WAYS = ["remap", "dynamic", "dynamicdebugranksperhost", "servers"]  # as the program's tests call them


def one(name: str, folder: Path, verdict: Verdict) -> str:
    """The run soak/SEED:NUMBER. Gives in words what it was."""
    rng = random.Random(name)
    test = f"All/SoakTest.{rng.choice(KINDS)}/{rng.choice(WAYS)}"
    ranks, turns = rng.randint(2, 5), rng.randint(FEWEST, MOST)
    _carry_out(test, ranks, turns, folder, verdict)
    return f"{turns} turns of {test} on {ranks} ranks"


def _carry_out(test: str, ranks: int, turns: int, folder: Path, verdict: Verdict) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WEIR_")}
    environment |= {"SOAK_TURNS": str(turns), "TMPDIR": str(folder)}
    command = [LAUNCH, "-n", ranks, "--timeout", SECONDS, "--", PROGRAM, f"--gtest_filter={test}"]
    command.append("--gtest_color=no")
    with open(folder / "output", "wb") as output:
        job = JOBS.start([str(word) for word in command], stdout=output, stderr=subprocess.STDOUT, env=environment)
        try:
            code = job.wait()
        finally:
            JOBS.done(job)
    judge_output(code, (folder / "output").read_text(errors="replace"), verdict)


def judge_output(code: int, said: str, verdict: Verdict) -> None:
    if code == 124:
        verdict.add("hang", f"it did not come to an end in {SECONDS} s")
    elif code or "[  PASSED  ] 1 test." not in said:  # none where the test has another name now
        failures = [line for line in said.splitlines() if "Failure" in line or "Expected" in line or "actual" in line]
        verdict.add("soak", f"exit code {code}: {' '.join(failures[:3]) or said[-300:]}")
