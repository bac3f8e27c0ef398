# SPDX-License-Identifier: Apache-2.0
"""The report and the trace of a run in words and small tables."""

import json
from pathlib import Path

from weir.job_report import PER_RANK, STEP_NAMES, combined, ranks_in_words
from weir.limits import counted, rank_numbers
from weir.timeline import STEPS, in_calls
from weir.trace import BACKGROUND, ReadError, Trace

MOST_RANKS = 8
MOST_INSTANCES = 20
LARGEST = 1e18
NUMBERS = (
    *("ranks", "hosts", "puts", "plans", "cycles", "messages", "message_bytes", "bytes_put", "ranks_that_wrote"),
    *("buffer_limit_bytes", "high_water_bytes", "busiest_rank", "output_seconds", "visible_seconds", "hidden_seconds"),
)
MEGABYTE = 1e6


def read_report(path: Path) -> dict:
    """Of several instances, one report of the job, with theirs as its list "instances".

    Raises ReadError where the file is no report of Weir.
    """
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ReadError(f"{path} is neither a report nor a trace of Weir: {error}") from error
    several = isinstance(report, dict) and isinstance(report.get("instances"), list) and bool(report["instances"])
    instances = report["instances"] if several else [report]
    for instance in instances:
        if not isinstance(instance, dict) or not {"sentence", "seconds", "per_rank", "files"} <= instance.keys():
            raise ReadError(f"{path} is neither a report nor a trace of Weir (keys report and trace of its configuration)")
        if lacking := what_lacks(instance) or (what_an_instance_lacks(instance) if several else ""):
            raise ReadError(f"{path} is a report of another version of Weir, or damaged: {lacking}")
    return {**combined(instances), **report} if several else report


def what_an_instance_lacks(report: dict) -> str:
    """As what_lacks(), of what tells which part of the job it is."""
    for key in ("began_unix_seconds", "elapsed_seconds"):
        if not is_number(report.get(key)):
            return f"{key} is no number"
    if "job_rank" not in report["per_rank"] or not report["per_rank"]["job_rank"]:
        return "per_rank.job_rank is not there"
    if not isinstance(report.get("host_names"), list):
        return "host_names is no list"
    return ""


def what_lacks(report: dict) -> str:
    """What of the numbers that are told is not there or no number, in words; "" where all are."""
    for key in NUMBERS:
        if not is_number(report.get(key)):
            return f"{key} is no number"
    if not isinstance(report["busiest_rank"], int) or not 0 <= report["busiest_rank"] < report["ranks"]:
        return "busiest_rank is no rank"
    for step in STEP_NAMES:
        times = report["seconds"].get(step) if isinstance(report["seconds"], dict) else None
        if not isinstance(times, dict) or not all(is_number(times.get(key)) for key in ("mean", "max")):
            return f"seconds has no mean and max of {step}"
    share = report["per_rank"] if isinstance(report["per_rank"], dict) else {}
    for key in (*PER_RANK, *(("job_rank",) if "job_rank" in share else ())):
        each = share.get(key)
        if not isinstance(each, list) or len(each) != report["ranks"] or not all(map(is_number, each)):
            return f"per_rank.{key} has not a number for each rank"
    words = isinstance(report["sentence"], str) and isinstance(report.get("strategy"), str)
    spread = report.get("bytes_per_writer")
    if not words or not isinstance(spread, dict) or not all(is_number(spread.get(key)) for key in ("min", "max")):
        return "sentence, strategy or bytes_per_writer is not what it should be"
    for key in ("files", "advice", "notes"):
        if not isinstance(report.get(key, []), list):
            return f"{key} is no list"
    return what_streams_lack(report["streams"]) if "streams" in report else ""


def what_streams_lack(told: object) -> str:
    """As what_lacks(), of what is told of streams."""
    seconds = told.get("accumulate_seconds") if isinstance(told, dict) else None
    if not isinstance(seconds, dict) or not all(is_number(seconds.get(key)) for key in ("mean", "max")):
        return "streams.accumulate_seconds has no mean and max"
    if not all(is_number(told.get(key)) for key in ("bytes_sent", "bytes_put", "accumulator_bytes")):
        return "streams has not all of its bytes"
    each = told.get("each")
    numbers = ("fields", "files", "records", "bytes_put", "accumulator_bytes", "largest_error")
    if not isinstance(each, list) or not all(
        isinstance(one, dict) and isinstance(one.get("name"), str) and all(is_number(one.get(key)) for key in numbers)
        for one in each
    ):
        return "streams.each has not a name and numbers for each stream"
    return ""


def is_number(value: object) -> bool:
    """One that can be told, and reckoned with."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < LARGEST


def megabytes(count: int) -> str:
    return f"{count / MEGABYTE:,.1f} MB"


def table(head: list[str], rows: list[list[str]]) -> str:
    """Columns as wide as they need; the first is words, the others numbers."""
    lines = [head, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    cells = [
        [line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))]
        for line in lines
    ]
    return "\n".join("  ".join(line).rstrip() for line in cells)


def hidden_share(report: dict) -> str:
    """How much of the busiest rank's output did not keep its model waiting, in a sentence."""
    if report["hidden_seconds"] <= 0 or report["output_seconds"] <= 0:
        return "Nothing of it was hidden."
    percent = round(100 * report["hidden_seconds"] / report["output_seconds"])
    share = f"{percent} %" if percent else "less than 1 %"
    return f"Rank {rank_numbers(report)[report['busiest_rank']]}, the busiest, hid {share} of its output behind the model."


