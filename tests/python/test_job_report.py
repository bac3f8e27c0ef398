# SPDX-License-Identifier: Apache-2.0
"""`weir report` of a job in which several instances of Weir ran: their reports are told as one."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from weir.cli import main
from weir.job_report import ranks_in_words
from weir.report import read_report
from weir.trace import ReadError

STEPS = ("plan", "put", "forward", "rearrange", "write", "commit", "wait")


def invoke(command: str, *arguments: object) -> Result:
    return CliRunner().invoke(main, [command, *map(str, arguments)])


def instance(job_rank: list[int], visible: list[float], hidden: list[float], **others: object) -> dict:
    """A report of ranks with these numbers in the job, each of which put and wrote 10 MB."""
    ranks = len(job_rank)
    each = {"late_seconds": 0.25, "slack_seconds": 0.0, "bytes_written": 10_000_000, "messages": 2}
    output = [one + other for one, other in zip(visible, hidden, strict=True)]
    report = {
        "sentence": "output took long.",
        "strategy": "remap",
        "ranks": ranks,
        "hosts": 1,
        "host_names": ["node1"],
        "per_rank": {
            "job_rank": job_rank,
            "visible_seconds": visible,
            "hidden_seconds": hidden,
            **{key: [value] * ranks for key, value in each.items()},
        },
        "seconds": {step: {"mean": 0.5, "max": 1.0} for step in STEPS},
        "files": [{"path": "a.nc", "records": 2}],
        "bytes_per_writer": {"min": 10_000_000, "mean": 10_000_000, "max": 10_000_000},
        "ranks_that_wrote": ranks,
        "busiest_rank": output.index(max(output)),
        "output_seconds": max(output),
        "visible_seconds": max(visible),
        "hidden_seconds": max(hidden),
        "slack_seconds": 0.0,
        "began_unix_seconds": 1000.0,
        "elapsed_seconds": 10.0,
        "buffer_limit_bytes": 64_000_000,
        "high_water_bytes": 16_000_000,
        "bytes_put": 10_000_000 * ranks,
        "messages": 2 * ranks,
        "message_bytes": 2000 * ranks,
        "puts": 4,
        "plans": 1,
        "cycles": 4,
    }
    return report | others


def keep(folder: Path, *instances: dict, **others: object) -> Path:
    path = folder / "report.json"
    path.write_text(json.dumps({"instances": list(instances), **others}))
    return path


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """Ranks 0 and 1, and later ranks 1 and 2, of which rank 1 has waited longest."""
    later = {"strategy": "dynamic", "host_names": ["node1", "node2"], "hosts": 2, "began_unix_seconds": 1005.0}
    first = instance([0, 1], [1.0, 2.0], [4.0, 0.0])
    second = instance([1, 2], [3.0, 0.5], [1.0, 0.0], **later, high_water_bytes=48_000_000, files=[{"path": "b.nc"}])
    return keep(tmp_path, first, second, bridge={"files": [], "notes": []})


def test_each_rank_has_what_it_had_in_all(job: Path) -> None:
    told = read_report(job)
    assert told["sentence"] == "output took 6 s; the model waited for 5 s of it."
    assert told["per_rank"]["job_rank"] == [0, 1, 2]
    assert told["per_rank"]["visible_seconds"] == [1.0, 5.0, 0.5]
    assert told["per_rank"]["late_seconds"] == [0.25, 0.5, 0.25]
    assert told["per_rank"]["bytes_written"] == [10_000_000, 20_000_000, 10_000_000]
    assert (told["output_seconds"], told["visible_seconds"], told["hidden_seconds"], told["busiest_rank"]) == (6, 5, 1, 1)
    assert (told["ranks"], told["hosts"], told["strategy"]) == (3, 2, "remap and dynamic")
    assert (told["bytes_put"], told["puts"], told["messages"]) == (40_000_000, 8, 8)
    assert told["bytes_per_writer"] == {"min": 10_000_000, "mean": 13_333_333, "max": 20_000_000}
    assert told["seconds"]["write"] == {"mean": pytest.approx(2 / 3), "max": 2.0}
    assert told["elapsed_seconds"] == 15
    assert (told["high_water_bytes"], told["buffer_limit_bytes"]) == (48_000_000, 64_000_000)
    assert [file["path"] for file in told["files"]] == ["a.nc", "b.nc"]
    assert len(told["instances"]) == 2 and "bridge" in told


def test_instances_side_by_side_do_not_add_up(tmp_path: Path) -> None:
    told = read_report(keep(tmp_path, instance([0, 1], [1.0, 2.0], [0.0, 0.0]), instance([2], [3.0], [0.0])))
    assert (told["visible_seconds"], told["ranks"], told["hosts"]) == (3, 3, 1)
    assert told["seconds"]["write"]["max"] == 1


def test_says_each_and_all(job: Path) -> None:
    result = invoke("report", job)
    assert result.exit_code == 0, result.output
    assert result.output.startswith("The model waited longest for the instance on ranks 1 to 2:\n")
    assert "\n\noutput took 6 s; the model waited for 5 s of it.\nRank 1, the busiest, hid 17 %" in result.output
    assert "remap and dynamic, 3 ranks on 2 hosts: 40.0 MB put in 8 cycles" in result.output
    assert re.search(r"^ranks 0 to 1 +remap +1 +20\.0 MB +2\.0000 +5\.0000$", result.output, re.MULTILINE)
    assert re.search(r"^ranks 1 to 2 +dynamic +1 +20\.0 MB +3\.0000 +4\.0000$", result.output, re.MULTILINE)
    assert "later instances" not in result.output
    for rank in range(3):
        assert f"\nrank {rank} " in result.output
    answer = json.loads(invoke("report", "--json", job).output)
    assert answer["report"]["bytes_put"] == 40_000_000 and len(answer["report"]["instances"]) == 2


def test_says_that_there_were_more(tmp_path: Path) -> None:
    alone = [instance([rank], [float(rank)], [0.0]) for rank in range(30)]
    output = invoke("report", keep(tmp_path, *alone, more_instances=True)).output
    assert "(20 of 30: those whose model waited longest)" in output
    assert "(of later instances than 30 the file does not tell)" in output
    assert "\nrank 29 " in output


def test_is_watched(job: Path) -> None:
    result = invoke("watch", job)
    assert result.exit_code == 0, result.output
    assert "output took 6 s; the model waited for 5 s of it." in result.output
    assert "run: remap and dynamic, 3 ranks on 2 hosts" in result.output and "files: 2 files" in result.output


def test_streams_are_all_told(tmp_path: Path) -> None:
    each = {"name": "daily", "fields": 1, "files": 1, "records": 3, "bytes_put": 5, "accumulator_bytes": 8, "largest_error": 0.0}
    told = {"accumulate_seconds": {"mean": 1.0, "max": 2.0}, "bytes_sent": 10, "bytes_put": 5, "accumulator_bytes": 8, "each": [each]}
    alike = instance([0, 1], [1.0, 1.0], [0.0, 0.0], streams=told)
    found = read_report(keep(tmp_path, alike, alike, instance([2, 3], [1.0, 1.0], [0.0, 0.0])))["streams"]
    assert found["accumulate_seconds"] == {"mean": 1.0, "max": 4.0}
    assert (found["bytes_sent"], found["accumulator_bytes"], len(found["each"])) == (20, 16, 2)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"began_unix_seconds": None}, "began_unix_seconds is no number"),
        ({"host_names": None}, "host_names is no list"),
        ({"files": 3}, "files is no list"),
        ({"puts": "many"}, "puts is no number"),
        ({"ranks": 2}, "has not a number for each rank"),
    ],
)
def test_a_damaged_instance_is_a_sentence(tmp_path: Path, changes: dict, words: str) -> None:
    good = instance([0], [1.0], [0.0])
    with pytest.raises(ReadError, match=words):
        read_report(keep(tmp_path, good, good | changes))
    for whole in ([], [3], 3):
        (tmp_path / "report.json").write_text(json.dumps({"instances": whole}))
        result = invoke("report", tmp_path / "report.json")
        assert result.exit_code == 1 and "neither a report nor a trace" in result.output


def test_ranks_in_words() -> None:
    assert ranks_in_words([3]) == "rank 3"
    assert ranks_in_words([4, 2, 3]) == "ranks 2 to 4"
    assert ranks_in_words([0, 2, 4]) == "3 ranks of 0 to 4"
