# SPDX-License-Identifier: Apache-2.0
"""`weir watch`: of a run that goes on, one that was killed, one that has ended, and of files that tell nothing."""

import json
import os
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from weir.cli import main
from weir.watch import SILENT_SECONDS, look_at

PATIENCE_SECONDS = 60
STEPS = {"plan": 0, "put": 0.1, "forward": 0, "rearrange": 0, "write": 3.5, "commit": 0.2, "wait": 0.3}


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["watch", *map(str, arguments)])


def status(**changes: object) -> dict:
    """As a run over 4 ranks keeps it, of which this process is rank 0."""
    return {
        "weir_status": 1,
        "state": "running",
        "host": socket.gethostname(),
        "process": os.getpid(),
        "strategy": "dynamic",
        "ranks": 4,
        "hosts": 1,
        "elapsed_seconds": 20.5,
        "told_seconds": 20.0,
        "buffer_limit_bytes": 64000000,
        "records": 3,
        "bytes": 80000000,
        "high_water_bytes": 16000000,
        "output_seconds": 4.0,
        "visible_seconds": 0.5,
        "seconds": STEPS,
        "files": 1,
        "open_files": [{"path": "ocean.nc", "records": 3, "committed": 2}],
        "warning": "",
        "in_call_seconds": 0,
        "in_storage_seconds": 0,
        "behind": "",
    } | changes


def keep(folder: Path, silent_seconds: float = 0, **changes: object) -> Path:
    """The report that will be; its status was written so long ago."""
    path = folder / "report.json.live"
    path.write_text(json.dumps(status(**changes)))
    when = time.time() - silent_seconds
    os.utime(path, (when, when))
    return folder / "report.json"


def test_a_run_that_goes_on(tmp_path: Path) -> None:
    run = keep(tmp_path)
    for name in (run, tmp_path / "report.json.live", tmp_path):
        result = invoke(name)
        assert result.exit_code == 0, result.output
        assert result.output.startswith("The run goes on, 20 s after its start.\nThe model computes.\n")
    for words in (
        "output took 4 s; the model waited for 0.5 s of it.",
        "run: dynamic, 4 ranks on 1 host",
        "records: 3",
        "put: 80 MB",
        "a second of the run: 4 MB/s",
        "ocean.nc: 3 records, 2 of them committed",
        "memory, fullest rank of rank 0's host: 16 MB of 64 MB (25 %)",
        "warning: none",
    ):
        assert words in result.output


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"in_call_seconds": 12.2, "behind": "2, 3"}, "in Weir's calls for 12 s: of rank 0's host, rank(s) 2, 3 have not come"),
        ({"in_call_seconds": 12.2}, "in Weir's calls for 12 s; most of rank 0's time in them was the step write"),
        ({"in_call_seconds": 12.2, "seconds": STEPS | {"accumulate": 4.5}}, "rank 0's time in them was the step accumulate"),
        ({"in_call_seconds": 12.2, "in_storage_seconds": 9.6}, "waits for the storage: one call to it goes on for 10 s"),
        ({"warning": "the storage is slow"}, "warning: the storage is slow"),
    ],
)
def test_what_waits_for_what(tmp_path: Path, changes: dict, words: str) -> None:
    result = invoke(keep(tmp_path, **changes))
    assert result.exit_code == 0
    assert words in result.output


def test_a_run_that_is_silent_may_have_been_killed(tmp_path: Path) -> None:
    result = invoke(keep(tmp_path, silent_seconds=40, host="another host"))
    assert result.exit_code == 1
    assert result.output.startswith("Nothing heard for 40 s: the run was killed or suspended, or its storage hangs")
    assert look_at(keep(tmp_path, silent_seconds=SILENT_SECONDS - 10)).alive
    gone = subprocess.Popen(["true"])
    gone.wait()
    result = invoke(keep(tmp_path, silent_seconds=2, process=gone.pid))
    assert result.exit_code == 1
    assert result.output.startswith(f"Nothing heard for 2 s: the process of rank 0 ({gone.pid} on ")
    assert "the run was killed" in result.output
    result = invoke(keep(tmp_path, state="ended"))
    assert result.exit_code == 1
    assert result.output.startswith("The run has ended without a report")


