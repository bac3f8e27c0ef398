# SPDX-License-Identifier: Apache-2.0
"""What goes wrong in a run: the rule that the fault layer gets (tests/harness/layer.h), and how it is drawn."""

import errno
import math
import random
from dataclasses import dataclass

from .plan import Script

# Calls in which a rank dies on purpose: those of MPI by which src/ reaches other ranks or a file (test_faults.py holds
# this list to them and to the layer), and groups of the system's. What the way does not make is a kill at the end of
# the phase.
DEADLY_CALLS = (
    "MPI_Comm_idup MPI_Comm_split MPI_Comm_split_type MPI_Iallgather MPI_Iallgatherv MPI_Comm_free MPI_Iallreduce "
    "MPI_Ibarrier MPI_Ibcast MPI_Issend MPI_Irecv MPI_File_open MPI_File_write_at MPI_File_sync MPI_Imrecv "
    "MPI_File_close MPI_Isend write sync length rename open remove close"
).split()
FAILING_CALLS = "open write sync length rename symlink remove read stat mode seek memory hint close".split()
ERRORS = [errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.ESTALE]
INTERRUPTED = ("open", "write", "read", "sync", "length")  # calls that a signal can interrupt


@dataclass(frozen=True)
class Fault:
    """The words of a rule. `rank` counts over the whole job."""

    rank: int
    phase: str
    call: str
    n: int
    action: str
    argument: int = 0
    who: str = "one"
    times: int = 1

    @property
    def kills(self) -> bool:
        return self.action in ("kill", "kill_after", "tear")

    @property
    def of_the_rank(self) -> bool:
        return self.kills or self.action in ("stop", "sleep")

    def rule(self) -> str:
        return " ".join(f"{name}={value}" for name, value in vars(self).items())

    def words(self) -> str:
        if self.action == "error":
            what = f"{errno.errorcode[self.argument]} from {'all ' if self.times == 0 else ''}{self.call} {self.n}"
        else:
            what = f"{self.action} at {self.call} {self.n}"
        return f"rank {self.rank}{' and all others' if self.who == 'all' else ''}: {what} of {self.phase}"


def _number(rng: random.Random, most: int) -> int:
    """1 to `most`, small ones more often."""
    return int(math.exp(rng.uniform(0, math.log(most + 0.999))))


def draw_phase(rng: random.Random, script: Script) -> str:
    phases = script.phases()
    name = rng.choice(sorted(phases))
    return f"{name}:{rng.randint(1, phases[name])}"


def draw_kill(rng: random.Random, script: Script, ranks: int, reserved: int) -> Fault:
    """A rank, all ranks, or one of those that the library took for itself (they are in init all their life)."""
    if reserved and rng.random() < 0.5:
        rank, phase, most, longest = ranks - 1 - rng.randrange(reserved), "init:1", 400, 200_000
    else:
        rank, phase, most, longest = rng.randrange(ranks - reserved), draw_phase(rng, script), 15, 5_000
    call = rng.choices(["any", "mpi", "file", "clock", rng.choice(DEADLY_CALLS)], [30, 15, 15, 15, 25])[0]
    action = rng.choices(["kill", "kill_after", "tear"], [55, 25, 20])[0]
    who = "all" if rng.random() < 0.25 else "one"
    argument = _number(rng, longest) if call == "clock" else 0
    return Fault(rank, phase, call, _number(rng, most), "kill" if call == "clock" else action, argument, who)


def draw_kill_of_commit(rng: random.Random, script: Script) -> Fault:
    """Rank 0, which writes the tables of netCDF-4: within one of a commit's calls of files, or between them."""
    phase = f"commit:{rng.randint(1, script.phases()['commit'])}"
    if rng.random() < 0.5:
        return Fault(0, phase, "write", rng.randint(1, 8), "tear")
    return Fault(0, phase, "file", rng.randint(1, 40), rng.choice(["kill", "kill_after"]))


def draw_pause(rng: random.Random, script: Script, ranks: int, reserved: int, seconds: float) -> Fault:
    """A rank that stops or is late, for so long."""
    if reserved and rng.random() < 0.3:
        rank, phase = ranks - 1 - rng.randrange(reserved), "init:1"
    else:
        rank, phase = rng.randrange(ranks - reserved), draw_phase(rng, script)
    call = rng.choice(["entry", "any", "mpi", "file"])
    action = rng.choice(["stop", "sleep"])
    return Fault(rank, phase, call, _number(rng, 8), action, int(seconds * 1e6))


def draw_call_fault(rng: random.Random, ranks: int) -> Fault:
    """A call of the system that fails, writes less than asked for, nothing, or takes long. The rank and the number are
    chosen when it is known who makes such calls (carry.py)."""
    call, rank = rng.choice(FAILING_CALLS), rng.randrange(ranks)
    action = rng.choices(["error", "short", "zero", "sleep"], [60, 15, 10, 15])[0]
    if action in ("short", "zero"):
        call = rng.choice(["write", "write", "read"]) if action == "short" else "write"
        return Fault(rank, "*", call, 1, action, 0, times=rng.choice([1, 3]))
    if action == "sleep":
        return Fault(rank, "*", call, 1, action, 700_000)
    if call in INTERRUPTED and rng.random() < 0.2:
        return Fault(rank, "*", call, 1, action, errno.EINTR, times=rng.choice([1, 3]))
    number = errno.ENOMEM if call == "memory" else rng.choice(ERRORS)
    return Fault(rank, "*", call, 1, action, number, times=rng.choice([1, 0]))
