# SPDX-License-Identifier: Apache-2.0
"""`import weir.xarray` gives each xarray.Dataset the accessor `weir`, by which all ranks write it into one file."""

from collections.abc import Iterable, Mapping
from typing import Any

import xarray
from mpi4py import MPI

from weir.output.session import Text, Weir
from weir.output.xarray_door import write


@xarray.register_dataset_accessor("weir")  # type: ignore[no-untyped-call]
class DatasetAccessor:
    """dataset.weir: the dataset is the block that this rank holds of a whole."""

    def __init__(self, dataset: xarray.Dataset) -> None:
        self._dataset = dataset

    def to_netcdf(
        self, path: Text, comm: MPI.Intracomm | None = None, *, start: Mapping[str, int] | None = None,
        length: Mapping[str, int] | None = None, unlimited_dims: Iterable[str] | None = None,
        encoding: Mapping[str, Mapping[str, Any]] | None = None, config: Text | None = None,
        format: str | None = None, weir: Weir | None = None,
    ) -> None:  # fmt: skip
        """Writes the whole of which each rank of `comm` (default: MPI.COMM_WORLD) holds a block. Collective.

        start   where this rank's block begins in the whole, for each dimension that the ranks have divided: {"lat": 40}
        length  how long such a dimension is in the whole, the same on all ranks: {"lat": 180}
        encoding   as xarray's, for each variable: dtype, scale_factor, units, ..., and with format="NETCDF4" what
                   createVariable takes: {"sst": {"zlib": True, "chunksizes": (1, 90, 180)}}
        config, format, weir   as weir.Dataset takes them

        Dimensions that are not named are whole on every rank. A variable without a divided dimension (a time, a
        coordinate) is the same on all ranks, and rank 0's is written. Coordinates along a divided dimension are blocks
        as the data are. Times, missing values and packing are encoded as xarray encodes them. A variable of times that is
        divided is encoded as a whole, on rank 0; with encoding["units"] and encoding["dtype"] each rank encodes its own.
        Texts become characters, with a dimension for the length.

        Arrays of Dask are computed and put chunk by chunk. In "NETCDF4" a rank's part of a record, or of a variable
        without the unlimited dimension, is put at once: it has to fit into memory.

        Errors: weir.Error, on all ranks; the file is then not there.
        """
        write(self._dataset, path, comm, start or {}, length or {}, unlimited_dims, encoding, config, format, weir)

    def to_zarr(
        self, store: Text, comm: MPI.Intracomm | None = None, *, start: Mapping[str, int] | None = None,
        length: Mapping[str, int] | None = None, unlimited_dims: Iterable[str] | None = None,
        encoding: Mapping[str, Mapping[str, Any]] | None = None, config: Text | None = None, weir: Weir | None = None,
    ) -> None:  # fmt: skip
        """The same as a folder of Zarr, version 3: to_netcdf(..., format="ZARR"). Collective."""
        write(self._dataset, store, comm, start or {}, length or {}, unlimited_dims, encoding, config, "ZARR", weir)
