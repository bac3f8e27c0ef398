# SPDX-License-Identifier: Apache-2.0
"""Runs by name: SECTION/SEED:NUMBER draws a run from chance that the name fixes, so that the name replays it."""

import errno
import random

from . import faults
from .faults import Fault
from .job import Run
from .plan import Script, draw_script, draw_shape, fixed_script
from .ways import Way, draw_way, way_of

KIB = 1024
CHUNK_RECORDS = 24  # of a chunk of the section `chunks`
PATIENT_SECONDS = 60.0  # the timeout of a run that must succeed, however busy the machine is
PEER_SECONDS = 20.0  # after which a rank of another library counts as hanging: it has no timeout of its own


def _plain(rng: random.Random, name: str, way: Way, **more) -> Run:
    """Everything about a run but what goes wrong in it."""
    large = rng.random() < 0.3
    script = draw_script(rng, append=not way.in_parts, most_records=2 if large else 4)
    model = {
        "decomposition": rng.choice(["rows", "blocks", "hollow"] if way.strategy in ("rows", "columns") else
                                    ["rows", "blocks", "hollow", "cyclic"]),
        "holes": rng.random() < 0.3,
        "format": rng.choice([1, 2, 5]),
        "puts": rng.choice(["layout", "layout", "vara"]),
        "after_error": rng.choice(["end", "go_on"]),
    }  # fmt: skip
    options = {"buffer_limit": rng.choice(["64KiB", "256KiB", "64MiB"]), "durability": rng.choice(["storage", "cache"])}
    if rng.random() < 0.2:
        options["header_free"] = "1KiB"
    if not way.hosts and rng.random() < 0.2:
        options["debug.ranks_per_host"] = 2
    ranks = rng.choice([3, 3, 4, 5]) + way.reserved
    shape, seed = draw_shape(rng, large), rng.randrange(1 << 40)
    if seed % 2 == 0:
        options["page_cache"] = "past"  # where the folder lies on a disk: --dir
    run = Run(name, way, ranks, script, shape, seed, options=options, model=model)
    return vary(run, **more)


def vary(run: Run, **more) -> Run:
    for key, value in more.items():
        setattr(run, key, value)
    return run


def kills(rng: random.Random, name: str) -> Run:
    run = _plain(rng, name, draw_way(rng, reserved_only=rng.random() < 0.1))
    return vary(run, fault=faults.draw_kill(rng, run.script, run.ranks, run.way.reserved))


def chunks(rng: random.Random, name: str) -> Run:
    """A kill while netCDF-4 is written, compressed or not, in chunks of several records: most commits are within a
    chunk."""
    run = _plain(rng, name, draw_way(rng, reserved_only=rng.random() < 0.1, packs=True))
    run.script = draw_script(rng, append=True, most_records=2 * CHUNK_RECORDS)
    run.options |= {"format": "netcdf4", "compression": rng.choice(["zlib", "zlib", "none"]), "chunk_records": CHUNK_RECORDS}
    run.options["buffer_limit"] = rng.choice(["512KiB", "64MiB"])
    if "commit" in run.script.phases() and rng.random() < 0.5:
        return vary(run, fault=faults.draw_kill_of_commit(rng, run.script))
    return vary(run, fault=faults.draw_kill(rng, run.script, run.ranks, run.way.reserved))


def pauses(rng: random.Random, name: str) -> Run:
    """A rank that stops or is late for longer than `timeout`, or for less: then all must succeed."""
    run = _plain(rng, name, draw_way(rng))
    short = rng.random() < 0.4
    seconds = 0.5 if short else 2.5 * run.timeout
    vary(run, fault=faults.draw_pause(rng, run.script, run.ranks, run.way.reserved, seconds))
    return vary(run, timeout=PATIENT_SECONDS, model=run.model | {"must_succeed": True}) if short else run


def borne(fault: Fault) -> bool:
    """Whether a call that goes wrong so is no reason to give up: it was interrupted, short, or slow."""
    if fault.phase != "*":
        return False
    return fault.action in ("short", "sleep") or (fault.action == "error" and fault.argument == errno.EINTR)


def calls(rng: random.Random, name: str) -> Run:
    run = _plain(rng, name, draw_way(rng), timeout=PATIENT_SECONDS)
    run.model["after_error"] = "go_on"
    return vary(run, fault=faults.draw_call_fault(rng, run.ranks))


def disks(rng: random.Random, name: str) -> Run:
    """A disk that is full before the model is through, or just not."""
    run = _plain(rng, name, draw_way(rng), timeout=PATIENT_SECONDS)
    run.model["after_error"] = "go_on"
    return vary(run, disk_bytes=rng.choice([64, 100, 200, 400]) * KIB)


