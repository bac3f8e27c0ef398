# SPDX-License-Identifier: Apache-2.0
# cores: 2
"""The part of the package that programs import is typed, by mypy in its strict mode ([tool.mypy] of pyproject.toml);
and the types of the compiled module are those of what it has."""

import ast
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(os.environ["WEIR_SOURCE_DIR"])


def test_mypy_finds_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=SOURCE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_compiled_module_has_what_its_types_say() -> None:
    module = pytest.importorskip("weir._output")
    stub = ast.parse((SOURCE / "python" / "weir" / "_output.pyi").read_text())
    classes = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef)}
    for name, node in classes.items():
        told = {part.name for part in node.body if isinstance(part, ast.FunctionDef)} - {"__init__"}
        there = {member for member, _ in inspect.getmembers(getattr(module, name)) if not member.startswith("__")}
        assert told == there, name
    named = {
        node.target.id for node in stub.body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    named |= {node.name for node in stub.body if isinstance(node, ast.FunctionDef)}
    assert named | set(classes) == {name for name in dir(module) if not name.startswith("__")}
