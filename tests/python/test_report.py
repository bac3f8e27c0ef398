# SPDX-License-Identifier: Apache-2.0
"""`weir report`: what it reads from a trace, what it says of a report, and that what it draws can be read."""

import itertools
import json
import math
import operator
import os
import re
import subprocess
from html import unescape
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from weir import timeline as timelines
from weir.cli import main
from weir.draw_html import Parts, draw_page
from weir.trace import BACKGROUND, MODEL, Rank, ReadError, Trace, innermost, read_trace, with_model
from weir.volumes import volumes


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["report", *map(str, arguments)])


def events_of_rank(number: int, host: int, spans: list, beside: list = (), dropped: int = 0) -> list[dict]:
    def lane(tid: int, title: str, spans: list, dropped: int) -> list[dict]:
        where = {"pid": host, "tid": tid}
        head = {"ph": "M", "name": "thread_name", **where, "args": {"name": title, "dropped": dropped}}
        return [head] + [
            {"ph": "X", "name": step, **where, "ts": begin * 1e6, "dur": (end - begin) * 1e6}
            for begin, end, step in spans
        ]

    events = lane(2 * number + 1, f"rank {number}", spans, dropped)
    return events + (lane(2 * number + 2, f"rank {number} writer thread", beside, 0) if beside else [])


def write_trace(path: Path, events: list[dict], lines: bool = True) -> Path:
    head = {"otherData": {"strategy": "dynamic"}}
    if lines:
        body = ",\n".join(json.dumps(event) for event in events)
        path.write_text(json.dumps(head)[:-1] + ',"traceEvents":[\n' + body + "\n]}\n")
    else:
        path.write_text(json.dumps({**head, "traceEvents": events}, indent=1))
    return path


def many_ranks(count: int, hosts: int = 1) -> Trace:
    """Rank 5 is longest in Weir's calls, and rank 3 writes longest."""
    ranks = []
    for r in range(count):
        wait = 0.3 if r == 5 else 0.1
        write = 0.25 if r == 3 else 0.05
        spans = [(0.0, 0.4, "call"), (0.0, wait, "wait"), (0.5, 1.0, "call"), (1.0 - write, 1.0, "write")]
        ranks.append(Rank(r, 1 + r * hosts // count, list(with_model(innermost(spans)))))
    return Trace("dynamic", {h + 1: f"host {h}" for h in range(hosts)}, ranks)


def test_innermost_span_wins() -> None:
    spans = [(1, 9, "call"), (2, 5, "commit"), (3, 4, "wait"), (5, 6, "put"), (8, 9, "wait"), (12, 13, "call")]
    assert list(innermost(reversed(spans))) == [
        (1, 2, "call"),
        (2, 3, "commit"),
        (3, 4, "wait"),
        (4, 5, "commit"),
        (5, 6, "put"),
        (6, 8, "call"),
        (8, 9, "wait"),
        (12, 13, "call"),
    ]


def test_times_are_rounded_and_nothing_is_lost() -> None:
    """Two spans that follow each other may seem to overlap, and one may seem to end after the one around it."""
    spans = [(1.0, 2.000000001, "put"), (2.0, 3.0, "wait"), (3.0, 5.0, "commit"), (4.0, 5.000000001, "write")]
    found = list(innermost(spans))
    assert [step for _, _, step in found] == ["put", "wait", "commit", "write"]
    assert all(later[0] >= earlier[1] for earlier, later in zip(found, found[1:], strict=False))
    assert sum(end - begin for begin, end, _ in found) == pytest.approx(4.0, abs=1e-8)


def test_model_is_what_lies_between_calls() -> None:
    assert list(with_model([(0, 1, "call"), (1, 2, "put"), (5, 6, "call")])) == [
        (0, 1, "call"),
        (1, 2, "put"),
        (2, 5, MODEL),
        (5, 6, "call"),
    ]


@pytest.mark.parametrize("lines", [True, False])
def test_reads_both_lanes(tmp_path: Path, lines: bool) -> None:
    spans = [(0, 1, "call"), (0.25, 0.5, "put"), (3, 4, "call")]
    mark = {"ph": "i", "s": "t", "name": "assigned", "pid": 1, "tid": 1, "ts": 5e5, "args": {"unit": 7}}
    events = [*events_of_rank(0, 1, spans, beside=[(1, 2.5, "write")], dropped=4), mark, *events_of_rank(1, 2, spans)]
    trace = read_trace(write_trace(tmp_path / "t.json", events, lines))
    assert trace.strategy == "dynamic"
    first, second = trace.ranks
    assert (first.number, first.host, first.dropped) == (0, 1, 4)
    assert (second.number, second.host, second.dropped) == (1, 2, 0)
    assert first.seconds() == pytest.approx({"call": 1.75, "put": 0.25, MODEL: 2, BACKGROUND: 1.5})
    assert BACKGROUND not in second.seconds()
    assert first.marks == [(0.5, "assigned (unit 7)")]


def test_a_trace_that_ends_in_the_middle_is_an_error(tmp_path: Path) -> None:
    path = write_trace(tmp_path / "t.json", events_of_rank(0, 1, [(0, 1, "call"), (2, 3, "call")]))
    path.write_text(path.read_text().rsplit("\n", 2)[0])
    with pytest.raises(ReadError, match="ends in the middle"):
        read_trace(path)


DAMAGE = {"ts": [-5.0, 1e300, float("nan"), None, "soon"], "dur": [-1.0, float("inf"), []], "args": [None, 3], "tid": [99, None]}


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in DAMAGE.items() for value in values])
def test_a_damaged_trace_is_a_sentence(tmp_path: Path, key: str, value: object) -> None:
    events = events_of_rank(0, 1, [(0, 1, "call"), (0.2, 0.5, "put"), (3, 4, "call")])
    events[2][key] = value
    result = invoke(write_trace(tmp_path / "t.json", events))
    assert result.exit_code == 1 and "is not a trace that Weir wrote" in result.output, result.output
    assert result.output.count("\n") == 1 and not (tmp_path / "t.html").exists()


