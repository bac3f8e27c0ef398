# SPDX-License-Identifier: Apache-2.0
"""The door from xarray: each rank gives the dataset that it holds, and says where that lies in the whole."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from mpi4py import MPI

from weir.errors import Code, Error
from weir.output.dataset import Dataset
from weir.output.session import Text, Weir

if TYPE_CHECKING:
    import xarray


def to_netcdf(
    dataset: "xarray.Dataset", path: Text, comm: MPI.Intracomm | None = None, *, start: Mapping[str, int],
    length: Mapping[str, int], unlimited_dims: Iterable[str] = (),
    encoding: Mapping[str, Mapping[str, Any]] | None = None, config: Text | None = None,
    format: str | None = None, weir: Weir | None = None,
) -> None:  # fmt: skip
    """Writes the dataset of which each rank of `comm` holds a block. Collective.

    start   where this rank's block begins in the whole, for each dimension that the ranks have divided: {"lat": 40}
    length  how long such a dimension is in the whole, the same on all ranks: {"lat": 180}
    encoding   as xarray's, for each variable: dtype, scale_factor, units, ..., and with format="NETCDF4" what
               createVariable takes: {"sst": {"zlib": True, "chunksizes": (1, 90, 180)}}

    Dimensions that are not named are whole on every rank. A variable without a divided dimension (a time, a
    coordinate) is the same on all ranks, and rank 0's is written. Coordinates along a divided dimension are blocks
    as the data are. Times, missing values and packing are encoded as xarray encodes them; for times along a divided
    dimension set encoding["units"], so that all ranks count alike.
    """
    with Dataset(path, "w", comm=comm, config=config, format=format, weir=weir) as file:
        encoding = {} if encoding is None else encoding
        variables, attributes = encoded(dataset, encoding)
        check_places(dataset, start, length)
        unlimited = set(unlimited_dims)
        for name in map(str, dataset.sizes):
            if name in unlimited and name in start:
                raise Error(
                    Code.EARGUMENT,
                    f'"{name}" is divided and unlimited: the ranks put records together; divide another one',
                )
            file.createDimension(name, None if name in unlimited else length.get(name, dataset.sizes[name]))
        file.setncatts(attributes)
        for name, variable in variables.items():
            define(
                file, name, variable, {key: value for key, value in encoding.get(name, {}).items() if key in FILTERS}
            )
        for name, variable in variables.items():
            put(file, name, variable, start)


# Of an encoding, what createVariable takes.
FILTERS = {"zlib", "zstd", "complevel", "shuffle", "fletcher32", "chunksizes"}


def encoded(
    dataset: "xarray.Dataset", encoding: Mapping[str, Mapping[str, Any]]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """As CF's conventions have them: numbers with attributes, in the place of times, booleans and packed values."""
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
    coded = {str(name): encode_cf_variable(variable, name=str(name)) for name, variable in variables.items()}
    return coded, {str(name): value for name, value in attributes.items()}


def check_places(dataset: "xarray.Dataset", start: Mapping[str, int], length: Mapping[str, int]) -> None:
    for name in [*start, *length]:
        if name not in dataset.sizes:
            raise Error(
                Code.EARGUMENT, f'the dataset has no dimension "{name}": it has {", ".join(map(str, dataset.sizes))}'
            )
        if name not in start or name not in length:
            raise Error(
                Code.EARGUMENT,
                f'"{name}" is divided: give both where this rank\'s block begins (start) and how long the whole '
                "is (length)",
            )
        end = start[name] + dataset.sizes[name]
        if start[name] < 0 or end > length[name]:
            raise Error(
                Code.EARGUMENT,
                f'"{name}": this rank\'s block is {start[name]} to {end}, the whole has {length[name]}: correct '
                "start or length",
            )


def define(file: Dataset, name: str, variable: Any, filters: Mapping[str, Any]) -> None:
    attributes = dict(variable.attrs)
    fill_value = attributes.pop("_FillValue", None)
    made = file.createVariable(name, variable.dtype, tuple(map(str, variable.dims)), fill_value=fill_value, **filters)
    made.setncatts(attributes)


def put(file: Dataset, name: str, variable: Any, start: Mapping[str, int]) -> None:
    values = np.asarray(variable.data)
    divided = [dimension in start for dimension in variable.dims]
    if not any(divided):
        file[name][...] = values
        return
    begin = [start.get(str(dimension), 0) for dimension in variable.dims]
    file[name][tuple(slice(first, first + size) for first, size in zip(begin, values.shape, strict=True))] = values
