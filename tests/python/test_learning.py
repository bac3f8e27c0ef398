# SPDX-License-Identifier: Apache-2.0
# timeout: 120
"""Learning: the library's evaluator decides as numpy does, and the environment is one that learners can use."""

import json
import random
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from weir._simulate import Error, Policy, policy_input_names
from weir.cli import main
from weir.learning.distil import ASIDE, flush_after, learn, parameters_of
from weir.learning.policy_file import greedy_orders, policy_text
from weir.learning.task import ACTIONS, PLACES, Run, Task, number_of, parts_of, random_profile, random_task, steady
from weir.tuning.objective import Model
from weir.tuning.space import Job, Space
from weir.tuning.table import read_table


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


@pytest.fixture(scope="module")
def model() -> Model:
    return Model(random_profile(8), "licom", ranks=16, ranks_per_node=4, scale=0.002, records=2, compute_seconds=0.05)


def test_orders_become_the_parameters_that_they_have_in_common(task: Task) -> None:
    space = Space(Job(16, 4, 10))
    for cached, writers, count in ((1, 4, 16), (5, 2, 4), (10, 1, 2)):
        orders = steady(task, cached, writers, 2)
        assert flush_after(orders) == cached
        first = parameters_of(orders, space)[0]
        assert first["writers_per_variable"] == count
        assert abs(first["flush_after"] - cached) <= 1  # the nearest that there is
        assert (first["debug.choose"], first["debug.wait_rounds"]) == ("arrival", 4)
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


def test_a_table_is_learnt(tmp_path: Path) -> None:
    pytest.importorskip("skrl", reason="the extra [rl] is not installed")
    (tmp_path / "machine.yaml").write_text(random_profile(8))
    size = "--ranks 16 --ranks-per-node 4 --workload licom --scale 0.002 --records 2 --compute 0.05".split()
    table = tmp_path / "table.yaml"
    given = ["tune", "--machine", tmp_path / "machine.yaml", *size, "--search", "learn", "--budget", "120", "-o", table]
    told = CliRunner().invoke(main, [str(word) for word in given])
    assert told.exit_code == 0, told.output
    assert "learn, " in told.output
    assert len(read_table(table).entries) == 1
