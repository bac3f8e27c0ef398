# SPDX-License-Identifier: Apache-2.0
"""A patch of warm water that spreads and drifts: each rank computes a band of latitudes, exchanges a row with each
neighbour at every step, and puts its band of the surface temperature every six hours.

    mpirun -n 4 python examples/python/ocean.py      writes ocean.nc
"""

import numpy as np
import weir
from mpi4py import MPI

NY, NX, STEPS, STEPS_A_RECORD = 180, 360, 48, 6
comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
first, last = rank * NY // ranks, (rank + 1) * NY // ranks
south = rank - 1 if rank > 0 else MPI.PROC_NULL
north = rank + 1 if rank < ranks - 1 else MPI.PROC_NULL

latitude = np.linspace(-89.5, 89.5, NY)
longitude = np.arange(NX) + 0.5
water = np.full((last - first + 2, NX), 280.0)  # with a row of each neighbour
water[1:-1] += 15 * np.exp(-((latitude[first:last, np.newaxis] / 20) ** 2) - ((longitude - 180) / 40) ** 2)


def exchange() -> None:
    """The neighbours' rows next to this band; at a pole the band's own."""
    water[0], water[-1] = water[1], water[-2]
    comm.Sendrecv(water[1].copy(), south, recvbuf=water[-1], source=north)
    comm.Sendrecv(water[-2].copy(), north, recvbuf=water[0], source=south)


def step() -> None:
    """An hour: diffusion, and a current to the east."""
    exchange()
    here, east, west = water[1:-1], np.roll(water[1:-1], -1, axis=1), np.roll(water[1:-1], 1, axis=1)
    water[1:-1] = here + 0.2 * (water[2:] + water[:-2] + east + west - 4 * here) + 0.3 * (west - here)


with weir.Dataset("ocean.nc", "w", comm=comm) as ds:
    ds.title = "A patch of warm water"
    ds.createDimension("time")
    ds.createDimension("lat", NY)
    ds.createDimension("lon", NX)
    ds.createVariable("time", "f8", "time").units = "hours since 2026-01-01"
    ds.createVariable("lat", "f8", "lat").units = "degrees_north"
    ds.createVariable("lon", "f8", "lon").units = "degrees_east"
    sst = ds.createVariable("sst", "f4", ("time", "lat", "lon"), fill_value=-999)
    sst.units, sst.long_name = "K", "temperature of the surface"
    ds["lat"][:], ds["lon"][:] = latitude, longitude  # all ranks hold these alike
    for hour in range(STEPS + 1):
        if hour % STEPS_A_RECORD == 0:
            ds["time"][hour // STEPS_A_RECORD] = hour
            sst[hour // STEPS_A_RECORD, first:last, :] = water[1:-1]
        step()
