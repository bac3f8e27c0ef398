# SPDX-License-Identifier: Apache-2.0
"""netcdf-c#3154, netcdf-c#149, scorpio#656: a text attribute of one letter that is set to an empty one keeps its letter; a text
set anew as strings ends the program."""

import numpy as np
from mpi4py import MPI

import weir

comm = MPI.COMM_WORLD
FORMATS = ["NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA", "NETCDF4", "ZARR"]
PAIRS = [
    ("a", ""),
    ("abc", ""),
    ("", "a"),
    ("a", "abc"),
    ("abc", np.int32(5)),
    (np.array([1, 2], "i4"), "x"),
    ("a", ["s", ""]),
]


def same(found: object, wanted: object) -> bool:
    if isinstance(wanted, str):
        return isinstance(found, str) and found == wanted
    if isinstance(wanted, list):
        return list(found) == wanted
    return np.array_equal(np.atleast_1d(found), np.atleast_1d(wanted))


def main() -> None:
    for kind in FORMATS:
        pairs = [pair for pair in PAIRS if kind in ("NETCDF4", "ZARR") or not isinstance(pair[1], list)]
        path = "attributes.zarr" if kind == "ZARR" else "attributes.nc"
        with weir.Dataset(path, "w", format=kind, comm=comm, config="header_free: 64KiB\n") as data:
            data.createDimension("x", 1)
            for number, (first, _) in enumerate(pairs):
                data.createVariable(f"v{number}", "f4", ("x",)).setncattr("h", first)
            for number in range(len(pairs)):
                data[f"v{number}"][:] = np.ones(1, "f4")
            data.sync()
            data.redef()
            for number, (_, second) in enumerate(pairs):
                data[f"v{number}"].setncattr("h", second)
        check(path, kind, [second for _, second in pairs])
        with weir.Dataset(path, "a", comm=comm) as data:  # and back, in a file that was opened
            data.redef()
            for number, (first, _) in enumerate(pairs):
                data[f"v{number}"].setncattr("h", first)
        check(path, kind, [first for first, _ in pairs])


def check(path: str, kind: str, wanted: list) -> None:
    with weir.Dataset(path, "r", comm=comm) as data:
        for number, value in enumerate(wanted):
            found = data[f"v{number}"].getncattr("h")
            assert same(found, value), f"{kind} by Weir, pair {number}: {found!r}, not {value!r}"
    if comm.rank == 0 and kind != "ZARR":
        import netCDF4

        with netCDF4.Dataset(path) as data:
            for number, value in enumerate(wanted):
                found = data[f"v{number}"].getncattr("h")
                assert same(found, value), f"{kind} by netCDF4-python, pair {number}: {found!r}, not {value!r}"
    comm.Barrier()


main()
