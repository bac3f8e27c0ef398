# SPDX-License-Identifier: Apache-2.0
# timeout: 120
"""Learning: policies decide as their numbers say, and the environment is one that learners can use."""

import random

import numpy as np
import pytest
from learning.distil import ASIDE, flush_after, learn, parameters_of
from learning.inputs import NAMES
from learning.policy import PolicyError, greedy_orders, parse_policy, policy_text
from learning.task import ACTIONS, PLACES, Run, Task, number_of, parts_of, random_profile, random_task, steady
from weir.tuning.objective import Model
from weir.tuning.space import Job, Space


@pytest.fixture(scope="module")
def task() -> Task:
    return Task(random_profile(8), ranks=16, ranks_per_node=4, scale=0.002, compute_seconds=0.05)


def random_policy(seed: int) -> str:
    chance = np.random.default_rng(seed)
    widths = [len(NAMES), 24, 16, ACTIONS]
    layers = [(chance.normal(size=(b, a)), chance.normal(size=b)) for a, b in zip(widths, widths[1:], strict=False)]
    return policy_text(layers, chance.normal(size=widths[0]), chance.uniform(0.5, 3, widths[0]))


def test_a_policy_takes_the_action_with_the_largest_output() -> None:
    """One layer, whose outputs 3 and 7 are the first input and its opposite; the others are below both."""
    weights, bias = np.zeros((ACTIONS, len(NAMES))), np.full(ACTIONS, -1e3)
    weights[3, 0], weights[7, 0], bias[3], bias[7] = 1, -1, 0, 0
    mean, scale = np.zeros(len(NAMES)), np.ones(len(NAMES))
    mean[0] = 5
    policy = parse_policy(policy_text([(weights, bias)], mean, scale), "the test")
    assert policy.choose([6.0] + [0.0] * (len(NAMES) - 1)) == 3
    assert policy.choose([4.0] + [0.0] * (len(NAMES) - 1)) == 7


def test_inner_layers_end_in_a_hyperbolic_tangent() -> None:
    """Two inputs far above 1 count alike after it, so the bias decides; without it the larger one would."""
    inner = np.zeros((2, len(NAMES)))
    inner[0, 0], inner[1, 1] = 1, 1
    outer, bias = np.zeros((ACTIONS, 2)), np.full(ACTIONS, -1e3)
    outer[0, 0], outer[1, 1], bias[0], bias[1] = 1, 1, 0.5, 0
    text = policy_text([(inner, np.zeros(2)), (outer, bias)], np.zeros(len(NAMES)), np.ones(len(NAMES)))
    assert parse_policy(text, "the test").choose([50.0, 90.0] + [0.0] * (len(NAMES) - 2)) == 0


def test_actions_have_numbers(task: Task) -> None:
    assert all(number_of(*parts_of(action)) == action for action in range(ACTIONS))
    assert [task.order(action) for action in (0, ACTIONS - 1)] == [[0, 1], [1, task.ranks]]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"weir_policy": 2', '"weir_policy": 1', "version 1.*train it again"),
        ('"weir_policy"', '"other"', "is not a policy"),
        ('"writer_exponents": [0.0', '"writer_exponents": [0.1', "other numbers of writers.*train it again"),
        ('"name": "cached"', '"name": "other"', "do not fit together"),
        ('"bias": [', '"bias": [0.5, ', "do not fit together"),
        ('"layers": [', '"layers": 7, "more": [', "is not a policy"),
        ('"scale": ', '"scale": -', "a scale is not above 0"),
        ('"mean": ', '"mean": NaN, "other": ', "a number is not finite"),
        ('"weights": [[', '"weights": [[Infinity], [', "is not a policy"),
    ],
)
def test_what_is_not_a_policy_is_refused(old: str, new: str, words: str) -> None:
    text = random_policy(1)
    assert old in text
    with pytest.raises(PolicyError, match=words):
        parse_policy(text.replace(old, new, 1), "old.json")


