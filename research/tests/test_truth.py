# SPDX-License-Identifier: Apache-2.0
"""What research/truth, research/truth_studies and research/gain make of measured and predicted times, and what they measure."""

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest
from weir import simulation

ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def tool(name: str) -> Iterator[ModuleType]:
    """A command of research/ as a module."""
    loader = SourceFileLoader(name, str(ROOT / "research" / name))
    module = module_from_spec(spec_from_loader(name, loader))
    sys.path.insert(0, str(ROOT / "research"))
    sys.modules[name] = module  # dataclasses look there
    try:
        loader.exec_module(module)
        yield module
    finally:
        sys.path.remove(str(ROOT / "research"))
        del sys.modules[name]


@pytest.fixture(scope="module")
def truth():
    with tool("truth") as module:
        yield module


@pytest.fixture(scope="module")
def studies():
    with tool("truth_studies") as module:
        yield module


@pytest.fixture(scope="module")
def gain():
    with tool("gain") as module:
        yield module


def found(truth, job: int, mode: str, seconds: list[float], predicted: float):
    return truth.Configuration(truth.JOBS[job], mode, 1000, seconds, predicted)


def test_measures_enough_of_every_strategy(truth):
    modes = [mode for job in truth.JOBS for mode in job.modes]
    assert len(modes) >= simulation.LEAST_CONFIGURATIONS
    for strategy in ("serial", "collective", "rows", "columns", "remap", "dynamic", "file_per_rank", "servers"):
        assert any(mode.split(":")[0] == strategy for mode in modes)
    assert len({job.name.split(",")[0] for job in truth.JOBS}) == len(truth.JOBS), "results have a file each"


def test_errors_are_of_the_median_and_tell_their_sign(truth):
    one = found(truth, 0, "serial", [1.0, 4.0, 2.0], 1.0)
    assert one.measured == 2.0
    assert one.error == -0.5
    others = [found(truth, 0, "remap", [1.0], 1.2), found(truth, 1, "columns", [3.0], 3.3)]
    error, correlation = truth.truth([one, *others])
    assert error == pytest.approx(0.2)
    assert correlation == pytest.approx(0.5)


def test_the_page_tells_parts_apart(truth):
    limited = next(i for i, job in enumerate(truth.JOBS) if job.storage)
    some = [
        found(truth, 0, "serial", [1.0, 1.5], 1.0),
        found(truth, 0, "columns", [2.0], 5.0),
        found(truth, limited, "collective", [8.0], 8.0),
    ]
    options = argparse.Namespace(rounds=2, repeat=3, packed=False)
    text = truth.page(some, options, 1.0)
    assert "Made by `research/truth --rounds 2`" in text
    assert "the median error of 2 configurations is 85% by\nthemselves; behind a given bandwidth that of 1 is 0.0%." in text
    assert "given bandwidth that" not in truth.page(some[:2], options, 1.0)
    assert "| all | 3 | 20.0% | +150% | 1.00 |" in text
    assert "| storage of a given bandwidth | 1 | 0.0% |" in text
    assert f"| {truth.JOBS[0].name} | columns | 0 | 2 | 2 to 2 | 5 | +150% |" in text
    assert "a factor of 6" in text
    data = truth.data_of(some, {"cpus": 2, "hostname": "secret"})
    assert data["machine"] == {"cpus": 2}
    assert data["configurations"][1]["error"] == pytest.approx(1.5)


def leave_job(folder: Path, name: str, *runs: dict) -> None:
    (folder / "jobs").mkdir(parents=True, exist_ok=True)
    results = {"command": ["--workload", "weak", "--scale", "0.1"], "machine": {"hosts": 2}, "runs": list(runs)}
    (folder / "jobs" / name).write_text(json.dumps(results), encoding="utf-8")


def run_of(mode: str, *visible: float, workload: str = "weak") -> dict:
    return {
        "workload": workload,
        "ranks": 8,
        "mode": mode,
        "bytes": 1000,
        "seconds": [2 * each for each in visible],
        "visible_seconds": list(visible),
    }


def test_studies_join_repeats_and_leave_out_what_is_not_simulated(studies, tmp_path: Path, capsys) -> None:
    folder = tmp_path / "peers"
    leave_job(folder, "find-weak.json", run_of("remap", 9.0))
    leave_job(folder, "weak-a.json", run_of("remap", 1.0, 3.0), run_of("peer:raw", 1.0))
    leave_job(folder, "weak-b.json", run_of("remap", 2.0), run_of("serial", 4.0), run_of("remap", 1.0, workload="map"))
    every = studies.gather("earthlab", folder)
    assert [each.mode for each in every if each.predicted == 0] == ["remap"]
    found = [each for each in every if each.predicted > 0]
    assert [(each.mode, each.seconds) for each in found] == [("remap", [1.0, 3.0, 2.0]), ("serial", [4.0])]
    assert all(0 < each.predicted < each.measured for each in found)
    assert "left out: map, remap" in capsys.readouterr().err
    text = studies.page(found, ["map"], "2 hosts")
    assert "left out: `map`." in text
    assert "(2 hosts;" in text
    assert "| peers | weak | 8 | remap | 3 | 2.000 |" in text
    assert "| `peers` | 2 | " in text


def test_gain_is_of_what_was_tuned(gain, capsys) -> None:
    machine = gain.load_machine("earthlab")
    shape = gain.Shape("weak", 64, 0.1, True)
    tuning = gain.tune_one(machine, shape.model(machine, 32), "descend", (20, 1.0))
    assert tuning.model.compute_seconds > 0
    assert tuning.found.seconds <= tuning.default_seconds
    cells = gain.cells(shape, tuning)
    assert cells[:2] == ["weak", "64"]
    assert cells[6] == gain.gain(tuning.default_seconds, tuning.found.seconds)
    assert gain.gain(4.0, 3.0) == "25 %"
    assert len(cells) == len(gain.HEAD)
