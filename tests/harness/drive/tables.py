# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/results/reliability.md, from the results of runs. Each stands under the command and seed that made it."""

import argparse
from collections.abc import Iterable
from pathlib import Path

from . import draw
from .carry import NOT_REACHED, Result
from .judge import CODES
from .ways import PEERS, WAYS, Way

BESIDE_PEERS = ["remap", "collective", "dynamic, background"]
OTHERS = {
    "pauses": "a rank stops or is late",
    "calls": "a call of the system fails, is short or slow",
    "disks": "a disk that is small",
    "inputs": "a damaged input",
    "soak": "files, layouts or boxes in thousands",
}
BEGIN, END = "<!-- made by tools/faults: begin -->", "<!-- made by tools/faults: end -->"


def markdown(head: list[str], rows: Iterable[list[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def of_section(results: list[Result], section: str) -> list[Result]:
    return [r for r in results if r.name.startswith(section + "/") and not r.skipped]


def slowest(results: list[Result]) -> str:
    seconds = max((r.verdict.seconds for r in results), default=0.0)
    return f"{seconds:.1f}" if seconds else "-"


def count(results: list[Result], *kinds: str) -> int:
    return sum(bool(r.verdict.kinds & set(kinds)) for r in results)


# ---- random runs

def kill_row(title: str, results: list[Result]) -> list[object]:
    killed = [r for r in results if r.killed]
    records, lost = sum(r.verdict.records for r in killed), sum(r.verdict.lost_records for r in killed)
    late = sum(r.late for r in killed)
    hangs, wrong = count(killed, "hang"), count(killed, "lost", "extra", "unreadable", "leftover")
    others = count(killed, "unlike", "crash", "error")
    return [title, len(killed), records, lost, wrong, hangs, others, late, count(killed, "late"), slowest(killed)]


def kills_table(results: list[Result]) -> str:
    head = ["strategy", "kills", "records committed", "of them lost", "files not right", "hangs"]
    head += ["unlike errors or crashes", "error after 8 s", "when run alone, too", "slowest error, s"]
    strategies = sorted({r.way.strategy for r in results})
    rows = [kill_row(f"`{s}`", [r for r in results if r.way.strategy == s]) for s in strategies]
    return markdown(head, [*rows, kill_row("all", results)])


def chunks_table(results: list[Result]) -> str:
    killed = [r for r in results if r.killed]
    logs, chunks = (sum(getattr(r.verdict, name) for r in killed) for name in ("undo_logs", "open_chunks"))
    words = f"{chunks} files had their last commit within a chunk; {logs} were left with an undo log."
    return f"{kills_table(results)}\n\n{words}"


def others_table(results: list[Result]) -> str:
    rows = []
    for section, title in OTHERS.items():
        found = [r for r in of_section(results, section) if r.verdict.fired or section == "disks"]
        bad = [r for r in found if r.verdict.problems]
        errors = sorted({CODES.get(c, str(c)) for r in found for c in r.verdict.codes if c})
        if found:
            counts = [len(found), count(found, "lost"), count(found, "hang"), len(bad)]
            rows.append([title, *counts, ", ".join(errors) or "-"])
    head = ["what goes wrong", "runs", "lost", "hangs", "not as promised", "errors told"]
    return markdown(head, rows) if rows else ""


# ---- fault by way

def cell(results: list[Result]) -> str:
    """What the ranks were told, and after how many seconds the last one was."""
    happened = [r for r in results if r.verdict.fired or r.fault in ("no fault", "disk full")]
    if not happened:
        return "-"
    bad = [r for r in happened if r.verdict.problems]
    codes = sorted({CODES.get(c, str(c)) for r in happened for c in r.verdict.codes})
    told = "/".join(codes) if codes else "files right"
    seconds = slowest(happened)
    text = told + (f" {seconds}" if seconds != "-" else "")
    if not bad:
        return text
    kinds = "+".join(sorted({kind for r in bad for kind in r.verdict.kinds}))
    return f"**{kinds} {len(bad)} of {len(happened)}** {text if codes else ''}".strip()


def fault_table(results: list[Result], faults: list[str]) -> str:
    rows = []
    for way in WAYS:
        mine = [r for r in results if r.way == way]
        if mine:
            rows.append([f"`{way.name}`", *(cell([r for r in mine if r.name.split("/")[2] == f]) for f in faults)])
    return markdown(["way to write", *faults], rows)


# ---- beside other libraries

def peer_row(way: Way, results: list[Result]) -> list[object]:
    mine = [r for r in results if r.way == way and r.killed]
    committed = sum(r.verdict.records for r in mine)
    survivors = [r for r in mine if "all killed" not in r.name]
    return [f"`{way.name}`" if way not in PEERS else way.name, len(mine), committed,
            sum(r.verdict.lost_records for r in mine), count(mine, "lost"), count(mine, "extra", "unreadable"),
            f"{count(survivors, 'hang')} of {len(survivors)}"]  # fmt: skip


def peers_table(results: list[Result]) -> str:
    head = ["library or way", "kills", "records synced or committed", "of them lost", "files that lost them",
            "files with more than that, not right", "runs in which surviving ranks never end"]  # fmt: skip
    ways = [*PEERS, *(way for way in WAYS if way.name in BESIDE_PEERS)]
    return markdown(head, [peer_row(way, results) for way in ways])


def heading(command: str, options: argparse.Namespace) -> str:
    return f"    tools/faults {command} --seed {options.seed}\n"


def all_tables(options: argparse.Namespace, results: list[Result]) -> str:
    parts = []
    kills = of_section(results, "kills")
    if kills:
        # The command that repeats it: the same runs, however long they take.
        runs = sum(r.name.startswith("kills/") for r in results)
        named = f"kills --runs {runs}" if options.section in ("kills", "document") else f"mix --runs {len(results)}"
        command = "suite" if options.section == "suite" else named
        parts += ["### Kills\n", heading(command, options), kills_table(kills), ""]
    chunks = of_section(results, "chunks")
    if chunks and options.section != "suite":
        title = f"### Kills with chunks of {draw.CHUNK_RECORDS} records\n"
        parts += [title, heading(f"chunks --runs {len(chunks)}", options), chunks_table(chunks), ""]
    others = others_table(results)
    if others:
        commands = ["suite" if options.section == "suite" else f"{options.section} --runs {len(results)}"]
        if options.section == "document":
            commands = [f"{name} --runs {sum(r.name.startswith(name) for r in results)}" for name in OTHERS]
        parts += ["### What else goes wrong\n", "".join(heading(command, options) for command in commands), others, ""]
    cells = [r for r in of_section(results, "table") if int(r.name.split("/")[1].split(":")[1]) < draw.PEER_NUMBERS]
    if cells and options.section != "suite":
        command = f"tables --repeat {options.repeat}"
        if options.ways is not WAYS:
            command += f" --ways '{'; '.join(way.name for way in options.ways)}'"
        parts += ["### Fault by way to write\n", heading(command, options)]
        for title, faults in (("A rank dies", draw.KILLS), ("A rank stops, or is late", draw.PAUSES),
                              ("Calls of the system", ["no fault", *draw.CALLS])):  # fmt: skip
            parts += [f"#### {title}\n", fault_table(cells, faults), ""]
    peers = [r for r in of_section(results, "table") if int(r.name.split("/")[1].split(":")[1]) >= draw.PEER_NUMBERS]
    if peers:
        parts += ["### The same kills on other libraries\n", heading(f"peers --repeat {options.repeat}", options)]
        parts += [peers_table(peers), ""]
    parts.append(summary(results))
    return "\n".join(parts)


def summary(results: list[Result]) -> str:
    failed = [r for r in results if r.verdict.problems and r.way not in PEERS]
    skipped = sorted({r.skipped for r in results} - {"", "no such call", NOT_REACHED})
    text = f"{len(results)} runs, {sum(r.killed for r in results)} of them kills; {len(failed)} not as promised."
    if not_tried := sum(r.skipped == NOT_REACHED for r in results):
        text += f" {not_tried} not tried: {NOT_REACHED}."
    return text + "".join(f" Left out: {why}." for why in skipped)


def write_into(path: Path, text: str) -> None:
    whole = path.read_text()
    begin, end = whole.index(BEGIN) + len(BEGIN), whole.index(END)
    path.write_text(f"{whole[:begin]}\n\n{text}\n\n{whole[end:]}")
