# SPDX-License-Identifier: Apache-2.0
"""The command line has one shape: every verb has an example, exit codes, --json, and a sentence where something is wrong."""

import json
import os
import shlex
import subprocess
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from weir import cache, simulation
from weir.cli import VERBS, main
from weir.verb import Verb

NAMES = [verb.name for verb in VERBS]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(main, [*map(str, arguments)])


def test_no_verb_is_left_out() -> None:
    assert sorted(main.commands) == sorted(NAMES)
    assert {"profile", "simulate", "tune", "merge", "convert", "verify", "report", "watch", "estimate", "doctor", "demo"} <= set(NAMES)


@pytest.mark.parametrize("verb", VERBS, ids=NAMES)
def test_help_has_an_example_and_the_exit_codes(verb: Verb) -> None:
    for flag in ("--help", "-h"):
        result = invoke(verb.name, flag)
        assert result.exit_code == 0
    text = result.output
    assert "--json" in text
    assert {0, 1, 2} <= set(verb.codes)
    codes = text.partition("Exit codes:")[2].split()
    assert all(str(code) in codes for code in verb.codes)
    assert verb.example and all(line.strip() in text for line in verb.example.splitlines())
    assert all(option.help for option in verb.params if isinstance(option, click.Option) and not option.hidden), (
        "an option without a word"
    )


@pytest.mark.parametrize("verb", VERBS, ids=NAMES)
def test_examples_are_parsed(verb: Verb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every word of an example is one that the verb knows."""
    monkeypatch.chdir(tmp_path)
    for name in ("report.json", "trace.json"):
        Path(name).touch()
    for line in verb.example.splitlines():
        program, name, *words = (word.replace("/scratch", ".") for word in shlex.split(line))
        assert (program, name) == ("weir", verb.name)
        verb.make_context(name, words, resilient_parsing=False)


@pytest.mark.parametrize("verb", VERBS, ids=NAMES)
def test_a_wrong_command_line_is_2(verb: Verb) -> None:
    result = invoke(verb.name, "--no-such-option")
    assert result.exit_code == 2
    assert "No such option" in result.output and "Traceback" not in result.output


def test_errors_of_ranks_come_without_the_launchers_words(tmp_path: Path) -> None:
    weir = [Path(os.environ["WEIR_SOURCE_DIR"]) / ".venv" / "bin" / "weir"]
    for words in (["merge", "-n", "3", tmp_path / "none.nc"], ["profile", "-n", "1", "--seconds", "2", "--dir", tmp_path]):
        done = subprocess.run([*weir, *words], capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert done.stderr.startswith("weir-") and done.stderr.count("\n") == 1, done.stderr


def test_simulate_takes_what_profile_has_measured() -> None:
    result = invoke("simulate", "--ranks", 4)
    assert result.exit_code == 1 and "run `weir profile` first" in result.output
    path = cache.profile_path("measured-here")
    path.parent.mkdir(parents=True)
    path.write_text(simulation.find_machine("earthlab").read_text())
    for machine in ([], ["--machine", "measured-here"]):
        result = invoke("simulate", "--ranks", 4, "--json", *machine)
        assert result.exit_code == 0, result.output
        assert [run["mode"] for run in json.loads(result.output)["runs"]] == ["remap", "dynamic"]


def test_one_bad_mode_leaves_the_others() -> None:
    runner = CliRunner()
    words = ["simulate", "--machine", "earthlab", "--ranks", "4", "--modes", "serial,remap:writrs=2,dynamic"]
    result = runner.invoke(main, words)
    assert result.exit_code == 1
    assert [line.split()[0] for line in result.stdout.splitlines()] == ["mode", "serial", "dynamic"]
    assert result.stderr.startswith("Error: remap:writrs=2: ") and "unknown key" in result.stderr


def test_answers_in_json(tmp_path: Path) -> None:
    estimated = json.loads(invoke("estimate", "--json", "--bandwidth", "remap=144MB").output)
    assert estimated[0]["output"] == "weekly, remap" and "output, hours" in estimated[0]
    other, nowhere = tmp_path / "other.nc", tmp_path / "nowhere.nc"
    other.write_text("no file of netCDF")
    for files, code in (([nowhere], 2), ([nowhere, other], 1)):
        result = invoke("verify", "--json", *files)
        assert result.exit_code == code
        verdicts = {Path(answer["file"]).name: answer["verdict"] for answer in json.loads(result.output)}
        assert verdicts["nowhere.nc"] == "cannot be judged" and verdicts.get("other.nc", "damaged") == "damaged"
    tuned = invoke("tune", "--json", "--machine", "earthlab", "--ranks", 4, "--scale", 0.01, "--budget", 20, "--search", "descend")
    assert tuned.exit_code == 0, tuned.output
    assert json.loads(tuned.stdout)["entries"][0]["ranks"] == 4
