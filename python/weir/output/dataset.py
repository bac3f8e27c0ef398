# SPDX-License-Identifier: Apache-2.0
"""A netCDF file that all ranks write, in the manner of netCDF4-python."""

import os
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, ClassVar, Final

from mpi4py import MPI
from numpy.typing import DTypeLike

from weir import _output
from weir.errors import Code, Error
from weir.output.attributes import GLOBAL, Attributes
from weir.output.layout import BoxLayout, IndexLayout, Layout
from weir.output.names import ByName
from weir.output.session import Text, Weir, shared
from weir.output.types import elements_of, file_type
from weir.output.variable import Variable

# weir.h's modes.
NOCLOBBER: Final = 0x4
OPEN_MODES: Final = {"r": 0x0, "a": 0x1, "r+": 0x1}
FORMATS: Final = {
    "NETCDF3_CLASSIC": 0x10000,
    "NETCDF3_64BIT_OFFSET": 0x200,
    "NETCDF3_64BIT_DATA": 0x20,
    "NETCDF4": 0x1000,
    "ZARR": 0x100000,
}
FILL, NOFILL, COVER = 0, 1, 2


class Dimension:
    """A dimension of a dataset."""

    def __init__(self, file: _output.File, number: int) -> None:
        self._file, self._number = file, number
        self.name = file.dim(number)[0]

    @property
    def size(self) -> int:
        return self._file.dim(self._number)[1]

    def __len__(self) -> int:
        return self.size

    def isunlimited(self) -> bool:
        return self._number in self._file.unlimdims()

    def extend(self, size: int) -> None:
        """Of an unlimited dimension that does not have the records, before data or after redef(): its new size."""
        self._file.extend_dim(self._number, size)

    def __repr__(self) -> str:
        return f"<weir.Dimension {self.name}, {'unlimited, now ' if self.isunlimited() else ''}{self.size}>"


