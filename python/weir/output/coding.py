# SPDX-License-Identifier: Apache-2.0
"""What a variable's attributes make of its values, as netCDF4-python has it: missing values are masked, packed ones are scaled,
characters are joined to texts, digits that do not count are rounded away."""

from typing import Any, Final

import numpy as np

from weir.errors import Code, Error
from weir.output.types import DEFAULT_FILL, Array

NAMES: Final = (
    "scale_factor", "add_offset", "missing_value", "_FillValue", "valid_min", "valid_max", "valid_range", "_Unsigned",
    "_Encoding", "least_significant_digit",
)  # fmt: skip


class Coding:
    """Of one variable; made of its attributes, in `attributes` those among NAMES. Local."""

    def __init__(self, kind: int, dtype: np.dtype[Any], attributes: dict[str, Any]) -> None:
        self.dtype = dtype
        self._attributes = attributes
        self._scale, self._offset = (number_of(attributes.get(name)) for name in ("scale_factor", "add_offset"))
        self._encoding = attributes.get("_Encoding") if dtype.kind == "S" else None
        self._digits = number_of(attributes.get("least_significant_digit"))
        unsigned = dtype.kind == "i" and attributes.get("_Unsigned") in ("true", "True")
        self._unsigned = np.dtype(f"u{dtype.itemsize}") if unsigned else None
        self._missing = self._exact("missing_value")
        own = self._exact("_FillValue")
        self._fill = np.array([DEFAULT_FILL[kind]], dtype) if own is None else own
        self.plain_puts = self._scale is self._offset is self._encoding is self._digits is self._unsigned is None
        # What a masked element becomes; None: the default of its type.
        known = self._missing if self._missing is not None and self._missing.size == 1 else own
        self.fill = None if known is None else known[0]

    def _exact(self, name: str) -> Array | None:
        """The attribute's values, in the variable's type; None where it has none, or not of this type."""
        if name not in self._attributes:
            return None
        value = self._attributes[name]
        found = np.atleast_1d(np.asarray(value.encode() if isinstance(value, str) else value))
        if found.dtype.kind not in "iufS" or (found.dtype.kind == "S") != (self.dtype.kind == "S"):
            return None
        with np.errstate(all="ignore"):
            cast = found.astype(self.dtype)
        return cast if bool(((cast == found) | ((cast != cast) & (found != found))).all()) else None

    # ---- What is read --------------------------------------------------------------------------------------------

    def decoded(self, data: Array, *, mask: bool, scale: bool, always_mask: bool, join: bool) -> Any:
        """join: characters along the last axis, which is read whole."""
        if scale and self._unsigned is not None:
            data = data.view(self._unsigned)
        values: Any = self._masked(data, always_mask) if mask else data
        if scale:
            values = self._unpacked(values)
        if join and self._encoding is not None:
            values = chartostring(np.asarray(values.filled(b"") if np.ma.isMA(values) else values), self._encoding)
        if isinstance(values, np.ma.MaskedArray):
            return np.ma.masked if values.ndim == 0 and values.mask.all() else values
        return values[()] if values.ndim == 0 else values

    def _masked(self, data: Array, always: bool) -> Any:
        hidden = np.zeros(data.shape, bool)
        missing = [] if self._missing is None else list(self._missing)
        for value in [*missing, self._fill[0]]:
            like = np.asarray(value).view(data.dtype)
            hidden |= np.isnan(data) if data.dtype.kind == "f" and np.isnan(like) else data == like
        fill = (self._missing if missing and hidden.any() and self._missing is not None else self._fill)[0]
        if self.dtype.kind != "S":
            least, most = self._valid()
            if least is not None:
                hidden |= data < least.view(data.dtype)
            if most is not None:
                hidden |= data > most.view(data.dtype)
        if hidden.any():
            shown: Any = np.asarray(fill).view(data.dtype)[()]
            return np.ma.masked_array(data, mask=hidden, fill_value=shown)
        return np.ma.masked_array(data) if always else data

    def _valid(self) -> tuple[Array | None, Array | None]:
        both = self._exact("valid_range")
        if both is not None and both.size == 2:
            return both[0], both[1]
        least, most = self._exact("valid_min"), self._exact("valid_max")
        return None if least is None else least[0], None if most is None else most[0]

    def _unpacked(self, values: Any) -> Any:
        if self._scale is not None and self._offset is not None and self._scale == 1 and self._offset == 0:
            return values.astype(np.asarray(self._scale).dtype)
        if self._scale is not None and self._scale != 1:
            values = values * self._scale
        return values if self._offset is None or (self._offset == 0) else values + self._offset

    # ---- What is put ---------------------------------------------------------------------------------------------

    def encoded(self, values: Any, *, scale: bool, join: bool, length: int) -> Any:
        """join: texts become characters, `length` of each."""
        if join and self._encoding is not None:
            return self._characters(values, length)
        if self._digits is not None and np.asanyarray(values).dtype.kind == "f":
            values = rounded(np.ma.asanyarray(values) if np.ma.isMA(values) else np.asarray(values), int(self._digits))
        if not scale:
            return values
        if self._scale is not None or self._offset is not None:
            values = self._packed(np.asanyarray(values))
        return values if self._unsigned is None else self._as_signed(values)

    def _packed(self, values: Any) -> Any:
        if self._offset is not None:
            values = values - self._offset
        if self._scale is not None:
            values = values / self._scale
        return np.around(values) if self.dtype.kind in "iu" else values

    def _as_signed(self, values: Any) -> Any:
        """Unsigned numbers in the variable's type, which is signed, bit by bit."""
        fill = self._fill[0] if self.fill is None else self.fill
        plain = values.filled(fill) if np.ma.isMA(values) else np.asarray(values)
        return plain.astype(np.int64).astype(self.dtype)

    def _characters(self, values: Any, length: int) -> Any:
        if isinstance(values, str | bytes):
            values = np.asarray(values)
        array = np.asanyarray(values)
        if array.dtype.kind not in "SU" or (array.dtype.kind == "S" and array.dtype.itemsize == 1):
            return values
        return stringtochar(array, self._encoding, length)


