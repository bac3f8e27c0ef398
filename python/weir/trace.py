# SPDX-License-Identifier: Apache-2.0
"""Reading the trace of a run (Chrome trace JSON, src/file/trace_file.hpp) as what each rank was doing when.

Spans lie within each other; at any moment a rank does what its innermost span says. What lies between the calls of a
rank's main lane is the model's own time. Seconds since weir_init.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

MODEL, OTHER, BACKGROUND = "model", "call", "background"
# Times have three decimals of a microsecond, so that a span may seem to end this much after the next one begins.
ROUNDING_SECONDS = 2e-9

LONGEST = 1e9  # seconds of a run; what ends later is no time
AT_ONCE = 0.1  # of a commit, that lies between it and the puts before it at the most

Segment = tuple[float, float, str]


class ReadError(Exception):
    """What is wrong with a file, in a sentence."""


@dataclass
class Rank:
    """What one rank did, in order. `background` is its writer thread's work, `marks` are decisions."""

    number: int
    host: int = 1
    segments: list[Segment] = field(default_factory=list)
    background: list[Segment] = field(default_factory=list)
    marks: list[tuple[float, str]] = field(default_factory=list)
    dropped: int = 0
    eager_commits: list[float] = field(default_factory=list)  # seconds of commits that came right after puts
    puts: list[tuple[float, float, float]] = field(default_factory=list)  # begin, end and bytes of each
    writings: list[tuple[float, float, float]] = field(default_factory=list)  # the same of what went to files

    @property
    def end(self) -> float:
        return max((lane[-1][1] for lane in (self.segments, self.background) if lane), default=0.0)

    def seconds(self) -> dict[str, float]:
        """Seconds of each step; the writer thread's are of the step `background`."""
        total: dict[str, float] = defaultdict(float)
        for begin, end, step in self.segments:
            total[step] += end - begin
        for begin, end, _ in self.background:
            total[BACKGROUND] += end - begin
        return dict(total)


@dataclass
class Trace:
    strategy: str
    hosts: dict[int, str]
    ranks: list[Rank]

    @property
    def end(self) -> float:
        return max((rank.end for rank in self.ranks), default=0.0)


def innermost(spans: Iterable[Segment]) -> Iterator[Segment]:
    """Spans that lie within each other as segments that follow each other, each of the innermost span there."""
    open_spans: list[tuple[float, str]] = []
    now = 0.0

    def close_until(time: float) -> Iterator[Segment]:
        nonlocal now
        while open_spans and open_spans[-1][0] <= time + ROUNDING_SECONDS:
            end, step = open_spans.pop()
            if end > now:
                yield now, end, step
                now = end

    for begin, end, step in sorted(spans, key=lambda span: (span[0], -span[1])):
        yield from close_until(begin)
        if open_spans and begin > now:
            yield now, begin, open_spans[-1][1]
        now = max(begin, now)
        open_spans.append((min(end, open_spans[-1][0]) if open_spans else end, step))
    yield from close_until(float("inf"))


def with_model(segments: Iterable[Segment]) -> Iterator[Segment]:
    """The same with the model's own time between them."""
    last = None
    for begin, end, step in segments:
        if last is not None and begin > last + ROUNDING_SECONDS:
            yield last, begin, MODEL
        yield begin, end, step
        last = end


def commits_after_puts(spans: Iterable[Segment]) -> Iterator[float]:
    """Seconds of each commit before which the rank had no time to compute since its last put; the last commit, after
    which nothing is put, is none of them."""
    last_put, waiting = None, []
    for begin, end, step in sorted(spans):
        if step == "put":
            yield from waiting
            last_put, waiting = end, []
        elif step == "commit" and last_put is not None:
            if begin - last_put < AT_ONCE * (end - begin):
                waiting.append(end - begin)
            last_put = None


def is_trace(path: Path) -> bool:
    with path.open(encoding="utf-8", errors="replace") as text:
        return '"traceEvents"' in text.read(4096)


def read_lines(path: Path) -> tuple[dict, Iterator[dict]]:
    """The head and the events of a trace, which Weir writes one a line, so that a large one need not be held whole."""
    with path.open(encoding="utf-8") as text:
        head = text.readline().rstrip()
    if not head.endswith('"traceEvents":['):
        whole = json.loads(path.read_text(encoding="utf-8"))
        return whole, iter(whole["traceEvents"])

    def events() -> Iterator[dict]:
        ended = False
        with path.open(encoding="utf-8") as text:
            next(text)
            for line in text:
                ended = line.startswith("]")
                if line.startswith("{"):
                    yield json.loads(line.rstrip().rstrip(","))
        if not ended:
            raise ReadError(f"{path} ends in the middle: was the run stopped, or the disk full?")

    return json.loads(head + "]}"), events()


def read_trace(path: Path) -> Trace:
    """Raises ReadError where the file is no trace of Weir."""
    try:
        head, events = read_lines(path)
        return collect(head, events)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ReadError(f"{path} is not a trace that Weir wrote (key trace of its configuration): {error!r}") from error


def moment(microseconds: float) -> float:
    """In seconds. Raises ValueError where it cannot be of a run."""
    if not 0 <= microseconds * 1e-6 < LONGEST:
        raise ValueError(f"{microseconds} is no time of a run")
    return microseconds * 1e-6


def collect(head: dict, events: Iterable[dict]) -> Trace:
    spans: dict[tuple[int, bool], list[Segment]] = defaultdict(list)
    ranks: dict[int, Rank] = {}
    lanes: dict[int, tuple[Rank, bool]] = {}  # by thread number: the rank, and whether it is its writer thread
    hosts: dict[int, str] = {}
    for event in events:
        kind, name = event["ph"], event["name"]
        if kind == "X":
            rank, beside = lanes[event["tid"]]
            begin = moment(event["ts"])
            end = begin + moment(event["dur"])
            spans[rank.number, beside].append((begin, end, name))
            if name in ("put", "write") and (count := event.get("args", {}).get("bytes", 0)) > 0:
                (rank.puts if name == "put" else rank.writings).append((begin, end, float(count)))
        elif kind == "i":
            lanes[event["tid"]][0].marks.append((moment(event["ts"]), describe_mark(event)))
        elif name == "process_name":
            hosts[event["pid"]] = event["args"]["name"]
        elif name == "thread_name":
            number = int(re.match(r"rank (\d+)", event["args"]["name"])[1])
            rank = ranks.setdefault(number, Rank(number, event["pid"]))
            rank.dropped += event["args"].get("dropped", 0)
            lanes[event["tid"]] = rank, event["args"]["name"].endswith("writer thread")
    for rank in ranks.values():
        rank.eager_commits = list(commits_after_puts(spans.get((rank.number, False), [])))
        rank.segments = list(with_model(innermost(spans.pop((rank.number, False), []))))
        rank.background = list(innermost(spans.pop((rank.number, True), [])))
    strategy = head.get("otherData", {}).get("strategy", "")
    return Trace(strategy, hosts, [ranks[number] for number in sorted(ranks)])


def describe_mark(event: dict) -> str:
    details = ", ".join(f"{key} {value}" for key, value in event.get("args", {}).items())
    return f"{event['name']} ({details})" if details else event["name"]
