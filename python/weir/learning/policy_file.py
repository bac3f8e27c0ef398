# SPDX-License-Identifier: Apache-2.0
"""Policies as files (src/schedule/policy.hpp), and their use: greedy runs by the evaluator of the library."""

import json

import numpy as np

from weir._simulate import Policy, policy_input_names, policy_version
from weir.learning.task import WAIT_ROUNDS, WRITER_EXPONENTS, Order, Run, Task


def policy_text(layers: list[tuple[np.ndarray, np.ndarray]], mean: np.ndarray, scale: np.ndarray) -> str:
    """`layers`: weights (a row an output) and bias of each."""
    inputs = [
        {"name": name, "mean": float(m), "scale": float(s)}
        for name, m, s in zip(policy_input_names(), mean, scale, strict=True)
    ]
    numbers = [{"weights": np.asarray(w).round(5).tolist(), "bias": np.asarray(b).round(5).tolist()} for w, b in layers]
    return json.dumps(
        {
            "weir_policy": policy_version,
            "inputs": inputs,
            "writer_exponents": list(WRITER_EXPONENTS),
            "wait_rounds": list(WAIT_ROUNDS),
            "layers": numbers,
        }
    )


def greedy_orders(policy: Policy, task: Task) -> list[Order]:
    """From a fresh start, always the best action."""
    run = Run(task)
    while not run.done:
        run.take(policy.choose(run.inputs()))
    return run.orders
