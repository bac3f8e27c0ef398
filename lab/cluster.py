# SPDX-License-Identifier: Apache-2.0
"""What a lab is: its name, its machines and their addresses, and where its things are."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

# Everything of every lab outside its own namespaces: one small file in a directory of its name.
LABS = Path("/run/weir-lab")
# In the lab's namespaces /run is the lab's own, in memory, and goes with it.
PIDS = Path("/run/weir-lab/pids")
SERVERS = Path("/run/weir-lab/servers")
STORAGE = Path("/run/weir-lab/storage")
SCRATCH = Path("/run")

NETWORK = "10.77.0.0/16"
HEAD = "10.77.0.1"
HOSTS_NETWORK = "10.77.1.0/24"
SERVERS_NETWORK = "10.77.2.0/24"
MOST_MACHINES = 200


class LabError(Exception):
    """One sentence for the user: what is wrong and what to do."""


@dataclass(frozen=True)
class Machine:
    name: str
    address: str
    bits_per_second: int


@dataclass(frozen=True)
class Lab:
    name: str
    hosts: int
    servers: int
    nic_bits: int
    storage_nic_bits: int
    stripe_bytes: int

    @property
    def directory(self) -> Path:
        return LABS / self.name

    def compute_hosts(self) -> list[Machine]:
        return [Machine(f"host{n}", f"10.77.1.{n}", self.nic_bits) for n in range(1, self.hosts + 1)]

    def storage_servers(self) -> list[Machine]:
        return [Machine(f"store{n}", f"10.77.2.{n}", self.storage_nic_bits) for n in range(1, self.servers + 1)]

    def machines(self) -> list[Machine]:
        return self.compute_hosts() + self.storage_servers()

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> "Lab":
        return Lab(**json.loads(text))


def spell_rate(bits: int) -> str:
    for unit, size in (("gbit", 10**9), ("mbit", 10**6), ("kbit", 10**3)):
        if bits % size == 0:
            return f"{bits // size}{unit}"
    return f"{bits}bit"


def spell_size(size: int) -> str:
    for unit, factor in (("GB", 2**30), ("MB", 2**20)):
        if size % factor == 0:
            return f"{size // factor}{unit}"
    return f"{size}B"
