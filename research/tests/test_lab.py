# SPDX-License-Identifier: Apache-2.0
# timeout: 300
"""A study over the hosts of a lab: its files lie in the lab's storage, and the bytes between hosts are told."""

import json
import sys
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import pytest
from click.testing import CliRunner
from studies.command import main

# What the lab's own tests have in common.
LOADER = SourceFileLoader("lab_tests", str(Path(__file__).resolve().parents[2] / "tests" / "lab" / "conftest.py"))
lab_tests = sys.modules["lab_tests"] = module_from_spec(spec_from_loader("lab_tests", LOADER))
LOADER.exec_module(lab_tests)
Command, able = lab_tests.Command, lab_tests.able


@pytest.fixture
def lab(able: None) -> Iterator[Command]:
    command = Command()
    command.up("--hosts", 2, "--servers", 1)
    yield command
    assert command("down").returncode == 0


def test_peers_in_a_lab(lab: Command, tmp_path: Path) -> None:
    arguments = ["peers", "--miniature", "--lab", lab.name, "--out", str(tmp_path)]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    content = json.loads((tmp_path / "peers.json").read_text())
    # A peer that reads gaps before it writes may leave a wrong file on this storage (docs/lab.md); Weir may not.
    assert all(words.startswith("peer:") for words in content["failures"])
    assert content["machine"]["hosts"] == 2
    assert content["place"] == "2 hosts at 200mbit, 1 storage servers at 400mbit, stripes of 4MB"
    assert "gluster" in content["machine"]["file_system"] or "fuse" in content["machine"]["file_system"]
    usages = [job["usage"] for job in content["jobs"] if "usage" in job]
    assert len(usages) == 6 and all(usage["hosts"]["host2"]["storage_sent"] >= 0 for usage in usages)
    # Two ranks on two hosts hold a half each: what one of them gathers has to cross.
    serial = next(job for job in content["jobs"] if job["name"].startswith("traffic") and "serial" in job["name"])
    assert sum(host["hosts_sent"] for host in serial["usage"]["hosts"].values()) > serial["runs"][0]["bytes"] / 8
    left = lab("shell", "host1", "--", "sh", "-c", 'ls -A "$LAB_STORAGE"').stdout
    assert "weir-bench" not in left
