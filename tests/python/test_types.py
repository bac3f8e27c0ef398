# SPDX-License-Identifier: Apache-2.0
# cores: 2
"""The part of the package that programs import is typed, by mypy in its strict mode ([tool.mypy] of pyproject.toml);
and the types of the compiled module are those of what it has."""

import ast
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


def test_the_types_of_the_compiled_module_are_those_that_it_has(tmp_path: Path) -> None:
    pytest.importorskip("weir._output")
    made = tmp_path / "_output.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "--exclude-values", "-m", "weir._output", "-o", str(made)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    kept = ast.parse((SOURCE / "python" / "weir" / "_output.pyi").read_text())
    assert ast.unparse(kept.body[1:]) == ast.unparse(ast.parse(made.read_text()))  # without its own documentation
