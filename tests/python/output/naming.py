# SPDX-License-Identifier: Apache-2.0
"""Names in several forms of Unicode, and long ones: naming.py make FILE FORMAT; naming.py read FILE NAME OTHER, of a
foreign file whose variable NAME is also asked for as OTHER; naming.py twice FILE FORMAT, of names that are the same."""

import sys

import numpy as np
import weir
from mpi4py import MPI

comm = MPI.COMM_WORLD
NFC, NFD, ANGSTROM, KELVIN = "temp_\u00e9", "temp_e\u0301", "\u212b", "\u212a"
ROWS = 2
LONGEST = {"NETCDF4": 255, "ZARR": 200}


def make(path: str, format: str) -> None:
    names = [NFD, ANGSTROM, KELVIN, "n" * LONGEST.get(format, 256)]
    if format in ("NETCDF4", "ZARR"):
        names.append(f"group_{NFD}/{ANGSTROM}")
    part = slice(ROWS * comm.rank, ROWS * (comm.rank + 1))
    with weir.Dataset(path, "w", format=format, config="header_free: 4KiB\n", comm=comm) as file:
        file.createDimension(NFD, ROWS * comm.size)
        for name in names:
            file.createVariable(name, "i4", (NFC,)).setncattr(NFD, name)
        file[NFD].setncattr("n" * 256, "long")
        file.setncattr(ANGSTROM, 1)
        file.setncattr("\u00c5", 2)  # the same attribute
        assert file.ncattrs() == ["\u00c5"] and file.getncattr(ANGSTROM) == 2
        for number, name in enumerate(names):
            file[name][part] = number * 100 + np.arange(part.start, part.stop)
        file.redef()
        file.createVariable("later_" + NFD, "i4", (NFD,))
        file[NFC].setncattr(NFC, "again")
        file["later_" + NFC][part] = np.arange(part.start, part.stop)
    with weir.Dataset(path, comm=comm) as file:
        assert set(file.dimensions) == {NFC} and "K" in list(file.variables)
        for number, name in enumerate(names):
            assert (file[name][:] == number * 100 + np.arange(ROWS * comm.size)).all(), name
        assert file[NFD].getncattr(NFD) == "again" and file[NFD].getncattr("n" * 256) == "long"


def read(path: str, name: str, other: str) -> None:
    with weir.Dataset(path, comm=comm) as file:
        assert list(file.variables) == [name], list(file.variables)
        for asked in (name, other):
            assert (file[asked][:] == [4, 5, 6]).all(), asked
            assert path.endswith("netcdf4.nc") or file[asked].getncattr(asked) == "K", asked


def twice(path: str, format: str) -> None:
    file = weir.Dataset(path, "w", format=format, comm=comm)
    said = []
    for name in (NFD, NFC, "n" * 257):
        try:
            file.createDimension(name, 2)
        except weir.Error as error:
            said.append(str(error))
    assert len(said) == 2 and "is defined already" in said[0] and "longer than 256 bytes" in said[1], said
    file.give_up(ValueError("it is not needed"))
    if format != "NETCDF4":
        return
    file = weir.Dataset(path, "w", format=format, comm=comm)
    file.createDimension("n" * 256, 2)
    try:
        file.close()
    except weir.Error as error:
        assert "has 256 bytes, and netCDF-C reads shorter ones only" in str(error), error
        return
    raise AssertionError("netCDF-C would not find it again")


{"make": make, "read": read, "twice": twice}[sys.argv[1]](*sys.argv[2:])
sys.stdout.write("well\n")
