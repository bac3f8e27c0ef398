# SPDX-License-Identifier: Apache-2.0
"""Figures as SVG to stand in a page, by matplotlib. Text stays text, so that it can be searched and read aloud."""

import io
import itertools
import re
from dataclasses import dataclass, field

import matplotlib

from studies.claims import amount

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402
from matplotlib.ticker import LogLocator, NullFormatter  # noqa: E402

INK, PALE, GRID = "#22313f", "#5b6875", "#dfe4ea"
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d46", "#8b96a3"]
MARKERS = "osD^vP*X"
# Verdana has the widths of DejaVu Sans, by which the figure is laid out.
FONTS = "'DejaVu Sans', Verdana, sans-serif"
STYLE = {
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": PALE,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
}
_numbers = itertools.count(1)


@dataclass
class Series:
    """Values over places; None where there is none. `low` and `high` are the ends of error bars."""

    label: str
    values: list[float | None]
    low: list[float | None] = field(default_factory=list)
    high: list[float | None] = field(default_factory=list)
    colour: int | None = None  # one that is this series' in several figures; else by its place

    def spread(self, chosen: list[int]) -> list[list[float]] | None:
        if not self.low:
            return None
        below = [max(0.0, self.values[i] - self.low[i]) for i in chosen]
        return [below, [max(0.0, self.high[i] - self.values[i]) for i in chosen]]

    def drawn(self, place: int, kinds):
        """Its colour or marker."""
        return kinds[(place if self.colour is None else self.colour) % len(kinds)]

    def present(self) -> list[int]:
        return [i for i, value in enumerate(self.values) if value is not None]


@dataclass
class Axes:
    """What stands at a figure's axes: name and unit."""

    x: str
    y: str
    log: bool = False
    from_zero: bool = True


def legend_columns(figure, names: list[str]) -> int:
    """As many as fit beside each other."""
    letters = figure.get_figwidth() * 72 / (0.62 * STYLE["font.size"])
    return max(1, min(len(names), int(letters / (max(map(len, names)) + 7))))


def finish(figure, axes, labels: Axes, title: str, names: list[str]) -> str:
    axes.set_xlabel(labels.x)
    axes.set_ylabel(labels.y)
    axes.set_title(title, loc="left", fontsize=10, color=INK)
    if labels.log:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.yaxis.set_minor_formatter(NullFormatter())
    elif labels.from_zero:
        low, high = axes.get_ylim()
        axes.set_ylim(min(0.0, low), max(0.0, high) + 0.05 * (max(0.0, high) - min(0.0, low)))
    if not names:
        axes.text(0.5, 0.5, "nothing was measured", ha="center", transform=axes.transAxes)
        return to_svg(figure, title)
    columns = legend_columns(figure, names)
    figure.legend(loc="outside lower left", ncols=columns, frameon=False, handlelength=1.6)
    return to_svg(figure, title)


def to_svg(figure, title: str) -> str:
    stream = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": f"figure {next(_numbers)}"}):
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    pyplot.close(figure)
    svg = stream.getvalue()
    svg = svg[svg.index("<svg") :].replace("'DejaVu Sans'", FONTS)
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    number = next(_numbers)  # one page has many figures, and ids are the page's
    svg = re.sub(r'\bid="(figure|axes|patch|line2d|xtick|ytick|matplotlib\.axis|text|legend|LineCollection)_(\d+)"',
                 rf'id="f{number}-\1\2"', svg)  # fmt: skip
    return svg.replace("<svg ", f'<svg role="img" aria-label="{title}" ', 1)


def start(height: float = 3.9, width: float = 7.2):
    return pyplot.subplots(figsize=(width, height), layout="constrained")


def draw_lines(title: str, labels: Axes, places: list[float], series: list[Series]) -> str:
    """Against numbers, as ranks or bytes."""
    with matplotlib.rc_context(STYLE):
        figure, axes = start()
        for i, one in enumerate(series):
            if not (chosen := one.present()):
                continue
            axes.errorbar(
                [places[k] for k in chosen], [one.values[k] for k in chosen], yerr=one.spread(chosen),
                label=one.label, color=one.drawn(i, COLOURS), marker=one.drawn(i, MARKERS),
                markersize=5, linewidth=1.5, capsize=3,
            )  # fmt: skip
        axes.set_xscale("log", base=2)
        axes.set_xticks(places, [f"{place:g}" for place in places])
        axes.minorticks_off()
        return finish(figure, axes, labels, title, [one.label for one in series if one.present()])


def draw_bars(title: str, labels: Axes, groups: list[str], series: list[Series]) -> str:
    """Groups of bars; error bars where there are any."""
    with matplotlib.rc_context(STYLE):
        figure, axes = start(width=max(7.2, 1.6 + 0.24 * len(groups) * (len(series) + 1)))
        width = 0.84 / len(series)
        for i, one in enumerate(series):
            if not (chosen := one.present()):
                continue
            axes.bar(
                [k - 0.42 + width * (i + 0.5) for k in chosen], [one.values[k] for k in chosen], width * 0.92,
                yerr=one.spread(chosen), label=one.label, color=one.drawn(i, COLOURS), capsize=2,
                error_kw={"linewidth": 0.9, "ecolor": INK},
            )  # fmt: skip
        axes.set_xticks(range(len(groups)), groups)
        axes.grid(axis="x", visible=False)
        axes.axhline(0, color=PALE, linewidth=0.8)
        return finish(figure, axes, labels, title, [one.label for one in series if one.present()])


def draw_row_bars(title: str, unit: str, names: list[str], values: list[float | None], ours: list[bool]) -> str:
    """One bar a name, lying, so that long names have their place."""
    with matplotlib.rc_context(STYLE):
        figure, axes = start(height=1.3 + 0.3 * len(names))
        heights = [0.0 if value is None else value for value in values]
        axes.barh(range(len(names)), heights, 0.72, color=[COLOURS[0] if mine else COLOURS[7] for mine in ours])
        for place, value in enumerate(values):
            axes.text(heights[place], place, " failed" if value is None else f" {amount(value)}", va="center")
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.margins(x=0.12)
        axes.grid(axis="y", visible=False)
        axes.set_xlabel(unit)
        axes.set_title(title, loc="left", fontsize=10)
        return to_svg(figure, title)
