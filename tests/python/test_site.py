# SPDX-License-Identifier: Apache-2.0
"""The documents as a site (mkdocs.yml): it builds without a warning, the navigation leads to each document, links lead on
within it, and reading it fetches nothing."""

import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

import pytest

TREE = Path(__file__).resolve().parent.parent.parent
FETCHING = {"script": "src", "img": "src", "link": "href", "iframe": "src"}


class Links(HTMLParser):
    def __init__(self, page: Path) -> None:
        super().__init__()
        self.fetched: set[str] = set()
        self.led_to: set[str] = set()
        self.feed(page.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag in FETCHING and values.get(FETCHING[tag]):
            self.fetched.add(str(values[FETCHING[tag]]))
        if tag == "a" and values.get("href"):
            self.led_to.add(str(values["href"]))


def build(tree: Path, site: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(site)]
    return subprocess.run(command, cwd=tree, capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    built = build(TREE, folder)
    assert built.returncode == 0, built.stderr
    return folder


def test_every_document_is_a_page_of_the_navigation(site: Path) -> None:
    start = {urlsplit(link).path for link in Links(site / "index.html").led_to}
    for document in (TREE / "docs").rglob("*.md"):
        page = document.relative_to(TREE / "docs").with_suffix(".html").as_posix().replace("README.html", "index.html")
        assert page in start, f"the navigation does not lead to {document.name}"


def test_the_first_page_leads_to_all_that_a_user_reads_within_two_steps() -> None:
    docs = TREE / "docs"
    near = linked_from({docs / "index.md"})
    within = near | linked_from(near)
    far = {page.name for page in docs.glob("*.md")} - {page.name for page in within}
    assert not far, f"more than two steps from docs/index.md: {far}"
    # What is asked for first is on that page, in this order; how Weir was measured comes last.
    sections = re.findall("^## (.+)$", (docs / "index.md").read_text(), re.MULTILINE)
    assert sections[:4] == ["My model writes already", "I write a new model", "I run somebody's model", "I operate a cluster"]
    assert sections[-1] == "How it was measured"
    headings = re.findall("^  - (.+):$", (TREE / "mkdocs.yml").read_text().partition("\nnav:\n")[2], re.MULTILINE)
    assert [each for each in headings if each in sections] == sections


def linked_from(pages: set[Path]) -> set[Path]:
    """The pages of docs/ that these lead to, and themselves."""
    links = {(page.parent / found).resolve() for page in pages for found in re.findall(r"\]\(([^)#:]+\.md)", page.read_text())}
    return pages | {link for link in links if link.parent == TREE / "docs" and link.exists()}


def test_links_lead_on_within_the_site(site: Path) -> None:
    for page in site.rglob("*.html"):
        for link in Links(page).led_to:
            parts = urlsplit(link)
            if parts.scheme or not parts.path or page.name == "404.html":
                continue
            assert (page.parent / parts.path).resolve().exists(), f"{page.name} leads to {link}"


def test_nothing_is_fetched(site: Path) -> None:
    for page in site.rglob("*.html"):
        assert not [link for link in Links(page).fetched if urlsplit(link).netloc], page.name


def test_reference_comes_from_the_sources(site: Path) -> None:
    def words(page: str) -> str:
        return re.sub("<[^>]+>", "", (site / page).read_text())

    assert "weir_put_vara" in words("include/weir/weir.h.html")
    for call in ("createVariable(", "to_netcdf(", "createLayout(", "setncattr("):
        assert call in words("reference/python.html"), call
    for verb in ("report", "simulate", "tune", "verify"):
        assert f"Usage: weir {verb}" in words("reference/weir.html")


def test_a_link_to_nothing_ends_the_build(tmp_path: Path) -> None:
    copy = tmp_path / "tree"
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    tracked = subprocess.run(listing, cwd=TREE, capture_output=True, check=True, text=True).stdout.splitlines()
    for name in tracked:
        if (TREE / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(TREE / name, copy / name)
    with (copy / "docs" / "limits.md").open("a") as page:
        page.write("\n[nowhere](nowhere.md)\n")
    built = build(copy, tmp_path / "site")
    assert built.returncode != 0
    assert "nowhere.md" in built.stderr
