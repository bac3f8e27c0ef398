# SPDX-License-Identifier: Apache-2.0
"""From a trace to what is drawn of it: which ranks, which stretch of time, and how finely. Knows nothing of drawing."""

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, field

from weir.trace import BACKGROUND, MODEL, OTHER, Rank, Segment, Trace

# Steps in the order of the legend: title and colour. Any two are told apart by colour-blind readers too, which a test
# reckons: change one, and it says which it comes too near.
STEPS = {
    MODEL: ("the model, outside Weir", "#dfe4ea"),
    "plan": ("plan", "#9f7946"),
    "put": ("put: copy", "#0072b2"),
    "accumulate": ("accumulate: fold a sample", "#c054fc"),
    "forward": ("forward", "#41a67e"),
    "rearrange": ("rearrange", "#00d6ff"),
    "write": ("write", "#d55e00"),
    "compress": ("compress, of a write", "#ffb483"),
    "commit": ("commit", "#6b5a51"),
    "read": ("read from storage", "#6a00c9"),
    "get": ("get: copy", "#b4bb45"),
    "wait": ("wait for ranks", "#f0d94a"),
    OTHER: ("other in Weir", "#828ca5"),
    BACKGROUND: ("writer thread, beside the model", "#6c0f00"),
}
MARK = ("decision", "#1b2530")
DARK = {MODEL: "#36414d", BACKGROUND: "#a5ffc3", "mark": "#ffffff"}  # on dark paper, where another colour is needed there
COLUMNS = 1500  # of a row, where it has more segments than can be seen
MOST_SEGMENTS = 3000  # of a row that is drawn as it is
MOST_IN_ALL = 200_000  # segments of all rows: more are not drawn smoothly; each row gets its share
MOST_MARKS = 400
THINNEST = 1 / 1200  # of the width of the picture, that an interval is drawn with
MOST_ADDED = 0.1  # of the width, that a row may gain by that

Interval = tuple[float, float]


@dataclass
class Row:
    rank: int
    host: int
    bars: dict[str, list[Interval]] = field(default_factory=dict)
    background: list[Interval] = field(default_factory=list)
    marks: list[tuple[float, str]] = field(default_factory=list)

    def layers(self) -> list[str]:
        """Its steps in the order of drawing: the model at the bottom, what tells more above what tells less."""
        above = [step for step in STEPS if step in self.bars and step != MODEL]
        return [MODEL, *reversed(above)] if MODEL in self.bars else above[::-1]


@dataclass
class Timeline:
    begin: float
    end: float
    rows: list[Row]
    hosts: dict[int, str]
    notes: list[str]

    def steps(self) -> list[str]:
        """Those that occur, in the order of the legend."""
        present = {step for row in self.rows for step in row.bars}
        if any(row.background for row in self.rows):
            present.add(BACKGROUND)
        return [step for step in STEPS if step in present]

    def has_background(self) -> bool:
        return any(row.background for row in self.rows)

    def has_marks(self) -> bool:
        return any(row.marks for row in self.rows)


def in_calls(rank: Rank) -> float:
    return sum(seconds for step, seconds in rank.seconds().items() if step not in (MODEL, BACKGROUND))


def choose_ranks(ranks: list[Rank], most: int) -> list[Rank]:
    """All, or at most so many at even distances, with those that were in Weir's calls and that wrote for longest."""
    if len(ranks) <= most:
        return ranks
    writing = [rank.seconds().get("write", 0.0) + rank.seconds().get(BACKGROUND, 0.0) for rank in ranks]
    wanted = [max(range(len(ranks)), key=lambda i: in_calls(ranks[i])), max(range(len(ranks)), key=writing.__getitem__)]
    chosen = set(wanted[:most])
    others = most - len(chosen)
    chosen.update(round(i * (len(ranks) - 1) / max(1, others - 1)) for i in range(others))
    return [ranks[i] for i in sorted(chosen)]


def clip(segments: list[Segment], begin: float, end: float) -> list[Segment]:
    first = max(0, bisect_right(segments, begin, key=lambda segment: segment[0]) - 1)
    last = bisect_right(segments, end, key=lambda segment: segment[0])
    return [(max(b, begin), min(e, end), s) for b, e, s in segments[first:last] if e > begin and b < end]


