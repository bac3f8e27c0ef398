# SPDX-License-Identifier: Apache-2.0
# timeout: 120
"""Learning: the library's evaluator decides as numpy does, and the environment is one that learners can use."""

import json
import random

import numpy as np
import pytest
from weir._simulate import Error, Policy, policy_input_names
from weir.learning.policy_file import greedy_orders, policy_text
from weir.learning.task import ACTIONS, PLACES, Run, Task, number_of, parts_of, random_profile, random_task, steady


@pytest.fixture(scope="module")
def task() -> Task:
    return Task(random_profile(8), ranks=16, ranks_per_node=4, scale=0.002, compute_seconds=0.05)


def random_policy(seed: int) -> str:
    chance = np.random.default_rng(seed)
    widths = [len(policy_input_names()), 24, 16, ACTIONS]
    layers = [(chance.normal(size=(b, a)), chance.normal(size=b)) for a, b in zip(widths, widths[1:], strict=False)]
    return policy_text(layers, chance.normal(size=widths[0]), chance.uniform(0.5, 3, widths[0]))


def choice_by_numpy(text: str, inputs: np.ndarray) -> int:
    policy = json.loads(text)
    x = (inputs - [i["mean"] for i in policy["inputs"]]) / [i["scale"] for i in policy["inputs"]]
    for number, layer in enumerate(policy["layers"]):
        x = np.asarray(layer["weights"]) @ x + np.asarray(layer["bias"])
        x = np.tanh(x) if number + 1 < len(policy["layers"]) else x
    return int(np.argmax(x))


def test_the_evaluator_decides_as_numpy_does() -> None:
    chance = np.random.default_rng(7)
    seen = set()
    for seed in range(5):
        text = random_policy(seed)
        policy = Policy.parse(text, "the test")
        for _ in range(200):
            inputs = chance.normal(scale=3, size=len(policy_input_names()))
            seen.add(policy.choose(list(inputs)))
            assert policy.choose(list(inputs)) == choice_by_numpy(text, inputs)
    assert len(seen) > 10


def test_actions_mean_the_same_to_both_sides(task: Task) -> None:
    policy = Policy.parse(random_policy(1), "the test")
    for action in range(ACTIONS):
        assert number_of(*parts_of(action)) == action
        assert list(policy.action(action, task.ranks)) == task.order(action)


def test_a_policy_of_another_version_is_refused() -> None:
    text = random_policy(1).replace('"weir_policy": 1', '"weir_policy": 2')
    with pytest.raises(Error, match="version 2.*train it again"):
        Policy.parse(text, "old.json")


def test_orders_are_within_the_ranks_places(task: Task) -> None:
    chance = random.Random(3)
    for _ in range(20):
        run = Run(task)
        while not run.done:
            run.take(chance.randrange(ACTIONS))
            assert run.writers_in_use <= PLACES * task.ranks
            assert run.cached >= 1
        assert task.seconds(run.orders) == task.seconds(run.orders) > 0


def test_a_policy_is_used_from_a_fresh_start(task: Task) -> None:
    policy = Policy.parse(random_policy(2), "the test")
    orders = greedy_orders(policy, task)
    assert len(orders) == task.puts
    assert orders == greedy_orders(policy, task)
    assert task.seconds(orders) > 0


def test_what_is_decided_matters() -> None:
    task = random_task(8)
    few, many = task.seconds(steady(task, 1, 0, 0)), task.seconds(steady(task, 5, 3, 0))
    assert few > 1.2 * many


def test_the_environment_conforms(task: Task) -> None:
    pytest.importorskip("gymnasium", reason="the extra [rl] is not installed")
    from gymnasium.utils.env_checker import check_env
    from weir.learning.environment import OutputEnv

    check_env(OutputEnv(lambda _: task), skip_render_check=True)
    env = OutputEnv(lambda _: task)
    env.reset(seed=1)
    rewards = []
    done = False
    while not done:
        _, reward, done, _, info = env.step(number_of(1, 2, 0))
        rewards.append(reward)
    assert len(rewards) == task.puts
    assert rewards[:-1] == [0.0] * (task.puts - 1)
    assert rewards[-1] == -info["seconds"] / task.default_seconds
    assert info["seconds"] == task.seconds(steady(task, 1, 2, 0))
