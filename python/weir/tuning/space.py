# SPDX-License-Identifier: Apache-2.0
"""What can be configured, as far as it changes the time of a run: a space for each strategy, of choices for each key.

`buffer_limit` is not among it: how much memory Weir may take is the user's to say."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod

Config = dict[str, str | int]


@dataclass(frozen=True)
class Job:
    """A model's run, as far as the space depends on it."""

    ranks: int
    ranks_per_node: int
    variables: int

    @property
    def nodes(self) -> int:
        return -(-self.ranks // self.ranks_per_node)


def doubling(last: int, first: int = 1) -> list[int]:
    """FIRST, twice that, ... and LAST."""
    counts = []
    while first < last:
        counts.append(first)
        first *= 2
    return [*counts, last] if last > 0 else counts


def choices_of(strategy: str, job: Job) -> dict[str, list]:
    """The keys that matter for a strategy, each with what is tried; the library's default comes first."""
    a_node = min(job.ranks, job.ranks_per_node)
    bundles = {"bundle_size": ["256KiB", "64KiB", "1MiB", "16MiB"]}
    overlap = {"overlap": ["none", "background"]}
    if strategy in ("serial", "collective", "file_per_rank"):
        return {}
    if strategy in ("rows", "columns"):
        return overlap
    if strategy == "file_per_domain":
        return {"domains": [0, *doubling(job.ranks // 2)]}
    if strategy == "remap":
        return {"writers_per_host": doubling(a_node), **overlap, **bundles}
    if strategy == "servers":
        return {"servers": doubling(max(1, job.ranks // 4)), **bundles}
    assert strategy in ("dynamic", "dynamic+control"), strategy
    return {
        "writers_per_variable": [0, *doubling(job.ranks)],
        "flush_after": doubling(max(1, job.variables)),
        "debug.choose": ["recent", "arrival", "warm"],
        "overlap": ["background", "slack", "none"],
        "writers_at_once": [0, *doubling(min(4, a_node))],
        **bundles,
    }


# What a running model can take up, and so what a tuned table may hold: no ranks of its own, one file.
TAKEN = ("remap", "dynamic", "serial", "collective", "rows", "columns")
# What a user has to ask for. dynamic+control is dynamic with a rank for the scheduler.
ASKED = ("servers", "dynamic+control", "file_per_rank", "file_per_domain")


class Space:
    """All configurations of some strategies. `choices` are by strategy, and then by key."""

    def __init__(self, job: Job, strategies: tuple[str, ...] = TAKEN):
        self.job = job
        self.choices = {strategy: choices_of(strategy, job) for strategy in strategies}

    def config(self, strategy: str, values: Config) -> Config:
        """Without keys that have no meaning beside the others, so that equal runs are equal configurations."""
        name, _, control = strategy.partition("+")
        return {"strategy": name, **({"control": "rank"} if control else {}), **values}

    def default_of(self, strategy: str) -> Config:
        return self.config(strategy, {key: values[0] for key, values in self.choices[strategy].items()})

    def of(self, strategy: str) -> Iterator[Config]:
        choices = self.choices[strategy]
        seen = set()
        for values in product(*choices.values()):
            config = self.config(strategy, dict(zip(choices, values, strict=True)))
            if (key := tuple(config.items())) not in seen:
                seen.add(key)
                yield config

    def __iter__(self) -> Iterator[Config]:
        for strategy in self.choices:
            yield from self.of(strategy)

    def size(self) -> int:
        """How many configurations there are at the most: equal ones are counted as often as they are made."""
        return sum(prod(len(values) for values in choices.values()) for choices in self.choices.values())


def stripes_of(servers: int) -> Iterator[dict[str, int]]:
    """How a file may lie on the servers of the storage."""
    for count, size in product(doubling(servers), (1, 2, 4, 8, 16)):
        yield {"stripe_count": count, "stripe_size": size << 20}


def mode_of(config: Config) -> str:
    """A configuration as weir-bench and the simulator name it: remap:writers=4."""
    settings = ",".join(f"{k}={v}" for k, v in config.items() if k != "strategy")
    return f"{config['strategy']}:{settings}" if settings else str(config["strategy"])


def words_of(config: Config, default: Config | None = None) -> str:
    """What a configuration says beside the defaults of its strategy."""
    told = {k: v for k, v in config.items() if k == "strategy" or default is None or v != default.get(k)}
    return ", ".join(f"{key}: {value}" for key, value in told.items())
