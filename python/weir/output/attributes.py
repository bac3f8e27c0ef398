# SPDX-License-Identifier: Apache-2.0
"""netCDF's attributes, as Python's attributes of a dataset, group or variable, and by name."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from weir import _output
from weir.constants import CHAR, STRING
from weir.errors import Code, Error, NotFoundError
from weir.output.elsewhere import left_out
from weir.output.types import DTYPES, attribute_of, texts_of

GLOBAL = -1


class Attributes:
    """What datasets, groups and variables share. Names in `_own` are Python's, all others netCDF's."""

    _own: ClassVar[frozenset[str]]
    _left_out: ClassVar[Mapping[str, str]]
    _file: _output.File
    _id: int
    _prefix: str = ""  # a group's path, before the names of its attributes
    _as_strings: bool = False

    def _called(self) -> str:
        raise NotImplementedError

    def _begin_definition(self) -> str | None:
        """Definitions are open afterwards. Returns the format; None where Weir chooses it when they end."""
        raise NotImplementedError

    def _count_of_attributes(self) -> int:
        raise NotImplementedError

    def setncattr(self, name: str, value: Any) -> None:
        """Sets an attribute: a text, a number, a list of numbers of one type, or a list of texts, which netCDF-4 and
        Zarr have. After data are put it begins with redef(). Collective."""
        format = self._begin_definition()
        place = self._prefix + name
        if (texts := texts_of(value)) is not None:
            return self._file.put_att_texts(self._id, place, texts)
        if self._as_strings and isinstance(value, str):
            return self._file.put_att_texts(self._id, place, [value])
        values, number = attribute_of(value, f"attribute {name!r} of {self._called()}", format)
        self._file.put_att(self._id, place, number, values)

    def setncatts(self, attdict: Mapping[str, Any]) -> None:
        for name, value in attdict.items():
            self.setncattr(name, value)

    def setncattr_string(self, name: str, value: Any) -> None:
        """A text as netCDF-4's string, which most readers see as they see a text."""
        self._begin_definition()
        self._file.put_att_texts(self._id, self._prefix + name, texts_of(value) or [str(value)])

    def set_ncstring_attrs(self, ncstring_attrs: bool) -> None:
        """From now on setncattr makes texts netCDF-4's strings, or not."""
        self._as_strings = bool(ncstring_attrs)

    def getncattr(self, name: str, encoding: str = "utf-8") -> Any:
        """A text, a NumPy scalar, or a list of texts or an array where it has more values. Local."""
        place = self._prefix + name
        try:
            number, count = self._file.inq_att(self._id, place)
        except Error as error:
            if error.code is Code.ENOTFOUND:
                raise NotFoundError(error.code, str(error)) from None
            raise
        if number == STRING:
            texts = self._file.get_att_texts(self._id, place)
            return texts[0] if count == 1 else texts
        values = np.empty(count, DTYPES[number])
        self._file.get_att(self._id, place, values)
        if number == CHAR:
            return values.tobytes().decode(encoding, errors="replace").replace("\0", "")
        return values[0] if count == 1 else values

    def ncattrs(self) -> list[str]:
        names = [self._file.inq_attname(self._id, number) for number in range(self._count_of_attributes())]
        begin = len(self._prefix)
        return [name[begin:] for name in names if name.startswith(self._prefix) and "/" not in name[begin:]]

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self._own:
            object.__setattr__(self, name, value)
        else:
            self.setncattr(name, value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in self._own:
            raise AttributeError(name)
        if name in self._left_out:
            return left_out(f"{type(self).__name__}.{name}", self._left_out[name])
        try:
            return self.getncattr(name)
        except NotFoundError:
            raise AttributeError(f"{self._called()} has no attribute {name!r}") from None

    def __delattr__(self, name: str) -> None:
        left_out(f"del of attribute {name!r}", self._left_out["delncattr"])()
