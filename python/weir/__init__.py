# SPDX-License-Identifier: Apache-2.0
"""Weir's Python side: files for programs on mpi4py, and the command line around the MPI programs."""

from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weir.errors import Code, Error
    from weir.output.coding import chartostring, stringtoarr, stringtochar
    from weir.output.dataset import Dataset
    from weir.output.layout import Layout
    from weir.output.scope import Dimension, Group
    from weir.output.session import Weir
    from weir.output.streams import Field, Streams
    from weir.output.variable import Variable

__all__ = [
    "Code", "Dataset", "Dimension", "Error", "Field", "Group", "Layout", "Streams", "Variable", "Weir", "chartostring",
    "stringtoarr", "stringtochar",
]  # fmt: skip

_PLACES = {
    "Code": "errors",
    "Dataset": "output.dataset",
    "Dimension": "output.scope",
    "Error": "errors",
    "Field": "output.streams",
    "Group": "output.scope",
    "Layout": "output.layout",
    "Streams": "output.streams",
    "Variable": "output.variable",
    "Weir": "output.session",
    "chartostring": "output.coding",
    "default_fillvals": "output.types",
    "is_native_big": "output.types",
    "is_native_little": "output.types",
    "stringtoarr": "output.coding",
    "stringtochar": "output.coding",
}
# netCDF4-python has them of cftime, which comes with it and with xarray.
_CFTIME = ("date2index", "date2num", "num2date")


def __getattr__(name: str) -> object:
    """Found when asked for: the command line does without MPI and NumPy."""
    if name in _PLACES:
        return getattr(import_module(f"weir.{_PLACES[name]}"), name)
    if name in _CFTIME:
        return getattr(import_module("cftime"), name)
    if name == "__version__":
        return import_module("importlib.metadata").version("weir-output")
    # `from weir import cache` asks here before it looks for the module weir.cache, which may want neither MPI nor NumPy.
    if find_spec(f"weir.{name}") is None:
        with suppress(ImportError):  # the compiled module may be missing
            from weir.output.elsewhere import OF_THE_MODULE, left_out

            if name in OF_THE_MODULE:
                return left_out(name, OF_THE_MODULE[name])
    raise AttributeError(f"module 'weir' has no attribute '{name}'")
