# SPDX-License-Identifier: Apache-2.0
"""The run of a model as a Gymnasium environment.

A step is a variable that comes. What is decided of it is two of the paper's three: cache or flush, and the number of
writers. What is seen beside the paper's two states (what is cached, writers in use) is how far the record is, so that
the agent can flush at its end, and the machine and the job, so that one policy can serve many
(inputs.py). The reward is minus the simulated seconds of the run, in units of what the default
takes, so that small and large runs weigh the same; all of it comes at the end, without discount, since only a whole run
has a time. The simulated control rank carries the orders out (simulate/orders.hpp).
"""

from collections.abc import Callable

import gymnasium
import numpy as np
from gymnasium import spaces

from learning.inputs import NAMES
from learning.task import ACTIONS, Run, Task

WORST = 3.0  # of the default's seconds: what nothing that is slower, or not possible, is told apart from


class OutputEnv(gymnasium.Env):
    """`draw` gives the task of an episode by a random number below 2**31."""

    metadata = {"render_modes": []}  # noqa: RUF012

    def __init__(self, draw: Callable[[int], Task]):
        self.draw = draw
        self.observation_space = spaces.Box(-1e6, 1e6, (len(NAMES),), np.float32)
        self.action_space = spaces.Discrete(ACTIONS)
        self.run: Run | None = None

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        self.run = Run(self.draw(int(self.np_random.integers(2**31))))
        return self.observation(), {}

    def observation(self) -> np.ndarray:
        return np.asarray(self.run.inputs(), np.float32)

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict]:
        run = self.run
        run.take(int(action))
        if not run.done:
            return self.observation(), 0.0, False, False, {}
        seconds = run.task.seconds(run.orders)
        reward = -min(seconds / run.task.default_seconds, WORST)
        return self.observation(), reward, True, False, {"seconds": seconds}
