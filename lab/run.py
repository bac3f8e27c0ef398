# SPDX-License-Identifier: Apache-2.0
"""`lab run` and `lab shell`."""

import json
import os
import signal
import sys
from argparse import Namespace
from pathlib import Path

import enter
from cluster import PIDS, SCRATCH, STORAGE, LabError
from state import Running, need_running
from usage import Meter, spell_usage

HERE = Path(__file__).resolve().parent
LAUNCH = HERE.parent / "tools" / "launch"


def host_list(running: Running, ranks: int, per_host: int | None) -> str:
    """NAME:RANKS,... as tools/launch takes it; the hosts are filled one after another."""
    hosts = running.lab.compute_hosts()
    each = per_host or -(-ranks // len(hosts))
    if each * len(hosts) < ranks:
        raise LabError(f"{len(hosts)} hosts with {each} ranks each have no place for {ranks} ranks: raise --per-host")
    return ",".join(f"{host.name}:{each}" for host in hosts)


def launch_command(running: Running, options: Namespace) -> list[object]:
    hosts = host_list(running, options.ranks, options.per_host)
    command = [LAUNCH, "-n", options.ranks, "--hosts", hosts, "--agent", HERE / "agent", "--scratch", SCRATCH]
    if options.timeout is not None:
        command += ["--timeout", options.timeout]
    if options.io:
        command += ["--io", options.io]
    return [*command, "--", *options.program]


def environment(running: Running) -> dict[str, str]:
    """Ours: every rank gets all of it. LAB_STORAGE says where the file system is."""
    own = {"LAB_PIDS": str(PIDS)}
    if running.lab.servers:
        own["LAB_STORAGE"] = str(STORAGE)
    return os.environ | own


def run(options: Namespace) -> int:
    running = need_running(options.name)
    command = launch_command(running, options)
    meter = Meter(running) if options.traffic or options.json else None
    code = enter.wait(enter.start(running, command, env=environment(running)))
    # The kernel ends the program before the keeper.
    if code == 128 + signal.SIGKILL and running.ends(within_seconds=2):
        raise LabError(f"lab '{options.name}' was taken down while the program ran")
    if meter:
        usage = meter.read()
        if options.traffic:
            print(spell_usage(usage), file=sys.stderr)
        if options.json:
            Path(options.json).write_text(json.dumps(usage, indent=1) + "\n")
    return code


def shell(options: Namespace) -> int:
    running = need_running(options.name)
    command = options.program or [os.environ.get("SHELL", "/bin/bash")]
    return enter.wait(enter.start(running, enter.on_machine(running, options.host, command), env=environment(running)))
