# SPDX-License-Identifier: Apache-2.0
"""Ways to look for the fastest configuration, each with a number of runs that may be simulated."""

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import inf

from weir.tuning.space import Config, Space

Cost = Callable[[Config], float]  # seconds of the run; inf where it is not possible


@dataclass
class Found:
    """What a search has come to."""

    config: Config | None = None
    seconds: float = inf
    runs: int = 0
    by_strategy: dict[str, tuple[float, Config]] = field(default_factory=dict)


class Trials:
    """Asks for the seconds of configurations, of each once, and remembers the fastest."""

    def __init__(self, cost: Cost, budget: int | None = None):
        self.cost, self.budget = cost, budget
        self.found = Found()
        self.known: dict[tuple, float] = {}

    @property
    def spent(self) -> bool:
        return self.budget is not None and self.found.runs >= self.budget

    def __call__(self, config: Config) -> float:
        key = tuple(sorted(config.items()))
        if key not in self.known:
            if self.spent:
                return inf
            self.known[key] = self.cost(config)
            self.found.runs += 1
            self.note(config, self.known[key])
        return self.known[key]

    def note(self, config: Config, seconds: float) -> None:
        found = self.found
        if seconds < found.seconds:
            found.config, found.seconds = config, seconds
        name = strategy_of(config)
        if seconds < found.by_strategy.get(name, (inf,))[0]:
            found.by_strategy[name] = (seconds, config)


def strategy_of(config: Config) -> str:
    """The name of its space."""
    return f"{config['strategy']}+control" if config.get("control") == "rank" else str(config["strategy"])


def enumerate_all(space: Iterable[Config], cost: Cost) -> Found:
    """Every configuration: what it finds is the best there is."""
    trials = Trials(cost)
    for config in space:
        trials(config)
    return trials.found


def descend(space: Space, cost: Cost, budget: int, starts: int = 12, seed: int = 1) -> Found:
    """The defaults of every strategy first; then, the most promising strategies first, one key after another: all its
    choices with the others left as they are, until no key makes it faster. Then again from random beginnings."""
    trials = Trials(cost, budget)
    chance = random.Random(seed)
    for strategy in space.choices:
        trials(space.default_of(strategy))
    by_promise = sorted(space.choices, key=lambda s: trials.found.by_strategy.get(s, (inf,))[0])
    for start in range(starts):
        for strategy in by_promise if start < 2 else by_promise[:2]:
            begin = trials.found.by_strategy.get(strategy, (inf, space.default_of(strategy)))[1]
            if start > 0:
                begin = random_config(space, strategy, chance)
            sweep(space, trials, begin)
    return trials.found


def sweep(space: Space, trials: Trials, config: Config) -> None:
    strategy = strategy_of(config)
    choices = space.choices[strategy]
    values = {key: config.get(key, tried[0]) for key, tried in choices.items()}
    current = trials(config)
    improved = True
    while improved and not trials.spent:
        improved = False
        for key in choices:
            for value in choices[key]:
                seconds = trials(space.config(strategy, {**values, key: value}))
                if seconds < current:
                    values, current, improved = {**values, key: value}, seconds, True


def random_config(space: Space, strategy: str, chance: random.Random) -> Config:
    return space.config(strategy, {key: chance.choice(tried) for key, tried in space.choices[strategy].items()})


def guess(space: Space, cost: Cost, budget: int, seed: int = 1) -> Found:
    """Random ones, of a random strategy each: what any other search has to beat."""
    trials = Trials(cost, budget)
    chance = random.Random(seed)
    for _ in range(20 * budget):  # many may be equal where the space is small
        if trials.spent:
            break
        trials(random_config(space, chance.choice(list(space.choices)), chance))
    return trials.found


def ask_tpe(space: Space, cost: Cost, budget: int, seed: int = 1) -> Found:
    """Optuna's tree-structured Parzen estimator. Raises ImportError without the extra [tpe]."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    trials = Trials(cost, budget)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed, multivariate=True, group=True))
    impossible = 1e9  # the estimator wants a number
    for _ in range(budget):
        trial = study.ask()
        strategy = trial.suggest_categorical("strategy", list(space.choices))
        choices = space.choices[strategy]
        values = {k: trial.suggest_categorical(f"{strategy}.{k}", tried) for k, tried in choices.items()}
        seconds = trials(space.config(strategy, values))
        study.tell(trial, min(seconds, impossible))
    return trials.found
