# SPDX-License-Identifier: Apache-2.0
"""How a variable's values are made of what is in the file, and back, and netCDF4-python's switches for that."""

from typing import Any

import numpy as np

from weir.output.attributes import Attributes
from weir.output.coding import NAMES, Coding
from weir.output.types import Array


class Coded(Attributes):
    """The part of a Variable that knows what its attributes say of the values."""

    dtype: np.dtype[Any]
    _type: int
    _lengths: list[int]
    _coding: Coding | None  # till an attribute changes
    mask: bool
    scale: bool
    always_mask: bool
    chartostring: bool

    def set_collective(self, value: bool) -> None:
        """Every put is collective, and v[...] reads alone: get_all reads together."""

    def set_var_chunk_cache(self, size: int | None = None, nelems: int | None = None, preemption: float | None = None) -> None:
        """No effect: Weir reads each chunk once."""

    def use_nc_get_vars(self, use_nc_get_vars: bool) -> None:
        """No effect: ranges with steps are read as one box."""

    def set_auto_mask(self, mask: bool) -> None:
        self.mask = bool(mask)

    def set_auto_scale(self, scale: bool) -> None:
        self.scale = bool(scale)

    def set_auto_maskandscale(self, maskandscale: bool) -> None:
        self.mask = self.scale = bool(maskandscale)

    def set_always_mask(self, always_mask: bool) -> None:
        self.always_mask = bool(always_mask)

    def set_auto_chartostring(self, chartostring: bool) -> None:
        self.chartostring = bool(chartostring)

    def _coded(self) -> Coding:
        if self._coding is None:
            names = set(self.ncattrs())
            self._coding = Coding(self._type, self.dtype, {name: self.getncattr(name) for name in NAMES if name in names})
        return self._coding

    def _decoded(self, data: Array, whole: bool) -> Any:
        """whole: along the last dimension."""
        if not (self.mask or self.scale or self.chartostring):
            return data[()] if data.ndim == 0 else data
        join = self.chartostring and whole
        return self._coded().decoded(data, mask=self.mask, scale=self.scale, always_mask=self.always_mask, join=join)

    def _encoded(self, values: Any) -> Any:
        coding = self._coding or self._coded()
        if coding.plain_puts:
            return values
        length = self._lengths[-1] if self._lengths else 1
        return coding.encoded(values, scale=self.scale, join=self.chartostring, length=length)

    def _fill_value(self, values: Any) -> Any:
        """Asked for only where something is masked."""
        return self._coded().fill if isinstance(values, np.ma.MaskedArray) else None
