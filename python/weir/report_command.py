# SPDX-License-Identifier: Apache-2.0
"""`weir report`: what limits a run and what its output cost, in words, and when each rank did what."""

from pathlib import Path

import click

from weir import report as words
from weir.draw_png import draw_png
from weir.limits import gather, limits, rank_numbers
from weir.timeline import make_timeline
from weir.trace import ReadError, Trace, is_trace, read_trace
from weir.verb import echo_json, verb
from weir.volumes import volumes
from weir.what_if import NO_PROFILE, foresight

MOST_IN_PICTURE = 100


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
        told = [*words.instances(report), *words.advice(report), *words.streams(report)]
        told += [words.rank_table(report), words.step_table(report)]
        return report["sentence"], subtitle, [*told, *tables]
    return words.trace_sentence(trace), trace.strategy, tables


@verb(example="weir report report.json trace.json --png timeline.png")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), help="Draw the timeline of the ranks here.")
@click.option("--png", type=click.Path(dir_okay=False, path_type=Path), help="The same as a picture.")
@click.option("--from", "begin", type=float, help="Draw from this second on.")
@click.option("--to", "end", type=float, help="Draw until this second.")
@click.option(
    "--rows",
    default=1000,
    show_default=True,
    type=click.IntRange(1, 4000),
    help=f"Ranks to draw at the most; in a picture {MOST_IN_PICTURE}.",
)
@click.option(
    "--machine",
    help="What changes would bring on this machine, by its name or profile. Default: what weir profile has measured here.",
)
def report(files: tuple[Path, ...], machine: str | None, as_json: bool, **drawing: object) -> None:
    """Says what limits a run and what its output cost, and draws when each rank did what.

    FILES are a report, a trace or one of each: what the keys `report` and `trace` of the configuration named. With a
    trace and neither --html nor --png the timeline goes to a page beside the trace.
    """
    told, trace = read_files(files)
    if trace is None and (drawing["html"] or drawing["png"]):
        raise click.ClickException(
            "a timeline needs a trace: run the model with WEIR_TRACE=trace.json and name that file"
        )
    title, subtitle, tables = summary(told, trace)
    limited_by = limits_of(told, trace, machine) if told else []
    drawn = draw(files, (told, trace), drawing, (title, [*limited_by, subtitle], tables)) if trace else []
    if as_json:
        echo_json({"sentence": title, "limits": limited_by, "timelines": drawn, "report": told})
        return
    click.echo("\n\n".join([*(["\n".join(limited_by)] if limited_by else []), f"{title}\n{subtitle}", *tables]))
    if drawn:
        click.echo("\ntimeline: " + ", ".join(drawn))


def limits_of(told: dict, trace: Trace | None, machine: str | None) -> list[str]:
    """With what a change would bring, where a machine is known. Of several instances, what limits the one whose model
    waited longest; of which the trace is, the report does not tell."""
    if "instances" in told:
        costliest = max(told["instances"], key=lambda instance: instance["visible_seconds"])
        found = limits_of(costliest, None, machine)
        return [f"The model waited longest for the instance on {words.ranks_in_words(rank_numbers(costliest))}:", *found]
    try:
        gain = foresight(told, gather(told, trace).computing, machine)
    except ImportError:  # without the simulator
        return limits(told, trace)
    except (ValueError, OSError) as error:
        raise click.ClickException(str(error)) from error
    found = limits(told, trace, gain)
    return found if gain or not found else [*found, NO_PROFILE]


def draw(
    files: tuple[Path, ...], run: tuple[dict | None, Trace], drawing: dict, texts: tuple[str, list[str], list[str]]
) -> list[str]:
    """The page and the picture that are asked for, or else a page beside the trace; their paths."""
    html, png = drawing["html"], drawing["png"]
    told, trace = run
    title, subtitles, tables = texts
    if not html and not png:
        html = next(path for path in files if is_trace(path)).with_suffix(".html")
    try:
        if html:
            from weir.draw_html import Parts, draw_page  # takes a second: only where a page is drawn

            timeline = make_timeline(trace, drawing["begin"], drawing["end"], drawing["rows"])
            parts = Parts(timeline, volumes(trace, timeline.begin, timeline.end), told)
            html.write_text(draw_page(parts, title, subtitles, tables), encoding="utf-8")
        if png:
            timeline = make_timeline(trace, drawing["begin"], drawing["end"], min(MOST_IN_PICTURE, drawing["rows"]))
            draw_png(timeline, title, subtitles[-1], png)
    except (ValueError, OSError, ImportError) as error:
        raise click.ClickException(str(error)) from error
    return [str(path) for path in (html, png) if path]
