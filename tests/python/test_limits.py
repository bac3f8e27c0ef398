# SPDX-License-Identifier: Apache-2.0
"""What `weir report` says first: what limits a run, of runs that are limited in a known way and of made-up reports."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from weir.cli import main
from weir.limits import MOST_SENTENCES, limits
from weir.simulation import find_machine
from weir.trace import MODEL, Rank, Trace, commits_after_puts
from weir.what_if import Foresight

STEPS = ("plan", "put", "forward", "rearrange", "write", "commit", "wait")


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["report", *map(str, arguments)])


def run_bench(folder: Path, storage: str, *arguments: str) -> Path:
    """weir-bench on 4 ranks, on a storage as it is or of a bandwidth; its report."""
    program = Path(os.environ["WEIR_BUILD_DIR"]) / "bin" / "weir-bench"
    if not program.exists():
        pytest.skip("weir-bench is not built")
    tools = Path(os.environ["WEIR_SOURCE_DIR"]) / "tools"
    path = folder / "report.json"
    slowly = [tools / "slow_storage", storage] if storage else []
    command = [*slowly, tools / "launch", "-n", "4", "--timeout", "120", "--", program, "--workload", "weak", "--scale", "0.1"]
    options = ["--repeat", "1", "--warm-up", "0", "--no-verify", "--dir", folder, *arguments]
    environment = os.environ | {"WEIR_REPORT": str(path), "WEIR_DURABILITY": "cache"}
    subprocess.run([*command, *options], check=True, env=environment, capture_output=True)
    return path


# In each but those with rounds the limit costs seconds and everything else milliseconds, so that a busy machine does not change what is first.
@pytest.mark.parametrize(
    ("first", "storage", "arguments"),
    [
        ("The storage: ", "5MB", ["--modes", "remap", "--records", "2"]),
        ("The storage: ", "5MB", ["--modes", "dynamic:writers_at_once=4", "--records", "2"]),
        ("Late ranks: ", "", ["--modes", "remap", "--compute", "2", "--compute-kind", "sleep", "--imbalance", "0.9", "--halo", "none"]),
        ("The memory limit: ", "", ["--modes", "remap", "--records", "2", "--set", "buffer_limit=64KiB"]),
        ("The memory limit: ", "", ["--modes", "dynamic", "--records", "2", "--set", "buffer_limit=64KiB"]),
    ],
)
def test_a_run_that_is_limited_names_it_first(tmp_path: Path, first: str, storage: str, arguments: list[str]) -> None:
    result = invoke(run_bench(tmp_path, storage, *arguments))
    assert result.exit_code == 0, result.output
    assert result.output.startswith(first), result.output


def made_up(seconds: dict[str, float], visible: list[float], **others: object) -> dict:
    """A report of ranks whose steps all took alike."""
    ranks = len(visible)
    each = {
        "visible_seconds": visible,
        "hidden_seconds": [0.0] * ranks,
        "late_seconds": [0.0] * ranks,
        "slack_seconds": [0.0] * ranks,
        "bytes_written": [1000000] * ranks,
        "messages": [0] * ranks,
    }
    report = {
        "sentence": "output took 1 s; the model waited for 1 s of it.",
        "strategy": "remap",
        "ranks": ranks,
        "hosts": 1,
        "per_rank": each,
        "seconds": {step: {"mean": seconds.get(step, 0.0), "max": seconds.get(step, 0.0)} for step in STEPS},
        "files": [],
        "bytes_per_writer": {"min": 1000000, "mean": 1000000, "max": 1000000},
        "ranks_that_wrote": ranks,
        "busiest_rank": 0,
        "output_seconds": max(visible),
        "visible_seconds": max(visible),
        "hidden_seconds": 0.0,
    }
    counts = {"puts": 10, "plans": 1, "cycles": 2, "messages": 0, "message_bytes": 0, "bytes_put": 4000000}
    return report | counts | {"buffer_limit_bytes": 67108864, "high_water_bytes": 1000000} | others


def folded(seconds: float, **others: object) -> dict:
    """Of a report, what streams took in so many seconds of each rank."""
    times = {"accumulate_seconds": {"mean": seconds, "max": seconds}}
    return {"streams": times | {"bytes_sent": 4_000_000_000, "bytes_put": 4_000_000, "accumulator_bytes": 0, "each": []} | others}


@pytest.mark.parametrize(
    ("report", "words"),
    [
        (made_up({"write": 0.9}, [1.0] * 4), ["The storage: ", "writing 4 MB took up to 0.9 s on each of 4 ranks", "strategy: dynamic"]),
        (made_up({"wait": 0.6}, [1.0, 0.9, 0.1, 0.9]), ["Late ranks: rank 0 waited 1 s", "rank 2, which comes last, 0.1 s"]),
        (made_up({"wait": 0.9}, [1.0] * 4), ["Late ranks: a rank waited up to 0.9 s"]),
        (made_up({"wait": 0.9}, [1.0] * 4, cycles=400), ["10 puts went in 400 rounds", "67,108,864", "buffer_limit: 128MiB"]),
        (
            made_up({"wait": 0.9}, [1.0] * 4, high_water_bytes=33000000, hidden_seconds=0.5, bytes_put=400, puts=100),
            ["Too many small puts", "33,000,000 of the 67,108,864 bytes", "buffer_limit: 128MiB"],
        ),
        (made_up({"forward": 0.5}, [1.0] * 4, messages=7, message_bytes=5000000), ["The network: 7 messages of 5 MB"]),
        (made_up({"put": 0.9}, [1.0] * 4), ["Copies: ", "0.9 s", "1.11 MB/s a rank"]),
        (made_up({}, [1.0] * 4, puts=10000), ["Too many small puts: 10,000 puts of 100 bytes", "100 microseconds"]),
        (made_up({}, [1.0] * 4), ["Calls in which the ranks meet: 1 s of the 1 s", "10 puts by weir_put_vara"]),
        (made_up({}, [1.0] * 4, **folded(0.8)), ["Accumulating: folding 4 GB of samples", "0.8 s of the 1 s", "1.25 GB/s a rank"]),
        (made_up({}, [1.0] * 4, **folded(0.3)), ["Calls in which the ranks meet: 0.7 s of the 1 s", "Accumulating: "]),
        (made_up({"plan": 0.9}, [1.0] * 4, plans=10), ["Planning: 10 plans"]),
        (made_up({"commit": 0.9}, [1.0] * 4), ["Commits: weir_sync and weir_close took up to 0.9 s"]),
    ],
)
def test_each_limit_has_its_number_and_what_to_try(report: dict, words: list[str]) -> None:
    told = limits(report, None)
    assert 1 <= len(told) <= MOST_SENTENCES
    assert told[0].startswith(words[0].split(":")[0]) or words[0] in told[0]
    assert all(any(word in sentence for sentence in told) for word in words), told
    assert all(sentence.endswith(".") for sentence in told)


def test_ranks_that_serve_are_not_the_model() -> None:
    """A server waits for nothing: it is not the rank that all others wait for."""
    report = made_up({"write": 0.9}, [1.0, 1.0, 0.0])
    assert limits(report, None)[0].startswith("The storage: ")
    assert limits(made_up({}, [0.0, 0.0]), None) == []
    assert limits(made_up({}, [1.0, 1.0], puts=0), None) == []


def test_commits_at_once_are_told_where_the_model_computes() -> None:
    """The trace shows them; a commit after computing, and the last one, are none."""
    spans = [(0, 1, "put"), (1, 3, "commit"), (5, 6, "put"), (8, 9, "commit"), (9, 10, "put"), (10, 15, "commit")]
    assert list(commits_after_puts(reversed(spans))) == [2]
    rank = Rank(0, 1, [(0, 3, "call"), (3, 13, MODEL)], eager_commits=[0.5, 0.4])
    report = made_up({"write": 0.9, "commit": 0.9}, [1.0])
    assert limits(report, Trace("remap", {}, [rank]))[0].startswith("Commits right after puts: 2 times")
    assert limits(report, None)[0].startswith("The storage: ")
    rank.eager_commits = []
    last = limits(made_up({"commit": 0.9}, [1.0]), Trace("remap", {}, [rank]))
    assert "the last one, which nothing hides" in last[0]


def test_writing_in_turns_is_not_lateness() -> None:
    """Of 4 ranks each waits for the writing of all."""
    report = made_up({"write": 0.25, "wait": 0.9, "commit": 0.9}, [1.0] * 4)
    assert not any(sentence.startswith("Late ranks") for sentence in limits(report, None))


def test_a_damaged_report_is_a_sentence(tmp_path: Path) -> None:
    whole = made_up({"write": 0.9}, [1.0] * 4)
    path = tmp_path / "report.json"
    path.write_text(json.dumps(whole))
    assert invoke(path).exit_code == 0, invoke(path).output
    text = path.read_text()
    for end in range(0, len(text) - 1, 97):
        path.write_text(text[:end])
        assert_one_sentence(invoke(path))
    for key in [*whole.keys() - {"files"}, "advice"]:
        for value in (None, True, {}, float("inf"), float("nan")):
            path.write_text(json.dumps({**whole, key: value}))
            assert_one_sentence(invoke(path))


def assert_one_sentence(result: Result) -> None:
    assert result.exit_code == 1, result.output
    assert result.output.startswith("Error: ")
    assert len(result.output.splitlines()) == 1
    assert isinstance(result.exception, SystemExit)


def test_what_a_change_would_bring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a run that took what the simulator says, it says what another strategy takes; of another it promises nothing."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    data = {"bytes_put": 400_000_000, "files": [{"records": 2}], "elapsed_seconds": 60.0}
    foresight = Foresight(find_machine("earthlab").read_text(), "earthlab", made_up({}, [1.0] * 4, **data), computing=50.0)
    before, after = foresight._simulated({"strategy": "dynamic"})
    assert before > 1.2 * after > 0
    path = tmp_path / "report.json"
    path.write_text(json.dumps(made_up({"write": 0.9 * before}, [before] * 4, **data | {"elapsed_seconds": 50 + before})))
    told = invoke(path, "--machine", "earthlab").output.splitlines()[0]
    assert told.endswith(f"By the simulator `strategy: dynamic` would make it wait {after:.3g} s, and not {before:.3g} s.")
    # A rank that folds for 2 s of the 50 s folds as long under another strategy.
    streams = folded(2.0)
    path.write_text(json.dumps(made_up({"write": 0.9 * before}, [before + 2] * 4, **data | {"elapsed_seconds": 50 + before}, **streams)))
    told = "\n".join(invoke(path, "--machine", "earthlab").output.splitlines()[:3])
    assert f"By the simulator `strategy: dynamic` would make it wait {after + 2:.3g} s, and not {before + 2:.3g} s." in told
    other = data | {"elapsed_seconds": 50 + 10 * before}
    path.write_text(json.dumps(made_up({"write": 9 * before}, [10 * before] * 4, **other)))
    told = invoke(path, "--machine", "earthlab").output.splitlines()[0]
    assert "the simulator cannot tell" in told and f"would have waited {before:.3g} s, and not {10 * before:.3g} s." in told
    told = limits(made_up({"wait": 0.9, "write": 0.5}, [1.0, 1.0, 0.1, 1.0]), None, lambda change: f"Tried {change['strategy']}.")
    assert ["Tried dynamic." in sentence for sentence in told[:2]] == [True, False], "the same change twice"
    assert "`weir profile` measures this machine, once" in invoke(path).output
    assert 'found no profile "nowhere"' in invoke(path, "--machine", "nowhere").output
