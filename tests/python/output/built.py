# SPDX-License-Identifier: Apache-2.0
"""What a build has of Weir's parts that it may be without: tests that want one are skipped where it is missing."""

import os
from pathlib import Path

import pytest

LIBRARIES = Path(os.environ["WEIR_BUILD_DIR"]) / "lib"
FILES = {"Python module": "_output.*.so", "netCDF-4": "libweir_netcdf4_*.so"}


def need(*parts: str) -> None:
    """Skips the module that calls it, unless the build has these parts."""
    missing = [part for part in parts if not list(LIBRARIES.glob(FILES[part]))]
    if missing:
        pytest.skip(f"the build has no {' and no '.join(missing)}; the configuration says why", allow_module_level=True)
