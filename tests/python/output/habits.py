# SPDX-License-Identifier: Apache-2.0
"""What programs over netCDF4-python do, by whichever of the two is named: habits.py weir|netCDF4 FOLDER. Each rank of the first
makes the files together with the others. Prints what it read, to be the same from both."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from mpi4py import MPI

library = __import__(sys.argv[1])
folder = Path(sys.argv[2])
comm = MPI.COMM_WORLD
NX = 4 * 3
of_all = sys.argv[1] == "weir"
lo, hi = (NX * comm.rank // comm.size, NX * (comm.rank + 1) // comm.size) if of_all else (0, NX)
told: dict[str, object] = {}


def shown(value: Any) -> object:
    if isinstance(value, np.ma.MaskedArray) or value is np.ma.masked:
        return ["masked", value.dtype.str, np.ma.getmaskarray(value).tolist(), value.filled(value.dtype.type(0)).tolist()]
    if isinstance(value, np.ndarray | np.generic):
        return [value.dtype.str, value.tolist()]
    return value


def tell(name: str, value: Any) -> None:
    told[name] = shown(value)


def create() -> None:
    parallel = {"parallel": True, "comm": comm, "info": MPI.Info()} if of_all else {}
    with library.Dataset(folder / "habits.nc", "w", format="NETCDF4", **parallel) as nc:
        time, x = nc.createDimension("time", None), nc.createDimension("x", NX)
        nc.createDimension("text", 8)
        nc.title, nc.version, nc.empty, nc.none = "habits", 5, np.array([]), []
        nc.setncatts({"list": [1, 2, 3], "names": ["a", "b"], "float": 2.5})
        nc.setncattr_string("string", "as one")
        scalar = nc.createVariable("scalar", "f8", (), zlib=True, shuffle=True, fletcher32=True, complevel=9)
        scalar.assignValue(2.5)
        field = nc.createVariable("field", np.float32, (time, x), compression="zlib", endian="native", fill_value=-9.0, chunksizes=(1, 6))
        field.set_collective(True)
        packed = nc.createVariable("packed", "i2", ("x",), contiguous=True, chunk_cache=1000)
        packed.scale_factor, packed.add_offset, packed.missing_value = 0.5, 10.0, np.int16(-1)
        digits = nc.createVariable("digits", "f8", "x", zlib=True, least_significant_digit=2)
        unsigned = nc.createVariable("unsigned", "i1", "x", fill_value=False)
        unsigned._Unsigned = "true"
        texts = nc.createVariable("texts", "c", ("x", "text"))
        texts._Encoding = "utf-8"
        limited = nc.createVariable("limited", "i4", "x", fill_value="default")
        limited.valid_min, limited.valid_max = np.int32(2), np.int32(9)
        group = nc.createGroup("ice/inner")
        group.note = "of the group"
        group.createDimension("y", 3)
        group.createVariable("area", "f4", ("y",))[:] = [1, 2, 3]
        values = np.ma.masked_equal(np.arange(float(NX)), 4)
        for record in range(3):
            field[record, lo:hi] = values[lo:hi] + record
        field[1, lo:hi] = 7.5
        packed[lo:hi] = values[lo:hi]
        digits[lo:hi] = np.pi * np.arange(NX)[lo:hi]
        unsigned[lo:hi] = np.arange(NX)[lo:hi] + 200
        texts[lo:hi] = np.array([f"é{number}" for number in range(NX)])[lo:hi]
        limited[lo:hi] = np.arange(NX)[lo:hi]
        nc.late = "after data"
        limited.units = "1"
        late = nc.createVariable("late", "i4", "x")
        late[::-1] = np.arange(NX)
        nc.sync()
        assert nc.isopen() and Path(nc.filepath()) == folder / "habits.nc" and field.filters()["zlib"]
    assert not nc.isopen()


def create_classic() -> None:
    """Parts again, which compressed chunks do not take."""
    with library.Dataset(folder / "classic.nc", "w", format="NETCDF3_64BIT", **({"comm": comm} if of_all else {})) as nc:
        nc.number, nc.list = 5, [1, 2]
        nc.createDimension("time", None)
        nc.createDimension("x", NX)
        v = nc.createVariable("v", "f4", ("time", "x"), zlib=True, fletcher32=True)
        w = nc.createVariable("w", "i4", "x")
        v[0:3] = np.zeros((3, NX))
        first = comm.rank == 0 or not of_all  # the others hold nothing of what has bounds
        for key, nothing, values in [
            ((2, slice(2, None, 3)), (2, slice(NX, None, 3)), 3.0),
            ((slice(0, 3, 2), slice(1, 9, 2)), (slice(0, 3, 2), slice(NX, None, 2)), [[1] * 4, [2] * 4]),
            (([0, 2], [4, 6]), ([0, 2], []), np.array([[5, 6], [7, 8]])),
        ]:
            v[key if first else nothing] = values if first else 0
        v[4] = 1
        w[::2] = 1
        w[[1, 3] if first else []] = [5, 6] if first else 0
        w[np.arange(NX) > (9 if first else NX)] = 8


def tell_variable(prefix: str, v: Any) -> None:
    name = prefix + v.name
    tell(name, {"dims": v.dimensions, "shape": v.shape, "size": v.size, "ndim": v.ndim, "dtype": v.dtype.str})
    told[name + " attributes"] = {each: shown(v.getncattr(each)) for each in v.ncattrs()}
    told[name + " attributes"].pop("_NCProperties", None)
    tell(name + "[...]", v[...])
    tell(name + " get_dims", [(dim.name, len(dim), dim.isunlimited(), dim.group().path) for dim in v.get_dims()])
    if name != "unsigned":  # fill_value=False is nothing that Weir reads
        tell(name + " fill", v.get_fill_value() if v.get_fill_value() is None else float(v.get_fill_value()) if v.dtype.kind != "S" else "S")
    for switch in ("set_auto_scale", "set_auto_mask", "set_auto_chartostring"):
        getattr(v, switch)(False)
        tell(f"{name} after {switch}", v[:])
    v.set_auto_maskandscale(True)
    v.set_auto_chartostring(True)
    v.set_always_mask(False)
    tell(name + " where masked", v[:])


def raises(kind: type[Exception], call: Any) -> bool:
    try:
        return bool(call() is None)
    except kind:
        return True


def read() -> None:
    with library.Dataset(folder / "classic.nc") as nc:
        tell("classic", [nc.data_model, nc.disk_format, shown(nc.number), shown(nc.list), shown(nc["v"][:]), shown(nc["w"][:])])
        tell("classic is", [nc["v"].chunking(), nc["v"].filters(), nc["v"].endian()])
    with library.Dataset(folder / "habits.nc") as nc:
        tell("attributes", {name: shown(nc.getncattr(name)) for name in nc.ncattrs()})
        tell("model", [nc.data_model, nc.file_format, nc.disk_format, nc.name, nc.path, str(nc.parent), nc.cmptypes, nc.keepweakref])
        tell("names", [sorted(nc.variables), sorted(nc.dimensions), sorted(nc.groups), sorted(nc["ice/inner"].variables)])
        inner = nc.groups["ice"].groups["inner"]
        tell("group", [inner.name, inner.path, inner.parent.path, inner.note, nc["ice/inner/area"].group().path, inner.ncattrs()])
        tell_variable("ice/inner/", inner["area"])
        for v in nc.variables.values():
            tell_variable("", v)
        f = nc["field"]
        for number, key in enumerate([
            0, -1, slice(None), (0, slice(2, 99)), (slice(None, None, 2), 1), (slice(None, None, -1), slice(None, None, -5)),
            (0, [3, 1, 1]), ([True, False, True], slice(1, 3)), ([0, 2], [5, 4]), (2, np.arange(NX) % 4 == 0), (..., 3), (1, -1),
        ]):  # fmt: skip
            f.set_always_mask(True)
            tell(f"field by {number}", f[key])
        tell("len", [len(f), [float(row[0]) for row in f], np.asarray(f).shape, f.__orthogonal_indexing__])
        tell("none", [raises(kind, call) for kind, call in (
            (IndexError, lambda: nc["none_such"]), (KeyError, lambda: nc.variables["none_such"]),
            (AttributeError, lambda: nc.getncattr("none_such")), (AttributeError, lambda: f.none_such),
        )])  # fmt: skip
        tell("by attribute", [v.name for v in nc.get_variables_by_attributes(units="1")])
        tell("by function", [v.name for v in nc.get_variables_by_attributes(valid_max=lambda value: value is not None)])


create()
create_classic()
comm.Barrier()
read()
if comm.rank == 0:
    print(json.dumps(told, default=lambda value: value.decode("latin1")))
