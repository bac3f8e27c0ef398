# SPDX-License-Identifier: Apache-2.0
"""The door from xarray: each rank gives the dataset that it holds, and says where that lies in the whole. Programs come
through the accessor (weir.xarray)."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from mpi4py import MPI

from weir.errors import Code, Error
from weir.output.coding import stringtochar
from weir.output.dataset import Dataset
from weir.output.pieces import Pieces, is_lazy
from weir.output.session import Text, Weir
from weir.output.types import NARROW, Array

if TYPE_CHECKING:
    import xarray


def write(
    dataset: "xarray.Dataset", path: Text, comm: MPI.Intracomm | None, start: Mapping[str, int], length: Mapping[str, int],
    unlimited_dims: Iterable[str] | None, encoding: Mapping[str, Mapping[str, Any]] | None, config: Text | None,
    format: str | None, weir: Weir | None,
) -> None:  # fmt: skip
    """Writes the dataset of which each rank of `comm` holds a block; the arguments are the accessor's. Collective."""
    with Dataset(path, "w", comm=comm, config=config, format=format, weir=weir) as file:
        encoding = {} if encoding is None else encoding
        lazy = agreed(file.comm, what_is_wrong(dataset, start, length), dataset)
        variables, attributes = encoded(dataset, encoding, Blocks(file.comm, start, length))
        if file.format_asked in NARROW:
            variables = {name: narrowed(name, each, file.comm) for name, each in variables.items()}
        variables = {name: in_characters(each, file.comm) for name, each in variables.items()}
        unlimited = set(dataset.encoding.get("unlimited_dims", ()) if unlimited_dims is None else unlimited_dims)
        for name in map(str, dataset.sizes):
            if name in unlimited and name in start:
                raise Error(
                    Code.EARGUMENT,
                    f'"{name}" is divided and unlimited: the ranks put records together; divide another one',
                )
            file.createDimension(name, None if name in unlimited else length.get(name, dataset.sizes[name]))
        for each in variables.values():
            for name, size in zip(map(str, each.dims), each.shape, strict=True):
                if name not in file.dimensions:  # of characters
                    file.createDimension(name, size)
        file.setncatts(attributes)
        for name, variable in variables.items():
            define(
                file, name, variable, {key: value for key, value in encoding.get(name, {}).items() if key in FILTERS}
            )
        file.set_auto_maskandscale(False)  # they are encoded
        file.set_auto_chartostring(False)
        file.ready()
        for name, variable in variables.items():
            put(file, name, variable, start, by_chunks=name in lazy)


# Of an encoding, what createVariable takes.
FILTERS = {
    "zlib", "zstd", "compression", "complevel", "shuffle", "fletcher32", "chunksizes", "contiguous", "endian",
    "least_significant_digit", "significant_digits", "quantize_mode",
}  # fmt: skip
# Formats whose chunks take a rank's part of a record whole (docs/decisions/043-pieces.md).
PACKED = {"NETCDF4", "ZARR"}
# What xarray makes of integers in formats that lack them.
NO_TIME = np.iinfo(np.int64).min
NARROWER = {"i8": "i4", "u8": "i4", "u4": "i4", "u2": "i2", "u1": "i1"}


@dataclass(frozen=True)
class Blocks:
    """Where this rank's block lies in the whole."""

    comm: MPI.Intracomm
    start: Mapping[str, int]
    length: Mapping[str, int]

    def divide(self, variable: Any) -> bool:
        return any(dimension in self.start for dimension in variable.dims)

    def place(self, variable: Any) -> tuple[slice, ...]:
        begin = [self.start.get(str(dimension), 0) for dimension in variable.dims]
        return tuple(slice(first, first + size) for first, size in zip(begin, variable.shape, strict=True))

    def encoded_as_one(self, variable: Any, encode: Callable[[Any], Any]) -> Any:
        """encode(the whole variable) on rank 0, of which each rank gets its block. Collective."""
        places = self.comm.gather((self.place(variable), np.asarray(variable.data)))
        told: list[Any] | None = None
        if places is not None:
            shape = [self.length.get(str(name), size) for name, size in variable.sizes.items()]
            whole = np.empty(shape, variable.dtype)
            for place, values in places:
                whole[place] = values
            try:
                coded = encode(variable.copy(data=whole) if whole.shape == variable.shape else like(variable, whole))
                told = [(coded.dims, np.asarray(coded.data)[place], coded.attrs) for place, _ in places]
            except Exception as error:
                told = [error] * len(places)
        found = self.comm.scatter(told)
        if isinstance(found, Exception):
            raise found
        return type(variable)(*found)


