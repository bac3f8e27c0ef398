# SPDX-License-Identifier: Apache-2.0
"""`weir watch`: the status of a run on a terminal, again and again, or once."""

import sys
import time
from pathlib import Path

import click
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from weir.trace import ReadError
from weir.verb import echo_json, verb
from weir.watch import ENDED, FINISHED, SILENT, View, as_json as facts_of, look_at, rows_of, sentences

CODES = {
    0: "the run goes on, or has ended well",
    1: "it has ended without a report, or nothing is heard of it",
    2: "there is no such run, its status cannot be read, or the command line was wrong",
}


def draw(view: View) -> Group:
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="dim", overflow="fold")
    table.add_column(overflow="fold")
    for name, value in rows_of(view):
        table.add_row(Text(name), Text(value))
    style = "bold red" if view.state in (SILENT, ENDED) else "bold"
    first, *others = sentences(view)
    return Group(Text(first, style=style), *map(Text, others), Text(""), table)


def follow(run: Path, seconds: float, console: Console) -> View:
    """Until the run has ended, or the user has seen enough. A status that is being replaced is read again."""
    view = look_at(run)
    with Live(draw(view), console=console, auto_refresh=False) as live:
        try:
            while view.state not in (ENDED, FINISHED) and not view.gone:
                time.sleep(seconds)
                view = look_at(run)
                live.update(draw(view), refresh=True)
        except KeyboardInterrupt:
            pass
    return view


@verb(example="weir watch report.json\nweir watch --once --json report.json", codes=CODES)
@click.option("--once", is_flag=True, help="Tell it once, and end. So it is where there is no terminal.")
@click.option("--seconds", default=1.0, show_default=True, type=click.FloatRange(0.2, 3600), help="Between two looks.")
@click.argument("run", type=click.Path(path_type=Path))
def watch(run: Path, once: bool, seconds: float, as_json: bool) -> None:
    """Shows what a run does while it runs: records, bytes, memory, what waits for what, and the last warning.

    RUN is the report that the run will write: what the key `report` of its configuration names. Rank 0 keeps the
    status beside it, as REPORT.live, until the report is there.
    """
    console = Console(highlight=False, soft_wrap=not sys.stdout.isatty())
    try:
        if once or as_json or not sys.stdout.isatty():
            view = look_at(run)
        else:
            view = follow(run, seconds, console)
    except ReadError as error:
        complaint = click.ClickException(str(error))
        complaint.exit_code = 2
        raise complaint from error
    if as_json:
        echo_json(facts_of(view))
    elif once or not sys.stdout.isatty():
        click.echo("\n".join(sentences(view)))
        for name, value in rows_of(view):
            click.echo(f"  {name}: {value}")
    raise SystemExit(1 if view.state in (SILENT, ENDED) else 0)
