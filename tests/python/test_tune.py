# SPDX-License-Identifier: Apache-2.0
# timeout: 120
"""`weir tune`: it finds what trying everything finds, its table is read as it was written, and bad input is told."""

import re
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from weir import cache
from weir._simulate import default_strategy, machine_name
from weir.cli import main
from weir.progress import Runs
from weir.simulation import Error, simulate_text
from weir.tuning.search import ask_tpe, descend, enumerate_all, guess
from weir.tuning.space import TAKEN, Job, Space, mode_of
from weir.tuning.table import Entry, Table, TableError, read_table, update, write_table

TOY = """
weir_machine: 1
name: toy
nodes: {cores: 4, memory: 8GiB}
copy: {bandwidth: 3GB/s}
network:
  within: {latency: 1us, bandwidth: 4GB/s}
  between: {latency: 20us, bandwidth: 200MB/s}
storage:
  shared: true
  coherent: true
  rate: [{at: 1, value: 100MB/s}, {at: 4, value: 220MB/s}]
  together: [{at: 1, value: 1}, {at: 4, value: 0.5}]
  total: 260MB/s
  commit: 2ms
"""


@pytest.fixture(autouse=True)
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "toy.yaml"
    path.write_text(TOY)
    return path


def toys_table() -> Path:
    return cache.tuned_path_of("toy")


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["tune", *map(str, arguments)])


def seconds_of(mode: str) -> float:
    compute = {"seconds": 0.05, "imbalance": 0.1, "steps": 1}
    request = {"workload": "weak", "ranks": 2, "scale": 0.1, "records": 2, "ranks_per_node": 2}
    return simulate_text(TOY, modes=[mode], compute=compute, **request)["runs"][0]["seconds"]


def test_finds_the_best_of_all(toy: Path) -> None:
    shape = ["--ranks", 2, "--ranks-per-node", 2, "--scale", 0.1, "--records", 2, "--compute", 0.05]
    result = invoke("--machine", toy, *shape, "--search", "exact")
    assert result.exit_code == 0, result.output
    tried = {}
    for strategy, choices in Space(Job(2, 2, 20), TAKEN).choices.items():
        for values in product(*choices.values()):
            mode = mode_of({"strategy": strategy, **dict(zip(choices, values, strict=True))})
            try:
                tried[mode] = seconds_of(mode)
            except Error:
                continue
    entry = read_table(toys_table()).entries[0]
    assert entry.seconds == pytest.approx(min(tried.values()) / 2, rel=1e-5)
    assert entry.default_seconds == pytest.approx(seconds_of(default_strategy) / 2, rel=1e-5)
    assert seconds_of(mode_of(entry.config)) / 2 == pytest.approx(entry.seconds, rel=1e-5)
    assert (entry.ranks, entry.hosts, entry.variables, entry.compute_seconds) == (2, 1, 20, 0.05)
    gain = 2 * (entry.default_seconds - entry.seconds)
    assert f"{gain:10.4g} s" in result.output
    assert "best of all " in result.output


def test_charges_writers_for_packing(toy: Path) -> None:
    """What is best for packed files has entries of its own, and is no sooner than the cores can pack."""
    toy.write_text(TOY + "packing: {zlib: {rate: 50MB/s, ratio: 2}}\n")
    shape = ["--machine", toy, "--ranks", 2, "--ranks-per-node", 2, "--scale", 0.5, "--records", 2, "--compute", 0.05]
    packed = ["--format", "netcdf4", "--compression", "zlib"]
    for options in ([], packed):
        result = invoke(*shape, "--search", "descend", "--budget", 30, *options)
        assert result.exit_code == 0, result.output
    plain, compressed = read_table(toys_table()).entries
    assert (plain.packing, compressed.packing) == ("", "netcdf4 zlib 1")
    least = compressed.bytes_per_record / 50e6 / 2
    assert plain.default_seconds < 0.05 + least
    assert compressed.default_seconds >= compressed.seconds > least
    assert "give --format" in invoke(*shape, "--compression", "zlib").output
    unknown = invoke(*shape, "--format", "zarr", "--compression", "zstd")
    assert unknown.exit_code == 1
    assert "how fast this machine compresses by zstd" in unknown.output


class Told:
    """What a bar is told."""

    def __init__(self) -> None:
        self.parts: list[float] = []

    def done(self, weight: float) -> None:
        self.parts.append(weight)


@pytest.mark.parametrize("runs", [0, 1, 10, 25])
def test_a_job_is_done_once_however_many_runs_it_has(runs: int) -> None:
    told = Told()
    with Runs(told) as job:  # type: ignore[arg-type]
        job.expect(10)
        for _ in range(runs):
            job.ran()
        assert sum(told.parts) == pytest.approx(min(runs / 10, 1))
    assert sum(told.parts) == pytest.approx(1)


def test_searches_come_near_it() -> None:
    space = Space(Job(8, 4, 20), TAKEN)

    def cost(config: dict) -> float:
        """Has its least where every key of one strategy is at its last choice, and is not separable."""
        choices = space.choices[config["strategy"]]
        off = sum(len(values) - 1 - values.index(config.get(key, values[-1])) for key, values in choices.items())
        return {"dynamic": 1.0}.get(config["strategy"], 2.0) + off + 0.1 * off**2

    best = enumerate_all(space, cost)
    assert best.seconds == 1.0
    for search in (descend, guess):
        found = search(space, cost, 300)
        assert found.runs <= 300
        assert best.seconds <= found.seconds < 8
    assert descend(space, cost, 300).seconds == best.seconds
    pytest.importorskip("optuna", reason="the extra [tpe] is not installed")
    assert ask_tpe(space, cost, 60).runs <= 60