def like(variable: Any, whole: Any) -> Any:
    """The variable with other values, of another shape."""
    from xarray import Variable

    return Variable(variable.dims, whole, variable.attrs, variable.encoding)


def encoded(
    dataset: "xarray.Dataset", encoding: Mapping[str, Mapping[str, Any]], blocks: Blocks
) -> tuple[dict[str, Any], dict[str, Any]]:
    """As CF's conventions have them: numbers with attributes, in the place of times, booleans and packed values.
    Collective."""
    from xarray.conventions import encode_cf_variable, encode_dataset_coordinates

    for name in encoding:
        if name not in dataset.variables:
            raise Error(
                Code.EARGUMENT,
                f'encoding: the dataset has no variable "{name}": it has {", ".join(map(str, dataset.variables))}',
            )
    dataset = dataset.copy()
    for name, wanted in encoding.items():
        own = {key: value for key, value in wanted.items() if key not in FILTERS}
        dataset[name].encoding = {**dataset[name].encoding, **own}
    variables, attributes = encode_dataset_coordinates(dataset)
    coded = {}
    for name, variable in variables.items():
        if blocks.divide(variable) and holds_times(variable) and not {"units", "dtype"} <= variable.encoding.keys():
            plain = like(variable, np.asarray(variable.data))
            coded[str(name)] = blocks.encoded_as_one(plain, partial(encode_cf_variable, name=str(name)))
        else:
            coded[str(name)] = encode_cf_variable(variable, name=str(name))
    return coded, {str(name): value for name, value in attributes.items()}


def holds_times(variable: Any) -> bool:
    """Also such as datetime64 cannot hold, which are objects. Text is not looked into."""
    if variable.dtype.kind != "O":
        return variable.dtype.kind in "mM"
    first = next(iter(np.asarray(variable.data).flat), None)
    return first is None or hasattr(first, "calendar")


def narrowed(name: str, variable: Any, comm: MPI.Intracomm) -> Any:
    """Integers in a type that the format has, where all ranks' values fit. Collective."""
    to = NARROWER.get(variable.dtype.newbyteorder("=").str[1:])
    if to is None:
        return variable
    values: Any = variable.data if is_lazy(variable.data) else np.asarray(variable.data)
    if variable.dtype.kind == "i" and "units" in variable.attrs and comm.allreduce(bool((values == NO_TIME).any()), MPI.LOR):
        # A time that is missing: as xarray has it, a float there.
        attributes = {key: value for key, value in variable.attrs.items() if key != "_FillValue" or value != NO_TIME}
        missing = attributes.get("_FillValue", np.nan)
        floats = values.astype("f8")
        floats = floats.map_blocks(missing_times_as, missing, dtype="f8") if is_lazy(values) else missing_times_as(floats, missing)
        return type(variable)(variable.dims, floats, attributes)
    if not comm.allreduce(is_lazy(values) or fits(values, to), MPI.LAND):
        raise does_not_fit(name, values.dtype, to)
    attributes = {key: np.dtype(to).type(value) if key == "_FillValue" else value for key, value in variable.attrs.items()}
    # Dask's chunks are looked at one by one, as they are put.
    narrow = values.map_blocks(in_narrower, name, to, dtype=to) if is_lazy(values) else values.astype(to)
    return type(variable)(variable.dims, narrow, attributes)


def missing_times_as(times: Array, missing: float) -> Array:
    return np.where(times == float(NO_TIME), missing, times)


