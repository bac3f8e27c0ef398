# SPDX-License-Identifier: Apache-2.0
# timeout: 120
"""A lab of two hosts and two storage servers is what it says: names, memory, rates, stripes; and it is cut off."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster import STORAGE
from conftest import Command, processes_in, program

RATE_MBIT = 200


@pytest.fixture(scope="module")
def lab(able: None) -> Iterator[Command]:
    command = Command()
    command.up("--hosts", 2, "--servers", 2, "--nic", f"{RATE_MBIT}mbit", "--storage-nic", "400mbit")
    yield command
    assert command("down").returncode == 0


def on(lab: Command, machine: str, script: str) -> str:
    done = lab("shell", machine, "--", "sh", "-c", script)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_ranks_are_on_hosts_of_their_own(lab: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_TEST_WORD", "heard")
    done = lab("run", "-n", 5, "--per-host", 3, "--timeout", 60, "--", program("lab_hosts"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    ranks = sorted(line for line in done.stdout.splitlines() if line.startswith("rank "))
    shared = {"host1": 3, "host2": 2}
    names = ["host1", "host1", "host1", "host2", "host2"]
    assert ranks == [
        f"rank {rank} host {name} group {shared[name]} word heard in {tmp_path}" for rank, name in enumerate(names)
    ]


def test_cards_have_the_rate_asked_for(lab: Command, tmp_path: Path) -> None:
    rates = []
    for _ in range(3):
        done = lab("run", "-n", 2, "--traffic", "--json", tmp_path / "usage", "--", program("lab_hosts"))
        assert done.returncode == 0, done.stderr
        rates.append(float(re.search(r"rate (\S+)", done.stdout)[1]))
    # A machine busy with other things may make a message late, but nothing makes a card faster.
    assert 0.85 * RATE_MBIT < max(rates) < 1.15 * RATE_MBIT, rates
    assert "processors: " in done.stderr
    hosts = json.loads((tmp_path / "usage").read_text())["hosts"]
    assert 10e6 < hosts["host1"]["hosts_sent"] < 11e6
    assert 10e6 < hosts["host2"]["hosts_received"] < 11e6
    assert hosts["host1"]["storage_sent"] < 1e5


def kilobytes_on(lab: Command, server: str) -> int:
    return int(on(lab, server, f"du -sk /run/weir-lab/servers/{server}/brick").split()[0])


def test_storage_is_one_and_striped(lab: Command, tmp_path: Path) -> None:
    # Which server has a stripe follows from a hash: of a file's six all may be on one, but not of every file.
    for name in ("striped", "another", "third", "fourth"):
        file = STORAGE / name
        write = ["dd", "if=/dev/zero", f"of={file}", "bs=1M", "count=24", "conv=fsync", "status=none"]
        done = lab("run", "-n", 1, "--json", tmp_path / "usage", "--", *write)
        assert done.returncode == 0, done.stderr
        assert on(lab, "host2", f"stat -c %s {file}") == f"{24 << 20}\n"
        held = {server: kilobytes_on(lab, server) for server in ("store1", "store2")}
        if min(held.values()) >= 4 << 10:
            break
    assert min(held.values()) >= 4 << 10, f"a server has no stripe of 4 MB: {held} KB"
    usage = json.loads((tmp_path / "usage").read_text())
    assert usage["hosts"]["host1"]["storage_sent"] > 24 << 20
    assert usage["hosts"]["host1"]["hosts_sent"] < 1 << 20
    seconds = 8 * (24 << 20) / (RATE_MBIT * 1e6)
    assert usage["seconds"] > 0.85 * seconds, "24 MiB reached the servers faster than the host's card allows"


def test_a_file_is_seen_at_once_elsewhere(lab: Command) -> None:
    """Under one name again and again, within the second for which GlusterFS would keep names if it were left to."""
    for text in ("one", "another", "a third"):
        on(lab, "host1", f"echo {text} >{STORAGE}/new && mv {STORAGE}/new {STORAGE}/final")
        assert on(lab, "host2", f"cat {STORAGE}/final; ls {STORAGE}").split("\n")[0] == text


def test_nothing_is_reachable_from_outside(lab: Command) -> None:
    assert "10.77." not in subprocess.run(["ip", "address"], capture_output=True, text=True, check=True).stdout
    assert "default" not in on(lab, "host1", "ip route")
    assert "default" not in on(lab, "store1", "ip route")
    assert "10.77.1.2" in on(lab, "host2", "ip address show eth0")


def test_status_names_the_machines(lab: Command) -> None:
    done = lab("status")
    assert done.returncode == 0
    assert re.search(r"2 hosts at 200mbit, 2 storage servers at 400mbit, stripes of 4MB", done.stdout)
    assert {"host1", "host2", "store1", "store2"} <= set(done.stdout.split())


def test_second_up_is_refused(lab: Command) -> None:
    done = lab("up")
    assert done.returncode == 1
    assert done.stderr == (
        f"lab: lab '{lab.name}' is up already: lab/lab down --name {lab.name} ends it, "
        "--name NAME makes another beside it\n"
    )
    assert lab("status").returncode == 0


def test_exit_code_and_time_limit_are_the_programs(lab: Command) -> None:
    assert lab("run", "-n", 2, "--", "sh", "-c", "exit 7").returncode == 7
    assert lab("shell", "host1", "--", "sh", "-c", "exit 8").returncode == 8
    namespace = Path(f"/proc/{lab.keeper_pid()}/ns/pid").readlink()
    before = sorted(processes_in(str(namespace)))
    assert lab("run", "-n", 3, "--timeout", 1, "--", "sleep", 77).returncode == 124
    assert sorted(processes_in(str(namespace))) == before


def test_too_many_ranks_are_refused(lab: Command) -> None:
    done = lab("run", "-n", 5, "--per-host", 2, "--", "true")
    assert done.returncode == 1
    assert done.stderr == "lab: 2 hosts with 2 ranks each have no place for 5 ranks: raise --per-host\n"


def test_unknown_machine_is_refused(lab: Command) -> None:
    done = lab("shell", "host3")
    assert done.returncode == 1
    assert done.stderr == "lab: the lab has no machine 'host3': it has host1, host2, store1, store2\n"


def test_files_are_true_where_stripes_are_new(lab: Command) -> None:
    """Writers of both hosts begin the second stripe at once, with writes that lie over its border."""
    bench = Path(os.environ["WEIR_BUILD_DIR"]) / "bin" / "weir-bench"
    words = ["--workload", "cam-fvc", "--scale", "0.024", "--modes", "remap,remap:writers=4,dynamic,collective", "--repeat", "3"]
    done = lab("run", "-n", 8, "--", "sh", "-c", 'exec "$0" "$@" --dir "$LAB_STORAGE"', bench, *words)
    assert done.returncode == 0, done.stdout + done.stderr
