# SPDX-License-Identifier: Apache-2.0
"""The papers' methods on their machines, simulated, and whether they come in the published order. For research/papers."""

from functools import cache

from weir.simulation import simulate


@cache
def run(machine: str, mode: str, workload: str, ranks: int, **request: float) -> dict:
    compute = {key[8:]: request.pop(key) for key in [*request] if key.startswith("compute_")}
    config = {key[7:]: request.pop(key) for key in [*request] if key.startswith("config_")}
    return simulate(
        machine, modes=[mode], workload=workload, ranks=ranks, compute=compute or None, config=config, **request
    )["runs"][0]


def rate(*arguments, **request) -> float:
    found = run(*arguments, **request)
    return found["bytes"] / found["seconds"]


def gain(machine: str, first: str, second: str, workload: str, ranks: int, **request) -> float:
    """Per cent of the first mode's time that the second saves."""
    one = run(machine, first, workload, ranks, **request)["seconds"]
    other = run(machine, second, workload, ranks, **request)["seconds"]
    return 100 * (one - other) / one


def cfio2(writers: int) -> str:
    return f"dynamic:control=rank,writers_per_variable={writers},buffer_limit=2GiB"


def pio(stride: int, ranks: int) -> str:
    return f"peer:remap:writers={-(-ranks // stride)}"


# Wang & Huang 2025, section 5.2: seconds by ranks without output, with MPI-IO, with CFIO2 by hand and by RL.
LICOM3 = {1200: (5687, 7562, 5932, 5903), 19200: (474, 7015, 568, 533)}


def licom3_seconds(ranks: int, mode: str) -> float:
    """Of 60 outputs, of which 3 are simulated."""
    # The seconds of the mean rank: the slowest one needs those of the run without output.
    few = {"records": 3, "compute_seconds": 0.877 * LICOM3[ranks][0] / 60, "compute_imbalance": 0.05, "compute_steps": 10}
    return 20 * run("earthlab", mode, "licom", ranks, **few)["seconds"]


def cmaq_seconds(machine: str, domain: str, ranks: int, striping: tuple[int, int]) -> dict[str, float]:
    modes = {"serial": "peer:serial", "pnetCDF": "peer:pnetcdf", "pnetCDFcr": "peer:pnetcdf-rows", "pnetCDFcc": "peer:pnetcdf-columns"}
    request = {"records": 1, "stripe_count": striping[0], "stripe_size": striping[1] << 20}
    return {name: run(machine, mode, f"cmaq-{domain}", ranks, **request)["seconds"] for name, mode in modes.items()}


def earthlab_orders() -> list[tuple[str, tuple, dict]]:
    def weak(mode: str, ranks: int) -> float:
        return 1e9 / rate("earthlab", mode, "weak", ranks)

    licom = {"CFIO2 (RL)": cfio2(32), "CFIO2": cfio2(16), "MPI-IO": "peer:pnetcdf"}
    orders = [
        (f"LICOM3 on {ranks} ranks", tuple(licom), {name: licom3_seconds(ranks, mode) for name, mode in licom.items()})
        for ranks in LICOM3
    ]
    best = {
        "CFIO2 (RL)": weak(cfio2(32), 9000),
        "CFIO2": weak(cfio2(16), 9000),
        "PnetCDF": weak("peer:pnetcdf", 8192),
        "PIO": weak(pio(60, 6144), 6144),
    }
    return [*orders, ("best throughput of figure 13", tuple(best), best)]


def wong_orders() -> list[tuple[str, tuple, dict]]:
    few, many = ("pnetCDF", "pnetCDFcr"), ("pnetCDFcr", "pnetCDF", "serial")
    cases = (
        ("kraken", "ca", 32, (5, 1), many),
        ("kraken", "ca", 256, (5, 1), many),
        ("edison", "ca", 256, (5, 1), ("pnetCDFcr", "serial", "pnetCDF")),
        ("kraken", "eus", 16, (11, 2), few),
        ("kraken", "eus", 64, (11, 2), many),
        ("kraken", "eus", 256, (11, 2), many),
        ("edison", "eus", 16, (5, 2), few),
        ("edison", "eus", 256, (5, 2), many),
        ("kraken", "eus", 256, (11, 2), ("pnetCDFcr", "pnetCDFcc")),
        ("kraken", "conus", 512, (11, 2), many),
        ("edison", "conus", 512, (11, 2), many),
    )
    return [(f"{m}, {d.upper()} on {n}", told, cmaq_seconds(m, d, n, striping)) for m, d, n, striping, told in cases]


def other_orders() -> tuple[list, list]:
    """Tseng & Ding 2008; Kordenbrock & Oldfield 2006, of which the growth from 16 to 32 processors too."""
    modes = {"parallel": "peer:remap:writers=32", "sequential": "peer:serial"}
    grids = {"fvd": "FV-D", "t85": "EUL T85"}
    tseng = [
        (
            f"{machine}, {grids[grid]}",
            tuple(modes),
            {name: run(machine, mode, f"cam-{grid}", 64, ranks_per_node=a_node)["seconds"] for name, mode in modes.items()},
        )
        for machine, a_node, grid in (("seaborg-sp3", 2, "fvd"), ("seaborg-sp3", 2, "t85"), ("bluevista-sp5", 4, "fvd"))
    ]
    modes = {"two-phase": "peer:pnetcdf", "one I/O node": "peer:serial", "without two-phase": "collective:sink=direct"}
    times = {name: [run("sandia-2006", mode, "cmaq-ca", n, records=1)["seconds"] for n in (16, 32)] for name, mode in modes.items()}
    growth = {name: many / few for name, (few, many) in times.items()}
    return tseng, [
        *((f"time on {n}", tuple(modes), {name: both[i] for name, both in times.items()}) for i, n in enumerate((16, 32))),
        ("growth", tuple(modes), growth),
    ]


def orders() -> list[str]:
    """Of each study whether its methods come in the published order, the best first."""
    tseng, sandia = other_orders()
    studies = {
        "Wang & Huang 2025": earthlab_orders(),
        "Wong et al. 2015, ranks": wong_orders(),
        "Tseng & Ding 2008, 64 tasks": tseng,
        "Kordenbrock & Oldfield 2006, processors": sandia,
    }
    lines = []
    for study, cases in studies.items():
        told = []
        for where, published, values in cases:
            found = tuple(sorted(published, key=values.get))
            same = found == published
            told.append((same, f"{where}: {', '.join(published)}" + ("" if same else f" (simulated: {', '.join(found)})")))
        right, wrong = ([text for same, text in told if same == which] for which in (True, False))
        line = f"- {study}: {len(right)} of {len(told)} published orders come out. {'; '.join(right)}."
        lines.append(line + (f" What does not: {'; '.join(wrong)}." if wrong else ""))
    return lines
