# SPDX-License-Identifier: Apache-2.0
"""What a variable is, and what netCDF4-python tells of one: names, shape, chunks, filters, and how values are read and put."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from weir.errors import Code, Error
from weir.output.coded import Coded
from weir.output.elsewhere import OF_VARIABLES
from weir.output.storage import Storage
from weir.output.types import DEFAULT_FILL, DTYPES, Array

if TYPE_CHECKING:
    from weir.output.scope import Dimension, Scope


class Described(Coded):
    """The part of a Variable that knows nothing of its data."""

    _own: ClassVar[frozenset[str]] = frozenset(
        {"_scope", "_dataset", "_file", "_id", "_path", "_as_strings", "name", "dtype", "dimensions", "_type", "_lengths"}
        | {"_has_records", "_coding", "_storage", "mask", "scale", "always_mask", "chartostring"}
    )
    _left_out: ClassVar = OF_VARIABLES
    auto_complex = False
    __orthogonal_indexing__ = True  # index arrays, each along its own dimension

    def __init__(self, scope: "Scope", number: int) -> None:
        self._scope, self._dataset, self._file, self._id = scope, scope._root, scope._file, number
        self._path, self._type, dims, _ = self._file.inq_var(number)
        self.name = self._path.rpartition("/")[2]
        self.dtype = DTYPES[self._type]
        self.dimensions = tuple(self._file.inq_dim(dim)[0].rpartition("/")[2] for dim in dims)
        self._has_records = bool(dims) and dims[0] == self._file.inq()[3]
        self._lengths = [self._file.inq_dim(dim)[1] for dim in dims]
        self._coding = None
        self._storage: Storage | None = None
        self.mask = self.scale = self.always_mask = self.chartostring = True

    @property
    def has_records(self) -> bool:
        """Whether the first dimension is that of the records; other unlimited dimensions are not."""
        return self._has_records

    @property
    def datatype(self) -> np.dtype[Any]:
        return self.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self._now())

    @property
    def ndim(self) -> int:
        return len(self._lengths)

    @property
    def size(self) -> int:
        return math.prod(self._now())

    def __len__(self) -> int:
        if not self._lengths:
            raise TypeError(f"{self._called()} is a scalar")
        return self._now()[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[place] for place in range(len(self)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        found: Array = np.asarray(self[...])
        return found if dtype is None else found.astype(dtype)

    def __getitem__(self, key: Any) -> Any:
        raise NotImplementedError

    def __setitem__(self, key: Any, values: Any) -> None:
        raise NotImplementedError

    def getValue(self) -> Any:
        """A scalar's."""
        self._require_scalar()
        return self[...]

    def assignValue(self, val: Any) -> None:
        """A scalar's. Collective."""
        self._require_scalar()
        self[...] = val

    def group(self) -> "Scope":
        return self._scope

    def get_dims(self) -> "tuple[Dimension, ...]":
        return tuple(self._dataset.find_dimension(self._path, name) for name in self.dimensions)

    def default_fill(self) -> Any:
        """netCDF's for the type."""
        return np.array([DEFAULT_FILL[self._type]], self.dtype)[0]

    def get_fill_value(self) -> Any:
        """What elements hold that no rank puts."""
        return self.getncattr("_FillValue") if "_FillValue" in self.ncattrs() else self.default_fill()

    def keep_as(self, storage: Storage) -> None:
        """How createVariable was asked to keep it."""
        storage.apply(self._file, self._id)
        self._storage = storage

    def filters(self) -> dict[str, Any] | None:
        """What createVariable was asked for; None in classic files."""
        return None if self._dataset.disk_format == "NETCDF3" else self._kept().filters()

    def chunking(self) -> str | list[int] | None:
        """What createVariable was asked for; None in classic files."""
        if self._dataset.disk_format == "NETCDF3":
            return None
        if not self._lengths:
            return "contiguous"
        chunks = self._kept().chunksizes
        if chunks is None:
            raise Error(Code.ENOTFOUND, f"{self._called()}: Weir chooses the chunks when definitions end: ncdump -hs shows them")
        return list(chunks)

    def quantization(self) -> tuple[int, str] | None:
        kept = self._kept()
        return None if kept.significant_digits is None else (kept.significant_digits, kept.quantize_mode)

    def endian(self) -> str:
        return "native"

    def _kept(self) -> Storage:
        if self._storage is None and self._dataset.data_model in ("NETCDF4", "ZARR") and self._lengths and not self._dataset.is_new:
            raise Error(Code.ENOTFOUND, f"{self._called()}: Weir does not tell how others' variables are kept: ncdump -hs does")
        return self._storage or Storage()

    def _require_scalar(self) -> None:
        if self._lengths:
            raise Error(Code.EARGUMENT, f"{self._called()} is no scalar: put and read by brackets")

    def _begin_definition(self) -> str | None:
        self._coding = None
        return self._dataset.begin_definition()

    def _now(self) -> list[int]:
        if self._has_records:
            self._lengths[0] = self._file.inq_nrecords()
        return self._lengths

    def _called(self) -> str:
        return f'"{self._path}"'

    def _count_of_attributes(self) -> int:
        return self._file.inq_var(self._id)[3]
