# SPDX-License-Identifier: Apache-2.0
# timeout: 600
# cores: 1
"""Faults at places that are named, where tools/faults draws them by chance: a rank that dies while it writes by MPI-IO,
at the end and at the start; writes of fewer bytes than were asked for; and refusals of the storage, which a sentence
has to tell: which rank, which call, which file and why."""

import errno
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "harness"))

from drive.carry import Bench  # noqa: E402
from drive.faults import Fault  # noqa: E402
from drive.job import Run  # noqa: E402
from drive.judge import Verdict  # noqa: E402
from drive.plan import fixed_script  # noqa: E402
from drive.ways import way_of  # noqa: E402

LIBRARY = Path(os.environ["WEIR_BUILD_DIR"]) / "lib" / "libweir.so"
if "san.so" in subprocess.run(["ldd", LIBRARY], capture_output=True, text=True, check=True).stdout:
    pytest.skip("a preloaded library cannot come before a sanitizer", allow_module_level=True)
MODEL_RANKS = 3
TIMEOUT = 3.0
JOINED = "{cb_nodes: 3, cb_buffer_size: 65536}"  # each rank writes a window of what all have
EACH_ITS_OWN = "{romio_cb_write: disable}"
FULL = "No space left on device"


@pytest.fixture
def bench(tmp_path: Path):
    made = Bench(tmp_path / "bench")
    yield made
    made.close()


def with_fault(bench: Bench, way: str, fault: Fault, timeout: float = 60.0, **options) -> Verdict:
    """Of a run of three ranks of a model and those that the way to write reserves. It goes wrong where it is to."""
    ranks = MODEL_RANKS + way_of(way).reserved
    script, shape = fixed_script(append=True), [4, 100, 80]
    run = Run("named", way_of(way), ranks, script, shape, 7, fault, timeout=timeout, options=options)
    verdict = bench.run(run)
    if verdict.timed_out:  # before anything had gone wrong: the machine was too busy for this timeout
        verdict = bench.run(replace(run, timeout=10 * timeout))
    assert verdict.fired, "the fault did not come to happen"
    return verdict


def expect_told(bench: Bench, way: str, fault: Fault, **options) -> None:
    """All that live end with the same error, and the files are right. (Who does not end by itself hangs.)"""
    verdict = with_fault(bench, way, fault, timeout=TIMEOUT, **options)
    assert (verdict.outcome(), verdict.problems) == ("ETIMEOUT", [])
    ranks = set(range(MODEL_RANKS + way_of(way).reserved)) - {fault.rank}
    assert set(verdict.sentences) == ranks
    for sentence in verdict.sentences.values():
        assert "did not reach" in sentence or "given up" in sentence, sentence


# ---- a rank that is killed

@pytest.mark.parametrize("way, rank, hints, call, action", [
    ("collective", 2, JOINED, "MPI_File_open", "kill"),
    ("collective", 2, JOINED, "MPI_File_write_at", "kill"),
    ("collective", 2, JOINED, "write", "tear"),
    ("collective", 2, JOINED, "MPI_File_sync", "kill_after"),
    ("rows, pnetcdf", 2, JOINED, "MPI_File_write_at", "kill"),
    ("rows, pnetcdf", 2, EACH_ITS_OWN, "write", "tear"),
    ("servers, pnetcdf", 3, EACH_ITS_OWN, "MPI_File_write_at", "kill"),
    ("servers, pnetcdf", 3, EACH_ITS_OWN, "write", "tear"),
])  # fmt: skip
def test_a_rank_dies_while_it_writes(bench: Bench, way: str, rank: int, hints: str, call: str, action: str) -> None:
    expect_told(bench, way, Fault(rank, "*", call, 1, action), hints=hints)


def test_a_rank_dies_while_it_sends_what_another_writes(bench: Bench) -> None:
    expect_told(bench, "collective", Fault(2, "commit:1", "MPI_Issend", 1, "kill_after"), hints="{cb_nodes: 1}")


@pytest.mark.parametrize("way", ["remap", "collective", "servers", "dynamic, background", "dynamic, control rank"])
def test_a_rank_never_comes_to_the_end(bench: Bench, way: str) -> None:
    expect_told(bench, way, Fault(2, "finalize:1", "entry", 1, "kill"))


@pytest.mark.parametrize("way", ["remap", "servers"])
def test_a_rank_never_comes_to_the_start(bench: Bench, way: str) -> None:
    expect_told(bench, way, Fault(2, "init:1", "entry", 1, "kill"))


# ---- memory that is refused