def test_a_trace_of_a_later_version_is_drawn(tmp_path: Path) -> None:
    """A step that is not known yet is other work in Weir."""
    path = write_trace(tmp_path / "t.json", events_of_rank(0, 1, [(0, 1, "call"), (0.2, 0.5, "teleport"), (3, 4, "call")]))
    assert invoke(path).exit_code == 0
    (row,) = timelines.make_timeline(read_trace(path), None, None, 10).rows
    assert row.bars["call"] == [(0, 1), (3, 4)]


@pytest.mark.parametrize("count", [1, 7, 100, 101, 1000])
def test_of_many_ranks_some_are_drawn_and_it_says_so(count: int) -> None:
    timeline = timelines.make_timeline(many_ranks(count), None, None, 100)
    ranks = [row.rank for row in timeline.rows]
    assert min(count, 98) <= len(ranks) <= 100
    assert ranks == sorted(set(ranks))
    assert {0, count - 1} <= set(ranks)
    if count > 100:
        assert {3, 5} <= set(ranks)
        assert timeline.notes[0].startswith(f"{len(ranks)} of {count} ranks")
        assert max(b - a for a, b in zip(ranks, ranks[1:], strict=False)) <= 3 * count // 100
    else:
        assert timeline.notes == []


def test_rows_with_more_spans_than_can_be_seen_are_coarser() -> None:
    count = 20 * timelines.MOST_SEGMENTS
    segments = [(i, i + 0.75, "put") for i in range(count)] + [(count, count + 0.2 * count, "write")]
    trace = Trace("remap", {1: "host 0"}, [Rank(0, 1, list(with_model(innermost(segments))))])
    timeline = timelines.make_timeline(trace, None, None, 10)
    assert "columns of" in timeline.notes[0]
    bars = timeline.rows[0].bars
    assert sum(map(len, bars.values())) <= timelines.COLUMNS
    assert sum(e - b for b, e in bars["put"]) == pytest.approx(count, rel=0.01)
    assert sum(e - b for b, e in bars["write"]) == pytest.approx(0.2 * count, rel=0.01)
    near = timelines.make_timeline(trace, 10, 20, 10)
    assert near.notes == []
    assert len(near.rows[0].bars["put"]) == 10
    assert sum(e - b for b, e in near.rows[0].bars["put"]) == pytest.approx(7.5)


def test_a_full_trace_is_told(tmp_path: Path) -> None:
    events = events_of_rank(0, 1, [(0, 1, "call")], dropped=17) + events_of_rank(1, 1, [(0, 9, "call")])
    timeline = timelines.make_timeline(read_trace(write_trace(tmp_path / "t.json", events)), None, None, 10)
    assert any("17 events are missing" in note for note in timeline.notes)
    assert timeline.end == 9
    assert timeline.rows[0].bars == {"call": [(0, 1)]}


@pytest.mark.parametrize(("begin", "end"), [(5, 4), (2, 3), (-2, -1)])
def test_an_empty_stretch_is_an_error(begin: float, end: float) -> None:
    with pytest.raises(ValueError, match="nothing is recorded"):
        timelines.make_timeline(many_ranks(8), begin, end, 10)


