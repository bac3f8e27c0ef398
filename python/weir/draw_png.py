# SPDX-License-Identifier: Apache-2.0
"""The timeline of the ranks as a picture, by matplotlib."""

from pathlib import Path
from textwrap import wrap

from weir.timeline import MARK, STEPS, Interval, Row, Timeline, visible
from weir.trace import BACKGROUND

INK, PALE = "#22313f", "#5b6875"
MOST_LABELS = 32
MOST_LETTERS = 150  # of a line below the title


def lengths(intervals: list[Interval]) -> list[tuple[float, float]]:
    return [(begin, end - begin) for begin, end in intervals]


def draw_row(axes, place: int, row: Row, timeline: Timeline) -> None:
    body = (place - 0.42, 0.54 if timeline.has_background() else 0.84)
    for step in row.layers():
        axes.broken_barh(lengths(visible(row.bars[step], timeline)), body, facecolors=STEPS[step][1], linewidth=0)
    if row.background:
        lane = lengths(visible(row.background, timeline))
        axes.broken_barh(lane, (place + 0.15, 0.27), facecolors=STEPS[BACKGROUND][1], linewidth=0)
    if row.marks:
        axes.vlines([moment for moment, _ in row.marks], body[0], body[0] + body[1] * 0.25, MARK[1], linewidth=0.7)


def draw_hosts(axes, timeline: Timeline) -> None:
    """A line between hosts, and their numbers at the right where they do not touch each other."""
    rows = timeline.rows
    firsts = [i for i, row in enumerate(rows) if i == 0 or rows[i - 1].host != row.host]
    if len(firsts) < 2:
        return
    last = -len(rows)
    for i in firsts:
        if i > 0:
            axes.axhline(i - 0.5, color=PALE, linewidth=0.6)
        if i - last >= len(rows) / MOST_LABELS:
            axes.text(
                1.008, i, f"host {rows[i].host - 1}", transform=axes.get_yaxis_transform(), va="center", color=INK
            )
            last = i


def draw_png(timeline: Timeline, title: str, subtitle: str, path: Path) -> None:
    """Raises ImportError where there is no matplotlib: nothing else of Weir needs it."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.patches import Patch

    count = len(timeline.rows)
    height = 2.2 + min(10.0, max(1.2, 0.30 * count))
    figure, axes = pyplot.subplots(figsize=(12, height), layout="constrained")
    for place, row in enumerate(timeline.rows):
        draw_row(axes, place, row, timeline)
    draw_hosts(axes, timeline)
    every = -(-count // MOST_LABELS)
    axes.set_yticks(range(0, count, every), [f"rank {row.rank}" for row in timeline.rows[::every]])
    axes.set_ylim(count - 0.5, -0.5)
    axes.set_xlim(timeline.begin, timeline.end)
    axes.set_xlabel("seconds since weir_init", color=PALE)
    axes.grid(axis="x", color="#c3cad2", linewidth=0.5)
    axes.set_axisbelow(True)
    axes.tick_params(colors=INK, length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    entries = [Patch(color=STEPS[step][1], label=STEPS[step][0]) for step in timeline.steps()]
    if timeline.has_marks():
        entries.append(Patch(color=MARK[1], label=MARK[0]))
    figure.legend(handles=entries, loc="outside lower left", ncols=5, frameon=False, labelcolor=INK, handlelength=1.1)
    figure.suptitle(title[:1].upper() + title[1:], x=0.01, ha="left", fontsize=14, color=INK)
    words = [line for text in (subtitle, *timeline.notes) for line in wrap(text, MOST_LETTERS)]
    axes.set_title("\n".join(words), loc="left", fontsize=9.5, color=PALE)
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
