# SPDX-License-Identifier: Apache-2.0
"""What a policy sees: the paper's states, which are what is cached and how many writers are in use, and what tells machines
and jobs apart, so that one policy can serve many. Training and use ask the same function."""

from dataclasses import dataclass
from math import log2, log10, sqrt

from weir._simulate import Profile

NAMES = (
    "cached",
    "writers_in_use_share",
    "place_share",
    "puts_left",
    "is_last_of_record",
    "log_ranks",
    "log_nodes",
    "log_compute",
    "log_write_alone",
    "gain_root_writers",
    "gain_all_writers",
    "log_send",
    "log_copy",
    "together_2",
    "together_4",
    "together_16",
    "log_total_share",
    "log_latency",
    "spread",
    "shared",
)


@dataclass
class State:
    """Of a run, before a put."""

    ranks: int
    ranks_per_node: int
    variable_bytes: float
    compute_seconds: float
    variables: int
    place: int  # of the put in its record
    puts_left: int
    cached: int = 0  # variables
    writers_in_use: int = 0


def log_seconds(seconds: float) -> float:
    """Times are compared by their logarithms; below a microsecond they are all alike."""
    return log10(max(seconds, 1e-6))


def inputs(machine: Profile, state: State) -> list[float]:
    """As many as there are names, in their order."""
    ranks, size = state.ranks, state.variable_bytes
    a_node = machine.ranks_of_node(ranks, state.ranks_per_node)
    nodes = (ranks - 1) // a_node + 1
    alone, together = machine.write_rate(1), machine.write_rate(ranks)
    total = machine.total_write_rate or machine.largest_write_rate * ranks
    return [
        float(state.cached),
        state.writers_in_use / ranks,
        state.place / max(1, state.variables),
        log2(1 + state.puts_left),
        float(state.place == state.variables - 1),
        log2(ranks),
        log2(nodes),
        log_seconds(state.compute_seconds),
        log_seconds(size / alone),
        log2(machine.write_rate(sqrt(ranks)) / alone),
        log2(together / alone),
        log_seconds(size / nodes / machine.card_rate(a_node)),
        log_seconds(size / nodes / machine.copy_rate(a_node)),
        machine.together(2),
        machine.together(4),
        machine.together(16),
        log2(total / together),
        log_seconds(machine.latency),
        machine.spread,
        float(machine.shared),
    ]
