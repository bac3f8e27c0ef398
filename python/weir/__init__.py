# SPDX-License-Identifier: Apache-2.0
"""Weir's Python side: files for programs on mpi4py, and the command line around the MPI programs."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weir.errors import Code, Error
    from weir.output.dataset import Dataset, Dimension
    from weir.output.layout import Layout
    from weir.output.session import Weir
    from weir.output.variable import Variable
    from weir.output.xarray_door import to_netcdf

__all__ = ["Code", "Dataset", "Dimension", "Error", "Layout", "Variable", "Weir", "to_netcdf"]

_PLACES = {
    "Code": "errors",
    "Dataset": "output.dataset",
    "Dimension": "output.dataset",
    "Error": "errors",
    "Layout": "output.layout",
    "Variable": "output.variable",
    "Weir": "output.session",
    "to_netcdf": "output.xarray_door",
}


def __getattr__(name: str) -> object:
    """Found when asked for: the command line does without MPI and NumPy."""
    if name not in _PLACES:
        raise AttributeError(f"module 'weir' has no attribute '{name}'")
    return getattr(import_module(f"weir.{_PLACES[name]}"), name)
