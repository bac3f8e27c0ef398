# SPDX-License-Identifier: Apache-2.0
"""The timeline of the ranks as a page by itself: an inline SVG, laid out here, written by templates/timeline.*."""

from collections.abc import Callable

from markupsafe import Markup

from weir.pages import render
from weir.timeline import DARK, MARK, STEPS, Interval, Row, Timeline, ticks, visible
from weir.trace import BACKGROUND

WIDTH, LEFT, RIGHT = 1240.0, 76.0, 84.0
FONT = 12.0
LETTER = 0.56 * FONT  # mean width
TOP, AXIS_HEIGHT = 4.0, 52.0
MARK_WIDTH = 1.4

Scale = Callable[[float], float]  # from seconds to places in the picture


def row_height(rows: int) -> float:
    """Of one row with the space below it: the fewer rows, the taller."""
    return 30.0 if rows <= 8 else 20.0 if rows <= 24 else 12.0 if rows <= 64 else 9.0


def box_path(intervals: list[Interval], x: Scale, top: float, height: float) -> str:
    parts = []
    for begin, end in intervals:
        width = max(x(end) - x(begin), 0.01)
        parts.append(f"M{x(begin):.2f} {top:.2f}h{width:.2f}v{height:.2f}h-{width:.2f}z")
    return "".join(parts)


def css(step: str) -> str:
    return f"step-{step}"


def bars_of(row: Row, timeline: Timeline, x: Scale, top: float, height: float) -> list[dict]:
    """What is drawn of a row, what lies below first."""
    body = height * 0.84
    main = body * 0.64 if timeline.has_background() else body
    lanes = [(step, row.bars[step], top, main) for step in row.layers()]
    if row.background:
        lanes.append((BACKGROUND, row.background, top + body * 0.68, body * 0.32))
    bars = []
    for step, intervals, y, tall in lanes:
        total = sum(end - begin for begin, end in intervals)
        path = box_path(visible(intervals, timeline), x, y, tall)
        bars.append({"css": css(step), "path": path, "words": f"{STEPS[step][0]}, {total:.4g} s in view"})
    for moment, words in row.marks:
        path = f"M{x(moment) - MARK_WIDTH / 2:.2f} {top:.2f}h{MARK_WIDTH}v{main * 0.25:.2f}h-{MARK_WIDTH}z"
        bars.append({"css": css("mark"), "path": path, "words": words})
    return bars


def rows_of(timeline: Timeline, x: Scale, height: float) -> list[dict]:
    """With the names of as many ranks as do not touch each other."""
    every = max(1, -(-int(FONT + 2) // int(height)))
    rows = []
    for i, row in enumerate(timeline.rows):
        top = TOP + i * height
        name_y = f"{top + 0.42 * height + FONT * 0.36:.1f}" if i % every == 0 else ""
        rows.append({"rank": row.rank, "bars": bars_of(row, timeline, x, top, height), "name_y": name_y})
    return rows


def hosts_of(timeline: Timeline, height: float) -> list[dict]:
    """Where there are several: a line above each but the first, and its name where it touches no other."""
    rows = timeline.rows
    firsts = [i for i, row in enumerate(rows) if i == 0 or rows[i - 1].host != row.host]
    hosts, last = [], -FONT
    for i in firsts if len(firsts) > 1 else []:
        y = TOP + i * height
        host = {"number": rows[i].host - 1, "line_y": f"{y - height * 0.08:.2f}" if i > 0 else "", "name_y": ""}
        if y - last >= FONT + 2:
            host["name_y"] = f"{y + max(FONT - 1, height * 0.42 + FONT * 0.36):.1f}"
            last = y
        hosts.append(host)
    return hosts


def draw_svg(timeline: Timeline) -> str:
    height = row_height(len(timeline.rows))
    bottom = TOP + height * len(timeline.rows)
    scale = (WIDTH - LEFT - RIGHT) / (timeline.end - timeline.begin)

    def x(time: float) -> float:
        return LEFT + (time - timeline.begin) * scale

    places, decimals = ticks(timeline.begin, timeline.end)
    return render(
        "timeline.svg",
        width=f"{WIDTH:.0f}", height=f"{bottom + AXIS_HEIGHT:.0f}", font=f"{FONT:.0f}",
        top=TOP, bottom=bottom, left=LEFT, right=WIDTH - RIGHT, middle=(LEFT + WIDTH - RIGHT) / 2,
        ticks=[{"x": f"{x(place):.2f}", "words": f"{place:.{decimals}f} s"} for place in places],
        rows=rows_of(timeline, x, height), hosts=hosts_of(timeline, height),
    )  # fmt: skip


def legend(timeline: Timeline) -> list[dict]:
    """Each step with its colours, on light and on dark paper."""
    entries = [(css(step), *STEPS[step], DARK.get(step, STEPS[step][1])) for step in timeline.steps()]
    entries = [(*entry, 0, 13) for entry in entries]
    if timeline.has_marks():
        entries.append((css("mark"), *MARK, DARK["mark"], 5, 3))
    names = ("css", "title", "light", "dark", "left", "width")
    return [dict(zip(names, entry, strict=True)) for entry in entries]


def draw_page(timeline: Timeline, title: str, subtitles: list[str], tables: list[str]) -> str:
    return render(
        "timeline.html", title=title, subtitles=subtitles, steps=legend(timeline), svg=Markup(draw_svg(timeline)),
        notes=timeline.notes, tables=tables,
    )  # fmt: skip
