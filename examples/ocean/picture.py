# SPDX-License-Identifier: Apache-2.0
"""Draws the sea-surface height of a history file's last record: python picture.py HISTORY PICTURE.png"""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import netCDF4
import numpy as np

FINER = 6  # points of the picture between two of the model's
WESTERN_EDGE = 20.0  # degrees east: the Pacific is in the middle
LAND, COAST, INK = "#e9e4d8", "#6b6558", "#22313f"


def spread_over_land(field: np.ndarray, sea: np.ndarray) -> np.ndarray:
    """Carries values a few cells inland, so that colours reach the coast when drawn finer than the model's grid."""
    filled, known = np.where(sea, field, 0.0), sea.astype(float)
    for _ in range(4):
        total, weight = np.zeros_like(filled), np.zeros_like(filled)
        for rows, columns in ((0, 1), (0, -1), (1, 0), (-1, 0)):
            total += np.roll(filled * known, (rows, columns), (0, 1))
            weight += np.roll(known, (rows, columns), (0, 1))
        new = (known == 0) & (weight > 0)
        filled[new] = (total / np.maximum(weight, 1))[new]
        known[new] = 1.0
    return filled


def finer(field: np.ndarray) -> np.ndarray:
    """The field at FINER times as many places in each direction, linearly between its own; closed from east to west."""
    rows, columns = field.shape
    across = np.arange(columns * FINER + 1) / FINER
    closed = np.hstack([field, field[:, :1]])
    wide = np.array([np.interp(across, np.arange(columns + 1), row) for row in closed])
    down = np.arange((rows - 1) * FINER + 1) / FINER
    return np.array([np.interp(down, np.arange(rows), column) for column in wide.T]).T


def draw(history: netCDF4.Dataset, path: str) -> None:
    lon, lat, ssh = history["lon"][:], history["lat"][:], history["ssh"][-1]
    shift = int(np.searchsorted(lon, WESTERN_EDGE))
    sea = np.roll(~np.ma.getmaskarray(ssh), -shift, axis=1)
    height = 100 * finer(spread_over_land(np.roll(ssh.filled(0.0), -shift, axis=1).astype(float), sea))
    shore = finer(sea.astype(float))
    x = lon[shift] + np.arange(height.shape[1]) * (lon[1] - lon[0]) / FINER
    y = lat[0] + np.arange(height.shape[0]) * (lat[1] - lat[0]) / FINER
    limit = 5 * np.ceil(np.percentile(np.abs(100 * ssh.compressed()), 99.8) / 5)

    figure, axes = plt.subplots(figsize=(12, 5.6), layout="constrained")
    levels = np.linspace(-limit, limit, 61)
    colours = axes.contourf(x, y, height, levels, cmap="RdYlBu_r", extend="both")
    lines = np.arange(-limit, limit + 1, 5)
    axes.contour(x, y, height, lines, colors="white", linewidths=0.5, alpha=0.7, negative_linestyles="solid")
    axes.contourf(x, y, shore, [-1.0, 0.5], colors=[LAND], zorder=3)
    axes.contour(x, y, shore, [0.5], colors=[COAST], linewidths=1.0, zorder=4)

    bar = figure.colorbar(colours, ax=axes, pad=0.015, aspect=28, ticks=np.arange(-limit, limit + 1, 5))
    bar.set_label("sea-surface height above rest (cm)", color=INK)
    bar.outline.set_visible(False)
    day = float(history["time"][-1])
    axes.set_title(f"Sea-surface height after {day:.0f} days", loc="left", fontsize=15, color=INK, pad=10)
    axes.set_title("examples/ocean, written with Weir", loc="right", fontsize=10, color=COAST, pad=10)
    axes.set_xticks(range(60, 361, 60), ["60°E", "120°E", "180°", "120°W", "60°W", "0°"])
    axes.set_yticks(range(-60, 61, 30), ["60°S", "30°S", "0°", "30°N", "60°N"])
    axes.tick_params(colors=INK, length=0)
    for side in axes.spines.values():
        side.set_color(COAST)
    figure.savefig(path, dpi=130)


def main() -> int:
    with netCDF4.Dataset(sys.argv[1]) as history:
        draw(history, sys.argv[2])
    return 0


if __name__ == "__main__":
    sys.exit(main())
