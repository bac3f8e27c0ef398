# SPDX-License-Identifier: Apache-2.0
"""A machine and a run on it, for which it is to be decided what is done with each variable; and random ones."""

import math
import random
from dataclasses import dataclass

import yaml
from weir._simulate import parse_profile
from weir.simulation import Error, simulate_text

from learning.inputs import State, inputs

# The actions: every flush with every number of writers, the last one varying fastest. Writers are the ranks to the power of
# the exponent.
WRITER_EXPONENTS = (0.0, 0.25, 0.5, 0.75, 1.0)
ACTIONS = 2 * len(WRITER_EXPONENTS)
PLACES = 2  # tiles that a rank may hold (schedule/memory_budget.hpp)
CONFIG = {"control": "rank", "debug.choose": "arrival", "overlap": "background", "buffer_limit": "1GiB"}
WHOLE_BYTES = 18.2e9  # a record of the workload licom
Order = list[int]  # flush, writers


def number_of(flush: int, writers: int) -> int:
    """An action's number, of the places of its parts."""
    return flush * len(WRITER_EXPONENTS) + writers


def parts_of(action: int) -> tuple[int, int]:
    return divmod(int(action), len(WRITER_EXPONENTS))


@dataclass
class Task:
    profile: str  # the text
    ranks: int = 16
    ranks_per_node: int = 4
    scale: float = 0.01
    records: int = 2
    compute_seconds: float = 0.5
    imbalance: float = 0.2
    workload: str = "licom"

    def __post_init__(self) -> None:
        self.machine = parse_profile(self.profile, "the task's machine")
        plain = self.answer("dynamic", config=CONFIG)
        self.variables = int(plain["variables"])
        self.variable_bytes = plain["bytes"] / plain["records"] / self.variables
        self.default_seconds = float(plain["seconds"])  # of dynamic as the library does it by itself

    @property
    def puts(self) -> int:
        return self.variables * self.records

    def answer(self, mode: str, **more: object) -> dict:
        run = {"workload": self.workload, "ranks": self.ranks, "ranks_per_node": self.ranks_per_node}
        compute = {"seconds": self.compute_seconds, "imbalance": self.imbalance, "kind": "drifting"}
        size = {"scale": self.scale, "records": self.records}
        return simulate_text(self.profile, modes=[mode], compute=compute, **run, **size, **more)["runs"][0]

    def seconds(self, orders: list[Order]) -> float:
        """Of the simulated run, whose control rank carries the orders out; inf where the simulator gives up on it."""
        try:
            return float(self.answer("dynamic", config={**CONFIG, "bundle_size": 0}, orders=orders)["seconds"])
        except Error:
            return math.inf

    def order(self, action: int) -> Order:
        flush, writers = parts_of(action)
        count = round(self.ranks ** WRITER_EXPONENTS[writers])
        return [flush, min(self.ranks, max(1, count))]


class Run:
    """A run of a task while it is decided: what is cached, and what has been ordered."""

    def __init__(self, task: Task):
        self.task = task
        self.orders: list[Order] = []
        self.cached = self.writers_in_use = 0

    @property
    def done(self) -> bool:
        return len(self.orders) == self.task.puts

    def take(self, action: int) -> None:
        order = self.task.order(action)
        # Where the ranks' places are full, what is cached is written, whatever was wanted.
        if self.writers_in_use + order[1] > PLACES * self.task.ranks:
            order[0] = 1
        if order[0]:
            self.cached = self.writers_in_use = 0
        self.cached += 1
        self.writers_in_use += order[1]
        self.orders.append(order)

    def inputs(self) -> list[float]:
        task, put = self.task, len(self.orders)
        state = State(
            ranks=task.ranks,
            ranks_per_node=task.ranks_per_node,
            variable_bytes=task.variable_bytes,
            compute_seconds=task.compute_seconds,
            variables=task.variables,
            place=put % task.variables,
            puts_left=task.puts - put,
            cached=self.cached,
            writers_in_use=self.writers_in_use,
        )
        return inputs(task.machine, state)


def steady(task: Task, cached: int, writers: int) -> list[Order]:
    """The same for all variables: so many are cached before they are written."""
    run = Run(task)
    while not run.done:
        run.take(number_of(int(len(run.orders) % cached == 0), writers))
    return run.orders


def between(chance: random.Random, least: float, most: float) -> float:
    """Evenly by the logarithm."""
    return math.exp(chance.uniform(math.log(least), math.log(most)))


def random_profile(seed: int) -> str:
    """A machine that might be: from a slow cluster to a fast one, with few or many servers behind it."""
    chance = random.Random(seed)
    card, one = between(chance, 5e7, 2e10), between(chance, 5e7, 2e9)
    servers = between(chance, 1, 64)
    total = one * servers
    exponent = chance.uniform(0.4, 1.0)
    rate = [{"at": at, "value": f"{min(total, one * at**exponent):.4g}B/s"} for at in (1, 2, 4, 8, 16, 32, 64)]
    loss = chance.uniform(0.0, 0.1)
    together = [{"at": at, "value": round(max(0.05, (1 - loss) ** (at - 1)), 4)} for at in (1, 2, 4, 8, 16, 32)]
    latency = between(chance, 1e-6, 1e-4)
    link = {"latency": f"{latency:.3g}s", "overhead": f"{latency / 4:.3g}s", "bandwidth": f"{card:.4g}B/s"}
    copy = between(chance, 2e9, 1e10)
    delay = between(chance, 1e-4, 2e-2)
    return yaml.safe_dump(
        {
            "weir_machine": 1,
            "name": f"random-{seed}",
            "nodes": {"cores": 16, "memory": "256GiB"},
            "copy": {"bandwidth": [{"at": 1, "value": f"{copy:.4g}B/s"}, {"at": 16, "value": f"{4 * copy:.4g}B/s"}]},
            "network": {"within": {"latency": "1us", "bandwidth": f"{copy:.4g}B/s"}, "between": link},
            "storage": {
                "shared": True,
                "coherent": True,
                "rate": rate,
                "together": together,
                "total": f"{total:.4g}B/s",
                "create": f"{delay:.3g}s",
                "commit": f"{delay:.3g}s",
            },
            "compute": {"spread": round(chance.uniform(0, 0.1), 3)},
            "control": {"message": f"{latency:.3g}s"},
        },
        sort_keys=False,
    )


def random_task(seed: int) -> Task:
    """On a random machine; it computes from a fiftieth to a half of the time that writing by one rank takes."""
    chance = random.Random(f"task {seed}")
    profile = random_profile(seed)
    scale = between(chance, 0.002, 0.02)
    alone = scale * WHOLE_BYTES / float(yaml.safe_load(profile)["storage"]["rate"][0]["value"][:-3])
    return Task(
        profile,
        ranks=chance.choice([16, 32, 64]),
        ranks_per_node=chance.choice([4, 8]),
        scale=scale,
        compute_seconds=alone * between(chance, 0.02, 0.5),
        imbalance=chance.uniform(0.05, 0.5),
    )
