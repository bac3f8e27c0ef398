# SPDX-License-Identifier: Apache-2.0
"""Imported first by a script that needs the project's Python packages: begins the script again with the Python that has
them (tools/install-deps), where another one runs it."""

import os
import sys
from pathlib import Path

PYTHON = Path(__file__).resolve().parents[1] / ".venv" / "bin" / "python"
if Path(sys.prefix) != PYTHON.parents[1] and PYTHON.exists():
    os.execv(PYTHON, [str(PYTHON), *sys.argv])
