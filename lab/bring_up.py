# SPDX-License-Identifier: Apache-2.0
"""`lab up`: starts the keeper, tells what it does, and leaves nothing where it fails or is interrupted."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import state
from cluster import Lab, LabError, spell_rate, spell_size
from needs import check_machine

INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
NAMESPACES = ["--pid", "--mount", "--net", "--uts", "--ipc"]


def start_keeper(lab: Lab) -> subprocess.Popen:
    # --kill-child: the keeper ends with this process too.
    guard = ["unshare", *NAMESPACES, "--propagation", "private", "--fork", "--kill-child", "--mount-proc"]
    keeper = [sys.executable, str(Path(__file__).with_name("keeper.py")), lab.to_json()]
    return subprocess.Popen(
        guard + keeper,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,  # Ctrl-C is for `lab up`
        cwd="/",
    )


def follow(guard: subprocess.Popen, verbose: bool) -> None:
    """Until the lab is there; raises LabError with what the keeper, or unshare, could not do."""
    other = ""
    for line in guard.stdout:
        word, _, text = line.strip().partition(" ")
        if word == "ready":
            return
        if word == "error":
            raise LabError(text)
        if word == "step" and verbose:
            print(f"lab: {text}", file=sys.stderr, flush=True)
        elif word != "step":
            other = line.strip() or other
    raise LabError(f"no namespaces can be made here: {other or 'the keeper was ended'}; a container needs --privileged")


def abandon(lab: Lab, guard: subprocess.Popen | None) -> None:
    for number in INTERRUPTS:
        signal.signal(number, signal.SIG_IGN)
    if guard:
        keeper = state.child_of(guard.pid) or guard.pid
        state.end_lab(state.Process.of(keeper), state.Process.of(guard.pid))
        guard.wait()
    state.unclaim(lab)


def bring_up(lab: Lab, verbose: bool) -> None:
    check_machine(lab)
    guard = None
    try:
        state.claim(lab)
        guard = start_keeper(lab)
        follow(guard, verbose)
        keeper = state.Process.of(state.child_of(guard.pid))
        processes = {"keeper": keeper, "guard": state.Process.of(guard.pid), "up": state.Process.of(os.getpid())}
        state.write_state(lab, lab.directory, **processes)
        guard.stdin.write("keep\n")
        guard.stdin.close()
    except BaseException:
        abandon(lab, guard)
        raise
    guard.returncode = 0  # it goes on without us
    print(describe(lab))


def describe(lab: Lab) -> str:
    hosts = f"lab '{lab.name}': {lab.hosts} hosts at {spell_rate(lab.nic_bits)}"
    if not lab.servers:
        return f"{hosts}, no storage"
    servers = f"{lab.servers} storage servers at {spell_rate(lab.storage_nic_bits)}"
    return f"{hosts}, {servers}, stripes of {spell_size(lab.stripe_bytes)}"
