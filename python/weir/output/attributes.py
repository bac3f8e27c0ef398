# SPDX-License-Identifier: Apache-2.0
"""netCDF's attributes, as Python's attributes of a dataset or a variable, and by name."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from weir import _output
from weir.errors import Code, Error
from weir.output.types import CHAR, DTYPES, STRING, attribute_of, texts_of

GLOBAL = -1


class Attributes:
    """What datasets and variables share. Names in `_own` are Python's, all others netCDF's."""

    _own: ClassVar[frozenset[str]]
    _file: _output.File
    _id: int

    def _called(self) -> str:
        raise NotImplementedError

    def setncattr(self, name: str, value: Any) -> None:
        """Sets an attribute: a text, a number, a list of numbers of one type, or a list of texts, which netCDF-4 and
        Zarr have. Before data are put. Collective."""
        if (texts := texts_of(value)) is not None:
            return self._file.put_att_texts(self._id, name, texts)
        values, number = attribute_of(value, f"attribute {name!r} of {self._called()}")
        self._file.put_att(self._id, name, number, values)

    def setncatts(self, attributes: Mapping[str, Any]) -> None:
        for name, value in attributes.items():
            self.setncattr(name, value)

    def getncattr(self, name: str) -> Any:
        """A text, a NumPy scalar, or a list of texts or an array where it has more values. Local."""
        number, count = self._file.att(self._id, name)
        if number == STRING:
            texts = self._file.get_att_texts(self._id, name)
            return texts[0] if count == 1 else texts
        values = np.empty(count, DTYPES[number])
        self._file.get_att(self._id, name, values)
        if number == CHAR:
            return values.tobytes().decode("utf-8", errors="replace")
        return values[0] if count == 1 else values

    def ncattrs(self) -> list[str]:
        return [self._file.attname(self._id, number) for number in range(self._count_of_attributes())]

    def _count_of_attributes(self) -> int:
        raise NotImplementedError

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self._own:
            object.__setattr__(self, name, value)
        else:
            self.setncattr(name, value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in self._own:
            raise AttributeError(name)
        try:
            return self.getncattr(name)
        except Error as error:
            if error.code is Code.ENOTFOUND:
                raise AttributeError(f"{self._called()} has no attribute {name!r}") from None
            raise
