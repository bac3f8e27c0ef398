# SPDX-License-Identifier: Apache-2.0
"""What tools/truth makes of measured and predicted times, and what it measures."""

import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def truth():
    loader = SourceFileLoader("truth", str(ROOT / "tools" / "truth"))
    module = module_from_spec(spec_from_loader("truth", loader))
    sys.path.insert(0, str(ROOT / "tools"))
    sys.modules["truth"] = module  # dataclasses look there
    try:
        loader.exec_module(module)
        yield module
    finally:
        sys.path.remove(str(ROOT / "tools"))
        del sys.modules["truth"]


def found(truth, job: int, mode: str, seconds: list[float], predicted: float):
    return truth.Configuration(truth.JOBS[job], mode, 1000, seconds, predicted)


def test_measures_enough_of_every_strategy(truth):
    modes = [mode for job in truth.JOBS for mode in job.modes]
    assert len(modes) >= truth.LEAST_CONFIGURATIONS
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
    limited = next(i for i, job in enumerate(truth.JOBS) if "--bandwidth" in job.options)
    some = [
        found(truth, 0, "serial", [1.0, 1.5], 1.0),
        found(truth, 0, "columns", [2.0], 5.0),
        found(truth, limited, "collective", [8.0], 8.0),
    ]
    text = truth.page(some, 2, 3)
    assert "| all | 3 | 20.0% | +150% | 1.00 |" in text
    assert "| storage of a given bandwidth | 1 | 0.0% |" in text
    assert f"| {truth.JOBS[0].name} | columns | 0 | 2 | 2 to 2 | 5 | +150% |" in text
    assert "a factor of 6" in text
    data = truth.data_of(some, {"cpus": 2, "hostname": "secret"})
    assert data["machine"] == {"cpus": 2}
    assert data["configurations"][1]["error"] == pytest.approx(1.5)
