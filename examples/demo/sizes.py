# SPDX-License-Identifier: Apache-2.0
"""Compares the size of netCDF files with that of their values: sizes.py FILE..."""

import sys
from pathlib import Path

import netCDF4
import numpy as np


def main() -> None:
    for name in sys.argv[1:]:
        with netCDF4.Dataset(name) as file:
            values = sum(int(np.prod(variable.shape)) * variable.dtype.itemsize for variable in file.variables.values())
            kind = "netCDF-4" if file.data_model.startswith("NETCDF4") else "classic"
        print(f"{name}: {kind}, {Path(name).stat().st_size} bytes for {values} bytes of values")


main()
