# SPDX-License-Identifier: Apache-2.0
"""A study's page: one file, nothing fetched, no script."""

from dataclasses import dataclass, field
from html import escape

from weir.bench.claims import NOT, SHOWS, Claim

Table = tuple[list[str], list[list[str]]]

STYLE = """
body { margin: 2rem auto; max-width: 1180px; padding: 0 1rem; background: #fff; color: #22313f;
  font: 15px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .2rem; } h2 { font-size: 1.1rem; margin: 2.2rem 0 .3rem; }
p { margin: .3rem 0; } .note, figcaption, dd, dt { color: #5b6875; font-size: .88rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; }
dd { margin: 0; overflow-wrap: anywhere; }
.pair { display: flex; flex-wrap: wrap; gap: 1.4rem; align-items: flex-start; }
.pair > figure { flex: 1 1 560px; margin: .4rem 0; min-width: 0; } .pair > aside { flex: 1 1 300px; min-width: 0; }
svg { width: 100%; max-width: 760px; height: auto; }
aside { background: #f6f8fa; border-radius: 6px; padding: .6rem .9rem; font-size: .9rem; }
aside h3 { font-size: .9rem; margin: 0 0 .3rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .86rem; margin: .5rem 0; }
td { white-space: nowrap; } td.long { white-space: normal; overflow-wrap: anywhere; min-width: 14rem; }
th, td { text-align: left; padding: .2rem .7rem .2rem 0; border-bottom: 1px solid #dfe4ea; vertical-align: top; }
code { font-size: .82rem; overflow-wrap: anywhere; }
.yes { color: #00704f; font-weight: 600; } .no { color: #b04a00; font-weight: 600; } 
.open { color: #5b6875; font-weight: 600; }
.failed { background: #fdf0e8; border-left: 4px solid #d55e00; padding: .4rem .9rem; }
summary { font-size: 1.1rem; font-weight: 600; margin: 2.2rem 0 .3rem; cursor: pointer; }
"""


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


LONG = 30  # letters of a cell that may be broken


def draw_cell(cell: str) -> str:
    return f'<td class="long">{escape(cell)}</td>' if len(cell) > LONG else f"<td>{escape(cell)}</td>"


def draw_table(table: Table) -> str:
    head, rows = table
    cells = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join("<tr>" + "".join(map(draw_cell, row)) + "</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table></div>'


def draw_claims(claims: list[Claim]) -> str:
    colour = {SHOWS: "yes", NOT: "no"}
    rows = "".join(
        f'<tr><td class="long">{escape(claim.words)}</td>'
        f'<td class="verdict {colour.get(claim.verdict, "open")}">{claim.verdict}</td>'
        f'<td class="long">{escape(claim.why)}</td></tr>'
        for claim in claims
    )
    head = "<tr><th>what is said</th><th></th><th>measured here</th></tr>"
    return f'<div class="wide"><table><thead>{head}</thead><tbody>{rows}</tbody></table></div>'


def draw_section(section: Section) -> str:
    figures = "".join(f"<figure>{svg}</figure>" for svg in section.figures)
    paper = ""
    if section.paper or section.paper_table:
        paper = f"<aside><h3>The paper</h3><p>{escape(section.paper)}</p>"
        paper += (draw_table(section.paper_table) if section.paper_table else "") + "</aside>"
    caption = f'<p class="note">{escape(section.caption)}</p>' if section.caption else ""
    own = draw_table(section.table) if section.table else ""
    return f'<h2>{escape(section.title)}</h2>{caption}<div class="pair">{figures}{paper}</div>{own}'


def draw_facts(facts: list[tuple[str, str]]) -> str:
    return "<dl>" + "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts) + "</dl>"


def draw_page(page: Page, facts: list[tuple[str, str]], failures: list[str]) -> str:
    failed = "".join(f'<p class="failed">{escape(words)}</p>' for words in failures)
    claims = f"<h2>{escape(page.claims_title)}</h2>" + draw_claims(page.claims) if page.claims else ""
    claims += "".join(f'<p class="note">{escape(reason)}</p>' for reason in page.reasons)
    tables = "".join(
        f"<details><summary>{escape(title)}</summary>{draw_table(table)}</details>" for title, table in page.tables
    )
    notes = "".join(f'<p class="note">{escape(note)}</p>' for note in page.notes)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="data:,"><title>{escape(page.title)}</title><style>{STYLE}</style></head><body>\n'
        f"<h1>{escape(page.title)}</h1><p>{escape(page.paper)}</p><p>{escape(page.summary)}</p>\n"
        f"{draw_facts(facts)}\n{failed}\n{claims}\n"
        + "\n".join(draw_section(section) for section in page.sections)
        + f"\n{tables}\n<h2>How it was measured</h2>{notes}\n</body></html>\n"
    )
