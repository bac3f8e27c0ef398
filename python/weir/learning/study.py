# SPDX-License-Identifier: Apache-2.0
"""How learning compares with searching: the tables of docs/results/learning.md.

.venv/bin/python -m weir.learning.study one --machine earthlab     five seeds on one task, beside other searches
.venv/bin/python -m weir.learning.study many --output policy.json  one policy for many machines, and unseen ones
"""

import random
import time
from math import inf
from pathlib import Path
from statistics import mean, median

import click

from weir._simulate import Policy
from weir.learning.policy_file import greedy_orders
from weir.learning.task import ACTIONS, WAIT_ROUNDS, WRITER_EXPONENTS, Run, Task, random_task, steady

CACHED = (1, 2, 3, 5, 10, 20)
UNSEEN = 10_000  # seeds of machines that no policy is trained on


def enumerate_steady(task: Task) -> tuple[float, str, int]:
    """All ways that treat every variable alike: seconds, what it is, and how many runs."""
    best, words, runs = inf, "", 0
    for cached in CACHED:
        for writers, exponent in enumerate(WRITER_EXPONENTS):
            for rounds, waits in enumerate(WAIT_ROUNDS):
                seconds = task.seconds(steady(task, cached, writers, rounds))
                runs += 1
                if seconds < best:
                    best, words = seconds, f"flush after {cached}, ranks^{exponent} writers, {waits} rounds"
    return best, words, runs


def guess(task: Task, budget: int, seed: int) -> float:
    """The best of random decisions."""
    chance = random.Random(seed)
    best = inf
    for _ in range(budget):
        run = Run(task)
        while not run.done:
            run.take(chance.randrange(ACTIONS))
        best = min(best, task.seconds(run.orders))
    return best


def ask_tpe(task: Task, budget: int, seed: int) -> float:
    """Of Optuna, which decides for each variable of a record, and the same for all records."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))

    def cost(trial: optuna.Trial) -> float:
        actions = [trial.suggest_int(f"v{i}", 0, ACTIONS - 1) for i in range(task.variables)]
        run = Run(task)
        while not run.done:
            run.take(actions[len(run.orders) % task.variables])
        return task.seconds(run.orders)

    study.optimize(cost, n_trials=budget)
    return float(study.best_value)


def gap(seconds: float, best: float) -> str:
    return f"{100 * (seconds / best - 1):.1f} %"


@click.group()
def main() -> None:
    pass


@main.command()
@click.option("--machine", default="earthlab", show_default=True, help="Its profile; or random:SEED.")
@click.option("--ranks", default=64, show_default=True)
@click.option("--ranks-per-node", default=8, show_default=True)
@click.option("--scale", default=0.02, show_default=True)
@click.option("--compute", default=0.1, show_default=True)
@click.option("--budget", default=800, show_default=True, help="Simulated runs of each search and each seed.")
@click.option("--seeds", default=5, show_default=True)
def one(machine: str, ranks: int, ranks_per_node: int, scale: float, compute: float, budget: int, seeds: int) -> None:
    """Five seeds on one task, beside enumeration, random decisions and TPE with the same number of simulated runs."""
    from weir.learning.train import train
    from weir.simulation import find_machine

    if machine.startswith("random:"):
        task = random_task(int(machine.split(":")[1]))
    else:
        text = find_machine(machine).read_text(encoding="utf-8")
        task = Task(text, ranks, ranks_per_node, scale, compute_seconds=compute)
    known, words, runs = enumerate_steady(task)
    found = {"enumeration": [known], "random": [], "TPE": [], "PPO": []}
    for seed in range(1, seeds + 1):
        begin = time.monotonic()
        policy = Policy.parse(train([task], budget, seed, say=lambda _: None), "the trained policy")
        found["PPO"].append(task.seconds(greedy_orders(policy, task)))
        took = time.monotonic() - begin
        found["random"].append(guess(task, budget, seed))
        found["TPE"].append(ask_tpe(task, budget, seed))
        click.echo(f"seed {seed}: PPO {found['PPO'][-1]:.5g} s, trained in {took:.0f} s", err=True)
    best = min(min(seconds) for seconds in found.values())
    click.echo(
        f"{machine}: {task.ranks} ranks, {task.variables} variables of {task.variable_bytes / 1e6:.3g} MB, two records"
    )
    click.echo(f"default {task.default_seconds:.5g} s; enumeration ({runs} runs): {words}")
    click.echo("| search | runs | median s | best s | median gap to the best known |\n|---|---|---|---|---|")
    for name, seconds in found.items():
        each = runs if name == "enumeration" else budget
        middle = median(seconds)
        click.echo(f"| {name} | {each} | {middle:.5g} | {min(seconds):.5g} | {gap(middle, best)} |")
    click.echo(f"| default | 1 | {task.default_seconds:.5g} | | {gap(task.default_seconds, best)} |")


def usable(seeds: range, count: int) -> list[Task]:
    """The first so many tasks."""
    return [random_task(seed) for seed in seeds][:count]


@main.command()
@click.option("--train-on", default=32, show_default=True, help="Random machines to train on.")
@click.option("--test-on", default=16, show_default=True, help="Others.")
@click.option("--budget", default=6000, show_default=True, help="Simulated runs of each training.")
@click.option("--seeds", default=5, show_default=True)
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="For the policy that trained best.")
def many(train_on: int, test_on: int, budget: int, seeds: int, output: Path | None) -> None:
    """One policy for many machines, given their profiles, on those and on machines that it never saw."""
    from weir.learning.train import train

    seen = usable(range(train_on), train_on)
    unseen = usable(range(UNSEEN, UNSEEN + test_on), test_on)
    known = {id(task): enumerate_steady(task)[0] for task in (*seen, *unseen)}

    def gaps(tasks: list[Task], seconds: list[float]) -> list[float]:
        return [100 * (s / known[id(task)] - 1) for task, s in zip(tasks, seconds, strict=True)]

    def line(name: str, tasks: list[Task], seconds: list[float]) -> None:
        each = gaps(tasks, seconds)
        wins = sum(g < 0 for g in each)
        click.echo(
            f"| {name} | {median(each):.1f} % | {mean(each):.1f} % | {max(each):.1f} % | {wins} of {len(each)} |"
        )

    click.echo("gap to enumeration (120 runs a machine); a policy needs none\n")
    click.echo("| | median | mean | largest | faster than enumeration |\n|---|---|---|---|---|")
    for name, tasks in (("seen", seen), ("unseen", unseen)):
        line(f"default, {name} machines", tasks, [task.default_seconds for task in tasks])
        line(f"one random run, {name}", tasks, [guess(task, 1, 1) for task in tasks])
    best, kept = inf, ""
    for seed in range(1, seeds + 1):
        begin = time.monotonic()
        text = train(seen, budget, seed, say=lambda _: None)
        policy = Policy.parse(text, "the trained policy")
        on_seen = [task.seconds(greedy_orders(policy, task)) for task in seen]
        line(f"policy of seed {seed}, seen", seen, on_seen)
        line(f"policy of seed {seed}, unseen", unseen, [t.seconds(greedy_orders(policy, t)) for t in unseen])
        click.echo(f"seed {seed} in {time.monotonic() - begin:.0f} s", err=True)
        if (middle := mean(gaps(seen, on_seen))) < best:
            best, kept = middle, text
        if output:
            output.write_text(kept + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
