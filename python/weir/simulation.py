# SPDX-License-Identifier: Apache-2.0
"""The simulator (simulate/): Weir's strategies on a machine that is not there.

>>> from weir.simulation import simulate
>>> simulate("earthlab", workload="weak", ranks=1000, modes=["remap", "dynamic"])["runs"][0]["seconds"]
"""

import json
import math
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import yaml

from weir import _simulate, cache

MACHINES = Path(__file__).parent / "machines"
Error = _simulate.Error


def machines() -> list[str]:
    """The names of the machines that ship with Weir."""
    return sorted(path.stem for path in MACHINES.glob("*.yaml"))


NOTHING_YET = "found no profile of this machine: run `weir profile` first, or name a machine with --machine"


def find_machine(name_or_path: str | None) -> Path:
    """The profile of a machine by its name (one that `weir profile` has measured, or that ships with Weir), or by the
    path of a file; None: this machine's, or the one measured last. Raises Error where there is none."""
    if not name_or_path:
        own = cache.profile_path(_simulate.machine_name())
        found = own if own.is_file() else cache.latest_profile()
        if found is None:
            raise Error(NOTHING_YET)
        return found
    for path in (cache.profile_path(name_or_path), MACHINES / f"{name_or_path}.yaml", Path(name_or_path)):
        if path.is_file():
            return path
    raise Error(
        f'found no profile "{name_or_path}": give a file that weir profile made, or one of {", ".join(machines())}'
    )


def read_machine(name_or_path: str | None) -> str:
    """The text of a machine's profile. Raises Error with a sentence where it is none."""
    path = find_machine(name_or_path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Error(f"{path} is no profile: {error}") from error
    _simulate.check_profile(text, str(path))
    return text


def simulate(machine: str | None, **request) -> dict:
    """Runs `modes` (as weir-bench names them) of a `workload` on `ranks` ranks of a machine, and what the keys of
    simulate/study.hpp say. Seconds are simulated ones. Raises Error with a sentence."""
    return json.loads(_simulate.study(json.dumps({"profile": str(find_machine(machine)), **request})))


def simulate_text(profile: str, **request) -> dict:
    """The same with the profile's text."""
    return json.loads(_simulate.study(json.dumps({"profile_text": profile, **request})))


def split_modes(text: str) -> list[str]:
    """Modes are separated by commas, and so are a mode's settings: "remap:writers=2,sink=null,serial" are two. Raises
    Error with a sentence."""
    return _simulate.split_modes(text)


def option_of(command: str, name: str, default: str) -> str:
    """The value of an option of a recorded command."""
    words = shlex.split(command)
    for word, value in zip(words, [*words[1:], ""], strict=True):
        if word == name:
            return value
        if word.startswith(f"{name}="):
            return word.split("=", 1)[1]
    return default


@dataclass
class Comparison:
    """A measured run of weir-bench, and what is predicted of it."""

    workload: str
    ranks: int
    mode: str
    measured: float
    predicted: float

    @property
    def error(self) -> float:
        return self.predicted / self.measured - 1


def is_simulated(run: dict) -> bool:
    return not run["mode"].startswith("peer:") and run["mode"] != "limit" and bool(run.get("seconds"))


def request_of(run: dict, command: str) -> dict:
    """What to simulate for a run of weir-bench's results."""
    request = {
        "workload": run["workload"],
        "ranks": run["ranks"],
        "modes": [run["mode"]],
        "records": run.get("records", 1),
        "scale": float(option_of(command, "--scale", "1")),
        "config": {},
    }
    if compute := run.get("compute"):
        keys = {
            "seconds": "seconds",
            "imbalance": "imbalance",
            "imbalance_kind": "kind",
            "halo": "halo",
            "steps": "steps",
        }
        request["compute"] = {ours: compute[theirs] for theirs, ours in keys.items()}
        request["compute"]["sleeps"] = compute.get("kind") == "sleep"
    return request


def slowed(profile: str, bandwidth: float, writer_bandwidth: float) -> str:
    """The profile with the rate that tools/slow_storage gives a file: of all its writers, and of one."""
    content = yaml.safe_load(profile)
    rates = {1: min(bandwidth, writer_bandwidth), math.ceil(bandwidth / writer_bandwidth): bandwidth}
    content["storage"]["rate"] = [{"at": at, "value": f"{rate:g}B/s"} for at, rate in rates.items()]
    return yaml.safe_dump(content)


def simulated_run(machine: str, run: dict, command: str, hosts: int = 1) -> dict:
    """A run of weir-bench's results, which a command has made on so many hosts, simulated."""
    request = request_of(run, command)
    request["ranks_per_node"] = math.ceil((run["ranks"] + run.get("reserved_ranks", 0)) / hosts)
    if bandwidth := run.get("bandwidth"):
        return simulate_text(slowed(read_machine(machine), bandwidth, run.get("writer_bandwidth", bandwidth)), **request)["runs"][0]
    return simulate(machine, **request)["runs"][0]


def predict(machine: str, run: dict, command: str, hosts: int = 1) -> float:
    """The seconds of simulated_run()."""
    return simulated_run(machine, run, command, hosts)["seconds"]


def measured_of(run: dict) -> list[float]:
    """The seconds of each repeat of a run of weir-bench's results, as far as they are simulated: without reading, which a
    model does outside its output. Where nothing computes the rest is what it waits for."""
    return run["seconds"] if run.get("compute") else run["visible_seconds"]


def compare(machine: str, results: dict) -> list[Comparison]:
    """Measured and predicted times of all runs of Weir in weir-bench's results (its JSON)."""
    command = results.get("command", "")
    hosts = max(1, int(results.get("machine", {}).get("hosts", 1)))
    return [
        Comparison(run["workload"], run["ranks"], run["mode"], median(measured_of(run)), predict(machine, run, command, hosts))
        for run in filter(is_simulated, results.get("runs", []))
    ]


def ranks_of(values: Sequence[float]) -> list[float]:
    """Each value's place in the order, equal ones sharing theirs."""
    order = sorted(range(len(values)), key=values.__getitem__)
    places = [0.0] * len(values)
    begin = 0
    while begin < len(order):
        end = begin
        while end < len(order) and values[order[end]] == values[order[begin]]:
            end += 1
        for i in order[begin:end]:
            places[i] = (begin + end - 1) / 2
        begin = end
    return places


def rank_correlation(one: Sequence[float], other: Sequence[float]) -> float:
    """Spearman's, from -1 to 1; not a number where one of them does not vary."""
    a, b = ranks_of(one), ranks_of(other)
    mean = (len(a) - 1) / 2
    above = sum((x - mean) * (y - mean) for x, y in zip(a, b, strict=True))
    below = math.sqrt(sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b))
    return above / below if below else math.nan


def truth(comparisons: Iterable[Comparison]) -> tuple[float, float]:
    """The median of the relative errors' sizes, and the rank correlation."""
    found = list(comparisons)
    errors = median(abs(each.error) for each in found)
    return errors, rank_correlation([each.measured for each in found], [each.predicted for each in found])


# What the simulator is held to: by the median error, the rank correlation, and how many runs that it was not fitted to.
MOST_ERROR, LEAST_CORRELATION, LEAST_CONFIGURATIONS = 0.15, 0.9, 40


def is_true_enough(comparisons: Sequence[Comparison]) -> bool:
    error, correlation = truth(comparisons)
    enough = len(comparisons) >= LEAST_CONFIGURATIONS
    return enough and error <= MOST_ERROR and correlation >= LEAST_CORRELATION
