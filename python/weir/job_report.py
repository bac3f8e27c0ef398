# SPDX-License-Identifier: Apache-2.0
"""The reports of all instances of a job as one: each rank has what it had in all of them."""

from collections.abc import Callable
from dataclasses import dataclass, field

from weir.limits import rank_numbers

SUMS = ("bytes_put", "messages", "message_bytes", "puts", "plans", "cycles")
STEP_NAMES = ("plan", "put", "forward", "rearrange", "write", "commit", "wait")
PER_RANK = ("visible_seconds", "late_seconds", "hidden_seconds", "slack_seconds", "bytes_written", "messages")


@dataclass
class Job:
    instances: list[dict]
    numbers: list[int] = field(init=False)  # of all their ranks, in the job

    def __post_init__(self) -> None:
        self.numbers = sorted({number for report in self.instances for number in rank_numbers(report)})

    def of_ranks(self, values_of: Callable[[dict], list]) -> list:
        """Each rank's sum over its instances, of values by their ranks."""
        sums = dict.fromkeys(self.numbers, 0)
        for report in self.instances:
            for number, value in zip(rank_numbers(report), values_of(report), strict=True):
                sums[number] += value
        return list(sums.values())

    def most(self, value_of: Callable[[dict], float]) -> float:
        """What a rank may have had at the most, where each instance tells the most of its ranks."""
        return max(self.of_ranks(lambda report: [value_of(report)] * len(rank_numbers(report))))

    def mean(self, value_of: Callable[[dict], float]) -> float:
        return sum(value_of(report) * report["ranks"] for report in self.instances) / len(self.numbers)

    def spread(self, value_of: Callable[[dict], dict]) -> dict[str, float]:
        return {
            "mean": self.mean(lambda report: value_of(report)["mean"]),
            "max": self.most(lambda report: value_of(report)["max"]),
        }

    def all_of(self, key: str) -> list:
        """The lists of all instances, each entry once."""
        found: list = []
        for report in self.instances:
            found += [entry for entry in report.get(key, []) if entry not in found]
        return found

    def elapsed_seconds(self) -> float:
        """From the first beginning to the last end."""
        began = [report["began_unix_seconds"] for report in self.instances]
        ends = [begin + report["elapsed_seconds"] for begin, report in zip(began, self.instances, strict=True)]
        return max(ends) - min(began)

    def times(self) -> dict:
        each = {key: self.of_ranks(lambda report, key=key: report["per_rank"][key]) for key in PER_RANK}
        output = [visible + hidden for visible, hidden in zip(each["visible_seconds"], each["hidden_seconds"], strict=True)]
        busiest = output.index(max(output))
        wrote = [count for count in each["bytes_written"] if count > 0]
        visible = max(each["visible_seconds"])
        return {
            "sentence": f"output took {max(output):.3g} s; the model waited for {visible:.3g} s of it.",
            "output_seconds": output[busiest],
            "visible_seconds": visible,
            "late_seconds": max(each["late_seconds"]),
            "hidden_seconds": each["hidden_seconds"][busiest],
            "slack_seconds": each["slack_seconds"][busiest],
            "busiest_rank": busiest,
            "per_rank": {"job_rank": self.numbers, **each},
            "ranks_that_wrote": len(wrote),
            "bytes_per_writer": {
                "min": min(wrote, default=0),
                "mean": sum(wrote) // max(1, len(wrote)),
                "max": max(wrote, default=0),
            },
        }

    def streams(self) -> dict:
        having = [report["streams"] for report in self.instances if "streams" in report]
        if not having:
            return {}
        nothing = {"accumulate_seconds": {"mean": 0.0, "max": 0.0}, "accumulator_bytes": 0}
        return {
            "streams": {
                "accumulate_seconds": self.spread(lambda report: report.get("streams", nothing)["accumulate_seconds"]),
                "bytes_sent": sum(told["bytes_sent"] for told in having),
                "bytes_put": sum(told["bytes_put"] for told in having),
                "accumulator_bytes": self.most(lambda report: report.get("streams", nothing)["accumulator_bytes"]),
                "each": [stream for told in having for stream in told["each"]],
            }
        }


def combined(instances: list[dict]) -> dict:
    """One report, with the members that are told of a report. Requires: reports that lack nothing, one at the least."""
    job = Job(instances)
    fullest = max(instances, key=lambda report: report["high_water_bytes"] / max(1, report["buffer_limit_bytes"]))
    names = job.all_of("host_names")
    times = job.times()
    sums = {key: sum(report[key] for report in instances) for key in SUMS}
    waited = times["visible_seconds"]
    return {
        "strategy": " and ".join(dict.fromkeys(report["strategy"] for report in instances)),
        "ranks": len(job.numbers),
        "hosts": max(len(names), *(report["hosts"] for report in instances)),
        "host_names": names,
        "buffer_limit_bytes": fullest["buffer_limit_bytes"],
        "high_water_bytes": fullest["high_water_bytes"],
        "began_unix_seconds": min(report["began_unix_seconds"] for report in instances),
        "elapsed_seconds": job.elapsed_seconds(),
        "seconds": {
            step: job.spread(lambda report, step=step: report["seconds"][step]) for step in STEP_NAMES
        },
        **times,
        **sums,
        "bandwidth_bytes_per_second": sums["bytes_put"] / waited if waited > 0 else 0.0,
        **{key: job.all_of(key) for key in ("notes", "advice")},
        "files": [file for report in instances for file in report["files"]],
        **job.streams(),
    }


def ranks_in_words(numbers: list[int]) -> str:
    first, last = min(numbers), max(numbers)
    if first == last:
        return f"rank {first}"
    through = last - first + 1 == len(numbers)
    return f"ranks {first} to {last}" if through else f"{len(numbers):,} ranks of {first} to {last}"