def test_a_worse_search_keeps_what_is_known(toy: Path) -> None:
    shape = ["--machine", toy, "--ranks", 4, "--scale", 0.1, "--compute", 0.05]
    result = invoke(*shape, "--search", "descend")
    assert result.exit_code == 0
    assert re.search(r"best of [\d,]+ tried of [\d,]+ \(descend\)", result.output)
    assert "gap" not in result.output
    before = read_table(toys_table()).entries
    result = invoke(*shape, "--search", "random", "--budget", 1)
    assert result.exit_code == 0
    assert read_table(toys_table()).entries == before
    assert re.search(r"gap to the best known: [\d.]+ %", result.output)
    assert "is kept" in result.output


def entry(**changes: object) -> Entry:
    values = {"ranks": 16, "hosts": 2, "bytes_per_record": 10**9, "variables": 20, "compute_seconds": 0.5}
    return Entry(**{**values, "config": {"strategy": "remap"}, "seconds": 1.5, "default_seconds": 2.0, **changes})


def test_a_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "tuned.yaml"
    config = {"strategy": "dynamic", "writers_per_variable": 4, "bundle_size": "1MiB"}
    table = Table(
        "node", 2, "2026-01-31T12:00:00Z", [entry(config=config), entry(ranks=64, stripes={"stripe_count": 2})]
    )
    write_table(path, table)
    assert read_table(path) == table
    assert list(tmp_path.glob("*tuned*")) == [path]
    assert update(path, Table("node", 2, "", [entry(seconds=1.0)])) == ""
    assert [e.seconds for e in read_table(path).entries] == [1.5, 1.0]


def test_another_machines_table_is_set_aside() -> None:
    path = cache.tuned_path()
    path.parent.mkdir(parents=True)
    write_table(path, Table("other", 1, "", [entry()]))
    said = update(path, Table("node", 1, "", [entry()]))
    assert "the machine other" in said
    assert read_table(cache.tuned_path_of("other")).machine == "other"
    assert read_table(path).machine == "node"


def test_tuning_another_machine_leaves_this_ones_table(toy: Path) -> None:
    shape = ["--ranks", 2, "--scale", 0.01, "--search", "random", "--budget", 2]
    toy.write_text(TOY.replace("toy", machine_name()))
    assert f"table: {cache.tuned_path()}\n" in invoke("--machine", toy, *shape).output
    own = cache.tuned_path().read_text()
    toy.write_text(TOY)
    result = invoke("--machine", toy, *shape)
    assert f"table: {toys_table()}\n" in result.output
    assert read_table(toys_table()).machine == "toy"
    assert cache.tuned_path().read_text() == own


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("version: 2\nmachine: a\nentries: []\n", "version 2"),
        ("- 1\n", "keys and values"),
        ("version: 1\n", "no machine"),
        ("version: 1\nmachine: a\nentries: [{ranks: 1}]\n", "entry 1 has no hosts"),
        ("version: [", "is not YAML"),
    ],
)
def test_a_table_that_makes_no_sense_is_told(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "tuned.yaml"
    path.write_text(text)
    with pytest.raises(TableError, match=words):
        read_table(path)


def test_numbers_that_make_no_sense_are_told(tmp_path: Path) -> None:
    for name, value in [("seconds", -1.0), ("ranks", 0), ("variables", 1.5), ("seconds", float("nan"))]:
        write_table(tmp_path / "t.yaml", Table("a", 1, "", [entry(**{name: value})]))
        with pytest.raises(TableError, match=f"impossible {name}"):
            read_table(tmp_path / "t.yaml")


def test_profiles_that_are_none_are_told(toy: Path) -> None:
    assert "run `weir profile` first" in invoke().output
    for old, new, words in [
        ("weir_machine: 1", "weir_machine: 9", "version 9"),
        ("100MB/s", "-5MB/s", "is invalid"),
        ("latency: 20us", "latency: 2h", "is invalid"),
        ("commit: 2ms", "comit: 2ms", 'did you mean "commit"'),
    ]:
        toy.write_text(TOY.replace(old, new))
        result = invoke("--machine", toy, "--ranks", 2)
        assert result.exit_code == 1, result.output
        assert words in result.output
    assert not list(cache.cache_folder().glob("*tuned*"))


def test_what_is_doubtful_is_said(toy: Path) -> None:
    shape = ["--ranks", 2, "--scale", 0.01, "--search", "random", "--budget", 2]
    toy.write_text(TOY + "measured: 2001-01-31T12:00:00Z\n")
    result = invoke("--machine", toy, *shape)
    assert result.exit_code == 0, result.output
    assert "the profile is of toy" in result.output
    assert "days old" in result.output
    toy.write_text(TOY.replace("toy", machine_name()))
    result = invoke("--machine", toy, *shape)
    assert "tune: the profile" not in result.output


def test_a_run_that_does_not_fit_is_told(toy: Path) -> None:
    toy.write_text(TOY.replace("memory: 8GiB", "memory: 1KB"))
    result = invoke("--machine", toy, "--ranks", 4)
    assert result.exit_code == 1
    assert "cannot run on toy" in result.output
    assert "memory" in result.output or "buffers" in result.output
    result = invoke("--machine", toy)
    assert result.exit_code == 1
    assert "nothing to keep" in result.output
