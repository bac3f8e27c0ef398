# SPDX-License-Identifier: Apache-2.0
"""docs/error_sentences.md: each sentence that it explains stands in the sources, and those that users meet most are all there."""

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path

TREE = Path(os.environ["WEIR_SOURCE_DIR"])
PAGE = TREE / "docs" / "error_sentences.md"
SOURCES = ("src", "bridge", "bindings", "python/weir/output")
# Of these all refusals are on the page, but for defects of Weir (WEIR_EINTERNAL).
OF_CALLS = ("src/file", "src/plan/layout.cpp", "src/plan/planner.cpp", "src/instance", "src/streams", "src/schema/schema.cpp", "bindings/c")
OF_WAITS = ("src/engine", "src/mpi", "src/storage/storage_calls.cpp")
# Of these all sentences, since reasons are made there which another sentence ends with.
OF_REASONS = ("src/storage/filesystem.cpp", "src/base/config_keys.cpp")
STRING = r'"(?:[^"\\]|\\.)*"'
CALL = re.compile(r"\b(require|Error|formatted)\s*\(")
CODE = re.compile(r"WEIR_E[A-Z]+")


def as_said(literal: str) -> str:
    """As a user sees it, with … in the place of each value."""
    braces = {"{{": "{", "}}": "}"}
    return merged(re.sub(r"\{\{|\}\}|\{[^{}]*\}", lambda found: braces.get(found[0], "…"), literal))


def merged(sentence: str) -> str:
    """Several values on end are one."""
    return re.sub(r"\s+", " ", re.sub(r"…(?:\s*…)+", "…", sentence)).strip()


def arguments(text: str, begin: int) -> str:
    """What stands in the parentheses that open before `begin`."""
    depth, place, quoted = 1, begin, False
    while depth and place < len(text):
        letter = text[place]
        if quoted:
            place += letter == "\\"
            quoted = letter != '"'
        else:
            quoted = letter == '"'
            depth += {"(": 1, ")": -1}.get(letter, 0)
        place += 1
    return text[begin : place - 1]


def sentences_of(path: Path) -> Iterator[tuple[str, str]]:
    """(the code of an error or "", the sentence) of a source in C++."""
    text = path.read_text()
    for call in CALL.finditer(text):
        inside = arguments(text, call.end())
        literal = re.search(rf"(?:{STRING}\s*)+", inside)
        if literal:
            code = CODE.search(inside)
            joined = "".join(each[1:-1] for each in re.findall(STRING, literal[0])).replace('\\"', '"')
            yield code[0] if code else "", as_said(joined)


def texts_of(path: Path) -> Iterator[str]:
    """The texts of a source in Python."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.JoinedStr):
            yield merged("".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield merged(node.value)


def sources(*places: str) -> list[Path]:
    found = [path for place in places for path in ([TREE / place] if (TREE / place).is_file() else (TREE / place).rglob("*"))]
    return [path for path in found if path.suffix in (".cpp", ".hpp", ".py")]


def explained() -> list[str]:
    """The first column of the page."""
    return [merged(found) for found in re.findall(r"^\| `([^`]+)` \| [^|]+ \| [^|]+ \|$", PAGE.read_text(), re.MULTILINE)]


def core(sentence: str) -> str:
    """Without the values, separators and dots at its ends."""
    return sentence.strip("… :;,.")


def is_explained(sentence: str, page: list[str]) -> bool:
    words = core(sentence)
    return any(words in entry or (core(entry) in words and len(core(entry)) > len(words) / 2) for entry in page)


def test_each_line_of_a_table_is_an_entry() -> None:
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    assert len(lines) == len(explained()) > 150
    assert len(set(explained())) == len(lines), "a sentence is explained twice"


def test_each_sentence_stands_in_the_sources() -> None:
    known = [sentence for path in sources(*SOURCES) for sentence in said_by(path)]
    for entry in explained():
        assert any(core(entry) in sentence for sentence in known), f"no source says: {entry}"


def said_by(path: Path) -> Iterator[str]:
    if path.suffix == ".py":
        yield from texts_of(path)
    else:
        yield from (sentence for _, sentence in sentences_of(path))


def test_what_users_meet_most_is_explained() -> None:
    page = explained()
    wanted = [(path, each) for path in sources(*OF_CALLS) for code, each in sentences_of(path) if code not in ("", "WEIR_EINTERNAL")]
    wanted += [(path, each) for path in sources(*OF_WAITS) for code, each in sentences_of(path) if code == "WEIR_ETIMEOUT"]
    wanted += [(path, each) for path in sources(*OF_REASONS) for _, each in sentences_of(path)]
    missing = [f"{path.relative_to(TREE)}: {each}" for path, each in wanted if len(core(each).split()) > 3 and not is_explained(each, page)]
    assert not missing, "\n".join(missing)
