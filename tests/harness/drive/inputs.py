# SPDX-License-Identifier: Apache-2.0
"""Damaged inputs: headers of files, part files, tables of what is fast, machines' profiles, traces, reports
and configurations, each changed a little. Who reads them says a sentence or goes on, and neither crashes nor hangs."""

import random
import re
import shutil
import subprocess
from pathlib import Path

from .job import BUILD, JOBS, ROOT, Run, carry_out
from .plan import Script, fixed_script
from .ways import Way, way_of

SECONDS = 120
VENV = ROOT / ".venv" / "bin"
TUNED = """weir_tuned: 1
machine: {machine}
entries:
  - ranks: 3
    hosts: 1
    bytes_per_record: 30000
    variables: 3
    config: {{strategy: remap, writers: 2}}
    compute_seconds: 0.5
    seconds: 1.5
    default_seconds: 2.5
"""
WORDS = ["-1", "0", "1e999", "99999999999999999999", "nan", "''", "[]", "{}", "null", "~", "true", "\x00", ": :", "é"]


def mutate(rng: random.Random, data: bytes, text: bool) -> bytes:
    """A few changes: bytes, stretches taken out or doubled, the end cut off; of a text also words and lines."""
    for _ in range(rng.choice([1, 1, 2, 5])):
        at = rng.randrange(len(data) + 1)
        end = min(len(data), at + int(2 ** rng.uniform(0, 8)))
        kind = rng.choice(["byte", "byte", "cut", "out", "double", "huge"] + (["word", "line"] * 3 if text else []))
        if kind == "byte" and at < len(data):
            data = data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
        elif kind == "huge":
            data = data[:at] + rng.choice([b"\xff" * 4, b"\x7f" + b"\xff" * 7, b"\x00" * 8]) + data[at + 4 :]
        elif kind == "cut":
            data = data[:at]
        elif kind == "out":
            data = data[:at] + data[end:]
        elif kind == "double":
            data = data[:end] + data[at:end] * rng.choice([1, 3]) + data[end:]
        elif kind == "word":
            spots = list(re.finditer(rb"[\w.+-]+", data))
            spot = rng.choice(spots) if spots else None
            data = data[: spot.start()] + rng.choice(WORDS).encode() + data[spot.end() :] if spot else data
        elif kind == "line":
            lines = data.split(b"\n")
            lines[rng.randrange(len(lines))] = rng.choice(lines)
            data = b"\n".join(lines)
    return data


def _program(path: Path, arguments: list) -> list[str]:
    return [str(word) for word in [path, *arguments]]


