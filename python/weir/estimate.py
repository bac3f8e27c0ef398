# SPDX-License-Identifier: Apache-2.0
"""`weir estimate`."""

import json
import re
import statistics
from pathlib import Path

import click

from weir.century import OUTPUTS_A_YEAR, PAPER_COMPUTE_DAYS, PAPER_OUTPUT_BYTES, PAPER_YEARS, Model, century_table
from weir.report import table
from weir.verb import echo_json, verb

UNITS = {
    "": 1,
    "B": 1,
    "KB": 1e3,
    "MB": 1e6,
    "GB": 1e9,
    "TB": 1e12,
    "KIB": 2**10,
    "MIB": 2**20,
    "GIB": 2**30,
    "TIB": 2**40,
}


def parse_bytes(text: str, what: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?) *([A-Za-z]*)", text.strip())
    if not match or match[2].upper() not in UNITS or float(match[1]) == 0:
        raise click.ClickException(f"{what} '{text}' is no size above 0: give bytes with a unit, as 827MB")
    return float(match[1]) * UNITS[match[2].upper()]


def parse_bandwidth(text: str) -> tuple[str, float]:
    name, equals, size = text.rpartition("=")
    return (name if equals else text), parse_bytes(size, "--bandwidth")


def measured_bandwidths(path: Path) -> dict[str, float]:
    """Bytes a second by name: of weir-bench's JSON every mode that wrote; of another JSON its map "bandwidths"."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise click.ClickException(f"{path} cannot be read as JSON: {error}") from error
    if not isinstance(content, dict):
        content = {}
    found = dict(content.get("bandwidths", {}))
    for run in content.get("runs", ()):
        if run.get("bytes") and run.get("seconds") and run.get("verified") is not False:
            found[run["mode"]] = run["bytes"] / statistics.median(run["seconds"])
    if not found:
        raise click.ClickException(
            f"{path} has no bandwidth: give the JSON of weir-bench or of the study tseng2008, or --bandwidth NAME=44MB"
        )
    return found


def parse_intervals(text: str) -> list[str]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    for word in words:
        if word not in OUTPUTS_A_YEAR:
            raise click.ClickException(f"'{word}' is no output interval: take some of {', '.join(OUTPUTS_A_YEAR)}")
    return words


@verb(example="weir estimate --bandwidth remap=144MB --bandwidth serial=44MB --every weekly,daily")
@click.option(
    "--from",
    "source",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Take the bandwidths from this JSON of weir-bench or of the study tseng2008.",
)
@click.option("--bandwidth", "bandwidths", multiple=True, metavar="[NAME=]SIZE", help="Bytes a second; again for more.")
@click.option(
    "--output-size", default=f"{PAPER_OUTPUT_BYTES / 1e6:g}MB", show_default=True, help="Bytes of one output."
)
@click.option(
    "--years", default=PAPER_YEARS, show_default=True, type=click.FloatRange(min=0, min_open=True), help="Simulated."
)
@click.option(
    "--compute-days",
    default=PAPER_COMPUTE_DAYS,
    show_default=True,
    type=click.FloatRange(min=0),
    help="Wall-clock days that the model takes for all of them without output.",
)
@click.option("--every", default="weekly,daily,3-hourly", show_default=True, help=f"Of {', '.join(OUTPUTS_A_YEAR)}.")
def estimate(
    source: Path | None, bandwidths: tuple[str, ...], output_size: str, years: float, compute_days: float, every: str,
    as_json: bool,
) -> None:  # fmt: skip
    """Hours that a long simulation spends on output, from measured bandwidth (Tseng & Ding 2008, table 3).

    The defaults are that table's: FV D-resolution, a century, 125.3 days of computing on 128 processors of an IBM SP5.
    """
    speeds = measured_bandwidths(source) if source else {}
    speeds |= dict(parse_bandwidth(text) for text in bandwidths)
    if not speeds:
        raise click.ClickException("no bandwidth is given: say --bandwidth 44MB, or --from RESULTS.json")
    model = Model(parse_bytes(output_size, "--output-size"), years, compute_days)
    intervals = parse_intervals(every)
    head, rows = century_table(model, intervals, speeds)
    if as_json:
        echo_json([dict(zip(head, row, strict=True)) for row in rows])
    else:
        click.echo(table(head, rows))
