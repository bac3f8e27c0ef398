# SPDX-License-Identifier: Apache-2.0
"""What a change of the configuration would bring to a run that has a report, by the simulator.

The run is simulated as a model of weir-bench's kind with as many ranks, hosts, records and bytes, and as much computing;
first as it was, then with the change. Where the first does not come near what was measured nothing is claimed. What a run
with streams folds is computing to the simulator, which puts what the streams write.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from weir import cache
from weir.limits import seconds

NEAR = 2.0  # times, that the simulated wait may be off what was measured
MOST_RANKS = 2048  # that are simulated at once, within a few seconds
NO_PROFILE = "What a change would bring is not known yet: `weir profile` measures this machine, once, and then this says it."


@dataclass
class Foresight:
    """Answers by the profile of a machine."""

    profile: str  # the text
    machine: str
    report: dict
    computing: float  # seconds that a rank was outside Weir in the whole run

    def _folding(self) -> float:
        """Seconds that the rank that folded longest was in Weir's calls for that."""
        streams = self.report.get("streams")
        return streams["accumulate_seconds"]["max"] if streams else 0.0

    def _model(self) -> object:
        from weir.tuning.objective import Model

        report = self.report
        files = [file.get("records", 0) for file in report["files"] if isinstance(file, dict)]
        records = max([1, *(count for count in files if isinstance(count, int))])
        a_host = ceil(report["ranks"] / max(1, report["hosts"]))
        model = Model(self.profile, ranks=report["ranks"], ranks_per_node=a_host, records=records, imbalance=0.0)
        model.compute_seconds = (self.computing + self._folding()) / records
        model.scale = report["bytes_put"] / model.run("serial")["bytes"]  # it was 1
        return model

    def _configuration(self) -> dict:
        return {"strategy": self.report["strategy"], "buffer_limit": str(int(self.report["buffer_limit_bytes"]))}

    def _simulated(self, change: dict[str, str]) -> tuple[float, float]:
        """Seconds that the model waits as it was and as it would be. Raises Error."""
        from weir.tuning.space import mode_of

        model, before = self._model(), self._configuration()
        return tuple(model.run(mode_of(config))["visible_seconds"] for config in (before, before | change))

    def gain(self, change: dict[str, str]) -> str:
        """A sentence."""
        from weir.simulation import Error

        measured, folding = self.report["visible_seconds"], self._folding()
        waited = measured - folding
        if self.report["ranks"] > MOST_RANKS or not self.report["bytes_put"] or waited <= 0:
            return ""
        try:
            before, after = self._simulated(change)
        except (Error, ZeroDivisionError):
            return ""
        told = ", ".join(f"`{key}: {value}`" for key, value in change.items())
        if not waited / NEAR <= before <= waited * NEAR:
            return (
                f"What {told} would bring the simulator cannot tell: by the profile of {self.machine} this run would have "
                f"waited {seconds(before + folding)}, and not {seconds(measured)}."
            )
        new = waited * after / before + folding
        return f"By the simulator {told} would make it wait {seconds(new)}, and not {seconds(measured)}."


def computing_of(report: dict, measured: float) -> float:
    """Seconds a rank was outside Weir: as a trace has measured it, or else as the report tells."""
    waited = report["per_rank"]["visible_seconds"]
    elapsed = report.get("elapsed_seconds", 0.0)
    return measured or max(0.0, elapsed - sum(waited) / max(1, len(waited)))


def foresight(report: dict, computing: float, machine: str | None) -> Callable[[dict[str, str]], str] | None:
    """None where this machine was not measured and no other is named. Raises Error where the named one is none."""
    from weir._simulate import machine_name
    from weir.simulation import find_machine, read_machine

    own = cache.profile_path(machine_name())
    if not machine and not own.is_file():
        return None
    path: Path = find_machine(machine) if machine else own
    text = read_machine(str(path))
    return Foresight(text, path.stem, report, computing_of(report, computing)).gain
