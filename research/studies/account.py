# SPDX-License-Identifier: Apache-2.0
"""What any study's page says of its runs: the machine, how even the repeats are, where the time goes."""

import statistics

from studies.record import Record
from studies.repeats import Timing

STEPS = ("plan", "put", "forward", "rearrange", "write", "commit", "wait")
UNEVEN = 1.3  # times the fastest repeat: above it the machine had other work, or the measurement is too short


def describe_machine(machine: dict) -> str:
    if not machine:
        return "no job left results"
    return (
        f"{machine['cpus']} x {machine['cpu_model']}, {machine['memory_bytes'] / 2**30:.0f} GiB, {machine['kernel']}, "
        f"{machine['mpi'].split(',')[0]}, PnetCDF {machine['pnetcdf'].split()[0]}, files on {machine['file_system']}"
    )


def timings_table(record: Record) -> tuple[list[str], list[list[str]]]:
    rows = []
    for name, done in record.jobs.items():
        for run in done.get("runs", ()):
            if not run["seconds"]:
                rows.append([name, str(run["ranks"]), run["mode"], "failed", "", "", "", "", ""])
                continue
            timing, visible = Timing.of(run["seconds"]), Timing.of(run["visible_seconds"])
            speed = f"{run['bytes'] / 1e6 / timing.median:,.0f}" if run["bytes"] else "-"
            spread = f"{timing.least:.4f} to {timing.most:.4f}"
            counts = [str(len(timing.kept)), str(len(timing.outliers))]
            rows.append([name, str(run["ranks"]), run["mode"], f"{timing.median:.4f}", spread, *counts,
                         f"{visible.median:.4f}", speed])  # fmt: skip
    return ["job", "ranks", "mode", "median s", "range s", "kept", "outliers", "in output s", "MB/s"], rows


def steps_table(record: Record) -> tuple[list[str], list[list[str]]]:
    """Of one run, of the rank that was slowest in each step; waiting counts within commit and plan too."""
    rows = []
    for name, done in record.jobs.items():
        for run in done.get("runs", ()):
            if run["seconds"] and run.get("steps"):
                steps = [f"{run['steps'].get(step, 0.0):.4f}" for step in STEPS]
                rows.append([name, run["mode"], f"{Timing.of(run['visible_seconds']).median:.4f}", *steps])
    return ["job", "mode", "in output s", *(f"{step} s" for step in STEPS)], rows


def spread(record: Record) -> float | None:
    """The slowest repeat over the fastest one, outliers left out: in the middle of all modes that were repeated."""
    runs = [run for done in record.jobs.values() for run in done.get("runs", ()) if len(run["seconds"]) > 1]
    timings = [Timing.of(run["seconds"]) for run in runs]
    return statistics.median(timing.most / timing.least for timing in timings) if timings else None


def reasons(record: Record) -> list[str]:
    """Why a claim may not show, as far as that was measured."""
    machine, told = record.machine(), []
    if machine.get("hosts") == 1:
        place = machine["file_system"]
        copied = ", and what is written is copied into memory" if place == "tmpfs" else ""
        told.append(
            f"These runs are on one host with {machine['cpus']} processors and files on {place}: no network is "
            f"crossed{copied}. "
            "What a paper says of networks and file systems has no cause here; a lab or a cluster has."
        )
    factor = spread(record)
    if factor:
        busy = ": the machine had other work, and small differences mean nothing" if factor > UNEVEN else ""
        told.append(f"The slowest repeat takes {factor:.2f} times the fastest, in the middle of all modes{busy}.")
    return told
