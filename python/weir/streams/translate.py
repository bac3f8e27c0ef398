# SPDX-License-Identifier: Apache-2.0
"""Which table a file is, and its streams."""

from collections.abc import Callable
from pathlib import Path

from weir.streams import fms, xios
from weir.streams.written import Translation
from weir.streams.xios_tree import XiosError


def translate(path: Path) -> Translation:
    """Of XIOS's iodef.xml, FMS's diag_table or diag_table.yaml. Raises ValueError with a sentence for what is none of them,
    and OSError."""
    try:
        return kind_of(path)(path)
    except (XiosError, fms.FmsError):
        raise
    except ValueError as error:  # a word that is no number where the format has one
        raise ValueError(f"{path}: {error}: give a number there") from error


def kind_of(path: Path) -> Callable[[Path], Translation]:
    text = path.read_text(encoding="utf-8", errors="replace")
    if text.lstrip().startswith("<"):
        return xios.translate
    lines = (line for line in text.splitlines() if line.strip() and not line.lstrip().startswith(("#", "---")))
    if any(line.startswith("diag_files") for line in lines):
        return fms.translate_yaml
    return fms.translate_text
