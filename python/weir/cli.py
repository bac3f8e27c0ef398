# SPDX-License-Identifier: Apache-2.0
"""The command `weir`."""

import sys
from collections.abc import Callable
from pathlib import Path

import click

from weir import __doc__ as package_summary
from weir import report as words
from weir.bench.commands import bench
from weir.bench.estimate import estimate
from weir.draw_html import draw_page
from weir.draw_png import draw_png
from weir.launch import launch, run_alone
from weir.limits import limits
from weir.measure import profile
from weir.simulate_command import simulate
from weir.timeline import make_timeline
from weir.trace import ReadError, Trace, is_trace, read_trace
from weir.tune_command import tune


def end_as(program: Callable[[], int], code_without: int = 1) -> None:
    """Ends as PROGRAM does; with `code_without` where it is not there."""
    try:
        sys.exit(program())
    except FileNotFoundError as error:
        complaint = click.ClickException(str(error))
        complaint.exit_code = code_without
        raise complaint from error


@click.group(help=package_summary, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="weir-output")
def main() -> None:
    pass


main.add_command(profile)
main.add_command(simulate)
main.add_command(tune)


@main.command(context_settings={"ignore_unknown_options": True})
@click.option(
    "-n", "--ranks", default=1, show_default=True, type=click.IntRange(min=1), help="MPI ranks to merge with."
)
@click.option("--timeout", "timeout_seconds", default=0.0, type=click.FloatRange(min=0), help="Time limit in seconds.")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def merge(ranks: int, timeout_seconds: float, arguments: tuple[str, ...]) -> None:
    """Joins the files of file_per_rank or file_per_domain into one. ARGUMENTS are those of weir-merge."""
    if ranks == 1 and timeout_seconds == 0:  # as on a login node, where there may be no launcher
        end_as(lambda: run_alone("weir-merge", list(arguments)))
    else:
        end_as(lambda: launch(ranks, "weir-merge", list(arguments), timeout_seconds))


@main.command(context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, required=True, type=click.UNPROCESSED)
def verify(arguments: tuple[str, ...]) -> None:
    """Tells whether netCDF classic files are whole, and what ended runs have left in them and beside them.

    ARGUMENTS are those of weir-verify: files, and --clean to take away what was left. Exit code 0: all are whole; 1: one
    is damaged; 2: one cannot be judged or cleaned.
    """
    end_as(lambda: run_alone("weir-verify", list(arguments)), code_without=2)


def read_files(files: tuple[Path, ...]) -> tuple[dict | None, Trace | None]:
    """The report and the trace among the files; at most one of each."""
    found: dict[str, dict | Trace] = {}
    for path in files:
        try:
            kind, content = ("trace", read_trace(path)) if is_trace(path) else ("report", words.read_report(path))
        except (ReadError, OSError) as error:
            raise click.ClickException(str(error)) from error
        if kind in found:
            raise click.ClickException(f"{path} is a second {kind}: give one report, one trace, or one of each")
        found[kind] = content
    return found.get("report"), found.get("trace")


def summary(report: dict | None, trace: Trace | None) -> tuple[str, str, list[str]]:
    """What to say of them: a title, a line below it, tables."""
    tables = [words.trace_table(trace)] if trace else []
    if report:
        subtitle = f"{words.hidden_share(report)} {words.what_ran(report)}"
        told = [*words.advice(report), words.rank_table(report), words.step_table(report)]
        return report["sentence"], subtitle, [*told, *tables]
    return words.trace_sentence(trace), trace.strategy, tables


@main.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), help="Draw the timeline of the ranks here.")
@click.option("--png", type=click.Path(dir_okay=False, path_type=Path), help="The same as a picture.")
@click.option("--from", "begin", type=float, help="Draw from this second on.")
@click.option("--to", "end", type=float, help="Draw until this second.")
@click.option("--rows", default=100, show_default=True, type=click.IntRange(1, 400), help="Ranks to draw at the most.")
def report(
    files: tuple[Path, ...], html: Path | None, png: Path | None, begin: float | None, end: float | None, rows: int
) -> None:
    """Says what limits a run and what its output cost, and draws when each rank did what.

    FILES are a report, a trace or one of each: what the keys `report` and `trace` of the configuration named. With a
    trace and neither --html nor --png the timeline goes to a page beside the trace.
    """
    told, trace = read_files(files)
    if trace is None and (html or png):
        raise click.ClickException(
            "a timeline needs a trace: run the model with WEIR_TRACE=trace.json and name that file"
        )
    title, subtitle, tables = summary(told, trace)
    limited_by = limits(told, trace) if told else []
    click.echo("\n\n".join([*(["\n".join(limited_by)] if limited_by else []), f"{title}\n{subtitle}", *tables]))
    if trace is None:
        return
    if not html and not png:
        html = next(path for path in files if is_trace(path)).with_suffix(".html")
    try:
        timeline = make_timeline(trace, begin, end, rows)
        if html:
            html.write_text(draw_page(timeline, title, [subtitle, *limited_by], tables), encoding="utf-8")
        if png:
            draw_png(timeline, title, subtitle, png)
    except (ValueError, OSError, ImportError) as error:
        raise click.ClickException(str(error)) from error
    click.echo("\ntimeline: " + ", ".join(str(path) for path in (html, png) if path))


main.add_command(bench)
main.add_command(estimate)

if __name__ == "__main__":
    main()