def number_of(value: Any) -> Any:
    """A number that can scale; None of anything else."""
    return value if isinstance(value, np.number) else None


def rounded(values: Any, digit: int) -> Any:
    """To a power of two that keeps `digit` decimal digits behind the point, so that the rest is zeros to a compressor."""
    scale = 2.0 ** np.ceil(np.log2(10.0**digit))
    return np.around(scale * values) / scale


def texts_wanted(array: Array) -> None:
    if array.dtype.kind not in "SU":
        raise Error(Code.EARGUMENT, f"an array of type {array.dtype} holds no texts: give one of type S or U")


def chartostring(b: Array, encoding: str | None = None) -> Array:
    """Texts of the characters along the last axis. encoding "none" or "bytes": texts of bytes."""
    texts_wanted(b)
    length = b.shape[-1]
    joined = np.ascontiguousarray(b.astype("S1") if b.dtype.kind == "U" else b).view(f"S{max(length, 1)}").reshape(b.shape[:-1])
    if encoding in ("none", "None", "bytes"):
        return joined
    return np.asarray(np.char.decode(joined, encoding or "utf-8"), f"U{max(length, 1)}")


def stringtochar(a: Array, encoding: str | None = None, n_strlen: int | None = None) -> Array:
    """Characters, along one more axis of n_strlen, of texts; what is longer is truncated."""
    array = np.asarray(a)
    texts_wanted(array)
    coded = np.asarray(np.char.encode(array, encoding or "utf-8") if array.dtype.kind == "U" else array)
    length = n_strlen or array.dtype.itemsize
    return np.ascontiguousarray(coded.astype(f"S{length}")).view("S1").reshape(*array.shape, length)


def stringtoarr(string: str, NUMCHARS: int, dtype: str = "S") -> Array:  # noqa: N803
    """One text as NUMCHARS characters."""
    characters: Array = np.zeros(NUMCHARS, dtype + "1")
    characters[: len(string)] = tuple(string)
    return characters
