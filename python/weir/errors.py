# SPDX-License-Identifier: Apache-2.0
"""Weir's errors in Python."""

from enum import IntEnum


class Code(IntEnum):
    """What was wrong: weir_code of include/weir/types.h, without its prefix."""

    EARGUMENT = -1001
    ESTATE = -1002
    ECONFIG = -1003
    EOVERLAP = -1004
    ECOVER = -1005
    EMISMATCH = -1006
    ERANGE = -1007
    EIO = -1008
    EFORMAT = -1009
    ETIMEOUT = -1010
    EMEMORY = -1011
    EMPI = -1012
    ENOTFOUND = -1013
    EINTERNAL = -1014


class Error(RuntimeError):
    """A call of Weir that failed. Its text is Weir's sentence: what was wrong, where, and what to do."""

    def __init__(self, code: int, sentence: str) -> None:
        super().__init__(sentence)
        self.code = Code(code)

    def __reduce__(self) -> tuple[type["Error"], tuple[int, str]]:
        return type(self), (int(self.code), str(self))


class NotFoundError(Error, AttributeError, IndexError):
    """What is asked for by its name is not there. Also the errors that netCDF4-python raises of attributes and variables."""
