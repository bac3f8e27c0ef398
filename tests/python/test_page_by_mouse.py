# SPDX-License-Identifier: Apache-2.0
# timeout: 300
"""A run's page under a reader's mouse, in a browser: drag to look closer, point to be told, click to hide."""

import json
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest
from browser.page import PATIENCE, Page, browser
from weir import timeline as timelines
from weir.draw_html import Parts, draw_page
from weir.trace import Rank, Trace, innermost, with_model
from weir.volumes import volumes

pytestmark = pytest.mark.skipif(browser() is None, reason="SKIPPED: no chromium")
END = 10.0


def trace_of(count: int) -> Trace:
    """Of each rank: it computes, then is in a call that waits, then writes."""
    spans = [(4.0, 8.0, "call"), (4.0, 6.0, "wait"), (6.0, 8.0, "write"), (9.9, END, "call")]
    ranks = [Rank(r, 1, list(with_model(innermost(spans)))) for r in range(count)]
    ranks[0].puts = [(4.0, 6.0, 1e6)]
    return Trace("dynamic", {1: "host 0"}, ranks)


@pytest.fixture(params=[8, 1000])
def page(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Page]:
    trace = trace_of(request.param)
    timeline = timelines.make_timeline(trace, None, None, 1000)
    path = tmp_path / "page.html"
    path.write_text(draw_page(Parts(timeline, volumes(trace, 0.0, trace.end), None), "a run", ["a sentence"], []))
    opened = Page(path)
    opened.wait("window.Bokeh && Bokeh.documents.length && Bokeh.documents[0].is_idle")
    yield opened
    opened.close()


VIEW = "Bokeh.index.roots[0]"
ROOT = "Bokeh.documents[0].roots()[0]"


def frame(page: Page) -> tuple[float, float, float, float]:
    """Of the timeline, within the window: left, top, width, height. Where its times and ranks are drawn."""
    return tuple(
        page.value(
            f"""(() => {{ const box = {VIEW}.frame.bbox, place = {VIEW}.el.getBoundingClientRect();
            return [place.left + box.left, place.top + box.top, box.width, box.height]; }})()"""
        )
    )


def seconds(page: Page) -> tuple[float, float]:
    start, end = page.value(f"[{ROOT}.x_range.start, {ROOT}.x_range.end]")
    return start, end


def test_dragging_over_a_stretch_of_time_looks_closer(page: Page) -> None:
    left, top, width, height = frame(page)
    start, end = seconds(page)
    middle = top + min(height / 2, 300)
    give_up = monotonic() + PATIENCE
    while seconds(page) == (start, end):  # a busy machine's browser may take it for a hand that rests
        page.drag(middle, left + 0.25 * width, left + 0.5 * width)
        assert monotonic() < give_up, "nothing is nearer"
    near = seconds(page)
    assert near == pytest.approx((start + 0.25 * (end - start), start + 0.5 * (end - start)), abs=0.05 * (end - start))
    others = page.value("Bokeh.documents[0].roots().slice(1, 3).map((plot) => [plot.x_range.start, plot.x_range.end])")
    assert [tuple(other) for other in others] == [near, near], "all plots over time show the same time"


def test_what_lies_under_the_pointer_is_told(page: Page) -> None:
    left, top, width, height = frame(page)
    start, end = seconds(page)
    shown = min(height, 600)
    for second, words in ((5.0, timelines.STEPS["wait"][0]), (7.0, timelines.STEPS["write"][0])):
        page.mouse("mouseMoved", left + (second - start) / (end - start) * width, top + 0.4 * shown)
        told = page.wait(
            """(() => { const all = [];
            const look = (root) => { for (const node of root.querySelectorAll("*")) {
              if (node.classList.contains("bk-Tooltip") || node.className.toString().includes("tooltip")) all.push(node);
              if (node.shadowRoot) look(node.shadowRoot); } };
            look(document);
            const words = (node) => [...(node.shadowRoot || node).childNodes].filter((n) => n.nodeName !== "STYLE")
              .map((n) => n.nodeType === 3 ? n.textContent : words(n)).join(" ");
            return all.map(words).join(" "); })()"""
        )
        assert words in told


def test_a_click_hides_what_a_word_names(page: Page) -> None:
    words = timelines.STEPS["wait"][0]
    button = f"document.querySelector({json.dumps(f'[data-hides={json.dumps(words)}]')})"
    page.value(f"{button}.scrollIntoView({{block: 'center'}})")
    visible = f"{ROOT}.renderers.filter((r) => r.name === {json.dumps(words)}).map((r) => r.visible)"
    assert set(page.value(visible)) == {True}
    for shown in (False, True):
        box = page.value(f"(({{left, top, width, height}}) => [left + width / 2, top + height / 2])({button}.getBoundingClientRect())")
        page.click(*box)
        assert page.wait(f"{button}.getAttribute('aria-pressed') === '{str(shown).lower()}'")
        assert set(page.value(visible)) == {shown}


