# SPDX-License-Identifier: Apache-2.0
"""The ways to write that are tried: each strategy, with the sinks, overlaps and controls that change its path."""

import random
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Way:
    """A configuration. `library` is weir, or a peer's; `hosts` of 2 pretends hosts of two ranks."""

    name: str
    keys: dict[str, object] = field(default_factory=dict)
    library: str = "weir"
    reserved: int = 0
    hosts: int = 0
    threads: bool = False

    @property
    def strategy(self) -> str:
        return str(self.keys.get("strategy", self.library))

    @property
    def in_parts(self) -> bool:
        return self.strategy.startswith("file_per")

    @property
    def packs(self) -> bool:
        """Whether it can write netCDF-4."""
        return self.library == "weir" and not self.in_parts and self.keys.get("sink") != "pnetcdf"

    @property
    def splits(self) -> bool:
        """Whether MPI_Comm_split is called in its init: it keeps ranks for itself, or knows hosts apart."""
        return self.reserved > 0 or self.hosts > 0

    def configuration(self) -> str:
        keys = dict(self.keys) | ({"debug.ranks_per_host": self.hosts} if self.hosts else {})
        return "".join(f"{key}: {value}\n" for key, value in keys.items())


def _way(name: str, **more) -> Way:
    """"remap, pnetcdf" is strategy: remap with what `more` says; fields of Way are taken out of it."""
    own = {key: more.pop(key) for key in ("reserved", "hosts", "threads") if key in more}
    return Way(name, {"strategy": name.split(",")[0], **more}, **own)


WAYS = [
    _way("serial"),
    _way("serial, pnetcdf", sink="pnetcdf"),
    _way("collective"),
    _way("collective, direct", sink="direct"),
    _way("rows"),
    _way("rows, pnetcdf", sink="pnetcdf"),
    _way("columns"),
    _way("columns, pnetcdf", sink="pnetcdf"),
    _way("remap"),
    _way("remap, 2 writers", writers=2),
    _way("remap, pnetcdf", sink="pnetcdf"),
    _way("remap, hosts", hosts=2),
    _way("remap, background", overlap="background"),
    _way("servers", reserved=1),
    _way("servers, 2", servers=2, reserved=2),
    _way("servers, pnetcdf", sink="pnetcdf", reserved=1),
    _way("dynamic, none", overlap="none"),
    _way("dynamic, slack", overlap="slack"),
    _way("dynamic, background", overlap="background"),
    _way("dynamic, hosts", overlap="background", progress="calls", hosts=2),
    _way("dynamic, hosts, thread", overlap="background", progress="thread", hosts=2, threads=True),
    _way("dynamic, control rank", control="rank", overlap="slack", reserved=1),
    _way("dynamic, control rank, hosts", control="rank", overlap="background", hosts=2, reserved=1),
    _way("dynamic, pnetcdf", sink="pnetcdf"),
    _way("file_per_rank"),
    _way("file_per_domain", domains=2),
    _way("auto", tuned="none"),
]
PEERS = [Way("PnetCDF", library="pnetcdf"), Way("netCDF-4", library="netcdf4")]


def way_of(name: str) -> Way:
    for way in WAYS + PEERS:
        if way.name == name:
            return way
    known = "; ".join(way.name for way in WAYS + PEERS)
    raise SystemExit(f"faults: no way to write is called '{name}'; there are: {known}")


def draw_way(rng: random.Random, reserved_only: bool = False, packs: bool = False) -> Way:
    ways = [way for way in WAYS if (way.reserved or not reserved_only) and (way.packs or not packs)]
    # A strategy is as likely as another, however many ways it has.
    strategy = rng.choice(sorted({way.strategy for way in ways}))
    return rng.choice([way for way in ways if way.strategy == strategy])
