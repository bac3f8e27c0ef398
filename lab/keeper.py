# SPDX-License-Identifier: Apache-2.0
"""The process a lab hangs on: process 1 of the lab's own process ids, in the lab's own mounts and network.

`lab up` starts it. It makes the lab, says so, and then only waits. Whatever belongs to the lab is below it: when it
ends, in whatever way, the kernel ends the lab's processes, and with them go their mounts, cards and files. Until
`lab up` says "keep" the lab hangs on `lab up` too: when that ends, the keeper reads the end of its input."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

sys.dont_write_bytecode = True

import network  # noqa: E402
import storage  # noqa: E402
from cluster import HEAD, PIDS, SERVERS, STORAGE, Lab, LabError, Machine  # noqa: E402
from system import run  # noqa: E402


def tell(word: str, text: str = "") -> None:
    print(word, text, flush=True)


def make_places(lab: Lab) -> None:
    """A /run of the lab's own, in memory; the names of its machines; GlusterFS's logs out of the machine's."""
    run(["mount", "-t", "tmpfs", "-o", "mode=755", "run", "/run"], "no /run of the lab's own")
    for place in (PIDS, SERVERS, STORAGE, STORAGE.parent / "log"):
        place.mkdir(parents=True)
    names = STORAGE.parent / "hosts"
    entries = [("127.0.0.1", "localhost"), (HEAD, "head")] + [(m.address, m.name) for m in lab.machines()]
    names.write_text("".join(f"{address} {name}\n" for address, name in entries))
    run(["mount", "--bind", names, "/etc/hosts"], "no /etc/hosts of the lab's own")
    run(["hostname", "head"], "no host name of the lab's own")
    if lab.servers:
        run(["mount", "--bind", STORAGE.parent / "log", "/var/log/glusterfs"], "no place for GlusterFS's logs")


def start_machine(machine: Machine) -> int:
    """A process that holds the machine's network, mounts and host name; its id."""
    script = 'hostname "$0" && echo ready && exec sleep infinity'
    command = ["unshare", "--net", "--mount", "--uts", "--propagation", "private", "sh", "-c", script, machine.name]
    holder = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with holder.stdout, holder.stderr:
        if holder.stdout.readline() != b"ready\n":
            raise LabError(f"no namespaces for {machine.name}: {holder.stderr.read().decode().strip()}")
    (PIDS / machine.name).write_text(f"{holder.pid}\n")
    return holder.pid


def build(lab: Lab) -> Iterator[str]:
    """Makes the lab; says what comes next."""
    make_places(lab)
    yield f"network of {lab.hosts} hosts and {lab.servers} storage servers"
    network.make_bridge()
    pids = {machine.name: start_machine(machine) for machine in lab.machines()}
    for machine in lab.machines():
        network.attach(machine, pids[machine.name])
    for host in lab.compute_hosts():
        network.count_traffic(pids[host.name])
    if not lab.servers:
        return
    yield "storage servers"
    for server in lab.storage_servers():
        storage.start_server(server, pids[server.name])
    storage.make_volume(lab, pids)
    yield "mounts"
    for host in lab.compute_hosts():
        storage.mount_volume(lab, host, pids[host.name])


def follow_up(kept: threading.Event) -> None:
    """Ends all of the lab where `lab up` went before it said "keep"."""
    if sys.stdin.readline().strip() != "keep":
        os._exit(1)
    kept.set()


def let_go() -> None:
    """Of the terminal and of the pipes to `lab up`."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)


def reap() -> None:
    while True:
        with contextlib.suppress(ChildProcessError):
            os.wait()


def main() -> int:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    lab = Lab.from_json(sys.argv[1])
    kept = threading.Event()
    threading.Thread(target=follow_up, args=[kept], daemon=True).start()
    try:
        for step in build(lab):
            tell("step", step)
    except LabError as error:
        tell("error", " ".join(str(error).split()))
        return 1
    tell("ready")
    kept.wait()
    let_go()
    reap()
    return 0


if __name__ == "__main__":
    sys.exit(main())
