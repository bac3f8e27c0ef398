# SPDX-License-Identifier: Apache-2.0
"""What the site shows beside docs/ (mkdocs.yml): README, files of the tree that a page or the
navigation names, the help of each verb of `weir`, the words of each name of the Python package, folders of the navigation
as lists of their pages. A hook of MkDocs."""

import ast
import inspect
import json
import re
from pathlib import Path
from posixpath import dirname, normpath, relpath

import click
import weir as package
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from weir.cli import main as weir
from weir.manual import commands_of

TREE = Path(__file__).resolve().parent.parent
DOCS = "docs/"
README = "README.md"
VERBS = "reference/weir.md"
PYTHON = "reference/python.md"
LANGUAGES = {".h": "c", ".c": "c", ".hpp": "cpp", ".cpp": "cpp", ".f90": "fortran", ".toml": "toml", ".py": "python"}
LINK = re.compile(r"(\]\()(?![a-z]+:|#)([^)#\s]+)((?:#[^)]*)?\))")
LIST_BEGINS = re.compile(r"^(?![-*|>#]|\d+\. |\s)(.+)\n(?=(?:[-*]|\d+\.) )", re.MULTILINE)


def page_of(path: str) -> str:
    """The site's page that shows a file or folder of the tree."""
    if path == README:
        return "three_minutes.md"  # MkDocs makes a README the first page of its folder
    if path.startswith(DOCS):
        return path.removeprefix(DOCS)
    return path if path.endswith(".md") else f"{path.rstrip('/')}.md"


def place_of(page: str) -> str:
    """The file or folder of the tree that a page of the site stands for."""
    if page == "three_minutes.md":
        return README
    if (TREE / DOCS / page).exists():
        return DOCS + page
    return page if (TREE / page).exists() else page.removesuffix(".md")


def targets(text: str, place: str) -> set[str]:
    """The files and folders of the tree that a text links to."""
    return {normpath(f"{dirname(place)}/{target}".lstrip("/")) for _, target, _ in LINK.findall(text)}


def listing(path: str) -> str:
    """A file as it is, or each file of a folder."""
    whole = TREE / path
    if whole.is_dir():
        files = sorted(each for each in whole.iterdir() if each.suffix in LANGUAGES)
        return "\n".join([f"# {path}\n", *(block(each, f"## {each.name}") for each in files)])
    if whole.suffix == ".ipynb":
        return notebook(whole, path)
    return whole.read_text() if path.endswith(".md") else block(whole, f"# {path}")


def notebook(whole: Path, path: str) -> str:
    """Its words and programs; links in it are those of a reader of the file."""
    parts = [f"Of {path}:\n"]
    for cell in json.loads(whole.read_text())["cells"]:
        text = "".join(cell["source"])
        parts.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
    return "\n\n".join(parts) + "\n"


def block(path: Path, heading: str) -> str:
    return f"{heading}\n\n````{LANGUAGES.get(path.suffix, 'text')}\n{path.read_text().rstrip()}\n````\n"


def verbs() -> str:
    """The help of `weir` and of each of its verbs."""
    parts = ["# The command weir\n"]
    for name, command in commands_of(weir, "weir"):
        context = click.Context(command, info_name=name, max_content_width=100)
        parts.append(f"## {name}\n\n```text\n{command.get_help(context)}\n```\n")
    return "\n".join(parts)


Definition = ast.ClassDef | ast.FunctionDef


def signature(found: Definition) -> str:
    """As it is called."""
    if isinstance(found, ast.FunctionDef):
        return f"{found.name}({ast.unparse(found.args).removeprefix('self, ').removeprefix('self')})"
    inits = [each for each in found.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"]
    return signature(inits[0]).replace("__init__", found.name) if inits else found.name


def told(found: Definition, heading: str) -> str:
    words = ast.get_docstring(found)
    return f"{heading} {found.name}\n\n```python\n{signature(found)}\n```\n\n" + (f"```text\n{words}\n```\n" if words else "")


def with_bases(item: Definition, found: dict[str, Definition]) -> list[Definition]:
    """A class, and all that it is made of."""
    bases = [found[ast.unparse(base)] for base in getattr(item, "bases", []) if ast.unparse(base) in found]
    return [item, *(each for base in bases for each in with_bases(base, found))]


def python_names() -> str:
    """What `import weir` has, each with its methods: read from the sources, since importing it begins MPI."""
    folder = Path(inspect.getfile(package)).parent
    sources = [*(folder / f"{name}.py" for name in ("constants", "errors", "xarray")), *sorted((folder / "output").glob("*.py"))]
    trees = [ast.parse(source.read_text()) for source in sources]
    found = {each.name: each for tree in trees for each in tree.body if isinstance(each, Definition)}
    parts = ["# The Python package\n\nHow to use it: [Python](../docs/python.md).\n"]
    for name in [*package.__all__, "DatasetAccessor"]:
        parts.append(told(found[name], "##"))
        for base in with_bases(found[name], found):
            methods = [each for each in getattr(base, "body", []) if isinstance(each, ast.FunctionDef)]
            parts += [told(each, "###") for each in methods if not each.name.startswith("_") and ast.get_docstring(each)]
    return "\n".join(parts)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The navigation names files and folders of the tree; folders of docs/ become lists of their pages."""
    for entry in entries_of(config):
        for title, target in entry.items():
            entry[title] = pages_of(target) if (TREE / DOCS / target).is_dir() else page_of(target)
    return config


def entries_of(config: MkDocsConfig) -> list[dict[str, str | list[str]]]:
    return [entry for section in config.nav or [] for entries in section.values() for entry in entries]


def pages_of(folder: str) -> list[str]:
    found = sorted((TREE / DOCS / folder).glob("*.md"), key=lambda path: (path.name != "README.md", path.name))
    return [f"{folder}{path.name}" for path in found]


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    made: dict[str, str] = {VERBS: verbs(), PYTHON: python_names()}
    todo = [place_of(page) for entry in entries_of(config) for page in entry.values() if isinstance(page, str)]
    for file in files.documentation_pages():
        todo += targets((TREE / DOCS / file.src_uri).read_text(), DOCS + file.src_uri)
    while todo:
        place = todo.pop()
        page = page_of(place)
        if page in made or not (TREE / place).exists() or files.get_file_from_path(page):
            continue
        made[page] = listing(place)
        if place.endswith(".md"):
            todo += targets(made[page], place)
    for page, text in made.items():
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links lead to pages of the site. A list may follow a sentence without a line between them, as elsewhere."""
    place = place_of(page.file.src_uri)

    def led(match: re.Match[str]) -> str:
        target = page_of(normpath(f"{dirname(place)}/{match[2]}".lstrip("/")))
        return match[1] + relpath(target, dirname(page.file.src_uri) or ".") + match[3]

    parts = re.split(r"(^```.*?^```+$)", markdown, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if k % 2 else LIST_BEGINS.sub(r"\1\n\n", LINK.sub(led, part)) for k, part in enumerate(parts))
