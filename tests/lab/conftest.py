# SPDX-License-Identifier: Apache-2.0
"""The lab under test. Each test file has labs of its own names, so that none meets one that somebody uses."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "lab"))

from cluster import Lab, LabError  # noqa: E402
from needs import check_machine  # noqa: E402
from state import need_running  # noqa: E402

NAME = f"test-{os.getpid()}"
MISSING = re.compile(r"this kernel has no|no namespaces can be made here")


@dataclass
class Command:
    """lab/lab with the name of a lab."""

    name: str = NAME

    def words(self, *words: object) -> list[str]:
        return [str(ROOT / "lab" / "lab"), str(words[0]), "--name", self.name, *map(str, words[1:])]

    def __call__(self, *words: object, **options) -> subprocess.CompletedProcess:
        options = {"timeout": 90, "capture_output": True, "text": True, "check": False} | options
        return subprocess.run(self.words(*words), **options)

    def up(self, *words: object) -> None:
        """Skips the test where the machine cannot have a lab, and says why."""
        done = self("up", *words)
        if MISSING.search(done.stderr):
            pytest.skip(done.stderr.strip())
        assert done.returncode == 0, done.stderr

    def keeper_pid(self) -> int:
        return need_running(self.name).keeper.pid


@pytest.fixture(scope="session")
def able() -> None:
    """Skips where root or a package is missing."""
    try:
        check_machine(Lab(NAME, 2, 2, 10**8, 10**8, 4 << 20))
    except LabError as error:
        pytest.skip(str(error))


@pytest.fixture
def lab(able: None) -> Iterator[Command]:
    """The command, with the name of a lab that is not up; what a test left up is taken down."""
    command = Command()
    yield command
    command("down")


def program(name: str) -> Path:
    return Path(os.environ["WEIR_BUILD_DIR"]) / "tests" / name


def processes_in(namespace: str) -> list[str]:
    """Command lines of the processes whose ids belong to the namespace, by its link in /proc."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and os.readlink(entry / "ns" / "pid") == namespace:
                found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return found


def snapshot() -> dict[str, object]:
    """Whatever a lab could leave on the machine: mounts, network devices, named namespaces and files."""
    places = ["/run/weir-lab", "/run/gluster", "/run/netns", "/var/lib/glusterd", "/var/log/glusterfs"]
    own = re.compile(rf"^/run/weir-lab/\.?{NAME}")
    files = {str(path) for place in places for path in Path(place).rglob("*")}
    return {
        "mounts": Path("/proc/self/mountinfo").read_text(),
        "devices": Path("/proc/net/dev").read_text().count(":"),
        "routes": Path("/proc/net/route").read_text(),
        "files": {path for path in files if own.match(path) or not path.startswith("/run/weir-lab")},
    }
