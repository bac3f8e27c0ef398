# SPDX-License-Identifier: Apache-2.0
"""Shows what an ocean's output costs: bars.py WAYS REPORT PICTURE. WAYS: lines NAME:SECONDS, the first without output."""

import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

COMPUTING, OUTPUT, INK = "#c8d3db", "#d55e00", "#22313f"
WIDTH = 40  # letters of the longest bar


def draw(ways: list[tuple[str, float]], subtitle: str, path: Path) -> None:
    figure, axes = plt.subplots(figsize=(9, 0.8 + 0.55 * len(ways)), layout="constrained")
    alone = ways[0][1]
    for place, (name, seconds) in enumerate(ways):
        axes.barh(place, min(seconds, alone), color=COMPUTING)
        axes.barh(place, max(seconds - alone, 0), left=alone, color=OUTPUT)
        axes.text(seconds, place, f"  {seconds:.1f} s", va="center", color=INK)
    axes.set_yticks(range(len(ways)), [name for name, _ in ways])
    axes.invert_yaxis()
    axes.set_xlim(0, 1.15 * max(seconds for _, seconds in ways))
    axes.set_xlabel("seconds of the whole run; coloured: more than without output")
    axes.set_title(subtitle, loc="left", fontsize=10, color=INK)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.savefig(path, dpi=120)


def main() -> None:
    lines, report, picture = (Path(argument) for argument in sys.argv[1:])
    ways = [(name, float(seconds)) for name, seconds in (line.rsplit(":", 1) for line in lines.read_text().splitlines())]
    longest = max(seconds for _, seconds in ways)
    for name, seconds in ways:
        print(f"{name:24} {'#' * round(WIDTH * seconds / longest):{WIDTH}} {seconds:5.1f} s")
    cost = json.loads(report.read_text())
    said = f"Weir: output took {cost['output_seconds']:.1f} s; the model waited for {cost['visible_seconds']:.1f} s of it."
    print(said)
    draw(ways, said, picture)


main()
