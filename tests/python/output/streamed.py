# SPDX-License-Identifier: Apache-2.0
"""Fields that go to streams: daily means and maxima of hourly fields, with missing samples, read back by netCDF4-python."""

import sys
from pathlib import Path

import netCDF4
import numpy as np
import weir
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
folder = Path(sys.argv[1])
ROWS, NX, HOURS = 3, 5, 48
NY = ROWS * ranks
mine = slice(ROWS * rank, ROWS * rank + ROWS)
CONFIGURATION = f"""
streams:
  daily:
    file: "{folder}/streamed_{{time:%Y-%m-%d}}.nc"
    every: 1 day
    split: 1 day
    fields: {{sst: mean, highest: {{of: ssh, as: maximum}}, rain: mean}}
"""


def sst(hour: int) -> np.ma.MaskedArray:
    """Of the first column every second sample is missing; of element (0, 1) all."""
    values = np.ma.MaskedArray(np.arange(NY * NX, dtype="f8").reshape(NY, NX) + hour)
    if hour % 2:
        values[:, 0] = np.ma.masked
    values[0, 1] = np.ma.masked
    return values


def send() -> None:
    with weir.Streams(comm, CONFIGURATION) as streams:
        streams.title = "streams"
        streams.createDimension("lat", NY)
        streams.createDimension("lon", NX)
        block = streams.createLayout(("lat", "lon"), start=(mine.start, 0), count=(ROWS, NX))
        temperature = streams.createField("sst", "f4", ("lat", "lon"), block)
        temperature.setncatts({"units": "K", "_FillValue": np.float32(1e20)})
        height = streams.createField("ssh", "f8", ("lat", "lon"), block)
        unused = streams.createField("unused", "f8", ("lat", "lon"), block)
        rain = streams.createField("rain", "f8")
        streams.createField("lat", "f8", "lat").set(10.0 * np.arange(NY))
        streams.start("seconds since 1990-01-01 00:00:00", calendar="noleap")
        assert temperature.wanted(3600.0) and not unused.wanted(3600.0)
        assert temperature.units == "K" and temperature.ncattrs() == ["units", "_FillValue"]
        for hour in range(1, HOURS + 1):
            temperature.send(3600.0 * hour, sst(hour)[mine])
            height.send(3600.0 * hour, 10 * (np.arange(NY * NX).reshape(NY, NX) + hour)[mine])
            rain.send(3600.0 * hour, 2.0 * hour)


def refuse(what: str, sentence: str, call: object, *arguments: object) -> None:
    try:
        call(*arguments)
    except weir.Error as error:
        assert sentence in str(error), f"{what}: {error}"
    else:
        raise AssertionError(f"{what}: not refused")


class Date:
    year = 1990


def refusals() -> None:
    with weir.Streams(comm, "strategy: remap\n") as streams:
        streams.createDimension("lat", NY)
        refuse("a dimension that there is not", "createDimension", streams.createField, "sst", "f4", ("lat", "lon"))
        refuse("another length", "elements already", streams.createDimension, "lat", NY + 1)
        block = streams.createLayout("lat", start=[mine.start], count=[ROWS])
        field = streams.createField("sst", "f4", "lat", block)
        refuse("a block of another shape", "has shape", field.set, np.zeros(ROWS + 1))
        refuse("a date without an axis", "call start()", field.wanted, Date())


def check() -> None:
    for day in range(HOURS // 24):
        hours = range(24 * day + 1, 24 * day + 25)
        with netCDF4.Dataset(folder / f"streamed_1990-01-0{day + 1}.nc") as made:
            wanted = np.ma.stack([sst(hour) for hour in hours]).mean(axis=0).astype("f4")
            found = made["sst"][0]
            assert (np.ma.getmaskarray(found) == np.ma.getmaskarray(wanted)).all(), found
            assert (found == wanted).all() and made["sst"].units == "K" and made.title == "streams", found
            assert (made["highest"][0] == 10 * (np.arange(NY * NX).reshape(NY, NX) + hours[-1])).all()
            assert made["rain"][:].tolist() == [25.0 + 48 * day]
            assert made["time"][:].tolist() == [86400.0 * day + 43200]
            assert made["time_bnds"][:].tolist() == [[86400.0 * day, 86400.0 * (day + 1)]]
            assert made["lat"][:].tolist() == [10.0 * row for row in range(NY)]


send()
refusals()
if rank == 0:
    check()
comm.Barrier()
print("well", flush=True)
