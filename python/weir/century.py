# SPDX-License-Identifier: Apache-2.0
"""What output costs a long simulation, from its bandwidth: table 3 of Tseng & Ding 2008."""

from dataclasses import dataclass

DAY_SECONDS = 86400
OUTPUTS_A_YEAR = {
    "monthly": 12,
    "weekly": 365 / 7,
    "daily": 365,
    "6-hourly": 4 * 365,
    "3-hourly": 8 * 365,
    "hourly": 24 * 365,
}
PAPER_OUTPUT_BYTES = 827e6  # FV D-resolution, table 1
PAPER_COMPUTE_DAYS = 125.3  # of a century: total less output in each row of table 3
PAPER_YEARS = 100
# interval: (sequential total, sequential output, parallel total, parallel output), days
PAPER_TABLE = {
    "weekly": (126.5, 1.2, 125.4, 0.1),
    "daily": (133.7, 8.4, 126.1, 0.8),
    "3-hourly": (159.0, 33.7, 128.8, 3.5),
}
PAPER_REMARK = (
    "Days. The paper's 3-hourly row is four times its daily one, while a day has eight 3-hourly outputs: "
    "the estimate here counts eight."
)


@dataclass(frozen=True)
class Model:
    """A simulation: how long it is and computes, and what one output is."""

    output_bytes: float = PAPER_OUTPUT_BYTES
    years: float = PAPER_YEARS
    compute_days: float = PAPER_COMPUTE_DAYS

    def output_days(self, interval: str, bytes_per_second: float) -> float:
        outputs = OUTPUTS_A_YEAR[interval] * self.years
        return outputs * self.output_bytes / bytes_per_second / DAY_SECONDS


def century_table(
    model: Model, intervals: list[str], bandwidths: dict[str, float]
) -> tuple[list[str], list[list[str]]]:
    """A row an interval and bandwidth: hours of output, days in all, and the output's share of them."""
    rows = []
    for interval in intervals:
        for name, speed in bandwidths.items():
            days = model.output_days(interval, speed)
            total = days + model.compute_days
            share = f"{100 * days / total:.1f}" if total else "-"
            rows.append([f"{interval}, {name}", f"{speed / 1e6:,.1f}", f"{24 * days:,.2f}", f"{total:,.2f}", share])
    return ["output", "MB/s", "output, hours", "total, days", "output, % of it"], rows