# What becomes of linear red, green and blue where a kind of cone is missing (Machado, Oliveira and Fernandes 2009).
SIGHTS = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no long": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "no middle": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "no short": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
LEAST_DISTANCE = 15  # in CIE Lab; 2 are just seen side by side


def seen(colour: str, sight: tuple) -> tuple[float, float, float]:
    """In CIE Lab."""
    light = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    light = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in light]
    r, g, b = (min(1.0, max(0.0, sum(map(operator.mul, row, light)))) for row in sight)
    white = (0.95047, 1.0, 1.08883)
    rows = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    shares = [(row[0] * r + row[1] * g + row[2] * b) / whole for row, whole in zip(rows, white, strict=True)]
    x, y, z = (share ** (1 / 3) if share > 0.008856 else 7.787 * share + 16 / 116 for share in shares)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("paper", ["light", "dark"])
def test_colour_blind_readers_tell_the_steps_apart(sight: str, paper: str) -> None:
    colours = {step: colour for step, (_, colour) in timelines.STEPS.items()} | {"mark": timelines.MARK[1]}
    colours |= timelines.DARK if paper == "dark" else {}
    for (one, colour), (other, near) in itertools.combinations(colours.items(), 2):
        distance = math.dist(seen(colour, SIGHTS[sight]), seen(near, SIGHTS[sight]))
        assert distance >= LEAST_DISTANCE, f"{one} and {other}: {distance:.0f}"