def judge_program(command: list[str], verdict, folder: Path) -> int:
    """How a program takes an input: with a signal, a traceback, silence or for ever is wrong. Its exit code."""
    with open(folder / "output", "wb") as output:
        job = JOBS.start(command, stdout=output, stderr=output, cwd=folder)
        try:
            code = job.wait(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            job.kill()
            job.wait()
            verdict.add("hang", f"{command[0]} did not come to an end in {SECONDS} s")
            return job.returncode
        finally:
            JOBS.done(job)
    said = (folder / "output").read_bytes().decode(errors="replace")
    if code < 0 or code > 127 or "Traceback (most recent call last)" in said or "terminate called" in said:
        verdict.add("crash", f"{Path(command[0]).name} crashed (exit code {code}): {said[-300:]}")
    elif code and not said.strip():
        verdict.add("error", f"{Path(command[0]).name} ended with {code} and said nothing")
    return code


def _model(name: str, way: Way, options: dict) -> Run:
    return Run(name, way, 3, fixed_script(append=True), [2, 12, 10], 7, timeout=30.0, options=options)


def samples(bench) -> Path:
    """A file, a report, a trace and part files of runs in which nothing goes wrong."""
    folder = bench.folder / "samples"
    if not (folder / "files" / "file0.nc").exists():
        options = {"report": folder.with_name("report.json"), "trace": folder.with_name("trace.json")}
        carry_out(_model("samples", way_of("dynamic, background"), options), folder)
        for name in ("report.json", "trace.json"):
            shutil.move(folder.with_name(name), folder / name)
        parts = folder / "parts"
        run = _model("samples", way_of("file_per_rank"), {})
        run.script = fixed_script(append=False)
        carry_out(run, parts)
    return folder


def _source(kind: str, bench) -> bytes:
    if kind == "tuned table":
        return TUNED.format(machine=_machine_name()).encode()
    if kind == "configuration":
        return b"strategy: remap\nwriters: 2\nbuffer_limit: 1MiB\ntimeout: 30s\nhints: {cb_nodes: 2}\nreport: '-'\n"
    if kind == "profile":
        return (ROOT / "python" / "weir" / "machines" / "earthlab.yaml").read_bytes()
    folder = samples(bench)
    return {"header": folder / "files" / "file0.nc", "trace": folder / "trace.json", "report": folder / "report.json"}[
        kind
    ].read_bytes()


def _machine_name() -> str:
    import socket

    return re.sub(r"\d+$", "", socket.gethostname().split(".")[0]) or "machine"


KINDS = ["header", "header", "open", "part", "part", "tuned table", "configuration"]
KINDS += ["profile", "trace", "report"]


def one(name: str, bench):
    """The run of this name: draws a kind of input (SECTION/SEED:NUMBER/KIND says it), damages it, and hands it to who
    reads it."""
    from .carry import Result
    from .judge import Verdict

    rng, verdict = random.Random(name), Verdict(fired=True)
    kind = name.split("/")[2] if name.count("/") > 1 else rng.choice(KINDS)
    result = Result(name, f"damaged {kind}", None, verdict)
    if kind in ("profile", "trace", "report") and not VENV.exists():
        result.skipped = "no .venv (tools/install-deps makes it)"
        return result
    folder = bench.folder / "input"
    folder.mkdir(exist_ok=True)
    if kind == "part":
        _by_merge(rng, bench, folder, verdict)
        return result
    data = _source("header" if kind == "open" else kind, bench)
    binary = kind in ("header", "open")
    # A header is short beside the data, and only it can be misread.
    head = min(len(data), 700) if binary else len(data)
    damaged = folder / ("damaged.nc" if binary else "damaged.json" if kind in ("trace", "report") else "damaged.yaml")
    damaged.write_bytes(mutate(rng, data[:head], text=not binary) + data[head:])
    if kind in ("open", "tuned table", "configuration"):
        _by_model(kind, name, damaged, bench, verdict)
    else:
        judge_program(_reader_of(kind, damaged), verdict, folder)
    return result


def _reader_of(kind: str, damaged: Path) -> list[str]:
    if kind == "header":
        return _program(BUILD / "bin" / "weir-verify", [damaged])
    if kind == "profile":
        arguments = ["--machine", damaged, "--ranks", 8, "--modes", "remap,dynamic", "--records", 2, "--scale", 0.01]
        return _program(BUILD / "bin" / "weir-simulate", arguments)
    return _program(VENV / "weir", ["report", damaged, "--html", damaged.with_suffix(".html")])


def _by_merge(rng: random.Random, bench, folder: Path, verdict) -> None:
    """Part files of which one is damaged, in its header or its tables of boxes: a file made of them is whole."""
    parts = [shutil.copy(part, folder) for part in sorted((samples(bench) / "parts" / "files").glob("file0.nc.*"))]
    damaged, merged = Path(rng.choice(parts)), folder / "file0.nc"
    data = damaged.read_bytes()
    head = data.rindex(b"weir_bounds") + 700
    damaged.write_bytes(mutate(rng, data[:head], text=False) + data[head:])
    judge_program(_program(BUILD / "bin" / "weir-verify", [damaged]), verdict, folder)
    made = judge_program(_program(BUILD / "bin" / "weir-merge", [merged]), verdict, folder)
    if made == 0 and judge_program(_program(BUILD / "bin" / "weir-verify", [merged]), verdict, folder) != 0:
        verdict.add("unreadable", f"weir-merge made a file that is not whole: {(folder / 'output').read_text()}")


def _by_model(kind: str, name: str, damaged: Path, bench, verdict) -> None:
    """A model that is given it: all its ranks come to an end, with the same code."""
    from .judge import judge_ranks, read_notes

    folder = bench.folder / "run"
    options = {"tuned": damaged} if kind == "tuned table" else {}
    run = _model(name, way_of("auto" if kind == "tuned table" else "remap"), options)
    files = None
    if kind == "tuned table":
        run.way = Way("auto, tuned", {"strategy": "auto"})
    if kind == "configuration":
        run.model["config"] = str(damaged)
    if kind == "open":
        files = damaged.parent / "files"
        files.mkdir()
        shutil.copy(damaged, files / "file0.nc")
        run.script = Script([["open", 0, 1], *(["put", 0, v, 5] for v in (2, 3, 4)), ["close", 0]], {0: (1, 5)})
    code = carry_out(run, folder, files)
    judge_ranks(run, code, read_notes(run, folder), verdict)


