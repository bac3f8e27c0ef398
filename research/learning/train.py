# SPDX-License-Identifier: Apache-2.0
"""Training by proximal policy optimisation (skrl on JAX), on one task or on many. It wants research/requirements.txt."""

import logging
import random
from collections.abc import Callable

import flax.linen as nn
import gymnasium
import jax
import numpy as np
import skrl
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from skrl.agents.jax.ppo import PPO, PPO_CFG
from skrl.envs.wrappers.jax import wrap_env
from skrl.memories.jax import RandomMemory
from skrl.models.jax import CategoricalMixin, DeterministicMixin, Model
from skrl.trainers.jax import SequentialTrainer
from skrl.utils import set_seed

from learning.environment import OutputEnv
from learning.policy import policy_text
from learning.task import ACTIONS, Run, Task

# Many environments and short rollouts: a step of the networks costs the same for all of them, and returns are unrolled
# under jit, so that a long rollout compiles for minutes.
ENVIRONMENTS, ROLLOUT = 64, 40
FEW_ENVIRONMENTS = 16  # where there are few runs, so that there are updates enough
FEW_EPISODES = 1000
WIDTH = 32


class Actor(CategoricalMixin, Model):
    def __init__(self, observation_space, action_space, device=None, **kwargs):
        Model.__init__(self, observation_space=observation_space, action_space=action_space, device=device, **kwargs)
        CategoricalMixin.__init__(self)

    @nn.compact
    def __call__(self, inputs, role):
        x = nn.tanh(nn.Dense(WIDTH)(inputs["observations"]))
        x = nn.tanh(nn.Dense(WIDTH)(x))
        return nn.Dense(ACTIONS, kernel_init=nn.initializers.orthogonal(0.01))(x), {}


class Critic(DeterministicMixin, Model):
    def __init__(self, observation_space, action_space, device=None, **kwargs):
        Model.__init__(self, observation_space=observation_space, action_space=action_space, device=device, **kwargs)
        DeterministicMixin.__init__(self)

    @nn.compact
    def __call__(self, inputs, role):
        x = nn.tanh(nn.Dense(WIDTH)(inputs["observations"]))
        x = nn.tanh(nn.Dense(WIDTH)(x))
        return nn.Dense(1)(x), {}


class Scaled(gymnasium.ObservationWrapper):
    """Inputs as the policy's file scales them, so that what is trained is what is used."""

    def __init__(self, env: gymnasium.Env, mean: np.ndarray, scale: np.ndarray):
        super().__init__(env)
        self.mean, self.scale = mean, scale

    def observation(self, observation: np.ndarray) -> np.ndarray:
        return ((observation - self.mean) / self.scale).astype(np.float32)


def typical_inputs(tasks: list[Task], seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean and spread of the inputs in random runs. An input that does not vary says nothing, and gets the scale 1."""
    chance = random.Random(seed)
    seen = []
    for task in tasks:
        for _ in range(4):
            run = Run(task)
            while not run.done:
                seen.append(run.inputs())
                run.take(chance.randrange(ACTIONS))
    inputs = np.asarray(seen)
    spread = inputs.std(axis=0)
    return inputs.mean(axis=0), np.where(spread > 1e-3, spread, 1.0)


def layers_of(actor: Actor) -> list[tuple[np.ndarray, np.ndarray]]:
    params = jax.device_get(actor.state_dict.params)["params"]
    return [(np.asarray(params[f"Dense_{i}"]["kernel"]).T, np.asarray(params[f"Dense_{i}"]["bias"])) for i in range(3)]


def train(tasks: list[Task], episodes: int, seed: int, say: Callable[[str], None] = print) -> str:
    """A policy trained on so many episodes (each a simulated run) of the tasks, as its file's text."""
    logging.getLogger("skrl").setLevel(logging.ERROR)
    set_seed(seed)
    skrl.config.jax.backend = "jax"
    mean, scale = typical_inputs(tasks, seed)

    def make() -> gymnasium.Env:
        return Scaled(OutputEnv(lambda number: tasks[number % len(tasks)]), mean, scale)

    environments = FEW_ENVIRONMENTS if episodes < FEW_EPISODES else ENVIRONMENTS
    env = wrap_env(SyncVectorEnv([make] * environments, autoreset_mode=AutoresetMode.SAME_STEP), verbose=False)
    spaces = {"observation_space": env.observation_space, "action_space": env.action_space, "device": env.device}
    models = {"policy": Actor(**spaces), "value": Critic(**spaces)}
    for role, model in models.items():
        model.init_state_dict(role=role)
    config = PPO_CFG(
        rollouts=ROLLOUT,
        learning_epochs=6,
        mini_batches=8,
        discount_factor=1.0,
        gae_lambda=0.98,
        learning_rate=1e-3,
        entropy_loss_scale=0.003,
        value_loss_scale=0.5,
    )
    config.experiment.write_interval = config.experiment.checkpoint_interval = 0
    agent = PPO(
        models=models,
        memory=RandomMemory(memory_size=ROLLOUT, num_envs=environments, device=env.device),
        cfg=config,
        **spaces,
    )
    puts = sum(task.puts for task in tasks) / len(tasks)
    steps = max(1, round(episodes * puts / environments / ROLLOUT)) * ROLLOUT
    say(f"{steps} steps of {environments} environments, {steps * environments / puts:.0f} simulated runs")
    trainer = SequentialTrainer(
        env=env, agents=agent, cfg={"timesteps": steps, "headless": True, "disable_progressbar": True}
    )
    trainer.train()
    return policy_text(layers_of(models["policy"]), mean, scale)