@pytest.mark.parametrize("sight", SIGHTS)
def test_a_step_is_seen_on_dark_paper(sight: str) -> None:
    style = (Path(timelines.__file__).parent / "templates" / "page.html").read_text()
    paper = re.findall(r"--paper: (#[0-9a-f]{6})", style)[-1]
    for step, (_, colour) in timelines.STEPS.items():
        distance = math.dist(seen(timelines.DARK.get(step, colour), SIGHTS[sight]), seen(paper, SIGHTS[sight]))
        assert distance >= (LEAST_DISTANCE if step == timelines.MODEL else 2 * LEAST_DISTANCE), f"{step}: {distance:.0f}"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the report and the trace of a run over 3 ranks."""
    folder = tmp_path_factory.mktemp("run")
    program = Path(os.environ["WEIR_BUILD_DIR"]) / "tests" / "test_c_all_types"
    launch = Path(os.environ["WEIR_SOURCE_DIR"]) / "tools" / "launch"
    keys = {"WEIR_TRACE": str(folder / "trace.json"), "WEIR_REPORT": str(folder / "report.json")}
    command = [launch, "-n", "3", "--timeout", "60", "--", program, folder / "file.nc"]
    subprocess.run(command, check=True, env={**os.environ, **keys})
    return folder


def test_a_real_run_is_told_and_drawn(run: Path) -> None:
    page, picture = run / "page.html", run / "picture.png"
    result = invoke(run / "trace.json", run / "report.json", "--html", page, "--png", picture)
    assert result.exit_code == 0, result.output
    report = json.loads((run / "report.json").read_text())
    assert f"\n\n{report['sentence']}\n" in result.output
    assert re.search(r"^rank 2 +\d+\.\d+ ", result.output, re.MULTILINE)
    assert picture.read_bytes().startswith(b"\x89PNG")
    text = page.read_text()
    assert report["sentence"] in text
    limits = result.output.partition("\n\n")[0]
    assert limits
    words = re.sub(r"</?code>", "`", unescape(text))
    assert all(f"<p>{sentence}</p>" in words for sentence in limits.splitlines())
    assert titles_of(text) == [
        "What each rank did when",
        "Bytes a second, of all ranks",
        "Bytes until then, of all ranks",
        "Who wrote how much",
    ]
    assert fetched_by(text) == []


def plots_of(page: str) -> list[dict]:
    """What Bokeh is told to draw."""
    told = re.search(r'<script type="application/json" id="[^"]*">(.*?)</script>', page, re.DOTALL)
    (document,) = json.loads(unescape(told[1])).values()
    return [root["attributes"] for root in document["roots"]]


def titles_of(page: str) -> list[str]:
    return [plot["title"]["attributes"]["text"] for plot in plots_of(page)]


def fetched_by(page: str) -> list[str]:
    """Whatever a browser would fetch from elsewhere: words of the script within the page are none of it."""
    around = re.sub(r"(<script[^>]*>).*?</script>", r"\1", page, flags=re.DOTALL)
    return re.findall(r"""<[^>]+(?:src|href)=(?!["']?data:)[^>]*>|@import|url\(""", around)


def test_bytes_over_time_are_those_of_the_report(run: Path) -> None:
    report, trace = json.loads((run / "report.json").read_text()), read_trace(run / "trace.json")
    found = volumes(trace, 0.0, trace.end)
    assert sum(found.put) == pytest.approx(report["bytes_put"])
    assert sum(found.written) == pytest.approx(sum(report["per_rank"]["bytes_written"]))
    assert sum(found.rate(found.put)) * found.width == pytest.approx(report["bytes_put"])


def test_bytes_are_spread_over_their_time() -> None:
    trace = Trace("remap", {1: "host 0"}, [Rank(0, 1, puts=[(0.0, 5.0, 100.0), (9.0, 9.0, 7.0)], writings=[(5.0, 15.0, 40.0)])])
    found = volumes(trace, 0.0, 10.0)
    half = len(found.put) // 2
    assert sum(found.put[:half]) == pytest.approx(100) and sum(found.put[half:]) == pytest.approx(7)
    assert sum(found.written[:half]) == 0 and sum(found.written) == pytest.approx(20)


@pytest.mark.parametrize(("count", "hosts"), [(1, 1), (7, 3), (1000, 40)])
def test_pages_of_few_and_of_many_ranks(tmp_path: Path, count: int, hosts: int) -> None:
    """Each has every rank, no more boxes than a browser draws smoothly, and the same times in every plot."""
    trace = many_ranks(count, hosts)
    trace.ranks[0].background = [(0.2, 0.3, "write")]
    trace.ranks[0].marks = [(0.4, "assigned </script>")]
    trace.ranks[0].puts = [(0.1, 0.2, 1e6)]
    timeline = timelines.make_timeline(trace, None, None, 1000)
    page = draw_page(Parts(timeline, volumes(trace, 0.0, trace.end), None), "a <run>", ["try `strategy: dynamic`"], [])
    assert "a &lt;run&gt;" in page and "<code>strategy: dynamic</code>" in page and fetched_by(page) == []
    first, *others = plots_of(page)
    assert len(first["y_range"]["attributes"]["bounds"]) == 2
    assert first["y_range"]["attributes"]["start"] == count - 0.5
    assert [plot["x_range"]["id"] for plot in others] == [first["x_range"]["id"]] * 2
    names = set(re.findall(r'data-hides="([^"]*)"', page))
    assert {timelines.STEPS[step][0] for step in timeline.steps()} | {"put by the model", "written"} <= names


def test_rows_share_what_a_browser_draws_smoothly() -> None:
    for rows in (1, 100, 1000, 4000):
        columns = timelines.columns_of(rows)
        assert 1 <= columns <= timelines.COLUMNS and rows * columns <= timelines.MOST_IN_ALL


def test_says_how_much_was_hidden(run: Path, tmp_path: Path) -> None:
    report = json.loads((run / "report.json").read_text())
    path = tmp_path / "report.json"

    def told(hidden: float) -> str:
        path.write_text(json.dumps({**report, "hidden_seconds": hidden, "output_seconds": 8.0, "busiest_rank": 2}))
        return invoke(path).output.split(f"\n{report['sentence']}\n")[1]

    assert told(6.0).startswith("Rank 2, the busiest, hid 75 % of its output behind the model.")
    assert told(0.01).startswith("Rank 2, the busiest, hid less than 1 % of its output")
    assert told(0.0).startswith("Nothing of it was hidden.")


def test_says_what_strategy_auto_found(run: Path, tmp_path: Path) -> None:
    report = json.loads((run / "report.json").read_text())
    assert "strategy auto" not in invoke(run / "report.json").output
    path, page = tmp_path / "report.json", tmp_path / "page.html"
    path.write_text(json.dumps({**report, "advice": ["tries dynamic", "keeps remap"]}))
    result = invoke(path, run / "trace.json", "--html", page)
    assert "\nstrategy auto tries dynamic\nstrategy auto keeps remap\n" in result.output
    assert "strategy auto keeps remap" in page.read_text()


def test_says_what_streams_took_and_put(run: Path, tmp_path: Path) -> None:
    report = json.loads((run / "report.json").read_text())
    assert "streams" not in invoke(run / "report.json").output
    daily = {"name": "daily", "fields": 3, "files": 2, "records": 62, "bytes_put": 7_500_000, "accumulator_bytes": 96,
             "largest_error": 0.9}
    told = {
        "accumulate_seconds": {"mean": 0.25, "max": 0.5},
        "bytes_sent": 180_000_000,
        "bytes_put": 7_500_000,
        "accumulator_bytes": 2_000_000,
        "each": [daily],
    }
    path = tmp_path / "report.json"
    path.write_text(json.dumps({**report, "streams": told}))
    output = invoke(path).output
    assert "streams took 180.0 MB of samples in 0.2500 s (mean over ranks; at most 0.5000 s) and put 7.5 MB" in output
    assert re.search(r"^daily +62 +3 +2 +7\.5 MB$", output, re.MULTILINE)
    for damaged in ({**told, "each": [{"name": "daily"}]}, {**told, "bytes_put": None}, {"each": []}, []):
        path.write_text(json.dumps({**report, "streams": damaged}))
        result = invoke(path)
        assert result.exit_code == 1 and "damaged: streams" in result.output, damaged


def test_trace_and_report_agree(run: Path) -> None:
    """A rank's time in calls is the same in both, but that a trace has weir_init too and ends later."""
    report = json.loads((run / "report.json").read_text())
    trace = read_trace(run / "trace.json")
    assert len(trace.ranks) == report["ranks"] == 3
    for rank, visible in zip(trace.ranks, report["per_rank"]["visible_seconds"], strict=True):
        whole = rank.segments[-1][1] - rank.segments[0][0]
        assert sum(rank.seconds().values()) == pytest.approx(whole, abs=1e-6)
        assert visible - 1e-4 <= timelines.in_calls(rank) <= whole
        assert rank.seconds()["put"] > 0


def test_what_is_short_is_drawn_where_there_is_little_of_it() -> None:
    view = timelines.Timeline(0.0, 12.0, [], {}, [])
    thin = 12.0 * timelines.THINNEST
    few = [(1.0, 1.0 + 1e-6), (1.0 + 2e-6, 1.0 + 3e-6), (5.0, 7.0), (12.0 - 1e-6, 12.0)]
    drawn = timelines.visible(few, view)
    assert drawn[0] == pytest.approx((1.0, 1.0 + 2e-6 + thin))
    assert drawn[1:] == [(5.0, 7.0), (12.0 - 1e-6, 12.0)]
    many = [(i / 100, i / 100 + 1e-6) for i in range(1200)]
    assert timelines.visible(many, view) == many


def test_the_model_is_drawn_below_what_interrupts_it() -> None:
    row = timelines.Row(0, 1, {"wait": [], "put": [], MODEL: [], "plan": []})
    assert row.layers() == [MODEL, "wait", "put", "plan"]


def test_page_goes_beside_the_trace(run: Path) -> None:
    result = invoke(run / "trace.json")
    assert result.exit_code == 0, result.output
    assert result.output.rstrip().endswith(str(run / "trace.html"))
    assert titles_of((run / "trace.html").read_text())[0] == "What each rank did when"


def test_a_report_alone_is_words(run: Path) -> None:
    before = set(run.iterdir())
    result = invoke(run / "report.json")
    assert result.exit_code == 0, result.output
    assert "the model waited for" in result.output
    assert set(run.iterdir()) == before


def test_of_many_ranks_the_table_shows_some(run: Path, tmp_path: Path) -> None:
    report = json.loads((run / "report.json").read_text())
    each = report["per_rank"]
    report["ranks"] = 500
    report["per_rank"] = {key: [0] * 500 for key in each} | {"job_rank": list(range(500))}
    report["per_rank"]["visible_seconds"][321] = 9.0
    report["per_rank"]["bytes_written"][123] = 1
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report))
    output = invoke(path).output
    assert len(re.findall(r"^rank \d+ ", output, re.MULTILINE)) == 8
    assert "rank 321 " in output
    assert "rank 123 " in output
    assert "8 of 500 ranks" in output


def test_wrong_files_are_a_sentence(run: Path, tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text("{}")
    (tmp_path / "torn.json").write_text('{"traceEvents":[{"ph":"X"}]}')
    for arguments, words in (
        ([tmp_path / "other.json"], "neither a report nor a trace"),
        ([tmp_path / "torn.json"], "is not a trace that Weir wrote"),
        ([run / "report.json", run / "report.json"], "a second report"),
        ([run / "report.json", "--html", tmp_path / "x.html"], "WEIR_TRACE"),
        ([run / "trace.json", "--from", "1000"], "nothing is recorded"),
        ([run / "trace.json", "--html", tmp_path / "nowhere" / "x.html"], "nowhere"),
    ):
        result = invoke(*arguments)
        assert result.exit_code == 1, result.output
        assert words in result.output
        assert "Traceback" not in result.output
