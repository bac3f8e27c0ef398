# SPDX-License-Identifier: Apache-2.0
"""The lab's file system: GlusterFS with sharding, which is striping, over the servers, mounted on every host."""

import subprocess
import time

from cluster import SERVERS, STORAGE, Lab, LabError, Machine, spell_size
from system import on, run

VOLUME = "weir"
WAIT_SECONDS = 60

# Each host sees at once what another did, as on the file systems of large machines. As GlusterFS comes, a host believes
# names and sizes that it saw within the last second: then a file that is made anew in that time opens as the old one.
COHERENT_VOLUME = {
    "performance.stat-prefetch": "off",
    "performance.quick-read": "off",
    "performance.io-cache": "off",
    "performance.open-behind": "off",
    "performance.flush-behind": "off",
}
# With write-behind, a write over the border of two stripes of which the second is new puts bytes of the write before it
# there, and nobody is told: GlusterFS 10.3, write-behind over sharding.
TRUE_VOLUME = {"performance.write-behind": "off"}
COHERENT_MOUNT = "entry-timeout=0,attribute-timeout=0"

# Servers that ranks keep from the processor for a minute are not gone: a client that gives them up loses its mount.
PATIENT_VOLUME = {"network.ping-timeout": "600"}

# What glusterd keeps in fixed places, of which each server has its own.
OWN_PLACES = {"lib": "/var/lib/glusterd", "log": "/var/log/glusterfs", "run": "/run"}


def start_server(machine: Machine, pid: int) -> None:
    directory = SERVERS / machine.name
    for name in [*OWN_PLACES, "brick"]:
        (directory / name).mkdir(parents=True)
    run(on(pid, ["mount", "-t", "tmpfs", "brick", directory / "brick"]), f"no memory disk for {machine.name}")
    for name in ("lib", "log"):
        run(on(pid, ["mount", "--bind", directory / name, OWN_PLACES[name]]), f"no place of its own for {machine.name}")
    # Bind /run last: the directory itself lies below it, and stays visible there as `servers`.
    (directory / "run" / "weir-lab").mkdir()
    run(on(pid, ["mount", "--rbind", "/run/weir-lab", directory / "run" / "weir-lab"]), "no /run of its own")
    run(on(pid, ["mount", "--rbind", directory / "run", "/run"]), f"no /run of its own for {machine.name}")
    daemon = on(pid, ["glusterd", "--no-daemon", "--log-level", "WARNING"])
    subprocess.Popen(daemon, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def gluster(pid: int, *words: object) -> str:
    return run(on(pid, ["gluster", "--mode=script", *words]), f"gluster {' '.join(map(str, words[:2]))} failed")


def wait_for(what: str, ready) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            if ready():
                return
            problem = "not yet"
        except LabError as error:
            problem = str(error)
        if time.monotonic() > deadline:
            raise LabError(f"{what} did not come up within {WAIT_SECONDS} s: {problem}")
        time.sleep(0.1)


def make_volume(lab: Lab, pids: dict[str, int]) -> None:
    servers = lab.storage_servers()
    for server in servers:
        wait_for(f"glusterd of {server.name}", lambda pid=pids[server.name]: gluster(pid, "pool", "list"))
    first = pids[servers[0].name]
    for server in servers[1:]:
        gluster(first, "peer", "probe", server.name)
    wait_for("the pool of storage servers", lambda: gluster(first, "pool", "list").count("Connected") == len(servers))
    bricks = [f"{server.name}:{SERVERS / server.name / 'brick' / 'files'}" for server in servers]
    gluster(first, "volume", "create", VOLUME, "transport", "tcp", *bricks, "force")
    stripe = {"features.shard": "on", "features.shard-block-size": spell_size(lab.stripe_bytes)}
    settings = [word for setting in (stripe | PATIENT_VOLUME | TRUE_VOLUME | COHERENT_VOLUME).items() for word in setting]
    gluster(first, "volume", "set", VOLUME, *settings)
    gluster(first, "volume", "start", VOLUME)


def mount_volume(lab: Lab, host: Machine, pid: int) -> None:
    source = f"{lab.storage_servers()[0].name}:/{VOLUME}"
    log = STORAGE.parent / f"{host.name}.log"
    what = f"{host.name} cannot mount the volume"
    options = f"{COHERENT_MOUNT},log-file={log},log-level=WARNING"
    run(on(pid, ["mount", "-t", "glusterfs", "-o", options, source, STORAGE]), what)
    # mount.glusterfs ends well even where it mounted nothing.
    run(on(pid, ["mountpoint", "--quiet", STORAGE]), f"{what}: {last_error(log)}")


def last_error(log) -> str:
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    errors = [line for line in lines if " E " in line] or lines or ["it says nothing"]
    return errors[-1]
