# SPDX-License-Identifier: Apache-2.0
"""`weir estimate`: what output costs a long simulation."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from weir.century import PAPER_TABLE, Model
from weir.estimate import estimate


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(estimate, list(map(str, arguments)))


def test_century_agrees_with_the_paper() -> None:
    """Its bandwidths are rounded (~44 and ~380 MB/s); its 3-hourly row counts four outputs a day."""
    model = Model()
    for interval, outputs in (("weekly", "weekly"), ("daily", "daily"), ("3-hourly", "6-hourly")):
        _, sequential, _, parallel = PAPER_TABLE[interval]
        assert model.output_days(outputs, 44e6) == pytest.approx(sequential, rel=0.08)
        assert model.output_days(outputs, 380e6) == pytest.approx(parallel, abs=0.2)


def test_estimate_prints_the_table(tmp_path: Path) -> None:
    done = invoke("--bandwidth", "old=44MB", "--bandwidth", "380MB", "--every", "daily")
    assert done.exit_code == 0 and "190.57" in done.output and "22.07" in done.output
    runs = [{"mode": "remap", "bytes": 88e6, "seconds": [9.0, 2.0, 1.0], "verified": True}]
    (tmp_path / "run.json").write_text(json.dumps({"runs": runs}))
    assert "190.57" in invoke("--from", tmp_path / "run.json").output
    (tmp_path / "study.json").write_text(json.dumps({"study": "tseng2008", "bandwidths": {"sequential": 44e6}}))
    assert "190.57" in invoke("--from", tmp_path / "study.json").output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "no bandwidth is given"),
        (["--from", "/dev/null"], "/dev/null cannot be read as JSON"),
        (["--bandwidth", "fast"], "'fast' is no size above 0"),
        (["--bandwidth", "1MB", "--every", "sometimes"], "'sometimes' is no output interval"),
        (["--bandwidth", "1MB", "--output-size", "0"], "--output-size '0' is no size above 0"),
    ],
)
def test_estimate_refuses(arguments: list[str], words: str) -> None:
    done = invoke(*arguments)
    assert done.exit_code == 1 and words in done.output and done.output.count("\n") == 1
