# SPDX-License-Identifier: Apache-2.0
"""How far a study is, with the time left: a line on a terminal, nothing elsewhere."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

SPEED_OVER_SECONDS = 600  # jobs are long and few: the time left comes from all of them


class Steps:
    """Jobs by weight, as many as are known so far."""

    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._task = bar.add_task("begins", total=None)

    def expect(self, total: float) -> None:
        self._bar.update(self._task, total=total)

    def note(self, words: str) -> None:
        self._bar.update(self._task, description=words)

    def done(self, weight: float) -> None:
        self._bar.update(self._task, advance=weight)


@contextmanager
def show_progress(title: str) -> Iterator[Steps]:
    console = Console(stderr=True)
    columns = (
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    shown = sys.stderr.isatty()
    with Progress(
        *columns,
        console=console,
        disable=not shown,
        speed_estimate_period=SPEED_OVER_SECONDS,
        transient=True,
    ) as bar:
        if shown:
            console.print(title)
        yield Steps(bar)