@pytest.mark.parametrize("way, phase, number", [
    ("remap", "init:1", 1), ("remap", "init:1", 2), ("remap", "init:1", 9),
    ("auto", "define:1", 1),  # where `strategy: auto` changes the way to write
])  # fmt: skip
def test_a_rank_is_refused_memory(bench: Bench, way: str, phase: str, number: int) -> None:
    """All ranks get the same error at once: no rank waits for the one that is refused."""
    verdict = with_fault(bench, way, Fault(2, phase, "memory", number, "error", errno.ENOMEM))
    assert (verdict.outcome(), verdict.problems) == ("EMEMORY", [])
    assert len(set(verdict.sentences.values())) == 1
    assert set(verdict.sentences) == set(range(MODEL_RANKS))


# ---- a storage that refuses

def expect_sentence(bench: Bench, way: str, fault: Fault, words: list[str]) -> None:
    """All ranks of the model get the same one, and what was committed before is in the file."""
    verdict = with_fault(bench, way, fault)
    assert verdict.problems == []
    assert "EIO" in verdict.outcome()
    sentences = {verdict.sentences[rank] for rank in range(MODEL_RANKS)}
    assert len(sentences) == 1
    sentence = sentences.pop()
    for word in [f"rank {fault.rank}: ", "file0.nc", *words]:
        assert word in sentence
    assert "Success" not in sentence


RECORD_COUNT = ("commit:1", "pwrite", 1)  # rank 0 writes nothing else by it there, under `direct`


def test_a_short_write_of_the_record_count_is_continued(bench: Bench) -> None:
    verdict = with_fault(bench, "remap", Fault(0, *RECORD_COUNT, "short"))
    assert (verdict.outcome(), verdict.problems) == ("OK", [])


@pytest.mark.parametrize("action, number, why", [("zero", 0, os.strerror(errno.EIO)), ("error", errno.ENOSPC, FULL)])
def test_a_record_count_that_cannot_be_written(bench: Bench, action: str, number: int, why: str) -> None:
    fault = Fault(0, *RECORD_COUNT, action, number)
    expect_sentence(bench, "remap", fault, ["writing of the record count of ", why])


@pytest.mark.parametrize("way, rank", [("remap", 0), ("servers", 3)])
def test_a_write_that_writes_nothing_for_ever(bench: Bench, way: str, rank: int) -> None:
    fault = Fault(rank, "*", "pwritev", 1, "zero", times=0)
    expect_sentence(bench, way, fault, ["writing of ", "pwritev of ", "at byte ", os.strerror(errno.EIO)])


@pytest.mark.parametrize("way, rank, call, told", [
    ("remap", 0, ("*", "fdatasync", 1), "fdatasync of "),
    ("remap", 0, ("*", "fsync", 1), "fsync of "),
    ("remap", 0, ("*", "rename", 1), "rename of "),
    ("rows", 1, ("*", "fdatasync", 2), "fdatasync of "),
    ("servers", 3, ("*", "fdatasync", 1), "fdatasync of "),
    ("collective", 0, ("commit:1", "MPI_File_sync", 1), "MPI_File_sync of "),
])  # fmt: skip
def test_a_commit_that_cannot_be_stored(bench: Bench, way: str, rank: int, call: tuple, told: str) -> None:
    number, name = errno.EIO, call[1]
    if name == "MPI_File_sync":  # which makes this call
        call = (call[0], "fsync", call[2])
    expect_sentence(bench, way, Fault(rank, *call, "error", number), [told, os.strerror(number)])


@pytest.mark.parametrize("way, rank, told", [("remap", 0, "pwritev of "), ("rows", 1, "pwritev of "),
                                             ("servers", 3, "pwritev of "), ("collective", 0, "MPI_File_write_at of "),
                                             ("servers, pnetcdf", 0, "MPI_File_write_at of ")])  # fmt: skip
def test_a_disk_that_is_full(bench: Bench, way: str, rank: int, told: str) -> None:
    phase, call = ("*", "pwritev") if told == "pwritev of " else ("commit:1", "pwrite")  # MPI-IO makes that one
    fault = Fault(rank, phase, call, 1, "error", errno.ENOSPC)
    expect_sentence(bench, way, fault, ["writing of ", told, FULL + ": make room"])


def test_a_disk_that_has_no_room_for_the_header(bench: Bench) -> None:
    verdict = with_fault(bench, "collective", Fault(0, "define:1", "pwrite", 1, "error", errno.ENOSPC))
    assert verdict.problems == []
    assert all("file0.nc" in sentence and FULL in sentence for sentence in verdict.sentences.values())
    assert len(verdict.sentences) == MODEL_RANKS
