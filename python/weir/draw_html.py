# SPDX-License-Identifier: Apache-2.0
"""The timeline of the ranks as a page by itself: an inline SVG, no script, nothing fetched."""

from collections.abc import Callable
from html import escape

from weir.timeline import MARK, STEPS, Interval, Row, Timeline, ticks, visible
from weir.trace import BACKGROUND

WIDTH, LEFT, RIGHT = 1240.0, 76.0, 84.0
FONT = 12.0
LETTER = 0.56 * FONT  # mean width
LEGEND_LINE = 22.0
AXIS_HEIGHT = 52.0

Scale = Callable[[float], float]  # from seconds to places in the picture

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ margin: 2rem auto; max-width: 1280px; padding: 0 1rem; background: #fff; color: #22313f;
  font: 15px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }}
h1 {{ font-size: 1.35rem; font-weight: 600; margin: 0 0 .2rem; }}
p {{ margin: .2rem 0; }}
.note {{ color: #5b6875; font-size: .88rem; }}
svg {{ width: 100%; height: auto; margin: 1rem 0 .4rem; display: block; }}
pre {{ background: #f6f8fa; border-radius: 6px; padding: .8rem 1rem; overflow-x: auto; font-size: .85rem;
  line-height: 1.45; }}
</style>
</head>
<body>
<h1>{title}</h1>
{subtitles}
{svg}
{notes}
{tables}
</body>
</html>
"""


def row_height(rows: int) -> float:
    """Of one row with the space below it: the fewer rows, the taller."""
    return 30.0 if rows <= 8 else 20.0 if rows <= 24 else 12.0 if rows <= 64 else 9.0


def box_path(intervals: list[Interval], x: Scale, top: float, height: float) -> str:
    parts = []
    for begin, end in intervals:
        width = max(x(end) - x(begin), 0.01)
        parts.append(f"M{x(begin):.2f} {top:.2f}h{width:.2f}v{height:.2f}h-{width:.2f}z")
    return "".join(parts)


def text(x: float, y: float, words: str, anchor: str = "start", colour: str = "#22313f") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{escape(words)}</text>'


def legend(timeline: Timeline) -> tuple[str, float]:
    """The entries in lines as wide as the picture, and their height."""
    entries = [STEPS[step] for step in timeline.steps()]
    if timeline.has_marks():
        entries.append(MARK)
    parts, x, y = [], LEFT, 4.0
    for title, colour in entries:
        width = 20 + LETTER * len(title) + 20
        if x + width > WIDTH - 4 and x > LEFT:
            x, y = LEFT, y + LEGEND_LINE
        shape = f'width="3" x="{x + 5:.1f}"' if (title, colour) == MARK else f'width="13" x="{x:.1f}"'
        parts.append(f'<rect {shape} y="{y:.1f}" height="13" fill="{colour}"/>' + text(x + 19, y + 11, title))
        x += width
    return "".join(parts), y + LEGEND_LINE + 6


def draw_row(row: Row, timeline: Timeline, x: Scale, top: float, height: float) -> str:
    body = height * 0.84
    main = body * 0.64 if timeline.has_background() else body
    parts = []
    for step in row.layers():
        intervals = row.bars[step]
        total = sum(e - b for b, e in intervals)
        parts.append(
            f'<path fill="{STEPS[step][1]}" d="{box_path(visible(intervals, timeline), x, top, main)}">'
            f"<title>rank {row.rank}: {escape(STEPS[step][0])}, {total:.4g} s in view</title></path>"
        )
    if row.background:
        total = sum(e - b for b, e in row.background)
        lane = box_path(visible(row.background, timeline), x, top + body * 0.68, body * 0.32)
        parts.append(
            f'<path fill="{STEPS[BACKGROUND][1]}" d="{lane}">'
            f"<title>rank {row.rank}: {escape(STEPS[BACKGROUND][0])}, {total:.4g} s in view</title></path>"
        )
    for moment, words in row.marks:
        parts.append(
            f'<rect x="{x(moment) - 0.7:.2f}" y="{top:.2f}" width="1.4" height="{main * 0.25:.2f}" fill="{MARK[1]}">'
            f"<title>rank {row.rank}: {escape(words)}</title></rect>"
        )
    return "".join(parts)


def labels(timeline: Timeline, top: float, height: float) -> str:
    """Of ranks at the left and, where there are several, of hosts at the right; as many as do not touch each other."""
    parts = []
    every = max(1, -(-int(FONT + 2) // int(height)))
    for i, row in enumerate(timeline.rows):
        if i % every == 0:
            parts.append(text(LEFT - 8, top + (i + 0.42) * height + FONT * 0.36, f"rank {row.rank}", "end"))
    if len({row.host for row in timeline.rows}) < 2:
        return "".join(parts)
    last = -FONT
    for i, row in enumerate(timeline.rows):
        if i > 0 and timeline.rows[i - 1].host == row.host:
            continue
        y = top + i * height
        if i > 0:
            parts.append(f'<path stroke="#5b6875" d="M{LEFT:.0f} {y - height * 0.08:.2f}H{WIDTH:.0f}"/>')
        if y - last >= FONT + 2:
            parts.append(
                text(WIDTH - RIGHT + 8, y + max(FONT - 1, height * 0.42 + FONT * 0.36), f"host {row.host - 1}")
            )
            last = y
    return "".join(parts)


def axis(timeline: Timeline, x: Scale, top: float, bottom: float) -> str:
    places, decimals = ticks(timeline.begin, timeline.end)
    parts = []
    for place in places:
        parts.append(f'<path stroke="#c3cad2" stroke-width="0.7" d="M{x(place):.2f} {top:.1f}V{bottom + 5:.1f}"/>')
        parts.append(text(x(place), bottom + 19, f"{place:.{decimals}f} s", "middle"))
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, bottom + 40, "seconds since weir_init", "middle", "#5b6875"))
    return "".join(parts)


def draw_svg(timeline: Timeline) -> str:
    height = row_height(len(timeline.rows))
    head, top = legend(timeline)
    bottom = top + height * len(timeline.rows)
    scale = (WIDTH - LEFT - RIGHT) / (timeline.end - timeline.begin)

    def x(time: float) -> float:
        return LEFT + (time - timeline.begin) * scale

    rows = "".join(draw_row(row, timeline, x, top + i * height, height) for i, row in enumerate(timeline.rows))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:.0f} {bottom + AXIS_HEIGHT:.0f}" '
        f'font-family="system-ui, DejaVu Sans, sans-serif" font-size="{FONT:.0f}" role="img" '
        f'aria-label="Timeline of the ranks">'
        f'<rect x="0" y="0" width="100%" height="100%" fill="#fff"/>{head}{axis(timeline, x, top, bottom)}{rows}'
        f"{labels(timeline, top, height)}</svg>"
    )


def draw_page(timeline: Timeline, title: str, subtitles: list[str], tables: list[str]) -> str:
    return PAGE.format(
        title=escape(title),
        subtitles="\n".join(f"<p>{escape(words)}</p>" for words in subtitles),
        svg=draw_svg(timeline),
        notes="\n".join(f'<p class="note">{escape(note)}</p>' for note in timeline.notes),
        tables="\n".join(f"<pre>{escape(table)}</pre>" for table in tables if table),
    )
