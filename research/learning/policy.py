# SPDX-License-Identifier: Apache-2.0
"""Trained policies: from what is known of the machine, the job and what is cached, to what is done with the next variable
(Wang & Huang 2025, section 3.5, table 2). A policy is a small network with layers W x + b, a hyperbolic tangent between
them, and an output for each action; the largest counts. It is kept as a file of JSON."""

import json
from dataclasses import dataclass
from itertools import chain

import numpy as np

from learning.inputs import NAMES
from learning.task import ACTIONS, WRITER_EXPONENTS, Order, Run, Task

VERSION = 2


class PolicyError(ValueError):
    """A text is no policy of this version."""


@dataclass
class Policy:
    mean: np.ndarray
    scale: np.ndarray
    layers: list[tuple[np.ndarray, np.ndarray]]  # weights (a row an output) and bias

    def choose(self, inputs: list[float]) -> int:
        """The number of the action. `inputs` are not scaled."""
        x = (np.asarray(inputs) - self.mean) / self.scale
        for number, (weights, bias) in enumerate(self.layers):
            x = weights @ x + bias
            x = np.tanh(x) if number + 1 < len(self.layers) else x
        return int(np.argmax(x))


def policy_text(layers: list[tuple[np.ndarray, np.ndarray]], mean: np.ndarray, scale: np.ndarray) -> str:
    inputs = [
        {"name": name, "mean": float(m), "scale": float(s)} for name, m, s in zip(NAMES, mean, scale, strict=True)
    ]
    numbers = [{"weights": np.asarray(w).round(5).tolist(), "bias": np.asarray(b).round(5).tolist()} for w, b in layers]
    return json.dumps(
        {"weir_policy": VERSION, "inputs": inputs, "writer_exponents": list(WRITER_EXPONENTS), "layers": numbers}
    )


def parse_policy(text: str, origin: str) -> Policy:
    """Raises PolicyError: no JSON, not a policy, another version, layers that do not fit together."""
    try:
        root = json.loads(text)
        if (version := root["weir_policy"]) != VERSION:
            raise PolicyError(f"{origin} is a policy of version {version}, not {VERSION}: train it again")
        mean, scale = (np.array([float(each[word]) for each in root["inputs"]]) for word in ("mean", "scale"))
        names, exponents = tuple(each["name"] for each in root["inputs"]), tuple(root["writer_exponents"])
        layers = [(np.array(each["weights"], float), np.array(each["bias"], float)) for each in root["layers"]]
    except (ValueError, KeyError, TypeError) as error:
        if isinstance(error, PolicyError):
            raise
        raise PolicyError(f"{origin} is not a policy: {error}") from error
    widths = [len(NAMES), *(len(bias) for _, bias in layers)]
    fits = all(weights.shape == (b, a) for (weights, _), a, b in zip(layers, widths, widths[1:], strict=False))
    if exponents != WRITER_EXPONENTS:
        raise PolicyError(f"{origin} has other numbers of writers to choose from: train it again")
    if names != NAMES or not fits or widths[-1] != ACTIONS or not layers:
        raise PolicyError(f"{origin} is not a policy: its inputs and layers do not fit together")
    if not (scale > 0).all() or not all(np.isfinite(each).all() for each in chain([mean, scale], *layers)):
        raise PolicyError(f"{origin} is not a policy: a scale is not above 0, or a number is not finite")
    return Policy(mean, scale, layers)


def greedy_orders(policy: Policy, task: Task) -> list[Order]:
    """From a fresh start, always the best action."""
    run = Run(task)
    while not run.done:
        run.take(policy.choose(run.inputs()))
    return run.orders
