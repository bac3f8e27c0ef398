# SPDX-License-Identifier: Apache-2.0
"""`weir simulate`, weir.simulation, and the counts of a simulated run beside those of a real one."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from weir import simulation
from weir.cli import main
from weir.trace import read_trace


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["simulate", *map(str, arguments)])


def refusal(*arguments: object) -> str:
    result = invoke(*arguments)
    assert result.exit_code != 0
    assert result.output.count("\n") <= 4, "a sentence, not a traceback"
    return result.output


def test_machines_of_the_papers_ship() -> None:
    assert {"kraken", "edison", "seaborg-sp3", "bluevista-sp5", "sandia-2006", "earthlab"} <= set(simulation.machines())


def test_the_program_knows_them_by_name_from_any_folder(tmp_path: Path) -> None:
    program = Path(os.environ["WEIR_BUILD_DIR"]) / "bin" / "weir-simulate"
    if not program.exists():
        pytest.skip("weir-simulate was not built")

    def seconds(machine: object) -> list[float]:
        found = tmp_path / "found.json"
        line = [program, "--machine", machine, "--ranks", 8, "--scale", 0.1, "--modes", "serial,remap", "--json", found]
        done = subprocess.run([str(word) for word in line], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return [run["seconds"] for run in json.loads(found.read_text())["runs"]]

    for machine in simulation.machines():
        assert seconds(machine) == seconds(simulation.find_machine(machine)), machine
    done = subprocess.run([program, "--machine", "eartlab"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and 'no profile "eartlab"' in done.stderr, done.stderr
    assert done.stderr.rstrip().endswith(", ".join(simulation.machines())), done.stderr


def test_seconds_of_nothing_are_none() -> None:
    """Differences of the simulated clock leave some 1e-15 of nothing: what is told is told to the nanosecond."""
    modes = ["none", "remap", "dynamic", "servers", "collective", "serial"]
    runs = simulation.simulate("earthlab", ranks=64, records=3, modes=modes, compute={"seconds": 0.7, "imbalance": 0.1})["runs"]
    runs += simulation.simulate("earthlab", workload="restart", ranks=130, scale=0.1, modes=["remap", "alone"])["runs"]
    for run in runs:
        told = {key: value for key, value in run.items() if key.endswith("seconds") and isinstance(value, float)}
        for key in ("steps", "mean_steps", "busy", "compress_processor_seconds"):
            told |= {f"{key}.{name}": value for name, value in run.get(key, {}).items()}
        assert {key: value for key, value in told.items() if value != round(value, 9)} == {}, run["mode"]


def test_hints_may_be_any_words() -> None:
    mode = "collective:sink=pnetcdf,hints.cb_config_list=*:1,hints.cb_nodes=2"
    found = simulation.simulate("earthlab", workload="weak", ranks=4, scale=0.1, modes=[mode])
    assert found["runs"][0]["seconds"] > 0


@pytest.mark.parametrize("machine", simulation.machines())
def test_every_machine_writes_faster_with_more_writers(machine: str) -> None:
    runs = simulation.simulate(machine, workload="cam-fvb", ranks=16, ranks_per_node=2, modes=["serial", "remap"])["runs"]
    assert runs[1]["seconds"] < runs[0]["seconds"]
    assert runs[0]["bytes_written"] == runs[1]["bytes_written"] == runs[0]["bytes"]


def test_the_table_says_where_the_time_goes() -> None:
    request = ["--machine", "earthlab", "--ranks", 128, "--modes", "none,remap:writers=4,sink=null,dynamic", "--compute", 0.5]
    result = invoke(*request)
    assert result.exit_code == 0, result.output
    head, *rows = result.output.strip().splitlines()
    assert head.split()[:5] == ["mode", "MB", "seconds", "MB/s", "/"]
    assert [row.split()[0] for row in rows] == ["none", "remap:writers=4,sink=null", "dynamic"]
    saved = json.loads(invoke(*request, "--json").output)
    assert saved["machine"] == "earthlab"
    assert [run["mode"] for run in saved["runs"]] == ["none", "remap:writers=4,sink=null", "dynamic"]


def test_the_timeline_is_one_that_report_draws(tmp_path: Path) -> None:
    trace, page = tmp_path / "trace.json", tmp_path / "page.html"
    assert invoke("--machine", "earthlab", "--ranks", 70, "--modes", "dynamic", "--compute", 0.1, "--trace", trace).exit_code == 0
    read = read_trace(trace)
    assert len(read.ranks) == 70 and len(read.hosts) == 2
    assert any(rank.background for rank in read.ranks)
    result = CliRunner().invoke(main, ["report", str(trace), "--html", str(page)])
    assert result.exit_code == 0, result.output
    assert "<svg" in page.read_text()


def test_bad_input_is_told_in_a_sentence(tmp_path: Path) -> None:
    assert 'found no profile "eartlab"' in refusal("--machine", "eartlab")
    assert "unknown key" in refusal("--machine", "earthlab", "--modes", "remap:writrs=2")
    assert "not known; take one of" in refusal("--machine", "earthlab", "--workload", "wek")
    nonsense = tmp_path / "nonsense.yaml"
    text = simulation.find_machine("earthlab").read_text()
    nonsense.write_text(text.replace("{value: 2us", "{value: 2h"))
    assert "network.between.latency.value" in refusal("--machine", nonsense)
    nonsense.write_text(text.replace("weir_machine: 1", "weir_machine: 7"))
    assert "this Weir reads version 1" in refusal("--machine", nonsense)
    nonsense.write_text(text.replace("memory: 256GB", "memory: 1MB"))
    assert "lower buffer_limit" in refusal("--machine", nonsense, "--ranks", 60)


def test_where_nothing_can_be_written_is_told(tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere" / "out"
    assert str(nowhere) in refusal("--machine", "earthlab", "--ranks", 2, "--trace", nowhere)


def test_the_environment_changes_no_simulation(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run is what its mode says, whatever is set for the models that run here."""
    modes = ["remap:writers_per_host=1", "remap:writers_per_host=8"]

    def seconds() -> list[float]:
        runs = simulation.simulate("earthlab", workload="weak", ranks=16, scale=0.1, modes=modes)["runs"]
        return [run["seconds"] for run in runs]

    before = seconds()
    assert before[0] != before[1]
    for name, value in (("WRITERS_PER_HOST", "4"), ("STRATEGY", "auto"), ("CONFIG", "/nowhere"), ("NO_KEY", "1")):
        monkeypatch.setenv(f"WEIR_{name}", value)
    assert seconds() == before


