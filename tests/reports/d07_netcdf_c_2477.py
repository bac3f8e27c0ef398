# SPDX-License-Identifier: Apache-2.0
"""netcdf-c#2477, #1528, #1772, #2962, netcdf4-python#975, scorpio#682: names that dimensions and variables share. A variable `time` over
another dimension than `time`; a variable `len` over (lev, len); a dimension that is defined later, with the name of a variable
that is there already: error -101, or an assertion at the close."""

import numpy as np
from mpi4py import MPI

import weir

comm = MPI.COMM_WORLD
WANTED = {"time": ("sub",), "dummy": ("time",), "lev": ("lev", "len"), "len": ("lev", "len"), "late": ("sub",), "hyai": ("late",)}


def write(path: str, kind: str) -> None:
    with weir.Dataset(path, "w", format=kind, comm=comm) as data:
        data.createDimension("time")
        data.createDimension("sub", 50)
        data.createDimension("lev", 2)
        data.createDimension("len", 4)
        data.createVariable("time", "f8", ("sub",))
        data.createVariable("dummy", "i4", ("time",))
        data.createVariable("lev", "S1", ("lev", "len"))
        data.createVariable("len", "i4", ("lev", "len"))
        data.createVariable("late", "f4", ("sub",))
        data["time"][:] = np.arange(50.0)
        data["dummy"][3] = np.int32(7)
        data["len"][:] = np.arange(8, dtype="i4").reshape(2, 4)
        data.sync()
        data.redef()
        data.createDimension("late", 3)  # with a variable's name, after data
        data.createVariable("hyai", "f8", ("late",))
        data["hyai"][:] = np.array([1.0, 2.0, 3.0])


def append(path: str) -> None:
    with weir.Dataset(path, "a", comm=comm) as data:
        data["dummy"][4] = np.int32(8)


def check(variables: dict, what: str) -> None:
    for name, dims in WANTED.items():
        assert variables[name].dimensions == dims, f"{what}: {name} has {variables[name].dimensions}"
    assert (np.asarray(variables["time"][:]) == np.arange(50.0)).all(), what
    assert (np.asarray(variables["len"][:]) == np.arange(8).reshape(2, 4)).all(), what
    assert list(np.asarray(variables["dummy"][:])[3:]) == [7, 8], f"{what}: {variables['dummy'][:]}"
    assert list(np.asarray(variables["hyai"][:])) == [1.0, 2.0, 3.0], what


def check_scales(path: str) -> None:
    """As HDF5 has it: a dimension whose variable is of another shape is a scale by another name."""
    import h5py

    with h5py.File(path) as data:
        for name, dims in WANTED.items():
            variable = data.get(f"_nc4_non_coord_{name}", data.get(name))
            numbers = variable.attrs.get("_Netcdf4Coordinates")
            assert numbers is None or len(numbers) == len(dims), f"{name}: {numbers}"
        for name, variable in data.items():
            assert not (name.startswith("_nc4_non_coord_") and variable.is_scale), f"{name} is a dimension's scale"


def main() -> None:
    for kind, path in (("NETCDF4", "shared.nc"), ("ZARR", "shared.zarr"), ("NETCDF3_64BIT_DATA", "shared5.nc")):
        if kind == "NETCDF3_64BIT_DATA":
            continue  # a classic file has room for later definitions only where it was left (d06)
        write(path, kind)
        append(path)
        with weir.Dataset(path, "r", comm=comm) as data:
            check(data.variables, f"{kind} by Weir")
        if comm.rank == 0 and kind == "NETCDF4":
            import netCDF4

            with netCDF4.Dataset(path) as data:
                check(data.variables, "netCDF4-python")
            check_scales(path)
        if comm.rank == 0 and kind == "ZARR":
            import xarray

            data = xarray.open_zarr(path, decode_times=False, consolidated=True)
            assert data["hyai"].dims == ("late",) and list(data["hyai"].values) == [1.0, 2.0, 3.0]
        comm.Barrier()


main()
