# SPDX-License-Identifier: Apache-2.0
"""An agent is trained on one model's run on one machine (Wang & Huang 2025, section 3.5), and what it has learnt is said as
the parameters of `strategy: dynamic`, which a run can read."""

from collections.abc import Callable
from statistics import median

from weir.tuning.objective import Model
from weir.tuning.search import Cost, Found, Trials
from weir.tuning.space import Config, Space

from learning.policy import greedy_orders, parse_policy
from learning.task import Order, Task

ASIDE = 40  # runs that are kept back to try the parameters in, of a budget of at least twice as many

# Episodes, and a seed: a policy's text. Given by a caller that has what training wants.
Train = Callable[[list[Task], int, int], str]


def task_of(model: Model) -> Task:
    """Raises Error where `dynamic` cannot run so on this machine."""
    return Task(
        model.profile,
        ranks=model.ranks,
        ranks_per_node=model.ranks_per_node,
        scale=model.scale,
        records=model.records,
        compute_seconds=model.compute_seconds,
        imbalance=model.imbalance,
        workload=model.workload,
    )


def flush_after(orders: list[Order]) -> float:
    """How many variables are cached before they are written, in the middle of all times."""
    begins = [put for put, order in enumerate(orders) if order[0]] or [0]
    ends = [*begins[1:], len(orders)]
    return median(end - begin for begin, end in zip(begins, ends, strict=True))


def nearest(choices: list, wanted: float) -> list:
    """The two next to it, the nearest first; 0 means something else than a number, and is none of them."""
    return sorted((choice for choice in choices if choice), key=lambda choice: abs(choice - wanted))[:2]


def parameters_of(orders: list[Order], space: Space) -> list[Config]:
    """What comes nearest to the orders with the same parameters for all variables: the learnt ones first, then with the
    ranks chosen otherwise."""
    choices = space.choices["dynamic"]
    defaults = {key: tried[0] for key, tried in choices.items()}
    return [
        space.config(
            "dynamic",
            {
                **defaults,
                "writers_per_variable": writers,
                "flush_after": cached,
                "debug.choose": how,
                "overlap": overlap,
            },
        )
        for how in ("arrival", *(way for way in choices["debug.choose"] if way != "arrival"))
        for writers in nearest(choices["writers_per_variable"], median(order[1] for order in orders))
        for cached in nearest(choices["flush_after"], flush_after(orders))
        for overlap in choices["overlap"]
    ][:ASIDE]


def learn(model: Model, space: Space, cost: Cost, budget: int, train: Train, seed: int = 1) -> Found:
    """Trains on `budget` simulated runs less those the parameters are tried in. Raises Error where `dynamic` cannot run
    on this machine."""
    trials = Trials(cost)
    trials(space.default_of("dynamic"))
    episodes = max(1, budget - ASIDE)
    task = task_of(model)
    policy = parse_policy(train([task], episodes, seed), "what was learnt")
    for config in parameters_of(greedy_orders(policy, task), space):
        trials(config)
    trials.found.runs += episodes
    return trials.found
