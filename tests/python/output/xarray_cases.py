# SPDX-License-Identifier: Apache-2.0
"""Dataset.weir.to_netcdf of blocks against xarray's own to_netcdf of the whole, value by value and attribute by attribute, in two
formats: times without units, missing times, packed values, texts, integers that a format lacks, empty dimensions, attributes of all kinds."""

import os
import sys
from functools import partial
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import weir.xarray
import xarray
from mpi4py import MPI

comm = MPI.COMM_WORLD
folder = Path(sys.argv[1])
N = 7
lo, hi = N * comm.rank // comm.size, N * (comm.rank + 1) // comm.size
TIMES = np.array(["2000-01-01", "2000-01-02", "2000-01-03"], "M8[ns]")
HOURS = (np.arange(3 * N) * np.timedelta64(6, "h")).reshape(3, N).astype("m8[ns]")
TEXTS = ["a", "bb", "é", "", "eeee", "f", "gg"]
BYTES = [text.encode() or b"-" for text in TEXTS]


def with_variable(name: str, dims: Any, values: Any, **attributes: Any) -> xarray.Dataset:
    made = xarray.Dataset({"a": (("t", "x"), np.arange(3.0 * N).reshape(3, N))}, coords={"t": TIMES, "x": np.arange(N) * 1.0})
    made["a"][0, 2] = np.nan
    made[name] = (dims, values)
    made.attrs.update(attributes)
    return made


WHOLE = {
    "integers": (with_variable("i", ("t", "x"), np.arange(3 * N).reshape(3, N)), {}),
    "bool": (with_variable("b", "x", np.arange(N) % 2 == 0), {}),
    "packed": (with_variable("i", "x", np.arange(N)), {"a": {"dtype": "i2", "scale_factor": 0.1, "add_offset": 5.0, "_FillValue": -9}}),
    "no fill": (with_variable("i", "x", np.arange(N)), {"a": {"_FillValue": None}}),
    "datetimes": (with_variable("w", ("t", "x"), TIMES[1] + HOURS), {}),
    "days and hours": (with_variable("w", "x", TIMES[0] + np.array([0, 24, 48, 72, 96, 97, 98], "m8[h]")), {}),
    "missing time": (with_variable("w", "x", np.array([np.datetime64("NaT"), *TIMES, *TIMES], "M8[ns]")), {}),
    "timedeltas": (with_variable("w", "x", HOURS[0]), {}),
    "units": (with_variable("w", "x", TIMES[1] + HOURS[0]), {"w": {"units": "hours since 1999-01-01", "dtype": "f8"}}),
    "scalars": (with_variable("s", (), 3.5).assign(si=7, st=np.datetime64("2001-01-01", "ns")), {}),
    "other calendar": (xarray.Dataset({"w": ("x", xarray.date_range("2000-02-28", periods=N, calendar="360_day", use_cftime=True))}), {}),
    "texts": (with_variable("n", "x", np.array(TEXTS)), {}),
    "objects": (with_variable("n", "x", np.array(TEXTS, object)), {}),
    "bytes": (with_variable("n", "x", np.array(BYTES)), {}),
    "one text": (with_variable("n", (), "hello"), {}),
    "attributes": (with_variable("i", "x", np.arange(N), a=1, b=2.5, c="é", d=[1, 2], e=np.float32(1), f="", g=[], h=np.int16(3)), {}),
    "empty": (with_variable("e", "z", np.zeros(0)), {}),
    "nothing": (xarray.Dataset(), {}),
    "too large": (with_variable("i", "x", np.arange(N) + 2**40), {}),
    "unsigned": (with_variable("i", "x", np.arange(N).astype("u2")), {}),
}
# Variables of strings, which Weir does not make, are characters in netCDF-4 as in classic files (docs/python.md).
CHARACTERS = {("NETCDF4", "texts"), ("NETCDF4", "objects"), ("NETCDF4", "one text")}


def contents(path: Path) -> dict[str, Any]:
    with netCDF4.Dataset(path) as file:
        file.set_auto_maskandscale(False)
        file.set_auto_chartostring(False)
        found: dict[str, Any] = {"dimensions": {name: (len(dim), dim.isunlimited()) for name, dim in file.dimensions.items()}}
        for item in (file, *file.variables.values()):
            attributes = {name: np.asarray(item.getncattr(name)) for name in item.ncattrs()}  # NaN is equal to NaN as a text
            found[item.name] = [(name, value.dtype.str, str(value.tolist())) for name, value in attributes.items()]
            if item is not file:
                found[item.name] += [item.dimensions, str(item.dtype), np.asarray(item[...]).tobytes()]
        return found


def told(call: Any) -> str:
    try:
        call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def compare(format: str, name: str) -> None:
    whole, encoding = WHOLE[name]
    divided = "x" in whole.sizes
    block = whole.isel(x=slice(lo, hi)) if divided else whole
    place = ({"x": lo}, {"x": N}) if divided else ({}, {})
    path, reference = (folder / f"{kind} {name} {format}.nc" for kind in ("blocks", "whole"))
    error = told(lambda: block.weir.to_netcdf(
        path, comm, start=place[0], length=place[1], format=format, encoding=encoding, unlimited_dims=None
    ))  # fmt: skip
    comm.Barrier()
    if comm.rank:
        return
    theirs = "NETCDF3_64BIT" if format == "NETCDF3_64BIT_OFFSET" else format
    expected = told(lambda: whole.to_netcdf(reference, format=theirs, engine="netcdf4", encoding=encoding))
    assert bool(error) == bool(expected), f"{format} {name}: weir {error}, xarray {expected}"
    if error:
        assert "do not fit i4" in error and not path.exists(), error
    elif (format, name) in CHARACTERS:
        with xarray.open_dataset(path) as one, xarray.open_dataset(reference) as other:
            assert one["n"].values.tolist() == other["n"].values.tolist(), name
    else:
        found, wanted = contents(path), contents(reference)
        assert found == wanted, f"{format} {name}: weir {found}, xarray {wanted}"


problems: list[str] = []
for format in ("NETCDF3_64BIT_OFFSET", *(["NETCDF4"] if len(sys.argv) > 2 else [])):
    for name in WHOLE:
        if problem := told(partial(compare, format, name)):
            problems.append(problem)
# All ranks go through all of them, so that none waits for one that has ended.
assert not problems, "\n".join(problems)
os.write(1, b"well\n")