def coarsen(segments: list[Segment], begin: float, end: float, columns: int) -> list[Segment]:
    """So many columns, each of the step that took most of it; what is empty stays so."""
    width = (end - begin) / columns
    shares: list[dict[str, float]] = [defaultdict(float) for _ in range(columns)]
    for b, e, step in segments:
        column = min(columns - 1, int((b - begin) / width))
        while column < columns and begin + column * width < e:
            left, right = begin + column * width, begin + (column + 1) * width
            shares[column][step] += max(0.0, min(e, right) - max(b, left))
            column += 1
    drawn: list[Segment] = []
    for column, share in enumerate(shares):
        if sum(share.values()) < width / 2:
            continue
        step = max(share, key=share.__getitem__)
        left, right = begin + column * width, begin + (column + 1) * width
        if drawn and drawn[-1][2] == step and left - drawn[-1][1] < width / 2:
            drawn[-1] = (drawn[-1][0], right, step)
        else:
            drawn.append((left, right, step))
    return drawn


def columns_of(rows: int) -> int:
    """Of each of so many rows."""
    return max(1, min(COLUMNS, MOST_IN_ALL // rows))


def reduce(segments: list[Segment], begin: float, end: float, columns: int) -> tuple[list[Segment], bool]:
    inside = clip(segments, begin, end)
    if len(inside) <= columns * MOST_SEGMENTS // COLUMNS:
        return inside, False
    return coarsen(inside, begin, end, columns), True


def join(segments: list[Segment], limit: float) -> list[Interval]:
    """Those of one step that (nearly) touch as one."""
    joined: list[Interval] = []
    for begin, end, _ in segments:
        if joined and begin - joined[-1][1] < limit:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((begin, end))
    return joined


def visible(intervals: list[Interval], timeline: Timeline) -> list[Interval]:
    """The same, to be drawn: those that are too thin to be seen as thin as can be seen, where these are few."""
    whole = timeline.end - timeline.begin
    drawn: list[Interval] = []
    for begin, end in intervals:
        end = min(max(end, begin + whole * THINNEST), timeline.end)
        if drawn and begin <= drawn[-1][1]:
            drawn[-1] = (drawn[-1][0], max(end, drawn[-1][1]))
        else:
            drawn.append((begin, end))
    added = sum(e - b for b, e in drawn) - sum(e - b for b, e in intervals)
    return drawn if added <= MOST_ADDED * whole else intervals


def make_row(rank: Rank, begin: float, end: float, columns: int) -> tuple[Row, bool]:
    main, main_coarse = reduce(rank.segments, begin, end, columns)
    beside, beside_coarse = reduce(rank.background, begin, end, columns)
    of_step: dict[str, list[Segment]] = defaultdict(list)
    for segment in main:
        of_step[segment[2] if segment[2] in STEPS else OTHER].append(segment)
    touching = (end - begin) * 1e-9
    row = Row(rank.number, rank.host, {step: join(each, touching) for step, each in of_step.items()})
    row.background = join(beside, touching)
    row.marks = [mark for mark in rank.marks if begin <= mark[0] <= end]
    return row, main_coarse or beside_coarse


def make_timeline(trace: Trace, begin: float | None, end: float | None, most_rows: int) -> Timeline:
    """Of the stretch from `begin` to `end` (None: as far as the trace goes). Raises ValueError where it is empty."""
    begin = 0.0 if begin is None else begin
    end = trace.end if end is None else end
    if not trace.ranks or end <= max(begin, 0) or begin >= trace.end:
        raise ValueError(f"nothing is recorded from {begin:g} s to {end:g} s: the trace ends at {trace.end:g} s")
    chosen = choose_ranks(trace.ranks, most_rows)
    columns = columns_of(len(chosen))
    made = [make_row(rank, begin, end, columns) for rank in chosen]
    timeline = Timeline(begin, end, [row for row, _ in made], trace.hosts, [])
    if len(chosen) < len(trace.ranks):
        timeline.notes.append(
            f"{len(chosen)} of {len(trace.ranks)} ranks: at even distances, with the one longest in Weir's calls and "
            "the one that wrote longest."
        )
    if any(coarse for _, coarse in made):
        width = (end - begin) / columns
        timeline.notes.append(
            f"Rows with more than {columns * MOST_SEGMENTS // COLUMNS} spans are drawn in columns of {seconds_text(width)}, "
            "each with the step that took most of it."
        )
    drop_marks(timeline)
    dropped = sum(rank.dropped for rank in trace.ranks)
    if dropped:
        full = sum(rank.dropped > 0 for rank in trace.ranks)
        timeline.notes.append(
            f"The memory for the trace was full on {full} of the ranks: their last {dropped} events are missing, "
            "and their rows end early."
        )
    return timeline


def drop_marks(timeline: Timeline) -> None:
    """Where there are more than can be told apart."""
    count = sum(len(row.marks) for row in timeline.rows)
    if count <= MOST_MARKS:
        return
    for row in timeline.rows:
        row.marks = []
    timeline.notes.append(f"{count} decisions are in the trace and not drawn: choose a shorter time to see them.")


def seconds_text(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.3g} s"
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} µs"

