# SPDX-License-Identifier: Apache-2.0
"""What netCDF4-python has and Weir does not: its names and keywords, each with what to do in its place. A call raises that
sentence as a weir.Error; docs/python.md lists all."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from weir.errors import Code, Error

RENAME: Final = "Weir does not rename what is defined: give the name that it is to have, or use ncrename (NCO) on the file"
DELETE: Final = "Weir does not delete attributes: do not set it, or use ncatted (NCO) on the file"
TYPES: Final = "Weir writes netCDF's numbers and text: "
CACHE: Final = "Weir has no chunk cache of a library: the key buffer_limit says how much memory it takes"

OF_DATASETS: Final[Mapping[str, str]] = {
    "createCompoundType": TYPES + "make a variable of each member",
    "createEnumType": TYPES + "make an integer variable, and name its values in the attributes flag_values and flag_meanings",
    "createVLType": TYPES + "put the values into one long variable, and the lengths of the rows into another",
    "delncattr": DELETE,
    "fromcdl": "make the file by ncgen, and open it",
    "has_zstd_filter": "createVariable says whether this Weir writes zstd",
    "renameAttribute": RENAME,
    "renameDimension": RENAME,
    "renameGroup": RENAME,
    "renameVariable": RENAME,
    "tocdl": "ncdump prints the file",
}
OF_VARIABLES: Final[Mapping[str, str]] = {
    "delncattr": DELETE,
    "get_var_chunk_cache": CACHE,
    "renameAttribute": RENAME,
}
OF_THE_MODULE: Final[Mapping[str, str]] = {
    "CompoundType": OF_DATASETS["createCompoundType"],
    "EnumType": OF_DATASETS["createEnumType"],
    "MFDataset": "open one file, or several by xarray.open_mfdataset",
    "MFTime": "open one file, or several by xarray.open_mfdataset",
    "NetCDF4MissingFeatureException": "Weir's errors are weir.Error",
    "VLType": OF_DATASETS["createVLType"],
    "dtype_is_complex": TYPES + "put the real and the imaginary part into two variables",
    "get_alignment": "the key record_align of the configuration aligns",
    "get_chunk_cache": CACHE,
    "getlibversion": "weir.__version__ is Weir's version",
    "rc_get": "Weir has a configuration of its own (docs/configuration.md)",
    "rc_set": "Weir has a configuration of its own (docs/configuration.md)",
    "set_alignment": "the key record_align of the configuration aligns",
    "set_chunk_cache": CACHE,
}
# Of weir.Dataset, where they ask for something.
KEYWORDS_OF_DATASET: Final[Mapping[str, str]] = {
    "auto_complex": "complex numbers are two variables, their real and their imaginary part",
    "diskless": "Weir writes files, no memory: leave it out",
    "memory": "Weir writes files, no memory: leave it out",
    "persist": "Weir writes files, no memory: leave it out",
}


def left_out(name: str, sentence: str) -> Callable[..., Any]:
    """Stands in the place of netCDF4-python's function or class."""

    def refuse(*_: object, **__: object) -> Any:
        raise Error(Code.EARGUMENT, f"{name} of netCDF4-python is not here: {sentence}")

    refuse.__name__ = name.rpartition(".")[2]
    refuse.__doc__ = f"Not here: {sentence}."
    return refuse


def check_keywords(asked: Mapping[str, object]) -> None:
    for name, value in asked.items():
        if value not in (None, False):
            raise Error(Code.EARGUMENT, f"{name}={value!r} of netCDF4-python is not here: {KEYWORDS_OF_DATASET[name]}")
