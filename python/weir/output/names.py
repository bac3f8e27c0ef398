# SPDX-License-Identifier: Apache-2.0
"""What a dataset has, by name."""

from typing import Any, TypeVar
from unicodedata import normalize

Named = TypeVar("Named")


class ByName(dict[str, Named]):
    """Found by a name in any form of Unicode, as netCDF finds it: "é" may be one character or two."""

    def _key(self, name: Any) -> Any:
        if not isinstance(name, str) or dict.__contains__(self, name):
            return name
        composed = normalize("NFC", name)
        return next((key for key in self if normalize("NFC", key) == composed), name)

    def __contains__(self, name: object) -> bool:
        return dict.__contains__(self, self._key(name))

    def __getitem__(self, name: str) -> Named:
        return dict.__getitem__(self, self._key(name))

    def get(self, name: str, default: Any = None) -> Any:
        return dict.get(self, self._key(name), default)
