# SPDX-License-Identifier: Apache-2.0
"""What a model writes: a script of calls that all ranks make, and which states the files may then have.

A line of the script is a list: ["create", file, generation], ["open", file, generation],
["put", file, variable, record], ["sync", file], ["close", file], ["compute", microseconds]. A state is
[generation, records].
"""

import random
from dataclasses import dataclass, field

FIXED, RECORD = [0, 1], [2, 3, 4]  # numbers of variables: plan.hpp
PHASES = {"create": "define", "open": "define", "sync": "commit", "put": "put", "close": "close", "compute": "compute"}
State = tuple[int, int]


@dataclass
class Script:
    lines: list[list]
    there: dict[int, State] = field(default_factory=dict)  # files that are there when it begins

    def phases(self) -> dict[str, int]:
        """How often the model says each of its phases."""
        counts = {"init": 1, "finalize": 1}
        for line in self.lines:
            counts[PHASES[line[0]]] = counts.get(PHASES[line[0]], 0) + 1
        return counts

    def commits(self) -> dict[int, tuple[int, State]]:
        """Of each line that commits: the file, and its state thereafter."""
        found: dict[int, tuple[int, State]] = {}
        now = {file: list(state) for file, state in self.there.items()}
        for number, line in enumerate(self.lines):
            if line[0] == "create":
                now[line[1]] = [line[2], 0]
            elif line[0] == "put" and line[2] in RECORD:
                now[line[1]][1] = max(now[line[1]][1], line[3] + 1)
            elif line[0] in ("sync", "close"):
                found[number] = (line[1], (now[line[1]][0], now[line[1]][1]))
        return found

    def files(self) -> list[int]:
        return sorted({line[1] for line in self.lines if line[0] in ("create", "open")})


def _life(rng: random.Random, file: int, most_records: int, append: bool) -> list[list]:
    """The calls of one file: made, filled and closed, then made anew, or opened again and continued."""
    lines: list[list] = []
    generation, record = 0, 0
    for life in range(rng.choice([1, 1, 2])):
        fresh = life == 0 or not append or rng.random() < 0.5
        if fresh:
            generation, record = generation + 1, 0
            lines.append(["create", file, generation])
            lines += [["put", file, variable, 0] for variable in FIXED]
        else:
            lines.append(["open", file, generation])
        for _ in range(rng.randint(1, most_records)):
            lines += [["put", file, variable, record] for variable in rng.sample(RECORD, len(RECORD))]
            record += 1
            if rng.random() < 0.5:
                lines.append(["sync", file])
            if rng.random() < 0.3:
                lines.append(["compute", rng.choice([0, 500, 3000])])
        lines.append(["close", file])
    return lines


def draw_script(rng: random.Random, append: bool, most_records: int = 4) -> Script:
    lives = [_life(rng, file, most_records, append) for file in range(rng.choice([1, 1, 2, 3]))]
    lines: list[list] = []
    while any(lives):
        life = rng.choice([life for life in lives if life])
        lines += [life.pop(0) for _ in range(min(len(life), rng.randint(1, 8)))]
    return Script(lines)


def fixed_script(append: bool) -> Script:
    """Of the tables: one file, made, synced, closed, opened again (or made anew) and continued."""
    lines = [["create", 0, 1], *(["put", 0, variable, 0] for variable in FIXED)]
    for record in range(3):
        lines += [["put", 0, variable, record] for variable in RECORD] + [["sync", 0]]
    lines += [["close", 0], ["open", 0, 1] if append else ["create", 0, 2]]
    lines += [] if append else [["put", 0, variable, 0] for variable in FIXED]
    first = 3 if append else 0
    for record in range(first, first + 2):
        lines += [["put", 0, variable, record] for variable in RECORD] + [["sync", 0]]
    return Script([*lines, ["close", 0]])


def draw_shape(rng: random.Random, large: bool) -> list[int]:
    if large:
        return [rng.randint(2, 4), rng.randint(60, 110), rng.randint(60, 90)]
    return [rng.randint(1, 3), rng.randint(7, 20), rng.randint(5, 30)]


def continuation(there: dict[int, State], files: list[int]) -> Script:
    """What the next run does with the files that a kill has left: it continues them, or makes them."""
    lines: list[list] = []
    for file in files:
        generation, first = there.get(file, (1, 0))
        lines.append(["open" if file in there else "create", file, generation])
        lines += [] if file in there else [["put", file, variable, 0] for variable in FIXED]
        for record in (first, first + 1):
            lines += [["put", file, variable, record] for variable in RECORD] + [["sync", file]]
        lines.append(["close", file])
    return Script(lines, there)
