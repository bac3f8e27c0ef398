# SPDX-License-Identifier: Apache-2.0
"""How a variable of netCDF-4 or Zarr is kept: chunks, filters, digits."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from weir import _output, constants
from weir.errors import Code, Error

QUANTIZE: Final = {
    "BitGroom": constants.QUANTIZE_BITGROOM,
    "GranularBitRound": constants.QUANTIZE_GRANULARBR,
    "BitRound": constants.QUANTIZE_BITROUND,
}


@dataclass(frozen=True)
class Storage:
    """What createVariable was asked for. zlib and zstd stand for compression."""

    compression: str | None = None
    zlib: bool = False
    zstd: bool = False
    complevel: int | None = 4
    shuffle: bool = True
    fletcher32: bool = False
    chunksizes: Sequence[int] | None = None
    significant_digits: int | None = None
    quantize_mode: str = "BitGroom"

    @property
    def packed_by(self) -> str | None:
        asked = self.compression or ("zlib" if self.zlib else "zstd" if self.zstd else None)
        return asked if self.complevel != 0 or asked != "zlib" else None

    def check(self, what: str) -> None:
        """Local. Throws Error with a sentence."""
        if self.zlib and self.zstd:
            raise Error(Code.EARGUMENT, f"{what}: zlib and zstd: take one of them")
        if self.compression not in (None, "zlib", "zstd"):
            raise Error(Code.EARGUMENT, f'{what}: Weir does not compress by {self.compression!r}: take "zlib" or "zstd"')
        if self.quantize_mode not in QUANTIZE:
            raise Error(Code.EARGUMENT, f"{what}: quantize_mode is {self.quantize_mode!r}: take {', '.join(QUANTIZE)}")

    def apply(self, file: _output.File, var: int) -> None:
        level = 4 if self.complevel is None else self.complevel
        if self.packed_by is not None:
            self_zlib = self.packed_by == "zlib"
            file.def_var_deflate(var, self.shuffle, self_zlib, level if self_zlib else 0)
        if self.packed_by == "zstd":
            file.def_var_zstd(var, level)
        if self.fletcher32:
            file.def_var_fletcher32(var, True)
        if self.chunksizes is not None:
            file.def_var_chunking(var, list(self.chunksizes))
        if self.significant_digits is not None:
            file.def_var_quantize(var, QUANTIZE[self.quantize_mode], self.significant_digits)

    def filters(self) -> dict[str, Any]:
        """As netCDF4-python tells them."""
        by = self.packed_by
        level = (4 if self.complevel is None else self.complevel) if by else 0
        told: dict[str, Any] = dict.fromkeys(("zlib", "szip", "zstd", "bzip2", "blosc"), False)
        if by is not None:
            told[by] = True
        return told | {"shuffle": bool(by and self.shuffle), "complevel": level, "fletcher32": bool(self.fletcher32)}
