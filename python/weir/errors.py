# SPDX-License-Identifier: Apache-2.0
"""Weir's errors in Python."""

from weir.constants import Code as Code


class Error(RuntimeError):
    """A call of Weir that failed. Its text is Weir's sentence: what was wrong, where, and what to do."""

    def __init__(self, code: int, sentence: str) -> None:
        super().__init__(sentence)
        self.code = Code(code)

    def __reduce__(self) -> tuple[type["Error"], tuple[int, str]]:
        return type(self), (int(self.code), str(self))


class NotFoundError(Error, AttributeError, IndexError):
    """What is asked for by its name is not there. Also the errors that netCDF4-python raises of attributes and variables."""
