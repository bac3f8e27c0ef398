# SPDX-License-Identifier: Apache-2.0
"""What a run used: bytes by host, told apart by where they went, and the processors' time."""

import json
import os
import resource
import subprocess
import time
from pathlib import Path

from cluster import LabError
from enter import inside, pid_of
from state import Running, stat_fields

COUNTERS = ("hosts_sent", "hosts_received", "storage_sent", "storage_received")
FILE_SYSTEM = ("glusterd", "glusterfs", "glusterfsd")


def read_counters(running: Running, host: str) -> dict[str, int]:
    """Bytes of IP packets that the host's card has carried so far."""
    namespace = inside(running, Path(f"/proc/{pid_of(running, host)}/ns/net"))
    command = ["nsenter", f"--net={namespace}", "nft", "--json", "list", "counters"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise LabError(f"the card of {host} cannot be read: {done.stderr.strip()}")
    counters = [entry["counter"] for entry in json.loads(done.stdout)["nftables"] if "counter" in entry]
    return {counter["name"]: counter["bytes"] for counter in counters}


def machine_seconds() -> tuple[float, float]:
    """Seconds in which the machine's processors were busy, and all of their seconds."""
    with open("/proc/stat") as stream:
        ticks = [int(word) for word in stream.readline().split()[1:9]]
    idle = ticks[3] + ticks[4]
    return (sum(ticks) - idle) / os.sysconf("SC_CLK_TCK"), sum(ticks) / os.sysconf("SC_CLK_TCK")


def file_system_seconds(running: Running) -> float:
    """Processor time of the lab's GlusterFS processes, on servers and hosts."""
    proc = inside(running, Path("/proc"))
    ticks = sum(gluster_ticks(proc, entry.name) for entry in proc.iterdir() if entry.name.isdigit())
    return ticks / os.sysconf("SC_CLK_TCK")


def gluster_ticks(proc: Path, process: str) -> int:
    try:
        name = (proc / process / "comm").read_text().strip()
    except OSError:
        return 0
    fields = stat_fields(process, proc) if name in FILE_SYSTEM else []
    return int(fields[11]) + int(fields[12]) if fields else 0


def program_seconds(running: Running) -> float:
    """Processor time of what we started. OpenMPI does not wait for all of its daemons: what they leave, the keeper
    reaps, ranks included."""
    ours = resource.getrusage(resource.RUSAGE_CHILDREN)
    reaped = stat_fields(running.keeper.pid)[13:15]
    return ours.ru_utime + ours.ru_stime + sum(map(int, reaped)) / os.sysconf("SC_CLK_TCK")


class Meter:
    """From its making on; `read` once, when the program has ended."""

    def __init__(self, running: Running) -> None:
        self._running = running
        self._begin = self._sample()

    def _sample(self) -> dict:
        busy, all_seconds = machine_seconds()
        return {
            "hosts": {host.name: read_counters(self._running, host.name) for host in self._running.lab.compute_hosts()},
            "processors": {
                "busy": busy,
                "all": all_seconds,
                "program": program_seconds(self._running),
                "file_system": file_system_seconds(self._running),
            },
            "seconds": time.monotonic(),
        }

    def read(self) -> dict:
        return difference(self._sample(), self._begin)


def difference(end: dict, begin: dict) -> dict:
    return {
        key: difference(value, begin[key]) if isinstance(value, dict) else value - begin[key]
        for key, value in end.items()
    }


def spell_usage(usage: dict) -> str:
    lines = [
        f"lab: {usage['seconds']:.1f} s; MB sent and received by each card",
        f"{'':8}{'to hosts':>12}{'from hosts':>12}{'to storage':>12}{'from storage':>14}",
    ]
    totals = {name: sum(host[name] for host in usage["hosts"].values()) for name in COUNTERS}
    for host, counters in [*usage["hosts"].items(), ("all", totals)]:
        figures = [f"{counters[name] / 1e6:.2f}" for name in COUNTERS]
        lines.append(f"{host:8}{figures[0]:>12}{figures[1]:>12}{figures[2]:>12}{figures[3]:>14}")
    processors = usage["processors"]
    share = {name: f"{100 * processors[name] / processors['all']:.0f} %" for name in ("busy", "program", "file_system")}
    lines.append(
        f"processors: {share['busy']} busy, of it the program {share['program']}, GlusterFS {share['file_system']}"
    )
    return "\n".join(lines)
