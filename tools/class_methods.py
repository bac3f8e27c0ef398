# SPDX-License-Identifier: Apache-2.0
"""How many methods the classes of a source have, for tools/check: C++ by its declarations, Python by its syntax."""

import ast
import re
from collections.abc import Iterator

CLASS = re.compile(r"\b(?<!enum )(?:class|struct)\s+(?:\[\[[^\]]*\]\]\s*)?(?:alignas\([^()]*\)\s*)?(?:\w+::)*(\w+)(?:<[^{};]*>)?(?:\s+final)?\s*(?::[^;{}()]*)?\{")
NO_METHOD = re.compile(r"^(?:using|typedef|friend|static_assert|struct|class|union|enum)\b|\boperator\b|[~=][^()]*\(")


def body_end(code: str, begin: int) -> int:
    """Place of the brace that closes the one before BEGIN."""
    depth = 1
    for place in range(begin, len(code)):
        depth += {"{": 1, "}": -1}.get(code[place], 0)
        if depth == 0:
            return place
    return len(code)


def members(body: str) -> Iterator[str]:
    """The declarations of a class, without what is in braces or angle brackets."""
    declaration, place = "", 0
    while place < len(body):
        character = body[place]
        if character == "{":
            place = body_end(body, place + 1)
            declaration += "{}"
        elif character != ";":
            declaration += character
        if character == ";" or (character == "{" and not re.match(r"\s*[;,(){]", body[place + 1 :])):
            text, found = declaration, True
            while found:
                text, found = re.subn(r"<[^<>]*>", "", text)
            yield " ".join(re.sub(r"\b(?:public|private|protected)\s*:|\[\[\w+\]\]|\btemplate\b", "", text).split())
            declaration = ""
        place += 1


def methods(code: str) -> Iterator[tuple[int, str, int]]:
    """Line and name of every class, and of how many functions it tells, constructors and operators not counted."""
    for match in CLASS.finditer(code):
        name = match.group(1)
        count = 0
        for member in members(code[match.end() : body_end(code, match.end())]):
            called = re.search(r"(\w+) ?\(", member)
            # What a base class asks for is counted there.
            if called and called.group(1) != name and not member.endswith(("override", "override {}")):
                count += not NO_METHOD.search(member[: called.end()])
        yield code.count("\n", 0, match.start()) + 1, name, count


def python_methods(text: str) -> Iterator[tuple[int, str, int]]:
    """The same of a source in Python, where names like __len__ are not counted."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ClassDef):
            names = {each.name for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}
            yield node.lineno, node.name, sum(not re.fullmatch("__.*__", each) for each in names)
