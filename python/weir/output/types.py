# SPDX-License-Identifier: Apache-2.0
"""NumPy's types of elements and netCDF's: which is which, and what arrays become before their memory is given to
Weir."""

import sys
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

from weir.constants import BYTE, CHAR, DOUBLE, FLOAT, INT, INT64, SHORT, UBYTE, UINT, UINT64, USHORT
from weir.errors import Code, Error

Array = NDArray[Any]

# weir_type, whose numbers are netCDF's nc_type, of a native dtype's name.
TYPES: Final[dict[str, int]] = {
    np.dtype(name).str: number
    for name, number in {
        "i1": BYTE, "S1": CHAR, "i2": SHORT, "i4": INT, "f4": FLOAT, "f8": DOUBLE, "u1": UBYTE, "u2": USHORT, "u4": UINT,
        "i8": INT64, "u8": UINT64,
    }.items()
}  # fmt: skip
DTYPES: Final[dict[int, np.dtype[Any]]] = {number: np.dtype(name) for name, number in TYPES.items()}
# What netCDF puts where nothing was put: NC_FILL_*.
DEFAULT_FILL: Final[dict[int, Any]] = {
    BYTE: -127, CHAR: b"\0", SHORT: -32767, INT: -2147483647, FLOAT: 9.969209968386869e36, DOUBLE: 9.969209968386869e36,
    UBYTE: 255, USHORT: 65535, UINT: 4294967295, INT64: -9223372036854775806, UINT64: 18446744073709551614,
}  # fmt: skip
# netCDF4-python's names.
default_fillvals: Final = {DTYPES[number].str[1:]: fill for number, fill in DEFAULT_FILL.items()}
is_native_little, is_native_big = sys.byteorder == "little", sys.byteorder == "big"
ALL_NAMES: Final = "i1, i2, i4, i8, u1, u2, u4, u8, f4, f8 or S1"


def file_type(dtype: DTypeLike, what: str) -> int:
    """The type in the file that `dtype` asks for; of what, for the sentence."""
    try:
        wanted = np.dtype(dtype)
    except TypeError as error:
        raise Error(Code.EARGUMENT, f"{what}: {dtype!r} is no type of elements: take {ALL_NAMES}") from error
    if wanted.kind in "SU" and wanted.itemsize == 0:
        raise Error(
            Code.EARGUMENT, f"{what}: netCDF's classic files hold no strings: take S1 and a dimension for the length"
        )
    number = TYPES.get(wanted.newbyteorder("=").str)
    if number is None:
        raise Error(Code.EARGUMENT, f"{what}: a netCDF file holds no {wanted}: take {ALL_NAMES}")
    return number


def elements_of(values: Any, what: str, file_type: int, fill: Any) -> tuple[Array, int]:
    """The values as C-contiguous memory of a type that Weir takes, and that type. An array that is both already is
    not copied."""
    array = values if type(values) is np.ndarray else plain_array(values, file_type, fill)
    number = TYPES.get(array.dtype.str)
    if number is None:
        array = native(array, what)
        number = TYPES[array.dtype.str]
    return (array if array.flags.c_contiguous else np.ascontiguousarray(array)), number


def plain_array(values: Any, file_type: int, fill: Any) -> Array:
    if isinstance(values, np.ma.MaskedArray):
        return np.asarray(values.filled(DEFAULT_FILL[file_type] if fill is None else fill))
    if file_type == CHAR and isinstance(values, str | bytes):
        return np.frombuffer(values.encode() if isinstance(values, str) else values, "S1")
    return np.asarray(values)


def native(array: Array, what: str) -> Array:
    """A copy in a type that Weir takes."""
    kind, size = array.dtype.kind, array.dtype.itemsize
    if kind in "iuf" and array.dtype.newbyteorder("=").str in TYPES:
        return array.astype(array.dtype.newbyteorder("="))
    if kind == "b":
        return array.astype("i1")
    if kind == "f" and size == 2:
        return array.astype("f4")
    if kind == "S" and size > 1:
        return np.ascontiguousarray(array).view("S1").reshape(*array.shape, size)
    advice = {
        "f": 'give block.astype("f8")',
        "c": "put its real and its imaginary part into two variables",
        "M": "give numbers, and say what they count in the attribute `units`",
        "m": "give numbers, and say what they count in the attribute `units`",
        "U": 'give block.astype("S") to a variable of type S1',
    }.get(kind, f"give numbers of {ALL_NAMES}")
    raise Error(Code.EARGUMENT, f"{what}: the block is of type {array.dtype}, which netCDF has not: {advice}")


def texts_of(value: Any) -> list[str] | None:
    """The texts of a list or array of them; None of anything else."""
    if isinstance(value, str | bytes) or not np.iterable(value):
        return None
    array = np.asarray(value)
    if array.dtype.kind not in "UST" or array.ndim != 1:
        return None
    return [each.decode() if isinstance(each, bytes) else str(each) for each in array.tolist()]


NARROW: Final = ("NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET")  # formats without integers of 64 bits


def attribute_of(value: Any, what: str, format: str | None) -> tuple[Array, int]:
    """An attribute's values and type. Integers are i4 in formats that have no longer ones, if they fit, and so are
    Python's own where the format is Weir's to choose, since others would choose it."""
    if isinstance(value, str | bytes):
        return plain_array(value, CHAR, None), CHAR
    array = np.asarray(value)
    own = not isinstance(value, np.ndarray | np.generic)
    if (format in NARROW or (format is None and own)) and array.dtype.newbyteorder("=") == np.int64 and fits_i4(array):
        array = array.astype("i4")
    if array.dtype.kind == "U" and array.ndim == 0:
        return attribute_of(str(array), what, format)
    if array.ndim > 1:
        raise Error(
            Code.EARGUMENT, f"{what}: an attribute is one value or a list of them, not an array of shape {array.shape}"
        )
    return elements_of(array, what, 0, None)


def fits_i4(array: Array) -> bool:
    return array.size == 0 or bool(array.min() >= -(2**31) and array.max() < 2**31)
