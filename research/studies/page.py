# SPDX-License-Identifier: Apache-2.0
"""What is on a study's page, which study.html writes."""

from dataclasses import dataclass, field
from pathlib import Path

from weir.pages import environment

from studies.claims import NOT, SHOWS, Claim

Table = tuple[list[str], list[list[str]]]

LONG = 30  # letters of a cell that may be broken


@dataclass
class Section:
    """A figure of the paper, redrawn, and beside it what the paper has."""

    title: str
    figures: list[str]  # SVG
    caption: str = ""
    paper: str = ""  # what the paper's text says, and what it says only graphically
    paper_table: Table | None = None
    table: Table | None = None


@dataclass
class Page:
    title: str
    paper: str
    summary: str
    sections: list[Section] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    tables: list[tuple[str, Table]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)  # why claims may not show
    claims_title: str = "What the paper says and what Weir is held to, and whether it shows here"


def draw_page(page: Page, facts: list[tuple[str, str]], failures: list[str]) -> str:
    colours = {SHOWS: "yes", NOT: "no"}
    template = environment().from_string(Path(__file__).with_name("study.html").read_text(encoding="utf-8"))
    return template.render(title=page.title, page=page, facts=facts, failures=failures, colours=colours, long=LONG)
