# SPDX-License-Identifier: Apache-2.0
"""What was measured: the runs of all jobs, found by job and mode."""

from dataclasses import dataclass, field

from studies.matrix import Job
from studies.repeats import Timing

# Of weir-bench's record of a run. What it reports of single steps stays out but for their seconds.
KEPT = (
    "workload", "ranks", "mode", "records", "bytes", "reserved_ranks", "bandwidth", "writer_bandwidth", "compute",
    "seconds", "visible_seconds", "slack_seconds", "warm_up_seconds",
    "peak_bytes_per_rank", "verified", "complaint", "steps",
)  # fmt: skip
KEPT_OF_REPORT = ("message_bytes", "messages", "ranks_that_wrote", "bytes_put")


def trim(run: dict) -> dict:
    """Of a run what figures are made of; seconds with the digits that a clock has."""
    kept = {key: run[key] for key in KEPT if key in run}
    for key in ("seconds", "visible_seconds", "slack_seconds", "warm_up_seconds"):
        if key in kept:
            kept[key] = [round(value, 6) for value in kept[key]]
    if steps := kept.get("steps"):
        kept["steps"] = {step: round(seconds, 6) for step, seconds in steps.items()}
    if report := run.get("report"):
        kept["report"] = {key: report[key] for key in KEPT_OF_REPORT if key in report}
    return kept


@dataclass
class Record:
    """Of one study. A job that failed is there with its error and without runs."""

    jobs: dict[str, dict] = field(default_factory=dict)

    def add(self, job: Job, done: dict) -> None:
        self.jobs[job.name] = done

    def failures(self) -> list[str]:
        """Jobs that left nothing, and modes that failed, in a sentence each."""
        told = [f"Job {name} failed: {done['error']}" for name, done in self.jobs.items() if "error" in done]
        for name, done in self.jobs.items():
            for run in done.get("runs", ()):
                if not run["seconds"] or run.get("verified") is False:
                    told.append(f"{run['mode']} in job {name} failed: {run.get('complaint', 'its file is wrong')}")
        return told

    def run(self, job: str, mode: str) -> dict | None:
        """Where it ran and its file was right."""
        for run in self.jobs.get(job, {}).get("runs", ()):
            if run["mode"] == mode and run["seconds"] and run.get("verified") is not False:
                return run
        return None

    def timing(self, job: str, mode: str, clock: str = "seconds") -> Timing | None:
        run = self.run(job, mode)
        return Timing.of(run[clock]) if run else None

    def megabytes(self, job: str) -> float | None:
        sizes = [run["bytes"] for run in self.jobs.get(job, {}).get("runs", ())]
        return max(sizes) / 1e6 if sizes else None

    def machine(self) -> dict:
        """Of any job; all ran on the same."""
        return next((done["machine"] for done in self.jobs.values() if "machine" in done), {})
