# SPDX-License-Identifier: Apache-2.0
# timeout: 120
"""`down`, a failed `up` and an interrupted one leave no process, mount, device or file."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from conftest import Command, processes_in, snapshot

SMALL = ("--hosts", "2", "--storage", "none")


def pid_namespace(pid: int) -> str:
    return os.readlink(f"/proc/{pid}/ns/pid")


def wait_for_line(stream, start: str) -> None:
    for line in stream:
        if line.startswith(start):
            return
    raise AssertionError(f"no line '{start}...' came")


def keeper_below(pid: int) -> int:
    """The keeper of an `up` that is under way: its grandchild."""
    for _ in range(2):
        pid = int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])
    return pid


def fake(directory: Path, program: str, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (directory / program).write_text(f"#!/bin/sh\n{script}\n")
    (directory / program).chmod(0o755)
    monkeypatch.setenv("PATH", f"{directory}:{os.environ['PATH']}")


def test_down_leaves_nothing(lab: Command) -> None:
    before = snapshot()
    lab.up("--hosts", 2, "--servers", 2)
    namespace = pid_namespace(lab.keeper_pid())
    assert any("glusterfsd" in line for line in processes_in(namespace))
    running = subprocess.Popen(lab.words("run", "-n", 2, "--", "sleep", 77), stderr=subprocess.PIPE, text=True)
    while not any("sleep 77" in line for line in processes_in(namespace)):
        assert running.poll() is None
    assert lab("down").returncode == 0
    assert processes_in(namespace) == []
    assert snapshot() == before
    assert "was taken down while the program ran" in running.communicate(timeout=30)[1]
    assert running.returncode == 1


def test_failed_up_leaves_nothing(lab: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = snapshot()
    refuse = f'{{ echo >{tmp_path}/reached; echo "no bricks" >&2; exit 1; }}'
    fake(tmp_path, "gluster", f'[ "$3" = start ] && {refuse}; exec /usr/sbin/gluster "$@"', monkeypatch)
    done = lab("up", "--hosts", 1, "--servers", 1)
    assert done.returncode == 1
    assert done.stderr == "lab: gluster volume start failed: no bricks\n"
    assert (tmp_path / "reached").exists()
    assert snapshot() == before


def test_kernel_without_a_feature_is_named(lab: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = snapshot()
    fake(tmp_path, "tc", 'echo "Error: Specified qdisc kind is unknown." >&2; exit 2', monkeypatch)
    done = lab("up", *SMALL)
    assert done.returncode == 1
    assert done.stderr == (
        "lab: this kernel has no token bucket filter (modprobe sch_tbf, or a kernel that has it): "
        "Error: Specified qdisc kind is unknown.\n"
    )
    assert snapshot() == before


@pytest.mark.parametrize("step", ["network", "storage servers"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_up_leaves_nothing(lab: Command, step: str, number: signal.Signals) -> None:
    before = snapshot()
    words = lab.words("up", "-v", "--hosts", 2, "--servers", 1)
    up = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, bufsize=1)
    wait_for_line(up.stderr, f"lab: {step}")
    namespace = pid_namespace(keeper_below(up.pid))
    up.send_signal(number)
    rest = up.communicate(timeout=30)[1]
    assert up.returncode == 128 + number
    assert "Traceback" not in rest
    assert processes_in(namespace) == []
    assert snapshot() == before
    assert lab("status").returncode == 1


def test_killed_up_takes_the_lab_with_it(lab: Command) -> None:
    """What nobody can catch leaves a directory, which the next command of that name removes."""
    before = snapshot()
    up = subprocess.Popen(lab.words("up", "-v", "--hosts", 2), stderr=subprocess.PIPE, text=True, bufsize=1)
    wait_for_line(up.stderr, "lab: storage servers")
    namespace = pid_namespace(keeper_below(up.pid))
    up.kill()
    up.wait()
    deadline = time.monotonic() + 10
    while left := processes_in(namespace):
        assert time.monotonic() < deadline, left
    lab.up(*SMALL)
    assert lab("down").returncode == 0
    assert snapshot() == before


def test_interrupted_run_leaves_the_lab_as_it_was(lab: Command) -> None:
    lab.up(*SMALL)
    namespace = pid_namespace(lab.keeper_pid())
    before = sorted(processes_in(namespace))
    running = subprocess.Popen(lab.words("run", "-n", 4, "--", "sleep", 77), stderr=subprocess.PIPE)
    while sum("sleep 77" in line for line in processes_in(namespace)) < 4:
        assert running.poll() is None
    # A terminal sends it to all of its foreground processes, launcher included; here only the command gets one.
    running.send_signal(signal.SIGTERM)
    assert running.wait(timeout=30) == 128 + signal.SIGTERM
    assert sorted(processes_in(namespace)) == before


def test_two_labs_do_not_meet(lab: Command) -> None:
    other = Command(f"{lab.name}-b")
    lab.up(*SMALL)
    other.up("--hosts", 1, "--storage", "none")
    assert other("down").returncode == 0
    done = lab("shell", "host2", "--", "hostname")
    assert (done.returncode, done.stdout) == (0, "host2\n")
    assert "no lab" in other("status").stderr
