# SPDX-License-Identifier: Apache-2.0
"""What a dataset and its groups share, in the manner of netCDF4-python: dimensions, variables, groups, and how they are
defined. Weir keeps groups in names ("ice/area"); a group here is a part of its dataset's names."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, NoReturn

from numpy.typing import DTypeLike

from weir import _output
from weir.errors import Code, Error, NotFoundError
from weir.output.attributes import GLOBAL, Attributes
from weir.output.elsewhere import OF_DATASETS
from weir.output.layout import Layout, layout_over
from weir.output.names import ByName
from weir.output.storage import Storage
from weir.output.types import elements_of, file_type
from weir.output.variable import Variable

if TYPE_CHECKING:
    from weir.output.dataset import Dataset

OWN: Final = frozenset({"_file", "_id", "_prefix", "_root", "_as_strings"})


class Dimension:
    """A dimension of a dataset."""

    def __init__(self, scope: "Scope", number: int) -> None:
        self._scope, self._file, self._number = scope, scope._file, number
        self.path = self._file.inq_dim(number)[0]  # with its groups
        self.name = self.path.rpartition("/")[2]

    @property
    def size(self) -> int:
        return self._file.inq_dim(self._number)[1]

    def __len__(self) -> int:
        return self.size

    def group(self) -> "Scope":
        return self._scope

    def isunlimited(self) -> bool:
        return self._number in self._file.inq_unlimdims()

    def extend(self, size: int) -> None:
        """Of an unlimited dimension that does not have the records, before data or after redef(): its new size."""
        self._file.extend_dim(self._number, size)

    def __repr__(self) -> str:
        return f"<weir.Dimension {self.name}, {'unlimited, now ' if self.isunlimited() else ''}{self.size}>"


class Scope(Attributes):
    """A dataset, or one of its groups. Defining is Collective, looking up is Local."""

    _left_out: ClassVar = OF_DATASETS
    _root: "Dataset"

    def __init__(self, root: "Dataset", file: _output.File, prefix: str) -> None:
        self._root, self._file, self._prefix, self._id = root, file, prefix, GLOBAL

    def createDimension(self, dimname: str, size: int | None = None, *, unlimited: bool = False) -> Dimension:
        """A dimension of `size` elements; without, or 0: the record dimension, of which a file has one. unlimited: it has
        `size` now and is unlimited in the file beside that one (format="NETCDF4" and "ZARR"): see Dimension.extend."""
        self._begin_definition()
        path = self._prefix + dimname
        if unlimited and size is not None:
            number = self._file.def_dim_unlimited(path, size)
        else:
            number = self._file.def_dim(path, 0 if size is None else size)
        return self._root.enter_dimension(number)

    def createVariable(
        self, varname: str, datatype: DTypeLike, dimensions: Sequence[str | Dimension] | str | Dimension = (),
        compression: str | None = None, zlib: bool = False, complevel: int | None = 4, shuffle: bool = True,
        szip_coding: str = "nn", szip_pixels_per_block: int = 8, blosc_shuffle: int = 1, fletcher32: bool = False,
        contiguous: bool = False, chunksizes: Sequence[int] | None = None, endian: str = "native",
        least_significant_digit: int | None = None, significant_digits: int | None = None,
        quantize_mode: str = "BitGroom", fill_value: Any = None, chunk_cache: int | None = None, *, zstd: bool = False,
    ) -> Variable:  # fmt: skip
        """A variable over these dimensions, slowest first; the record dimension can only be the first of them.

        compression   "zlib" or "zstd" (or zlib=True, zstd=True): packs it, by complevel, with shuffle. Weir's writers pack,
                      while the model computes. These, chunksizes, fletcher32 and significant_digits are for
                      format="NETCDF4" and "ZARR"; a scalar, and a format of classic files that is named, ignore them
        chunksizes    a length for each dimension
        fill_value    the attribute _FillValue; "default": netCDF's for the type; False: no attribute
        significant_digits, quantize_mode   keep so many digits (bits for "BitRound") of each value, in the file
        least_significant_digit             keep so many digits behind the point: each put rounds
        endian, contiguous, chunk_cache and the keywords of szip and blosc are netCDF4-python's and have no effect
        """
        self._begin_definition()
        what = f'"{self._prefix}{varname}"'
        kind = file_type(datatype, what)
        numbers = [self._root.find_dimension(self._prefix + varname, name)._number for name in names_of(dimensions)]
        storage = Storage(compression, zlib, zstd, complevel, shuffle, fletcher32, chunksizes, significant_digits, quantize_mode)
        storage.check(what)
        if endian not in ("native", "little", "big"):
            raise Error(Code.EARGUMENT, f'{what}: endian={endian!r}: take "native", "little" or "big"')
        variable = self._root.enter_variable(self._file.def_var(self._prefix + varname, kind, numbers))
        if isinstance(fill_value, str) and fill_value == "default":
            fill_value = variable.default_fill()
        if fill_value is not None and fill_value is not False:
            fill = fill_value if variable.dtype.kind == "S" else variable.dtype.type(fill_value)
            values, number = elements_of(fill, f"fill_value of {what}", kind, None)
            self._file.put_att(variable._id, "_FillValue", number, values)
        if least_significant_digit is not None:
            variable.least_significant_digit = least_significant_digit
        if numbers and not str(self._root.format_asked).startswith("NETCDF3"):
            variable.keep_as(storage)
        return variable

    def createGroup(self, groupname: str) -> "Group":
        """The group of this path, made where it is not there. The file has it once something is defined in it."""
        return self._root.enter_group(self._prefix + groupname.strip("/") + "/")

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
        shape = tuple(self._root.find_dimension(self._prefix, name).size for name in names_of(dimensions))
        layout = layout_over(shape, indices, (start, count, order, memory_shape, memory_start))
        self._root.enter_layout(layout)
        return layout

    @property
    def dimensions(self) -> dict[str, Dimension]:
        """By name, those of this group alone."""
        return ByName((each.name, each) for path, each in self._root.all_dimensions.items() if parent_of(path) == self._prefix)

    @property
    def variables(self) -> dict[str, Variable]:
        """By name, those of this group alone."""
        return ByName((each.name, each) for path, each in self._root.all_variables.items() if parent_of(path) == self._prefix)

    @property
    def groups(self) -> dict[str, "Group"]:
        return ByName((each.name, each) for path, each in self._root.all_groups.items() if parent_of(path[:-1]) == self._prefix)

    @property
    def path(self) -> str:
        return "/" + self._prefix[:-1]

    @property
    def name(self) -> str:
        return self._prefix[:-1].rpartition("/")[2] or "/"

    @property
    def parent(self) -> "Scope | None":
        return self._root.enter_group(parent_of(self._prefix[:-1])) if self._prefix.count("/") > 1 else self._root

    def get_variables_by_attributes(self, **kwargs: Any) -> list[Variable]:
        """Those whose attributes have these values, or for which the function given says yes."""

        def fits(variable: Variable) -> bool:
            found = {name: getattr(variable, name, None) for name in kwargs}
            return all(wanted(found[name]) if callable(wanted) else found[name] == wanted for name, wanted in kwargs.items())

        return [variable for variable in self.variables.values() if fits(variable)]

    def set_auto_mask(self, value: bool) -> None:
        for variable in self._below():
            variable.set_auto_mask(value)

    def set_auto_scale(self, value: bool) -> None:
        for variable in self._below():
            variable.set_auto_scale(value)

    def set_auto_maskandscale(self, value: bool) -> None:
        self.set_auto_mask(value)
        self.set_auto_scale(value)

    def set_always_mask(self, value: bool) -> None:
        for variable in self._below():
            variable.set_always_mask(value)

    def set_auto_chartostring(self, value: bool) -> None:
        for variable in self._below():
            variable.set_auto_chartostring(value)

    def _below(self) -> list[Variable]:
        return [each for path, each in self._root.all_variables.items() if path.startswith(self._prefix)]

    def __getitem__(self, name: str) -> Any:
        """A variable, or a group, by its path from here."""
        path = self._prefix + name.strip("/")
        found = self._root.all_variables.get(path, self._root.all_groups.get(path + "/"))
        if found is None:
            raise NotFoundError(
                Code.ENOTFOUND, f'{self._called()} has no variable "{name}": it has {", ".join(self.variables) or "none"}'
            )
        return found

    def _begin_definition(self) -> str | None:
        return self._root.begin_definition()

    def _count_of_attributes(self) -> int:
        return self._file.inq()[2]


class Group(Scope):
    """A group of a dataset, which createGroup or dataset["name"] gives."""

    _own: ClassVar[frozenset[str]] = OWN

    def __getattr__(self, name: str) -> Any:
        """What is not the group's is the dataset's: sync, isopen, data_model, ..."""
        if name in self._own or name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._root, name) if hasattr(type(self._root), name) else super().__getattr__(name)

    def close(self) -> NoReturn:
        raise Error(Code.ESTATE, f"{self._called()} is a group: close its dataset")

    def __repr__(self) -> str:
        return f"<weir.Group {self.path}: {', '.join(self.variables)}>"

    def _called(self) -> str:
        return f"{self._root.filepath()}{self.path}"


def parent_of(path: str) -> str:
    """"ice/" of "ice/area", and nothing of "area"."""
    return "".join(path.rpartition("/")[:2])


def names_of(dimensions: Any) -> list[str]:
    """Of names or dimensions, of several or one; a dimension's is its whole path."""
    several = (dimensions,) if isinstance(dimensions, str | Dimension) else tuple(dimensions)
    return ["/" + each.path if isinstance(each, Dimension) else each for each in several]