# ---- the tables: the same model in every cell

PHASES = ["init", "define", "put", "commit", "close", "finalize"]
PEER_NUMBERS = 100  # runs of cells from this number on stand beside other libraries
MAKING = "killed while communicators are made"  # in calls of MPI that cannot be left
KILLS = [f"killed in {phase}" for phase in PHASES] + [MAKING, "all killed", "server or scheduler killed"]
PAUSES = ["stopped in put", "stopped in commit"]
PAUSES += [*(f"late at {phase}" for phase in ("init", "put", "commit", "close", "finalize")), "late by less"]
FULL_DISK_BYTES = 48 * KIB
CALLS = {
    "open: EIO": ("open", "error", errno.EIO, 1),
    "write: EIO": ("write", "error", errno.EIO, 1),
    "write: ENOSPC": ("write", "error", errno.ENOSPC, 0),
    "write: EDQUOT": ("write", "error", errno.EDQUOT, 0),
    "write: EINTR": ("write", "error", errno.EINTR, 1),
    "write: short": ("write", "short", 0, 1),
    "write: slow": ("write", "sleep", 700_000, 1),
    "write: slower than timeout": ("write", "sleep", 7_500_000, 1),
    "fsync: EIO": ("sync", "error", errno.EIO, 1),
    "fsync: ESTALE": ("sync", "error", errno.ESTALE, 1),
    "ftruncate: EIO": ("length", "error", errno.EIO, 1),
    "rename: EIO": ("rename", "error", errno.EIO, 1),
    "disk full": None,
}


def table(rng: random.Random, name: str, fault: str, way: Way) -> Run:
    """One cell. Of calls that fail, carry.py finds who makes them."""
    ranks = 4 + way.reserved
    peer = way.library != "weir"
    # Beside other libraries every second run makes the file anew where it else appends to it.
    number = int(name.split("/")[1].split(":")[1])
    script = fixed_script(append=not way.in_parts and (number < PEER_NUMBERS or number % 2 == 0))
    run = Run(name, way, ranks, script, [3, 40, 30], rng.randrange(1 << 40))
    if peer:
        vary(run, timeout=PEER_SECONDS - 10, limit=PEER_SECONDS)
    rank = rng.randrange(4)
    if fault == "no fault":
        return vary(run, timeout=PATIENT_SECONDS)
    if fault == "server or scheduler killed":
        kill = Fault(ranks - 1, "init:1", "any", rng.randint(30, 120), "kill")
        return vary(run, fault=kill)
    if fault == MAKING:
        calls = ["MPI_Comm_split_type"] + (["MPI_Comm_split"] if way.splits else [])
        return vary(run, fault=Fault(rank, "init:1", rng.choice(calls), 1, "kill"))
    if fault == "disk full":
        return vary(run, disk_bytes=FULL_DISK_BYTES, timeout=PATIENT_SECONDS)
    if fault in CALLS:
        call, action, argument, times = CALLS[fault]
        patience = run.timeout if fault == "write: slower than timeout" else PATIENT_SECONDS
        return vary(run, fault=Fault(rank, "*", call, 1, action, argument, times=times), timeout=patience)
    if fault == "late by less":
        run.model["must_succeed"] = True
        late = Fault(rank, _occurrence(rng, rng.choice(PHASES), script), "entry", 1, "sleep", 500_000)
        return vary(run, fault=late, timeout=PATIENT_SECONDS)
    if fault == "all killed":
        phase = _occurrence(rng, rng.choice(["put", "commit", "close"]), script)
        return vary(run, fault=Fault(rank, phase, "any", rng.randint(1, 4), "kill", who="all"))
    word, phase = fault.split()[0], _occurrence(rng, fault.split()[-1], script)
    if word == "killed":
        return vary(run, fault=Fault(rank, phase, "any", rng.randint(1, 6), "kill"))
    action = "stop" if word == "stopped" else "sleep"
    return vary(run, fault=Fault(rank, phase, "any" if action == "stop" else "entry", 1, action, 7_500_000))


def _occurrence(rng: random.Random, phase: str, script: Script) -> str:
    return f"{phase}:{rng.randint(1, script.phases()[phase])}"


def by_name(name: str) -> Run:
    """SECTION/SEED:NUMBER, or table/SEED:NUMBER/FAULT/WAY."""
    section, rest = name.split("/", 1)
    rng = random.Random(name)
    if section == "table":
        _, fault, way = rest.split("/", 2)
        return table(rng, name, fault, way_of(way))
    return {"kills": kills, "chunks": chunks, "pauses": pauses, "calls": calls, "disks": disks}[section](rng, name)