class Dataset(Attributes):
    """A netCDF file of all ranks of `comm` (default: MPI.COMM_WORLD). Making, defining and closing one is Collective.

    mode     "w": a new file; "x": the same, where none has that name; "a": one that is there, for more records; "r":
             to read
    config   Weir's configuration, as weir.Weir takes it
    format   "NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET" or "NETCDF3_64BIT_DATA"; default: the first of them that can
             hold the file. "NETCDF4" and "ZARR" (a folder of version 3: call it NAME.zarr) are for compressed variables;
             netCDF4-python, zarr-python and xarray read them too
    weir     a weir.Weir in the place of comm and config

    Definitions end with the first put. What is put is in the file, for good, after sync() or close(). A rank that
    leaves `with` by an exception tells the others, which get a weir.Error with that rank's number; the file is then
    the one of the last sync(), or gone.
    """

    _own: ClassVar[frozenset[str]] = frozenset(
        {"_file", "_id", "_weir", "_path", "_is_open", "_defining", "_waiting", "dimensions", "variables"}
    )

    def __init__(
        self, filename: Text, mode: str = "r", *, comm: MPI.Intracomm | None = None, config: Text | None = None,
        format: str | None = None, clobber: bool = True, weir: Weir | None = None,
    ) -> None:  # fmt: skip
        word = mode_word(mode, format, clobber)
        self._weir = shared(comm, config) if weir is None else weir
        self._path = os.fspath(filename)
        self._is_open = False
        self._id = GLOBAL
        self._file = _output.File(self._weir.instance, self._path, word, mode in "wx")
        self._is_open = True
        self._defining = mode in "wx"
        self._waiting: list[Layout] = []
        ndims, nvars, _, _ = self._file.inq()
        self.dimensions = ByName((d.name, d) for d in (Dimension(self._file, number) for number in range(ndims)))
        self.variables = ByName((v.name, v) for v in (Variable(self, number) for number in range(nvars)))
        self._weir.entered(self)

    def createDimension(self, dimname: str, size: int | None = None, *, unlimited: bool = False) -> Dimension:
        """A dimension of `size` elements; without: the record dimension, of which a file has one. unlimited: it has
        `size` now and is unlimited in the file beside that one (format="NETCDF4" and "ZARR"): see Dimension.extend."""
        if unlimited and size is not None:
            number = self._file.def_dim_unlimited(dimname, size)
        else:
            number = self._file.def_dim(dimname, 0 if size is None else size)
        dimension = Dimension(self._file, number)
        self.dimensions[dimension.name] = dimension
        return dimension

    def createVariable(
        self, varname: str, datatype: DTypeLike, dimensions: Sequence[str] | str = (), *, zlib: bool = False,
        zstd: bool = False, complevel: int = 4, shuffle: bool = True, fletcher32: bool = False,
        chunksizes: Sequence[int] | None = None, fill_value: Any = None,
    ) -> Variable:  # fmt: skip
        """A variable over these dimensions, slowest first; the record dimension can only be the first of them.

        zlib, zstd   packs it, by complevel, with shuffle; chunksizes: a length for each dimension, 1 for the record
                     dimension. These and fletcher32 are for format="NETCDF4" and "ZARR". Weir's writers pack, while
                     the model computes.
        """
        what = f'"{varname}"'
        names = (dimensions,) if isinstance(dimensions, str) else tuple(dimensions)
        kind = file_type(datatype, what)
        numbers = [self._dimension(name, what)._number for name in names]
        variable = Variable(self, self._file.def_var(varname, kind, numbers))
        if fill_value is not None:
            values, number = elements_of(variable.dtype.type(fill_value), f"fill_value of {what}", kind, None)
            self._file.put_att(variable._id, "_FillValue", number, values)
        if zlib and zstd:
            raise Error(Code.EARGUMENT, f"{what}: zlib and zstd: take one of them")
        if zlib or zstd:
            self._file.def_var_deflate(variable._id, shuffle, zlib, complevel if zlib else 0)
        if zstd:
            self._file.def_var_zstd(variable._id, complevel)
        if fletcher32:
            self._file.def_var_fletcher32(variable._id, True)
        if chunksizes is not None:
            self._file.def_var_chunking(variable._id, chunksizes)
        self.variables[variable.name] = variable
        return variable

    def createLayout(
        self, dimensions: Sequence[str] | str, indices: Any = None, *, start: Sequence[int] | None = None,
        count: Sequence[int] | None = None, order: Sequence[int] | None = None,
        memory_shape: Sequence[int] | None = None, memory_start: Sequence[int] | None = None,
    ) -> Layout:  # fmt: skip
        """What this rank holds of an array over `dimensions` (without the record dimension), for
        `variable[t, layout] = block`.

        indices   element i of the block is element indices[i] of the array: an integer array for one dimension, a
                  tuple with one for each dimension, or one with places in the flattened array. Negative or masked:
                  not in the file.
        start, count                 in their place, a box
        order                        the array's axes as they lie in the block, slowest first
        memory_shape, memory_start   the block is larger than the box (halos): its shape, and where the box begins in it

        Serves all variables of these lengths, in all datasets on the same ranks. Collective.
        """
        names = (dimensions,) if isinstance(dimensions, str) else tuple(dimensions)
        shape = tuple(self._dimension(name, "a layout").size for name in names)
        box = (start, count, order, memory_shape, memory_start)
        if indices is not None and all(part is None for part in box):
            layout: Layout = IndexLayout(shape, indices)
        elif indices is None:
            layout = BoxLayout(shape, *box)
        else:
            raise Error(Code.EARGUMENT, "createLayout: give indices alone, or start and count in their place")
        self._waiting.append(layout)
        if not self._defining:
            self._define_layouts()
        return layout

    def set_fill_on(self) -> None:
        """Elements that nobody puts hold the fill value. So it is from the start."""
        self._file.set_fill(FILL)

    def set_fill_off(self) -> None:
        """They are left as they are: for a program that puts all."""
        self._file.set_fill(NOFILL)

    def set_fill_cover(self) -> None:
        """They are an error of sync() and close()."""
        self._file.set_fill(COVER)

    def ready(self) -> None:
        """Ends the definitions. Collective the first time, which is the first put, if it is not called before."""
        if self._defining:
            self._defining = False
            self._file.enddef()
            self._define_layouts()

    def redef(self) -> None:
        """sync(), then dimensions, variables and attributes can be added, until the next put or ready(). Collective."""
        self.ready()
        self._file.redef()
        self._defining = True

    def sync(self) -> None:
        """What was put is then in the file, for good, and can be read. Collective."""
        self.ready()
        self._file.sync()

    def close(self) -> None:
        """sync(), then the end of the dataset, also after an error. Collective."""
        if not self._is_open:
            return
        self._is_open = False
        self._weir.left(self)
        self._file.close()

    def give_up(self, error: BaseException) -> None:
        """This rank goes no further: closes the file, and the others are told where they meet next. Collective in
        its close."""
        if not self._is_open:
            return
        told = error.code if isinstance(error, Error) else Code.ESTATE
        why = str(error) if isinstance(error, Error) else f"{type(error).__name__}: {error}"
        with suppress(Error):
            self._file.fail(told, f"the program left {self._path} before its end: {why}")
        with suppress(Error):
            self.close()

    def isopen(self) -> bool:
        return self._is_open

    def filepath(self) -> str:
        return self._path

    @property
    def data_model(self) -> str:
        """The format, which is chosen when the definitions end."""
        return {1: "NETCDF3_CLASSIC", 2: "NETCDF3_64BIT_OFFSET", 3: "NETCDF4", 5: "NETCDF3_64BIT_DATA", 10: "ZARR"}[
            self._file.format()
        ]

    @property
    def left_out(self) -> dict[str, str]:
        """What a file that was opened has and Weir does not take, by its name, and why."""
        return dict(self._file.left_out())

    def __getitem__(self, name: str) -> Variable:
        if name not in self.variables:
            raise Error(
                Code.ENOTFOUND, f'{self._path} has no variable "{name}": it has {", ".join(self.variables) or "none"}'
            )
        return self.variables[name]

    def __enter__(self) -> "Dataset":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.close()
        else:
            self.give_up(error)

    def __repr__(self) -> str:
        return f"<weir.Dataset {self._path}: {', '.join(self.variables)}>"

    def number_of(self, layout: Layout) -> int:
        """The layout's, on this dataset's Weir."""
        if layout.number < 0:
            raise Error(
                Code.ESTATE,
                f"{layout!r} is of another dataset, whose definitions have not ended: call its ready() before",
            )
        return layout.number

    def require_readable(self) -> None:
        if self._defining:
            raise Error(Code.ESTATE, f"{self._path} cannot be read while it is defined: sync() it first")

    def _define_layouts(self) -> None:
        for layout in self._waiting:
            layout.define(self._weir.instance)
        self._waiting = []

    def _dimension(self, name: str, what: str) -> Dimension:
        if name not in self.dimensions:
            raise Error(
                Code.ENOTFOUND,
                f'{what}: {self._path} has no dimension "{name}": it has {", ".join(self.dimensions) or "none"}',
            )
        return self.dimensions[name]

    def _called(self) -> str:
        return self._path

    def _count_of_attributes(self) -> int:
        return self._file.inq()[2]


def mode_word(mode: str, format: str | None, clobber: bool) -> int:
    """weir.h's mode."""
    if mode in OPEN_MODES:
        return OPEN_MODES[mode]
    if mode not in ("w", "x"):
        raise Error(Code.EARGUMENT, f'the mode is {mode!r}: take "w", "x", "a" or "r"')
    if format is not None and format not in FORMATS:
        raise Error(Code.EARGUMENT, f"format {format!r}: Weir writes {', '.join(FORMATS)}")
    word = 0 if format is None else FORMATS[format]
    return word if clobber and mode == "w" else word | NOCLOBBER
