# SPDX-License-Identifier: Apache-2.0
"""The page of a run, by Bokeh, whose script is within it: what each rank did when, bytes over time, who wrote how much.

One file that fetches nothing. A stretch of time that is chosen in one plot is chosen in all.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from bokeh.document import Document
from bokeh.embed import file_html
from bokeh.models import (
    BasicTicker,
    ColumnDataSource,
    CustomJS,
    CustomJSTickFormatter,
    GlyphRenderer,
    HoverTool,
    NumeralTickFormatter,
    Range1d,
    Span,
)
from bokeh.plotting import figure
from bokeh.resources import Resources

from weir.pages import template
from weir.timeline import DARK, MARK, STEPS, Interval, Row, Timeline
from weir.trace import BACKGROUND, MODEL
from weir.volumes import Volumes

# Of lines, seen on light and on dark paper.
WRITTEN, LIMIT = STEPS["write"][1], "#828ca5"
LINES = {
    "put by the model": "#2f8fd0",
    "written": WRITTEN,
    "put and not yet written": STEPS["forward"][1],
    "buffer_limit of all ranks": LIMIT,
}
ALIKE = 0.1  # of the bytes put, that those written differ by where there are headers and holes
LEAST_ROWS = 2  # of a host on the average, that lines are drawn between
MOST_ABOVE = 3  # times what was put, that a limit is drawn at
MEGABYTE = 1e6
BODY, LANE = 0.84, 0.27  # heights of a row and of its writer thread
TOOLS = "xbox_zoom,xwheel_zoom,xpan,reset,save"
LEFT = 76  # of each plot, so that their times stand below each other


@dataclass
class Parts:
    """What the page's plots are made of."""

    timeline: Timeline
    volumes: Volumes
    report: dict | None

    @property
    def in_memory(self) -> bool:
        """Whether what was put and not written is in memory: not where filters make files smaller, or events are missing."""
        put, written = sum(self.volumes.put), sum(self.volumes.written)
        return put > 0 and abs(written - put) <= ALIKE * put


def row_height(rows: int) -> float:
    """In pixels: the fewer rows, the taller."""
    return 30.0 if rows <= 8 else 20.0 if rows <= 24 else 12.0 if rows <= 64 else 8.0


def new_plot(height: float, title: str, time: Range1d | None, **more: object) -> figure:
    times = {"x_range": time} if time else {}
    plot = figure(
        sizing_mode="stretch_width", height=int(height), title=title, toolbar_location="above", output_backend="webgl",
        min_border_left=LEFT, background_fill_color=None, border_fill_color=None, outline_line_color=None, **times, **more,
    )  # fmt: skip
    plot.toolbar.logo = None
    return plot


def boxes(rows: Sequence[tuple[int, Row, list[Interval]]]) -> ColumnDataSource:
    """A box for each interval of each row."""
    every = [(place, row, begin, end) for place, row, intervals in rows for begin, end in intervals]
    return ColumnDataSource(
        {
            "left": np.array([begin for _, _, begin, _ in every]),
            "right": np.array([end for _, _, _, end in every]),
            "y": np.array([place for place, _, _, _ in every], dtype=np.float32),
            "rank": np.array([row.rank for _, row, _, _ in every], dtype=np.int32),
            "host": np.array([row.host - 1 for _, row, _, _ in every], dtype=np.int32),
        }
    )


def draw_step(plot: figure, step: str, parts: Parts) -> GlyphRenderer:
    """All that ranks did of one step; what their writer threads did lies below it."""
    title, colour = STEPS[step]
    timeline = parts.timeline
    rows = list(enumerate(timeline.rows))
    beside = step == BACKGROUND
    lower = timeline.has_background()
    intervals = [(i, row, row.background if beside else row.bars.get(step, [])) for i, row in rows]
    source = boxes(intervals)
    height = LANE if beside else BODY - LANE - 0.03 if lower else BODY
    shift = (BODY - LANE) / 2 if beside else -(LANE + 0.03) / 2 if lower else 0.0
    source.data["y"] = source.data["y"] + np.float32(shift)
    return plot.hbar(
        y="y", left="left", right="right", height=height, source=source, fill_color=colour, line_color=colour,
        line_width=0.3, name=title,
    )  # fmt: skip