def test_for_scripts(tmp_path: Path) -> None:
    result = invoke("--once", "--json", keep(tmp_path))
    answer = json.loads(result.output)
    assert (result.exit_code, answer["state"], answer["told"]["records"]) == (0, "running", 3)
    answer = json.loads(invoke("--json", keep(tmp_path, silent_seconds=40, host="another host")).output)
    assert (answer["state"], answer["silent_seconds"]) == ("silent", pytest.approx(40, abs=PATIENCE_SECONDS))


def assert_sentence(result: Result, words: str) -> None:
    assert result.exit_code == 2, result.output
    assert words in result.output
    assert result.output.count("\n") == 1 and "Traceback" not in result.output


def test_what_tells_nothing_is_a_sentence(tmp_path: Path) -> None:
    assert_sentence(invoke(tmp_path), "no run goes on there")
    assert_sentence(invoke(tmp_path / "report.json"), "start the model with WEIR_REPORT=report.json")
    run = keep(tmp_path, weir_status=2)
    assert_sentence(invoke(run), "of another version of Weir (2; this one reads 1)")
    whole = json.dumps(status())
    live = tmp_path / "report.json.live"
    for end in range(0, len(whole) - 1, 53):
        live.write_text(whole[:end])
        assert_sentence(invoke(run), "report.json.live is no status of Weir, or cut off")
    live.write_text(json.dumps(status(seconds=STEPS | {"accumulate": "long"})))
    assert_sentence(invoke(run), "report.json.live")
    for key in status().keys() - {"state"}:
        for value in (None, True, {}, float("inf"), [1]):
            live.write_text(json.dumps(status(**{key: value})))
            assert_sentence(invoke(run), "report.json.live")
    live.unlink()
    run.write_text("{}")
    assert_sentence(invoke(run), "neither a report nor a trace of Weir")


@pytest.fixture
def bench(tmp_path: Path):
    """Starts weir-bench with a report in the test's folder, for as many records as are wanted; ends it."""
    program = Path(os.environ["WEIR_BUILD_DIR"]) / "bin" / "weir-bench"
    if not program.exists():
        pytest.skip("weir-bench is not built")
    launch = Path(os.environ["WEIR_SOURCE_DIR"]) / "tools" / "launch"
    started: list[subprocess.Popen] = []

    def start(records: int) -> subprocess.Popen:
        command = [launch, "-n", "3", "--timeout", "100", "--", program, "--workload", "weak", "--scale", "0.01"]
        command += ["--modes", "remap", "--repeat", "1", "--warm-up", "0", "--no-verify", "--dir", tmp_path]
        command += ["--records", str(records), "--compute", "0.3", "--compute-kind", "sleep"]
        environment = os.environ | {"WEIR_REPORT": str(tmp_path / "report.json")}
        started.append(subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        return started[-1]

    yield start
    for process in started:
        process.terminate()
        process.wait(timeout=PATIENCE_SECONDS)


def wait_until(holds) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.1)


def records_of(run: Path) -> int:
    result = invoke("--once", "--json", run)
    return json.loads(result.output)["told"].get("records", -1) if result.exit_code == 0 else -1


def test_a_real_run_that_ends_well(bench, tmp_path: Path) -> None:
    run = tmp_path / "report.json"
    process = bench(6)
    wait_until(lambda: records_of(run) >= 1)
    told = json.loads(invoke("--json", run).output)
    assert told["state"] == "running" and told["told"]["ranks"] == 3
    assert process.wait(timeout=PATIENCE_SECONDS) == 0
    result = invoke(run)
    assert result.exit_code == 0, result.output
    assert result.output.startswith("The run has ended well")
    assert "the model waited for" in result.output
    assert not run.with_name("report.json.live").exists()


def test_a_real_run_that_is_killed(bench, tmp_path: Path) -> None:
    run = tmp_path / "report.json"
    bench(1000)
    wait_until(lambda: records_of(run) >= 1)
    os.kill(int(json.loads(invoke("--json", run).output)["told"]["process"]), signal.SIGKILL)
    wait_until(lambda: invoke(run).exit_code == 1)
    result = invoke(run)
    assert "is gone; the run was killed" in result.output
    assert "ocean" not in result.output and "records, " in result.output
