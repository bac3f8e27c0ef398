# SPDX-License-Identifier: Apache-2.0
# timeout: 300
"""tools/faults finds what it is there to find: a file that is damaged, ranks that hang, crash or are told different
things. A harness that finds nothing must not pass."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "harness"))

from drive import carry, command, draw, inputs, soak  # noqa: E402
from drive.carry import ATTEMPTS, GROUPS, NOT_REACHED, Bench, Result  # noqa: E402
from drive.faults import DEADLY_CALLS, FAILING_CALLS, Fault  # noqa: E402
from drive.job import Run, carry_out  # noqa: E402
from drive.judge import Notes, Verdict, judge, judge_likeness, judge_waiting  # noqa: E402
from drive.plan import fixed_script  # noqa: E402
from drive.tables import summary  # noqa: E402
from drive.ways import way_of  # noqa: E402

LIBRARY = Path(os.environ["WEIR_BUILD_DIR"]) / "lib" / "libweir.so"
if "san.so" in subprocess.run(["ldd", LIBRARY], capture_output=True, text=True, check=True).stdout:
    pytest.skip("a preloaded library cannot come before a sanitizer", allow_module_level=True)
RECORDS = 5
SOURCE = Path(__file__).resolve().parents[2]
# Calls of MPI that reach no other rank and no file, or only ask whether something has come.
HARMLESS = set(
    "MPI_Comm_rank MPI_Comm_set_errhandler MPI_Comm_size MPI_Error_string MPI_Finalized MPI_Get_count "
    "MPI_Get_library_version MPI_Improbe MPI_Initialized "
    "MPI_Info_create MPI_Info_free MPI_Info_set MPI_Iprobe MPI_Query_thread MPI_Test MPI_Testall MPI_Type_commit "
    "MPI_Type_create_hindexed MPI_Type_free".split()
)


def a_run(way: str = "remap", fault: Fault | None = None, **more) -> Run:
    return Run("test/1:1", way_of(way), 3, fixed_script(append=True), [2, 12, 10], 7, fault, timeout=60.0, **more)


@pytest.fixture
def bench(tmp_path: Path):
    made = Bench(tmp_path / "bench")
    yield made
    made.close()


@pytest.fixture
def whole(bench: Bench) -> Path:
    """The file of a run in which nothing goes wrong."""
    verdict = bench.run(a_run())
    assert verdict.outcome() == "OK", verdict.problems
    assert (verdict.records, verdict.states) == (RECORDS, {0: (1, RECORDS)})
    return bench.folder / "run" / "files" / "file0.nc"


def kinds_found(bench: Bench) -> set[str]:
    return judge(a_run(), bench.folder / "run", 0, bench.reader).kinds


@pytest.mark.parametrize("place", [-1, 3000])
def test_a_value_that_is_wrong(bench: Bench, whole: Path, place: int) -> None:
    data = bytearray(whole.read_bytes())
    data[place] ^= 1
    whole.write_bytes(data)
    assert kinds_found(bench) == {"lost"}


@pytest.mark.parametrize("records", [RECORDS - 1, RECORDS + 1])
def test_a_record_count_that_is_wrong(bench: Bench, whole: Path, records: int) -> None:
    data = whole.read_bytes()
    whole.write_bytes(data[:4] + records.to_bytes(8, "big") + data[12:])
    assert kinds_found(bench) == ({"lost"} if records < RECORDS else {"extra"})


def test_a_file_that_is_gone_or_cut_off(bench: Bench, whole: Path) -> None:
    whole.write_bytes(whole.read_bytes()[:-100])
    assert kinds_found(bench) == {"lost"}
    whole.unlink()
    assert kinds_found(bench) == {"lost"}


PACKED = {"format": "netcdf4", "compression": "zlib", "chunk_records": 24}


@pytest.mark.parametrize("record", [RECORDS - 1, RECORDS - 2])
def test_a_value_of_netcdf4_that_is_wrong(bench: Bench, record: int) -> None:
    netCDF4 = pytest.importorskip("netCDF4")
    run = a_run(options=PACKED)
    assert bench.run(run).outcome() == "OK"
    with netCDF4.Dataset(bench.folder / "run" / "files" / "file0.nc", "a") as file:
        file["temp"][record, 0, 0, 0] += 1
    assert judge(run, bench.folder / "run", 0, bench.reader).kinds == {"lost"}


def test_an_undo_log_that_is_needed(bench: Bench) -> None:
    run = a_run(options=PACKED, fault=Fault(0, "commit:3", "write", 5, "tear"))
    verdict = bench.run(replace(run, timeout=3.0))
    assert not verdict.problems and verdict.fired and verdict.undo_logs == 1 and verdict.records == 2
    (bench.folder / "run" / "files" / ".file0.nc.journal.weir").unlink()
    assert judge(run, bench.folder / "run", 0, bench.reader).kinds & {"lost", "extra"}


def test_ranks_that_wait_for_ever(bench: Bench) -> None:
    """Those of PnetCDF do, when one of them is killed."""
    kill = Fault(1, "put:3", "any", 1, "kill")
    verdict = bench.run(replace(a_run("PnetCDF", kill), timeout=1.0, limit=5.0))
    assert verdict.fired and "hang" in verdict.kinds


def test_a_rank_that_ends_without_a_word(bench: Bench) -> None:
    folder = bench.folder / "run"
    code = carry_out(a_run(), folder)
    (folder / "notes" / "end.2").unlink()
    assert judge(a_run(), folder, code, bench.reader).kinds == {"crash"}


def test_errors_that_are_not_alike() -> None:
    def likeness(way: str, codes: list[int]) -> set[str]:
        run, verdict = replace(a_run(way), ranks=len(codes)), Verdict(codes=set(codes))
        ends = {rank: {"code": code} for rank, code in enumerate(codes)}
        judge_likeness(run, Notes(set(), set(), {}, ends, {}), verdict)
        return verdict.kinds

    assert likeness("remap", [-1008, -1010, -1008]) == {"unlike"}
    assert likeness("remap", [-1008, 0, -1008]) == {"unlike"}
    assert likeness("servers", [-1010, -1010, 0]) == {"unlike"}
    assert likeness("servers", [-1008, -1008, 0]) == set()
    assert likeness("remap", [-1010, -1010, -1010]) == set()


@pytest.mark.parametrize(
    "action, call, kinds",
    [
        ("sleep", "entry", {"overdue"}),
        ("sleep", "MPI_Iallreduce", {"overdue"}),
        ("stop", "fsync", {"overdue"}),
        ("sleep", "fsync", set()),
    ],
)
def test_ranks_that_wait_longer_than_promised(action: str, call: str, kinds: set[str]) -> None:
    run = replace(a_run(fault=Fault(1, "commit:1", "any", 1, action, 7_500_000)), timeout=3.0)
    ends = {rank: {"code": 0, "time": 107.6} for rank in range(3)}
    verdict = Verdict(codes={0})
    judge_waiting(run, Notes(set(), set(), {}, ends, {1: (100.0, f"100.0 {action} {call} commit 1")}), verdict)
    assert verdict.kinds == kinds


@pytest.mark.parametrize("action, told", [("error", "EIO"), ("short", "OK")])
def test_a_call_goes_wrong_where_it_was_asked_for(bench: Bench, action: str, told: str) -> None:
    verdict = bench.run(a_run(fault=Fault(0, "*", "pwritev", 1, action, 5)))
    assert verdict.fired and verdict.outcome() == told
    assert (bench.folder / "run" / "notes" / "fired.0").read_text().split()[1:4] == [action, "pwritev", "*"]


def test_a_rank_dies_in_the_call_that_was_named(bench: Bench) -> None:
    kill = Fault(2, "commit:2", "MPI_Iallreduce", 1, "kill")
    verdict = bench.run(replace(a_run("remap, hosts", kill), timeout=2.0))
    assert verdict.outcome() == "ETIMEOUT"
    assert (bench.folder / "run" / "notes" / "fired.2").read_text().split()[2] == "MPI_Iallreduce"
    assert verdict.states == {0: (1, 1)}


def test_ranks_die_in_all_calls_that_the_library_makes() -> None:
    sources = "".join(path.read_text() for path in sorted((SOURCE / "src").rglob("*.[ch]pp")))
    made = set(re.findall(r"\b(MPI_[A-Z]\w+)\(", sources))
    layer = "".join((SOURCE / "tests/harness" / name).read_text() for name in ("layer_mpi.c", "layer_files.c"))
    # MPI_CALL(MPI_Send, ...), WRITE(pwritev, ...), DECLARE(close)
    known = set(re.findall(r"^[A-Z_]+\((\w+)[,)]", layer, re.M))
    deadly = {name for name in DEADLY_CALLS if name.startswith("MPI_")}
    assert made - HARMLESS == deadly
    assert deadly <= known
    assert HARMLESS <= made
    assert set(DEADLY_CALLS) - deadly <= set(FAILING_CALLS) == set(GROUPS)
    assert {name for names in GROUPS.values() for name in names} <= known


FLAT = "[  PASSED  ] 1 test.\n"
GROWN = "[rank 1] soak_mpi_test.cpp:55: Failure\nExpected: (most_[1]) <= ..., actual: 200 vs 100\n"


@pytest.mark.parametrize(
    "code, said, kinds",
    [(0, FLAT, set()), (1, FLAT + GROWN, {"soak"}), (0, "[  PASSED  ] 0 tests.\n", {"soak"}), (124, "", {"hang"})],
)
def test_memory_that_grows(code: int, said: str, kinds: set[str]) -> None:
    verdict = Verdict()
    soak.judge_output(code, said, verdict)
    assert verdict.kinds == kinds


@pytest.mark.parametrize(
    "program, kinds",
    [
        ("kill -SEGV $$", {"crash"}),
        ("echo 'Traceback (most recent call last):'; exit 1", {"crash"}),
        ("exit 1", {"error"}),
        ("echo 'it is damaged'; exit 1", set()),
    ],
)
def test_a_program_that_takes_a_damaged_input_ill(tmp_path: Path, program: str, kinds: set[str]) -> None:
    verdict = Verdict()
    inputs.judge_program(["bash", "-c", program], verdict, tmp_path)
    assert verdict.kinds == kinds


class TimedBench:
    """Its runs take what the test says, one after the other."""

    seconds: list[float]

    def __init__(self, *_) -> None:
        pass

    def do(self, name: str) -> Result:
        verdict = Verdict(fired=True, codes={-1010}, seconds=self.seconds.pop(0))
        return Result(name, "kill", way_of("remap"), verdict, killed=True, promised_seconds=8.0)

    def keep(self, result: Result) -> Result:
        return result

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    "seconds, kinds", [([4.0], set()), ([9.0, 4.0], set()), ([9.0, 8.5], {"late"}), ([20.0, 12.0], {"late"})]
)
def test_ranks_that_are_told_late_alone_too(
    tmp_path: Path, monkeypatch, capsys, seconds: list[float], kinds: set[str]
) -> None:
    first, again = seconds[0], len(seconds) > 1
    monkeypatch.setattr(TimedBench, "seconds", list(seconds), raising=False)
    monkeypatch.setattr(command, "Bench", TimedBench)
    (result,) = command.Streams(command.parse(["kills", "--streams", "1"]), tmp_path).run(["kills/1:0"])
    assert (result.verdict.kinds, TimedBench.seconds) == (kinds, [])
    said = capsys.readouterr().out
    assert (f"late kills/1:0 {first:.1f}" in said) == again
    assert ("FAILED kills/1:0" in said) == bool(kinds)


def test_a_run_of_the_suite_in_which_nothing_goes_wrong(tmp_path: Path) -> None:
    streams = command.Streams(command.parse(["suite"]), tmp_path)
    for name in (command.SUITE[0], "kills/1:0"):
        streams.told(Result(name, "kill", way_of("remap"), Verdict(codes={0}), promised_seconds=8.0))
    assert [result.verdict.kinds for result in streams.results] == [{"unmade"}, set()]


class ChangingBench(Bench):
    """A model whose ranks make other calls in each run: the one that is to fail is made in run `reached` only."""

    reached, runs = 0, 0

    def run(self, run: Run, where: str = "run") -> Verdict:
        if run.fault is None:
            return Verdict(codes={0})
        self.runs += 1
        return Verdict(fired=self.runs == self.reached, codes={0})


@pytest.mark.parametrize("reached, runs", [(1, 1), (3, 3), (ATTEMPTS, ATTEMPTS), (0, ATTEMPTS)])
def test_a_call_that_is_not_reached_is_drawn_again(tmp_path: Path, monkeypatch, reached: int, runs: int) -> None:
    calls = {rank: dict.fromkeys(FAILING_CALLS, 40) for rank in range(3)}
    monkeypatch.setattr(carry, "tally", lambda notes: calls)
    bench = ChangingBench(tmp_path)
    bench.reached = reached
    result = bench.do("calls/7:3")
    bench.close()
    assert (bench.runs, result.verdict.problems) == (runs, [])
    assert result.skipped == ("" if reached else NOT_REACHED)
    assert ("1 not tried" in summary([result])) == (not reached)


def test_the_suite_kills_in_each_way() -> None:
    runs = [draw.by_name(name) for name in command.SUITE_DRAWN if name.startswith("kills/")]
    assert {run.fault.phase.split(":")[0] for run in runs} == {"init", "define", "put", "commit", "close"}
    assert {run.fault.action for run in runs} == {"kill", "kill_after", "tear"}
    assert {run.fault.who for run in runs} == {"one", "all"}
    assert any(run.fault.rank >= run.ranks - run.way.reserved for run in runs), "a server"
    assert {"pnetcdf", "direct"} <= {run.way.keys.get("sink") for run in runs} and any(run.way.in_parts for run in runs)


def test_a_name_replays_its_run(tmp_path: Path) -> None:
    for name in ("kills/7:3", "calls/7:3", "pauses/7:3", "table/7:0/killed in put/remap"):
        first, second = draw.by_name(name), draw.by_name(name)
        assert first == second
        assert json.dumps(first.plan(tmp_path)) == json.dumps(second.plan(tmp_path))
    assert draw.by_name("kills/7:3") != draw.by_name("kills/7:4")