def test_orders_are_within_the_ranks_places(task: Task) -> None:
    chance = random.Random(3)
    for _ in range(20):
        run = Run(task)
        while not run.done:
            run.take(chance.randrange(ACTIONS))
            assert run.writers_in_use <= PLACES * task.ranks
            assert run.cached >= 1
        assert task.seconds(run.orders) == task.seconds(run.orders) > 0


def test_inputs_say_where_a_run_is(task: Task) -> None:
    run = Run(task)
    first = dict(zip(NAMES, run.inputs(), strict=True))
    assert (first["cached"], first["place_share"], first["log_ranks"], first["log_nodes"]) == (0, 0, 4, 2)
    run.take(number_of(1, 4))
    second = dict(zip(NAMES, run.inputs(), strict=True))
    assert (second["cached"], second["writers_in_use_share"]) == (1, 1)
    assert second["puts_left"] < first["puts_left"]


def test_a_policy_is_used_from_a_fresh_start(task: Task) -> None:
    policy = parse_policy(random_policy(2), "the test")
    orders = greedy_orders(policy, task)
    assert len(orders) == task.puts
    assert orders == greedy_orders(policy, task)
    assert task.seconds(orders) > 0


def test_what_is_decided_matters() -> None:
    task = random_task(8)
    few, many = task.seconds(steady(task, 1, 0)), task.seconds(steady(task, 5, 3))
    assert few > 1.2 * many


def test_the_environment_conforms(task: Task) -> None:
    pytest.importorskip("gymnasium", reason="research/requirements.txt is not installed")
    from gymnasium.utils.env_checker import check_env
    from learning.environment import OutputEnv

    check_env(OutputEnv(lambda _: task), skip_render_check=True)
    env = OutputEnv(lambda _: task)
    env.reset(seed=1)
    rewards = []
    done = False
    while not done:
        _, reward, done, _, info = env.step(number_of(1, 2))
        rewards.append(reward)
    assert len(rewards) == task.puts
    assert rewards[:-1] == [0.0] * (task.puts - 1)
    assert rewards[-1] == -info["seconds"] / task.default_seconds
    assert info["seconds"] == task.seconds(steady(task, 1, 2))


@pytest.fixture(scope="module")
def model() -> Model:
    return Model(random_profile(8), "licom", ranks=16, ranks_per_node=4, scale=0.002, records=2, compute_seconds=0.05)


def test_orders_become_the_parameters_that_they_have_in_common(task: Task) -> None:
    space = Space(Job(16, 4, 10))
    for cached, writers, count in ((1, 4, 16), (5, 2, 4), (10, 1, 2)):
        orders = steady(task, cached, writers)
        assert flush_after(orders) == cached
        first = parameters_of(orders, space)[0]
        assert first["writers_per_variable"] == count
        assert abs(first["flush_after"] - cached) <= 1  # the nearest that there is
        assert first["debug.choose"] == "arrival"
        assert all(config in list(space.of("dynamic")) for config in parameters_of(orders, space))


def test_what_was_learnt_is_a_configuration_with_its_runs_counted(model: Model) -> None:
    asked = []

    def train(tasks: list[Task], episodes: int, seed: int) -> str:
        asked.append((len(tasks), episodes))
        return random_policy(seed)

    space = Space(Job(16, 4, 10))
    found = learn(model, space, model.cost, 100, train)
    assert asked == [(1, 100 - ASIDE)]
    assert 60 < found.runs <= 101
    assert found.config["strategy"] == "dynamic"
    assert found.seconds == model.cost(found.config) <= model.cost(space.default_of("dynamic"))


def test_a_policy_is_trained(task: Task) -> None:
    pytest.importorskip("skrl", reason="research/requirements.txt is not installed")
    from learning.train import train

    policy = parse_policy(train([task], 60, 1, say=lambda _: None), "the trained policy")
    assert task.seconds(greedy_orders(policy, task)) > 0
