# SPDX-License-Identifier: Apache-2.0
# timeout: 3600
"""`make demo` on a Debian that has nothing yet: where it cannot go on, one sentence says what is missing and what to do. Where a
folder's name has blanks it goes on. tests/cli/bare_machine.sh tries the same with stand-ins for the system's programs."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRESS = re.compile(r"install-deps: (installing|making) |== |\d+ % compiled|empty-debian: ")

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("debootstrap"), reason="only root makes a system of its own, by debootstrap"
)


def packages(without: str) -> list[str]:
    """The lists for building and for the tests."""
    lists = subprocess.run([ROOT / "tools/install-deps", "--list"], capture_output=True, text=True, check=True).stdout
    names = [name for line in lists.splitlines()[:2] for name in line.split()[1:]]
    return ["--packages", " ".join(name for name in names if name != without)]


def empty_debian(*words: str) -> subprocess.CompletedProcess:
    return subprocess.run([ROOT / "tools/empty-debian", *words], capture_output=True, text=True, cwd=ROOT, check=False)


MODELLER = ["--user", "modeller"]


@pytest.mark.parametrize(
    ("options", "command", "sentence"),
    [
        (["--no-network"], "make demo", r"install-deps: Debian's packages were not installed \(.*resolving.*\): mend that, or .*"),
        ([], "http_proxy=http://127.0.0.1:9 make demo", r"install-deps: Debian's packages were not installed \(.*127.0.0.1:9.*"),
        (MODELLER, "make demo", r"install-deps: only root can install what is missing: let root run apt-get install cmake .*"),
        (MODELLER, "make build", r"install-deps: only root can install what is missing: let root run apt-get install cmake .*"),
        ([*MODELLER, *packages("gfortran")], "make demo", r"install-deps: only root .* run apt-get install gfortran, or .*"),
        ([*MODELLER, "--packages", "cmake g++ openmpi-bin"], "make demo", r"install-deps: only root .* pkg-config libopenmpi-dev .*"),
        ([], "mkdir build && mount -t tmpfs -o size=40m tmpfs build && make demo", r"demo: the disk of .*/weir/build is full: .*"),
    ],
)
def test_what_is_missing_is_one_sentence(options: list[str], command: str, sentence: str) -> None:
    done = empty_debian(*options, command)
    assert done.returncode != 0, done.stdout
    said = [line for line in done.stderr.splitlines() if not re.match(r"make(\[\d+\])?: \*\*\* ", line)]
    assert len(said) == 1 and re.fullmatch(sentence, said[0]), done.stderr
    assert all(PROGRESS.match(line) for line in done.stdout.splitlines()), done.stdout


def test_a_folder_may_have_blanks() -> None:
    demo = ["make demo", "ls demo/ocean.png demo/timeline.html"]
    wheel = ["make wheel", "python3 -m venv '../a venv'", "'../a venv/bin/pip' install -q build/wheels/*.whl", "'../a venv/bin/weir' demo"]
    test = ["cmake --build build --target test_c_scenario test_fortran_scenario", "ctest --test-dir build -R '^cli.scenario$' --output-on-failure"]
    done = empty_debian("--user", "modeller", "--home", "/srv/a b", *packages(""), *demo, *wheel, *test)
    assert done.returncode == 0, done.stdout + done.stderr
