# SPDX-License-Identifier: Apache-2.0
"""What a configuration costs: the seconds of the whole simulated run."""

from dataclasses import dataclass, field
from math import inf

from weir.simulation import Error, simulate_text
from weir.tuning.space import Config, Job, mode_of


@dataclass
class Model:
    """A run to tune: a workload of weir-bench, how it computes, and how its ranks lie on nodes."""

    profile: str  # the text
    workload: str = "weak"
    ranks: int = 16
    ranks_per_node: int = 16
    scale: float = 1.0
    records: int = 4
    compute_seconds: float = 0.0
    imbalance: float = 0.1
    steps: int = 1
    packing: dict = field(default_factory=dict)  # format, compression, compression_level of its files; none: classic
    refusals: list[str] = field(default_factory=list)

    def run(self, mode: str, **more: object) -> dict:
        """The simulator's answer. Raises Error."""
        compute = {"seconds": self.compute_seconds, "imbalance": self.imbalance, "steps": self.steps}
        request = {"workload": self.workload, "ranks": self.ranks, "scale": self.scale, "records": self.records}
        answer = simulate_text(
            self.profile, modes=[mode], config=self.packing, compute=compute, ranks_per_node=self.ranks_per_node, **request, **more
        )
        return answer["runs"][0]

    def cost(self, config: Config, **stripes: int) -> float:
        """Seconds of the run; inf where the simulator refuses it, and why among the refusals."""
        try:
            return self.run(mode_of(config), **stripes)["seconds"]
        except Error as error:
            self.refusals.append(str(error))
            return inf

    @property
    def packed_as(self) -> str:
        """How a table's entry calls it: "netcdf4 zlib 1"; "" where files are not packed."""
        how = self.packing.get("compression", "none")
        words = [self.packing.get("format", "")]
        return " ".join(words if how == "none" else [*words, how, str(self.packing.get("compression_level", 1))])

    def job(self, variables: int) -> Job:
        return Job(self.ranks, self.ranks_per_node, variables)