def fits(values: Array, to: str) -> bool:
    return bool(values.size == 0 or (values.min() >= np.iinfo(to).min and values.max() <= np.iinfo(to).max))


def in_narrower(values: Array, name: str, to: str) -> Array:
    if not fits(values, to):
        raise does_not_fit(name, values.dtype, to)
    return values.astype(to)


def does_not_fit(name: str, dtype: Any, to: str) -> Error:
    return Error(
        Code.ERANGE,
        f'"{name}": this format has no {dtype}, and the values do not fit {to}: take format="NETCDF4" or '
        '"NETCDF3_64BIT_DATA"',
    )


def in_characters(variable: Any, comm: MPI.Intracomm) -> Any:
    """Texts as characters, as many for each as the longest of all ranks has bytes. Collective where it holds texts."""
    if variable.dtype.kind not in "OSUT":
        return variable
    values = np.asarray(variable.data)
    if values.dtype.kind == "O":
        values = np.array(["" if text is None or text != text else text for text in values.flat]).reshape(values.shape)
    if values.dtype.kind not in "SUT":
        return variable
    attributes = dict(variable.attrs)
    if values.dtype.kind != "S":
        values = np.char.encode(values.astype(str), "utf-8")
        attributes["_Encoding"] = "utf-8"
    size = max(comm.allreduce(values.dtype.itemsize, MPI.MAX), 1)
    dimension = variable.encoding.get("char_dim_name", f"string{size}")
    return type(variable)((*variable.dims, dimension), stringtochar(values, "bytes", size), attributes)


def what_is_wrong(dataset: "xarray.Dataset", start: Mapping[str, int], length: Mapping[str, int]) -> str:
    """Of where this rank's block lies; "": nothing."""
    for name in [*start, *length]:
        if name not in dataset.sizes:
            return f'the dataset has no dimension "{name}": it has {", ".join(map(str, dataset.sizes))}'
        if name not in start or name not in length:
            return (
                f'"{name}" is divided: give both where this rank\'s block begins (start) and how long the whole is (length)'
            )
        end = start[name] + dataset.sizes[name]
        if start[name] < 0 or end > length[name]:
            return (
                f'"{name}": this rank\'s block is {start[name]} to {end}, the whole has {length[name]}: correct start or length'
            )
    return ""


def agreed(comm: MPI.Intracomm, wrong: str, dataset: "xarray.Dataset") -> set[str]:
    """The variables of which some rank's values are Dask's; or, on all ranks, what is wrong on the lowest. Collective."""
    told = comm.allgather((wrong, {str(name) for name, each in dataset.variables.items() if each.chunks is not None}))
    for rank, (sentence, _) in enumerate(told):
        if sentence:
            raise Error(Code.EARGUMENT, f"rank {rank}: {sentence}")
    return {name for _, names in told for name in names}


def define(file: Dataset, name: str, variable: Any, filters: Mapping[str, Any]) -> None:
    attributes = dict(variable.attrs)
    fill_value = attributes.pop("_FillValue", None)
    made = file.createVariable(name, variable.dtype, tuple(map(str, variable.dims)), fill_value=fill_value, **filters)
    made.setncatts(attributes)


def put(file: Dataset, name: str, variable: Any, start: Mapping[str, int], *, by_chunks: bool) -> None:
    """In one assignment, or in several. Collective."""
    begin = [start.get(str(dimension), 0) for dimension in variable.dims]
    divided = any(dimension in start for dimension in variable.dims)
    if by_chunks and variable.dims:
        has_records = file.dimensions[str(variable.dims[0])].isunlimited()
        pieces = Pieces(variable.data, begin, has_records, whole_records=file.format_asked in PACKED)
        for place, values in pieces.of_all_ranks(file.comm, divided):
            file[name][place] = values
    elif not divided:
        file[name][...] = np.asarray(variable.data)
    else:
        values = np.asarray(variable.data)
        file[name][tuple(slice(first, first + size) for first, size in zip(begin, values.shape, strict=True))] = values