def draw_marks(plot: figure, timeline: Timeline) -> None:
    rows = enumerate(timeline.rows)
    marks = [(moment, place - BODY / 2, words) for place, row in rows for moment, words in row.marks]
    if not marks:
        return
    x, y, words = zip(*marks, strict=True)
    source = ColumnDataSource({"x": x, "y": y, "words": words})
    drawn = plot.scatter(
        "x", "y", source=source, marker="inverted_triangle", size=6, color=MARK[1], line_color=None, name=MARK[0]
    )
    plot.add_tools(HoverTool(renderers=[drawn], tooltips=[(MARK[0], "@words"), ("at", "@x{0.0000} s")]))


def draw_hosts(plot: figure, rows: list[Row]) -> None:
    """A line between each two, where these are few enough to leave the ranks in sight."""
    first = [place for place in range(1, len(rows)) if rows[place].host != rows[place - 1].host]
    for place in first if len(first) * LEAST_ROWS <= len(rows) else []:
        plot.add_layout(Span(location=place - 0.5, dimension="width", line_color=LIMIT, line_width=0.7))


def draw_ranks(parts: Parts, time: Range1d) -> figure:
    """The timeline: a row a rank, from above; a click on a step in the legend hides it."""
    timeline = parts.timeline
    count = len(timeline.rows)
    height = max(160.0, min(720.0, row_height(count) * count)) + 150
    plot = new_plot(
        height, "What each rank did when", time, y_range=Range1d(count - 0.5, -0.5, bounds=(-0.5, count - 0.5)),
        tools="auto_box_zoom,wheel_zoom,pan,reset,save", active_drag="auto_box_zoom",
    )  # fmt: skip
    present = timeline.steps()
    order = [step for step in (MODEL, *reversed(STEPS)) if step in present]
    drawn = [draw_step(plot, step, parts) for step in dict.fromkeys(order)]
    tips = [("rank", "@rank"), ("", "$name"), ("from", "@left{0.0000} s"), ("to", "@right{0.0000} s")]
    tips += [("host", "@host")] if len(timeline.hosts) > 1 else []
    plot.add_tools(HoverTool(renderers=drawn, tooltips=tips, point_policy="follow_mouse"))
    draw_marks(plot, timeline)
    draw_hosts(plot, timeline.rows)
    numbers = [row.rank for row in timeline.rows]
    plot.yaxis.ticker = BasicTicker(min_interval=1, mantissas=[1, 2, 5], num_minor_ticks=0)
    plot.yaxis.formatter = CustomJSTickFormatter(args={"ranks": numbers}, code='return ranks[tick] ?? ""')
    plot.yaxis.axis_label, plot.xaxis.axis_label = "rank", "seconds since weir_init"
    plot.ygrid.visible = False
    return plot


def draw_rates(volumes: Volumes, time: Range1d) -> figure:
    plot = new_plot(230, "Bytes a second, of all ranks", time, tools=TOOLS, active_drag="xbox_zoom")
    each = {"put by the model": volumes.put, "written": volumes.written}
    draw_lines(plot, volumes, {title: volumes.rate(values) for title, values in each.items()}, "MB/s")
    return plot


def draw_totals(parts: Parts, time: Range1d) -> figure:
    """What was put and written until then. What lies between is in memory, which has a limit."""
    volumes, report = parts.volumes, parts.report
    plot = new_plot(230, "Bytes until then, of all ranks", time, tools=TOOLS, active_drag="xbox_zoom")
    put, written = np.cumsum(volumes.put), np.cumsum(volumes.written)
    lines = {"put by the model": put, "written": written}
    if parts.in_memory:
        lines["put and not yet written"] = np.maximum(0.0, put - written)
    limit = float(report["buffer_limit_bytes"] * report["ranks"]) if report else np.inf
    if parts.in_memory and limit <= MOST_ABOVE * put.max():
        lines["buffer_limit of all ranks"] = np.full(len(put), limit)
    draw_lines(plot, volumes, lines, "MB")
    return plot