def test_settings_of_a_mode_win_over_those_of_all() -> None:
    config = {"writers": 4, "hints": {"cb_nodes": 2}}
    found = simulation.simulate(
        "earthlab", ranks=16, scale=0.1, modes=["remap", "remap:writers=8,hints.cb_nodes=4"], config=config
    )
    assert [run["writers"] for run in found["runs"]] == [4, 8]
    with pytest.raises(simulation.Error, match="config: 7 is no map"):
        simulation.simulate("earthlab", ranks=2, config=7)


def test_results_of_another_machine_are_refused(tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    run = {"workload": "weak", "ranks": 4, "mode": "remap", "seconds": [1.0]}
    results.write_text(json.dumps({"machine": {"cpus": 2}, "runs": [run, run]}))
    assert "take the profile of that machine" in refusal("--machine", "earthlab", "--against", results)
    bad = tmp_path / "bad.yaml"
    for text, words in (("weir_machine: 1\nname: bad\n", "nodes"), ("- 1\n", "bad.yaml"), ("a: [", "bad.yaml")):
        bad.write_text(text)
        assert words in refusal("--machine", bad, "--against", results)
    bad.write_bytes(b"\xff\xfe")
    assert "is no profile" in refusal("--machine", bad, "--against", results)
    results.write_text("{}")
    assert "holds no results of weir-bench" in refusal("--machine", "earthlab", "--against", results)


def test_against_compares(tmp_path: Path) -> None:
    runs = simulation.simulate("earthlab", workload="weak", ranks=8, scale=0.1, modes=["serial", "remap", "dynamic"])["runs"]
    results = {
        "machine": {"cpus": 60, "hosts": 1},
        "command": "weir-bench --workload weak --scale 0.1",
        "runs": [{**run, **dict.fromkeys(("seconds", "visible_seconds"), [run["seconds"] * 2] * 3)} for run in runs]
        + [{"mode": "peer:pnetcdf", "seconds": [1]}],
    }
    found = simulation.compare("earthlab", results)
    assert [each.mode for each in found] == ["serial", "remap", "dynamic"]
    assert [each.error for each in found] == pytest.approx([-0.5] * 3)
    error, correlation = simulation.truth(found)
    assert (error, correlation) == (pytest.approx(0.5), pytest.approx(1))


def test_reading_the_input_is_not_compared() -> None:
    run = {"seconds": [3.0], "visible_seconds": [2.0]}
    assert simulation.measured_of(run) == [2.0]
    assert simulation.measured_of({**run, "compute": {"seconds": 1.0}}) == [3.0]


def test_rank_correlation() -> None:
    assert simulation.rank_correlation([1, 2, 3, 4], [10, 20, 30, 25]) == pytest.approx(0.8)
    assert simulation.rank_correlation([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)


def measured_counts(tmp_path: Path, ranks: int, workload: str, modes: str) -> list[dict]:
    """Of the only run of each mode: what weir-bench's report counts."""
    build, source = Path(os.environ["WEIR_BUILD_DIR"]), Path(os.environ["WEIR_SOURCE_DIR"])
    results = tmp_path / "bench.json"
    command = [source / "tools" / "launch", "-n", str(ranks), "--timeout", "100", "--", build / "bin" / "weir-bench"]
    command += ["--workload", workload, "--scale", "0.02", "--records", "2", "--modes", modes, "--repeat", "1"]
    command += ["--warm-up", "0", "--dir", tmp_path, "--json", results, "--no-verify"]
    subprocess.run(command, check=True, capture_output=True)
    return json.loads(results.read_text())["runs"]


@pytest.mark.parametrize("workload", ["weak", "cam-fvb", "licom"])
def test_a_real_run_counts_the_same(tmp_path: Path, workload: str) -> None:
    """The same planner, scheduler and memory rules: cycles, messages and their bytes are those of a real run."""
    modes = ",".join(
        f"{mode}:debug.ranks_per_host=2,buffer_limit=1MiB"
        for mode in ("serial", "remap", "rows", "columns", "dynamic", "file_per_domain")
    )
    for run in measured_counts(tmp_path, 4, workload, modes):
        simulated = simulation.simulate(
            "earthlab", workload=workload, ranks=4, scale=0.02, records=2, modes=[run["mode"]]
        )["runs"][0]
        counted = {key: run["report"][key] for key in ("cycles", "messages", "message_bytes", "plans")}
        assert {key: simulated[key] for key in counted} == counted, run["mode"]
        assert simulated["bytes"] == run["bytes"]


@pytest.mark.parametrize("stored", ["netcdf4", "zarr"])
@pytest.mark.parametrize("workload", ["weak", "cam-fvb"])
def test_a_real_run_of_packed_chunks_counts_the_same(tmp_path: Path, workload: str, stored: str) -> None:
    """Tiles are cut at the same chunks, and given to the same writers, whether they are compressed or not."""
    modes = ",".join(
        f"{mode}:debug.ranks_per_host=2,buffer_limit=4MiB,format={stored},compression={compression}"
        for mode in ("serial", "remap", "rows", "collective", "dynamic")
        for compression in ("none", "zlib")
    )
    packing = "packing: {zlib: {rate: 200MB/s, ratio: 2}}\n"
    for run in measured_counts(tmp_path, 4, workload, modes):
        simulated = simulation.simulate_text(
            simulation.read_machine("earthlab") + packing, workload=workload, ranks=4, scale=0.02, records=2, modes=[run["mode"]]
        )["runs"][0]
        counted = {key: run["report"][key] for key in ("cycles", "messages", "message_bytes", "plans")}
        assert {key: simulated[key] for key in counted} == counted, run["mode"]
        assert (simulated["compress_processor_seconds"]["sum"] > 0) == ("zlib" in run["mode"])
        assert ("compress_processor_seconds" in run["report"]) == ("zlib" in run["mode"])