def what_ran(report: dict) -> str:
    """Strategy, ranks, bytes, in a line."""
    writers = report["ranks_that_wrote"]
    share = report["bytes_per_writer"]
    wrote = f"{counted(writers, 'rank')} wrote"
    if writers > 0:
        least, most = megabytes(share["min"]), megabytes(share["max"])
        wrote += f" {most}" if least == most else f" {least} to {most}"
        wrote += "" if writers == 1 else " each"
    messages = f"{counted(report['messages'], 'message')} ({megabytes(report['message_bytes'])})"
    return (
        f"{report['strategy']}, {counted(report['ranks'], 'rank')} on {counted(report['hosts'], 'host')}: "
        f"{megabytes(report['bytes_put'])} put in {counted(report['cycles'], 'cycle')}; {wrote}; {messages}"
    )


def advice(report: dict) -> list[str]:
    """What strategy auto tried and kept, as a paragraph of a line each; no paragraph where another strategy ran."""
    lines = [f"strategy auto {line}" for line in report.get("advice", [])]
    return ["\n".join(lines)] if lines else []


def streams(report: dict) -> list[str]:
    """What streams took and put, and a line a stream; no paragraph where the configuration has none."""
    told = report.get("streams")
    if not told:
        return []
    seconds = told["accumulate_seconds"]
    head = (
        f"streams took {megabytes(told['bytes_sent'])} of samples in {seconds['mean']:.4f} s (mean over ranks; at most "
        f"{seconds['max']:.4f} s) and put {megabytes(told['bytes_put'])}; their accumulators take up to "
        f"{megabytes(told['accumulator_bytes'])} of a rank"
    )
    rows = [
        [each["name"], *(f"{each[key]:,}" for key in ("records", "fields", "files")), megabytes(each["bytes_put"])]
        for each in told["each"]
    ]
    return [f"{head}\n{table(['stream', 'records', 'fields', 'files', 'put'], rows)}"]


def instances(report: dict) -> list[str]:
    """A line an instance, of many those whose model waited longest; no paragraph where there is but one."""
    told = report.get("instances", [])
    if not told:
        return []
    shown = sorted(sorted(told, key=lambda each: -each["visible_seconds"])[:MOST_INSTANCES], key=told.index)
    rows = [
        [
            ranks_in_words(rank_numbers(each)),
            each["strategy"],
            f"{len(each['files']):,}",
            megabytes(each["bytes_put"]),
            f"{each['visible_seconds']:.4f}",
            f"{each['output_seconds']:.4f}",
        ]
        for each in shown
    ]
    head = ["an instance on", "strategy", "files", "put", "visible s", "output s"]
    left_out = "" if len(shown) == len(told) else f"\n({MOST_INSTANCES} of {len(told)}: those whose model waited longest)"
    later = f"\n(of later instances than {len(told)} the file does not tell)" if report.get("more_instances") else ""
    return [table(head, rows) + left_out + later]


def step_table(report: dict) -> str:
    rows = [[step, f"{value['mean']:.4f}", f"{value['max']:.4f}"] for step, value in report["seconds"].items()]
    return table(["step", "mean s", "max s"], rows)


def rank_table(report: dict) -> str:
    """Each rank's share, or of many ranks those that waited longest and those that did most."""
    share = report["per_rank"]
    visible, hidden, written = share["visible_seconds"], share["hidden_seconds"], share["bytes_written"]
    numbers = rank_numbers(report)
    everybody = range(len(visible))
    shown = list(everybody)
    note = ""
    if len(shown) > MOST_RANKS:
        waited = sorted(everybody, key=lambda r: -visible[r])[: MOST_RANKS // 2]
        did = [r for r in sorted(everybody, key=lambda r: (-hidden[r], -written[r])) if r not in waited]
        shown = sorted([*waited, *did[: MOST_RANKS - len(waited)]])
        note = f"\n({MOST_RANKS} of {len(visible):,} ranks: those that waited longest and those that hid or wrote most)"
    rows = [
        [
            f"rank {numbers[r]}",
            f"{visible[r]:.4f}",
            f"{share['late_seconds'][r]:.4f}",
            f"{hidden[r]:.4f}",
            f"{share['slack_seconds'][r]:.4f}",
            f"{written[r] / MEGABYTE:,.1f}",
            f"{share['messages'][r]:,}",
        ]
        for r in shown
    ]
    return table(["", "visible s", "for late ranks s", "hidden s", "in slack s", "written MB", "messages"], rows) + note


def trace_table(trace: Trace) -> str:
    """Where the time of the ranks went: each moment counts for the innermost step there, so that the shares add up."""
    of_rank = [rank.seconds() for rank in trace.ranks]
    whole = sum(seconds for rank in of_rank for step, seconds in rank.items() if step != BACKGROUND)
    rows = []
    for step, (title, _) in STEPS.items():
        each = [rank.get(step, 0.0) for rank in of_rank]
        if not any(each):
            continue
        part = "" if step == BACKGROUND else f"{100 * sum(each) / whole:.1f} %"
        rows.append([title, part, f"{sum(each) / len(each):.4f}", f"{max(each):.4f}"])
    return table(["time of the ranks", "share", "mean s", "max s"], rows)


def trace_sentence(trace: Trace) -> str:
    """For a trace without a report."""
    longest = max(trace.ranks, key=in_calls)
    return (
        f"{trace.end:.3g} s of {counted(len(trace.ranks), 'rank')}; "
        f"the one longest in Weir's calls, rank {longest.number}, was there for {in_calls(longest):.3g} s."
    )
