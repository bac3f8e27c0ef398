# SPDX-License-Identifier: Apache-2.0
"""How far a command is, with the time left: a line on a terminal, nothing elsewhere."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.text import Text


class TimeLeft(ProgressColumn):
    """From all jobs so far: they are few and long, and rich's own estimate leaves out the first."""

    def render(self, task: Task) -> Text:
        if not task.completed or not task.total or task.elapsed is None:
            return Text("time left: not known yet")
        seconds = task.elapsed * (task.total - task.completed) / task.completed
        return Text(f"time left: {int(seconds // 60)}:{int(seconds % 60):02}")


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


class Runs:
    """One of the jobs, which is some runs, as many as are expected or fewer. A context: what was not run is done at its end."""

    def __init__(self, steps: Steps | None = None) -> None:
        """Without steps nobody looks."""
        self._steps, self._each, self._left = steps, 0.0, 1.0

    def expect(self, runs: int) -> None:
        self._each = self._left / max(runs, 1)

    def ran(self) -> None:
        self._advance(min(self._each, self._left))

    def __enter__(self) -> "Runs":
        return self

    def __exit__(self, *_: object) -> None:
        self._advance(self._left)

    def _advance(self, share: float) -> None:
        self._left -= share
        if self._steps is not None:
            self._steps.done(share)


@contextmanager
def show_progress(title: str) -> Iterator[Steps]:
    console = Console(stderr=True)
    columns = (
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TimeLeft(),
        TextColumn("{task.description}"),
    )
    shown = sys.stderr.isatty()
    with Progress(
        *columns,
        console=console,
        disable=not shown,
        transient=True,
    ) as bar:
        if shown:
            console.print(title)
        yield Steps(bar)