def draw_lines(plot: figure, volumes: Volumes, lines: dict, unit: str) -> None:
    """Over time, each by its title, of bytes."""
    times = volumes.begin + volumes.width * (np.arange(len(volumes.put)) + 0.5)
    for title, values in lines.items():
        source = ColumnDataSource({"time": times, "value": np.asarray(values) / MEGABYTE})
        dash = "dashed" if LINES[title] == LIMIT else "solid"
        plot.line("time", "value", source=source, color=LINES[title], line_width=2, line_dash=dash, name=title)
    tips = [("", "$name"), ("at", "@time{0.00} s"), (unit, "@value{0,0.0}")]
    plot.add_tools(HoverTool(tooltips=tips, mode="mouse", line_policy="nearest"))
    plot.y_range.start = 0
    plot.yaxis.formatter = NumeralTickFormatter(format="0,0.[00]")
    plot.yaxis.axis_label, plot.xaxis.axis_label = unit, "seconds since weir_init"


def draw_writers(report: dict) -> figure:
    written = report["per_rank"]["bytes_written"]
    ranks = np.arange(len(written))
    plot = new_plot(200, "Who wrote how much", None, tools=TOOLS, active_drag="xbox_zoom")
    source = ColumnDataSource({"rank": ranks, "written": np.asarray(written, dtype=float) / MEGABYTE})
    plot.vbar(x="rank", top="written", width=0.8, source=source, fill_color=WRITTEN, line_color=WRITTEN, line_width=0.3)
    plot.add_tools(HoverTool(tooltips=[("rank", "@rank"), ("written", "@written{0,0.0} MB")]))
    plot.xaxis.ticker = BasicTicker(min_interval=1, num_minor_ticks=0)
    plot.y_range.start = 0
    plot.yaxis.formatter = NumeralTickFormatter(format="0,0.[00]")
    plot.yaxis.axis_label, plot.xaxis.axis_label = "MB", "rank"
    return plot


def follow_the_paper(document: Document, plots: list[figure]) -> None:
    """Words, grids and those steps that need another colour there follow the reader's choice of light or dark."""
    steps = {STEPS[step][0]: (STEPS[step][1], DARK[step]) for step in DARK if step in STEPS}
    steps[MARK[0]] = (MARK[1], DARK["mark"])
    drawn = [each for plot in plots for each in plot.renderers if isinstance(each, GlyphRenderer)]
    arguments = {
        "plots": plots, "drawn": drawn, "steps": steps,
        "axes": [each for plot in plots for each in plot.axis], "grids": [each for plot in plots for each in plot.grid],
    }  # fmt: skip
    document.js_on_event("document_ready", CustomJS(args=arguments, code=template("paper.js").render()))


def legend(timeline: Timeline) -> list[dict]:
    """Each step with its colours, on light and on dark paper."""
    entries = [(*STEPS[step], DARK.get(step, STEPS[step][1])) for step in timeline.steps()]
    if timeline.has_marks():
        entries.append((*MARK, DARK["mark"]))
    return [dict(zip(("title", "light", "dark"), entry, strict=True)) for entry in entries]


def lines_of(plot: figure) -> list[dict]:
    drawn = [each.name for each in plot.renderers if each.name in LINES]
    return [{"title": title, "light": LINES[title], "dark": LINES[title]} for title in drawn]


def draw_page(parts: Parts, title: str, subtitles: list[str], tables: list[str]) -> str:
    timeline = parts.timeline
    time = Range1d(timeline.begin, timeline.end, bounds=(timeline.begin, timeline.end))
    plots = [draw_ranks(parts, time)]
    if any(parts.volumes.put):
        plots += [draw_rates(parts.volumes, time), draw_totals(parts, time)]
    if parts.report:
        plots.append(draw_writers(parts.report))
    document = Document()
    for plot in plots:
        document.add_root(plot)
    follow_the_paper(document, plots)
    legends = [legend(timeline), *(lines_of(plot) for plot in plots[1:])]
    with warnings.catch_warnings():  # of names of fields that are words
        warnings.simplefilter("ignore")
        return file_html(
            document, Resources(mode="inline"), title=title, template=template("timeline.html"),
            template_variables={"subtitles": subtitles, "notes": timeline.notes, "tables": tables, "legends": legends},
        )  # fmt: skip
