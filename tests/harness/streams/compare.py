# SPDX-License-Identifier: Apache-2.0
"""Files as they are, held against what the reference says, to the last bit."""

import base64
import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import zarr

from .reference import TYPES, File, Variable

QUANTIZED = "_QuantizeGranularBitRoundNumberOfSignificantDigits"


def same(one: np.ndarray, other: np.ndarray) -> bool:
    """Bit by bit, but for the bits of a NaN."""
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    if one.dtype.kind == "f":
        nan = np.isnan(one) & np.isnan(other)
        whole = f"i{one.dtype.itemsize}"
        return bool(np.all(nan | (np.ascontiguousarray(one).view(whole) == np.ascontiguousarray(other).view(whole))))
    return bool(np.array_equal(one, other))


def quantized(variable: Variable, values: np.ndarray) -> np.ndarray:
    """As netCDF-C rounds them."""
    if not variable.digits or not values.size:
        return values
    with netCDF4.Dataset("quantized", "w", diskless=True, persist=False) as file:
        file.createDimension("n", values.size)
        made = file.createVariable(
            "v", values.dtype, ("n",), fill_value=variable.fill, significant_digits=variable.digits,
            quantize_mode="GranularBitRound",
        )  # fmt: skip
        made.set_auto_maskandscale(False)
        made[:] = values.ravel()
        return made[:].reshape(values.shape)


def attributes_by_netcdf(item: Any) -> dict[str, Any]:
    return {name: item.getncattr(name) for name in item.ncattrs()}


class NetCDF:
    def __init__(self, path: Path) -> None:
        self.file = netCDF4.Dataset(path)
        self.file.set_auto_maskandscale(False)
        self.variables = dict(self.file.variables)
        self.attributes = attributes_by_netcdf(self.file)
        self.close = self.file.close

    def variable(self, name: str) -> tuple[tuple[str, ...], dict, np.ndarray]:
        of = self.file[name]
        return of.dimensions, attributes_by_netcdf(of), np.asarray(of[...])

    @staticmethod
    def same_attribute(name: str, found: Any, wanted: Any) -> bool:
        if isinstance(wanted, str) or isinstance(found, str):
            return found == wanted
        return same(np.atleast_1d(np.asarray(found)), np.atleast_1d(np.asarray(wanted)))


class Zarr:
    def __init__(self, path: Path) -> None:
        self.group = zarr.open_group(str(path), mode="r")
        self.variables = dict(self.group.arrays())
        self.attributes = dict(self.group.attrs)

    def close(self) -> None:
        pass

    def variable(self, name: str) -> tuple[tuple[str, ...], dict, np.ndarray]:
        of = self.variables[name]
        return tuple(of.metadata.dimension_names or ()), dict(of.attrs), np.asarray(of[...])

    @staticmethod
    def same_attribute(name: str, found: Any, wanted: Any) -> bool:
        if isinstance(wanted, str):
            return found == wanted
        values = np.atleast_1d(np.asarray(wanted))
        if name == "_FillValue" and values.dtype.kind == "f":
            return found == base64.b64encode(struct.pack("<d", float(values[0]))).decode()
        return np.atleast_1d(found).tolist() == json.loads(json.dumps(values.tolist()))


def attribute_faults(where: str, reader: NetCDF | Zarr, found: dict, wanted: dict) -> Iterator[str]:
    found = {name: value for name, value in found.items() if name != QUANTIZED}
    if sorted(found) != sorted(wanted):
        yield f"{where}: has the attributes {sorted(found)}, not {sorted(wanted)}"
        return
    for name, value in wanted.items():
        if not reader.same_attribute(name, found[name], value):
            yield f"{where}: {name} is {found[name]!r}, not {value!r}"


def variable_faults(where: str, reader: NetCDF | Zarr, name: str, wanted: Variable) -> Iterator[str]:
    dims, attributes, values = reader.variable(name)
    if dims != wanted.dims:
        yield f"{where}: has the dimensions {dims}, not {wanted.dims}"
    yield from attribute_faults(where, reader, attributes, wanted.attributes)
    expected = np.asarray(wanted.values, TYPES[wanted.kind])
    expected = quantized(wanted, expected)
    if values.dtype.newbyteorder("=") != expected.dtype or values.shape != expected.shape:
        yield f"{where}: is {values.dtype}{values.shape}, not {expected.dtype}{expected.shape}"
    elif not same(values.astype(expected.dtype), expected):
        wrong = ~((values == expected) | ((values != values) & (expected != expected)))
        at = tuple(int(i[0]) for i in np.nonzero(wrong)) if wrong.any() else ()
        yield f"{where}: {int(wrong.sum())} of {wrong.size} values differ, first {at}: {values[at]!r}, not {expected[at]!r}"


def faults(path: Path, wanted: File) -> Iterator[str]:
    if not path.exists():
        yield f"{path.name}: is not there"
        return
    reader = Zarr(path) if wanted.format == "zarr" else NetCDF(path)
    try:
        yield from attribute_faults(path.name, reader, reader.attributes, wanted.attributes)
        if sorted(reader.variables) != sorted(wanted.variables):
            yield f"{path.name}: has {sorted(reader.variables)}, not {sorted(wanted.variables)}"
            return
        for name, variable in wanted.variables.items():
            yield from variable_faults(f"{path.name}: {name}", reader, name, variable)
    finally:
        reader.close()


def kind_of(path: Path) -> str:
    if path.is_dir():
        return "zarr"
    with path.open("rb") as file:
        return "netcdf4" if file.read(4) == b"\x89HDF" else "classic"


def files_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if path.name[0] != "." and not path.name.startswith("restart_")}


def folder_faults(folder: Path, wanted: dict[str, File]) -> Iterator[str]:
    extra = files_in(folder) - set(wanted)
    if extra:
        yield f"{folder.name}: has {sorted(extra)}, which the reference has not"
    for name, file in wanted.items():
        yield from faults(folder / name, file)


def different_bytes(one: Path, other: Path) -> Iterator[str]:
    """Of the classic files of two folders."""
    for path in sorted(one.iterdir()):
        if path.name in files_in(one) and kind_of(path) == "classic":
            there = other / path.name
            if not there.exists() or there.read_bytes() != path.read_bytes():
                yield f"{path.name}: its bytes are not those of the run without a stop"
