# SPDX-License-Identifier: Apache-2.0
"""Cases by chance: a model's fields and times, the streams of a configuration, and how the model is spread over ranks. A
case is known by its seed and number."""

import json
import math
import random

import numpy as np

from . import reference
from .dates import DAY, HOUR, MINUTE, SECOND, UNITS, Axis, Boundaries
from .reference import TYPES, is_real

SPELLINGS = {
    "days": ("days", "day", "d"), "hours": ("hours", "hour", "h", "hr"), "minutes": ("minutes", "min"),
    "seconds": ("seconds", "s", "sec"), "milliseconds": ("milliseconds", "msec"),
}  # fmt: skip
CALENDARS = ("standard", "gregorian", "proleptic_gregorian", "julian", "noleap", "365_day", "all_leap", "366_day", "360_day")
COUNTS = {
    "second": (10, 15, 30, 7), "minute": (1, 5, 10, 20, 7), "hour": (1, 3, 6, 12, 5), "day": (1, 2, 5, 10),
    "month": (1, 2, 3, 5), "season": (1, 2), "year": (1, 2),
}  # fmt: skip
FINER = {"second": "second", "minute": "second", "hour": "minute", "day": "hour", "month": "day", "season": "month", "year": "season"}
OPERATIONS = ("mean", "minimum", "maximum", "sum", "rms", "variance", "standard_deviation", "count")
WHOLE = ("byte", "short", "int", "int64", "ubyte", "ushort", "uint", "uint64")
NAMES = ("sst", "ssh", "ice_area", "ice_days", "rain", "energy", "salt")
DIMENSIONS = (("y", "x"), ("y", "x"), ("z", "y", "x"), ("x",), ("cell",), ("y", "z"), ())
# Strategies, and how many ranks they reserve.
WAYS = [
    ("strategy: remap", 0), ("strategy: remap\nwriters_per_host: 2\noverlap: background", 0), ("strategy: dynamic", 0),
    ("strategy: dynamic\ncontrol: rank", 1), ("strategy: servers\nservers: 1", 1), ("strategy: serial", 0),
    ("strategy: collective", 0), ("strategy: rows", 0), ("strategy: columns", 0), ("strategy: auto", 0),
    ("strategy: dynamic\ndebug.ranks_per_host: 2\ndebug.forward: messages", 0),
    ("strategy: remap\ndebug.ranks_per_host: 2\ndebug.forward: messages", 0),
]  # fmt: skip
PARTS = [("strategy: file_per_rank", 0), ("strategy: file_per_domain\ndomains: 2", 0)]
MOST_SENDS = 260


class Unlucky(Exception):
    """What was drawn is no case."""


# ---- time


def draw_axis(rng: random.Random, case: dict) -> Axis:
    unit = rng.choice(list(SPELLINGS))
    year = rng.choice((1, 1582, 1850, 1900, 1990, 2000, rng.randint(2, 2500)))
    date = f"{year:04}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
    if date.startswith("1582-10"):
        date = "1582-10-01"
    if rng.random() < 0.5:
        date += rng.choice((" 00:00:00", f" {rng.randint(0, 23):02}:30:00"))
    case["calendar"] = rng.choice(CALENDARS)
    case["units"] = f"{unit} since {date}"
    case["given_units"] = f"{rng.choice(SPELLINGS[unit])} since {date}"
    return Axis(case["units"], case["calendar"])


def draw_every(rng: random.Random, unit: str) -> tuple[int, str]:
    if rng.random() < 0.12:
        return rng.randint(1, 6), "step"
    if rng.random() < 0.15:
        unit = FINER[unit]
    return rng.choice(COUNTS[unit]), unit


def as_text(every: tuple[int, str]) -> str:
    return f"{every[0]} {every[1]}{'s' if every[0] != 1 else ''}"


def rough(every: tuple[int, str]) -> int:
    lengths = {"second": SECOND, "minute": MINUTE, "hour": HOUR, "day": DAY, "month": 30 * DAY, "season": 91 * DAY, "year": 365 * DAY}
    return every[0] * lengths.get(every[1], 0)


def boundaries_of(axis: Axis, stream: dict, begin: int) -> Boundaries:
    return Boundaries(axis, *stream["every"], stream.get("align", "calendar"), begin)


def draw_span(rng: random.Random, case: dict, axis: Axis) -> None:
    """When the run begins and ends."""
    longest = max((rough(stream["every"]) for stream in case["streams"]), default=0) or rng.choice((HOUR, DAY))
    far = rng.choice((0, 40, 4000)) if int(axis.units.split(" since ")[1][:4]) > 1 else rng.choice((0, 700_000))
    start = rng.randint(0, far) * DAY + rng.choice((0, 6 * HOUR, rng.randint(0, 86_399) * SECOND))
    first = case["streams"][0]
    if rng.random() < 0.6 and first["every"][1] != "step":
        start = boundaries_of(axis, first, start).end_of(start)
    case["start"] = start
    case["end"] = start + int(longest * rng.uniform(1.5, 6)) // SECOND * SECOND
    for stream in case["streams"]:
        span = case["end"] - start
        if rng.random() < 0.25:
            stream["from_instant"] = start + int(span * rng.uniform(-0.2, 0.5)) // SECOND * SECOND
            stream["from"] = axis.text(stream["from_instant"])
        if rng.random() < 0.25:
            stream["until_instant"] = start + int(span * rng.uniform(0.6, 1.1)) // SECOND * SECOND
            stream["until"] = axis.text(stream["until_instant"])


def ends_of(axis: Axis, case: dict, stream: dict) -> list[int]:
    begin = max(stream.get("from_instant", case["start"]), case["start"])
    end = min(stream.get("until_instant", case["end"]), case["end"])
    if stream["every"][1] == "step" or end <= begin:
        return []
    if (end - begin) // rough(stream["every"]) > 60:
        raise Unlucky
    return boundaries_of(axis, stream, begin).between(begin, end)


def draw_times(rng: random.Random, case: dict, axis: Axis) -> list[int]:
    ends = sorted({end for stream in case["streams"] for end in ends_of(axis, case, stream)})
    start, end = case["start"], case["end"]
    step = math.gcd(*(each - start for each in ends)) if ends else (end - start) // 7 // SECOND * SECOND
    step //= next((k for k in rng.sample((1, 2, 3, 4, 6), 5) if step % (k * SECOND) == 0 and step > 0), 1)
    if step > 0 and (end - start) // step <= 60 and rng.random() < 0.7:
        return list(range(start + step, end + 1, step))
    if len(ends) > 60:
        raise Unlucky
    more = {rng.randrange(start + SECOND, end + 1, SECOND) for _ in range(rng.randint(5, 30))}
    return sorted(more | set(ends))


def draw_sends(rng: random.Random, case: dict, axis: Axis, lags: bool) -> None:
    """Each field is sent at all ends of the intervals that take it, from its first sample on."""
    times = draw_times(rng, case, axis)
    sent = [number for number, of in enumerate(case["fields"]) if not of["values"]]
    needed: dict[int, set[int]] = {number: set() for number in sent}
    for stream in case["streams"]:
        ends = set(ends_of(axis, case, stream))
        for name, choice in reference.choices(case, stream):
            for number in sent:
                if case["fields"][number]["name"] == choice.get("of", name):
                    needed[number] |= ends
    events = []
    for number in sent:
        sparse = rng.random() < 0.25
        first = rng.choice(times) if rng.random() < 0.15 else case["start"]
        chosen = [t for t in times if t >= first and (not sparse or t in needed[number] or rng.random() < 0.4)]
        if rng.random() < 0.4 and first == case["start"]:
            chosen.insert(0, first)
        events += [(at, number, count) for count, at in enumerate(chosen, 1)]
    rng.shuffle(events)
    events.sort(key=lambda event: event[0])
    if lags and rng.random() < 0.3:
        late, by = rng.choice(sent), rng.randint(1, 4)
        keys = {event: index + (by * len(sent) if event[1] == late else 0) for index, event in enumerate(events)}
        events.sort(key=lambda event: keys[event])
    if len(events) > MOST_SENDS or not events:
        raise Unlucky
    case["sends"] = events


# ---- fields


def draw_fields(rng: random.Random, case: dict) -> None:
    large = rng.random() < 0.06
    case["shapes"] = {
        "x": rng.randint(1, 9) if not large else 90, "y": rng.randint(1, 8) if not large else 60, "z": rng.randint(1, 4),
        "cell": rng.randint(1, 40),
    }  # fmt: skip
    case["fields"], case["land"] = [], {}
    for name in ("x", "y", "z"):
        if rng.random() < 0.7:
            length = case["shapes"][name]
            values = np.cumsum(np.array([rng.uniform(0.1, 3) for _ in range(length)])) - 4
            if rng.random() < 0.3:
                values = values[::-1]
            units = {"x": "degrees_east", "y": "degrees_north", "z": "m"}[name]
            case["fields"].append(fixed(name, "double", (name,), values.tolist(), units))
    if rng.random() < 0.4:
        size = case["shapes"]["x"] * case["shapes"]["y"]
        case["fields"].append(fixed("area", "float", ("y", "x"), [rng.randint(1, 900) / 8 for _ in range(size)], "m2"))
    if rng.random() < 0.2:
        case["fields"].append(fixed("mask", "byte", ("cell",), [rng.randint(0, 1) for _ in range(case["shapes"]["cell"])], "1"))
    has_area = case["fields"] and any(of["name"] == "area" for of in case["fields"])
    for name in rng.sample(NAMES, rng.randint(1, 5)):
        case["fields"].append(draw_field(rng, name, has_area))
    rng.shuffle(case["fields"])
    for dims in sorted({tuple(of["dims"]) for of in case["fields"] if of["dims"]}):
        size = math.prod(case["shapes"][dim] for dim in dims)
        if rng.random() < 0.15 and size > 2 and dims[0] != dims[-1]:
            case["land"][",".join(dims)] = sorted(rng.sample(range(size), size // 3))


def plain(name: str, kind: str, dims: tuple[str, ...]) -> dict:
    return {
        "name": name, "type": kind, "memory": kind, "dims": list(dims), "seed": 0, "missing": 0, "nan": False, "fill": 0.0,
        "amplitude": 1.0, "low": 0, "span": 1, "values": [], "attributes": [],
    }  # fmt: skip


def fixed(name: str, kind: str, dims: tuple[str, ...], values: list[float], units: str) -> dict:
    return plain(name, kind, dims) | {"values": values, "attributes": [{"name": "units", "text": units}]}


def draw_field(rng: random.Random, name: str, has_area: bool) -> dict:
    kind = rng.choice(("float", "float", "double", rng.choice(WHOLE)))
    of = plain(name, kind, rng.choice(DIMENSIONS))
    of["seed"] = rng.randrange(1 << 40)
    unsigned = kind.startswith("u")
    of |= {"amplitude": rng.choice((1.0, 300.0)), "low": 0 if unsigned else -100, "span": rng.choice((2, 200))}
    if is_real(kind) and rng.random() < 0.3:
        of["memory"] = "double" if kind == "float" else "float"
    elif not is_real(kind) and rng.random() < 0.3:
        of["memory"] = rng.choice(("int64", "double")) if kind in ("short", "int", "int64") else "int64"
    fill = float(np.float32(rng.choice((1e20, -9999.0)))) if is_real(kind) else 250.0 if unsigned else -120.0
    marks = rng.choice(([], ["_FillValue"], ["_FillValue"], ["missing_value"], ["_FillValue", "missing_value"]))
    of["nan"] = is_real(kind) and (rng.random() < 0.5 or not marks)
    of["fill"] = fill if marks else 0.0
    if marks or of["nan"]:
        of["missing"] = rng.choice((0, 0, 60, 300, 900, 1024))
    attributes = [{"name": mark, "type": kind, "values": [fill]} for mark in marks]
    texts = {
        "units": ("K", "degC", "m s-1", "1", "kg"), "standard_name": ("sea_water_temperature",), "long_name": ("what it is",),
        "cell_methods": ("area: mean",), "cell_measures": ("area: area",) if has_area and of["dims"][-2:] == ["y", "x"] else (),
    }  # fmt: skip
    for key, words in texts.items():
        if words and rng.random() < 0.4:
            attributes.append({"name": key, "text": rng.choice(words)})
    if is_real(kind) and rng.random() < 0.4:
        attributes.append({"name": "valid_range", "type": kind, "values": [-400.0, 400.5]})
    of["attributes"] = rng.sample(attributes, len(attributes))
    return of


# ---- streams


def draw_choice(rng: random.Random, case: dict, of: dict, stream: dict, operation: str) -> dict:
    choice: dict = {"as": operation}
    whole = not is_real(of["type"])
    results_real = operation != "count" and (not whole or operation not in ("instant", "minimum", "maximum"))
    chance = rng.random()
    bounded = operation in ("instant", "mean", "minimum", "maximum", "rms")
    has_range = reference.attribute(of, "valid_range") is not None
    if chance < 0.15 and (bounded or operation == "standard_deviation"):
        kind = rng.choice(("short", "int"))
        choice |= {"scale_factor": 0.02 if kind == "short" else 1e-4, "add_offset": rng.choice((0.0, 10.0, -3.5))}
        if kind == "int" or rng.random() < 0.5:
            choice["type"] = kind
        if rng.random() < 0.3:
            del choice["add_offset"]
    elif chance < 0.25 and results_real and bounded and has_range and not whole:
        choice["type"] = rng.choice(("short", "byte", "ushort", "int"))
    elif chance < 0.4:
        if results_real:
            choice["type"] = rng.choice(("float", "double"))
        elif operation == "count":
            choice["type"] = rng.choice(("short", "int64", "double"))
        elif not of["type"].startswith("u"):
            choice["type"] = rng.choice(("int64", "float", "double")) if of["type"] != "int64" else "double"
    elif chance < 0.55 and stream.get("format") and results_real and not (whole and operation == "instant"):
        choice["digits"] = rng.randint(1, 6)
    if rng.random() < 0.15:
        choice["attributes"] = {"long_name": "as a stream says", "source": "a case"}
    return choice


def draw_outputs(rng: random.Random, case: dict, stream: dict) -> None:
    sent = [of for of in case["fields"] if not of["values"]]
    how = rng.choice(("instants", "intervals", "intervals", "intervals", "mixed"))
    operations = {"instants": ("instant",), "intervals": OPERATIONS, "mixed": ("instant", *OPERATIONS)}[how]
    fields = []
    if rng.random() < 0.15:
        stream["as"] = rng.choice(operations)
        fields = [("ice_*" if any(of["name"].startswith("ice_") for of in sent) and rng.random() < 0.6 else "*", {})]
    else:
        for of in rng.sample(sent, rng.randint(1, len(sent))):
            for again in range(rng.choice((1, 1, 1, 2, 3))):
                choice = draw_choice(rng, case, of, stream, rng.choice(operations))
                name = of["name"] if not again else f"{of['name']}_{again}"
                fields.append((name, choice | ({"of": of["name"]} if again else {})))
        if rng.random() < 0.2:
            fields += [(of["name"], {}) for of in case["fields"] if of["values"] and of["name"] in ("area", "mask")]
            rng.shuffle(fields)
            stream["as"] = next(choice["as"] for _, choice in fields if choice)
    stream["fields"] = fields
    made = [choice["as"] for name, choice in reference.choices(case, stream) if not is_fixed(case, choice.get("of", name))]
    by_field = rng.random() < 0.15
    if "instant" in made and any(operation != "instant" for operation in made) and not by_field:
        stream["stamp"] = "end"
    elif rng.random() < 0.2:
        stream["stamp"] = rng.choice(("middle", "end")) if "instant" not in made else "end"
    if any(operation != "instant" for operation in made):
        for key, words in {"valid_fraction": (0.3, 0.5, 1), "weighted": ("yes", "no"), "unfinished": ("write", "drop")}.items():
            if rng.random() < 0.35:
                stream[key] = rng.choice(words)
    stream["file"] = stream["name"] + ("_{field}" if by_field else "")


def is_fixed(case: dict, name: str) -> bool:
    return any(of["name"] == name and of["values"] for of in case["fields"])


def draw_box(rng: random.Random, case: dict, stream: dict) -> None:
    names = {choice.get("of", name) for name, choice in reference.choices(case, stream)}
    dims = sorted({dim for of in case["fields"] if of["name"] in names for dim in of["dims"]})
    box: dict = {}
    for dim in dims:
        length = case["shapes"][dim]
        if rng.random() < 0.4:
            continue
        first = rng.randrange(length)
        last = rng.randrange(first, length)
        ways: list = [
            [first, last], {"at": sorted(rng.sample(range(length), rng.randint(1, length)))}, {"every": rng.randint(1, 3)},
            {"first": first, "last": last, "every": rng.randint(1, 3)},
        ]  # fmt: skip
        if is_fixed(case, dim):
            values = next(of["values"] for of in case["fields"] if of["name"] == dim)
            ends = sorted(rng.choice(values) for _ in range(2))
            ways.append({"from": ends[0] - 0.01, "to": ends[1]})
        box[dim] = rng.choice(ways)
    if box:
        stream["box"] = box


def draw_split(rng: random.Random, case: dict, axis: Axis, stream: dict) -> None:
    if rng.random() < 0.45:
        stream["file"] += rng.choice(("", "", "_{time}", "_{time:%Y-%j}")) + ending(stream)
        return
    stream["file"] += "_{time}" + ending(stream)
    every = stream["every"]
    how = rng.choice(("interval", "records", "bytes"))
    operations = {choice["as"] for name, choice in reference.choices(case, stream) if not is_fixed(case, choice.get("of", name))}
    if "instant" in operations and len(operations) > 1:
        how = "interval"  # the record at the start and the one behind it begin at one time
    if how == "interval" and every[1] != "step":
        longer = {"month": "year", "season": "year", "year": "year"}.get(every[1])
        if longer and rng.random() < 0.5:
            part = (max(1, every[0]) if every[1] == "year" else rng.randint(1, 2), longer)
        else:
            part = (every[0] * rng.randint(1, 3), every[1])
        stream["split"] = {"interval": part}
    elif how == "bytes":
        made = reference.sequences(case | {"streams": [stream]}, axis)[0]
        stream["split"] = {"bytes": made.bytes(rng.randint(1, 3)) + rng.randint(0, 8)}
    elif how == "records":
        stream["split"] = {"records": rng.randint(1, 3)}


def ending(stream: dict) -> str:
    return ".zarr" if stream.get("format") == "zarr" else ".nc"


def draw_streams(rng: random.Random, case: dict) -> None:
    unit = rng.choice(list(COUNTS))
    case["streams"] = []
    for number in range(rng.choice((1, 1, 2, 3))):
        stream: dict = {"name": f"s{number}", "every": draw_every(rng, unit)}
        form = rng.choice(("auto", "auto", "netcdf4", "zarr"))
        if form != "auto":
            stream["format"] = form
            if rng.random() < 0.5:
                stream["compression"] = rng.choice(("zlib", "zstd"))
                if rng.random() < 0.5:
                    stream["compression_level"] = rng.randint(1, 9)
        if rng.random() < 0.25:
            stream["align"] = "start"
        if rng.random() < 0.2:
            stream["attributes"] = {"title": f"stream {number}", "institution": "of a stream"}
        draw_outputs(rng, case, stream)
        if rng.random() < 0.35:
            draw_box(rng, case, stream)
        case["streams"].append(stream)


def configuration(case: dict, restart: bool) -> str:
    """Its lines behind the strategy's."""
    streams = {}
    for stream in case["streams"]:
        given = {key: value for key, value in stream.items() if key not in ("name", "from_instant", "until_instant")}
        given["every"] = as_text(stream["every"])
        given["fields"] = dict(stream["fields"])
        for key, value in stream.get("split", {}).items():
            given["split"] = as_text(value) if key == "interval" else f"{value} {'records' if key == 'records' else 'B'}"
        given["file"] = f"{case['folder']}/{stream['file']}"
        streams[stream["name"]] = given
    kept = f'restart: "{case["folder"]}/restart_{{time}}.nc"\n' if restart else ""
    return f"\ntimeout: 60\ntuned: none\n{kept}streams: {json.dumps(streams)}\n"


def draw_case(seed: str, lags: bool = True) -> tuple[dict, reference.Expected]:
    """The first of this seed's draws that is a case: its files have names of their own, its samples come in time."""
    for again in range(1000):
        rng = random.Random(f"{seed}/{again}")
        case: dict = {"name": seed, "obeys": rng.random() < 0.3, "attributes": []}
        try:
            axis = draw_axis(rng, case)
            draw_fields(rng, case)
            draw_streams(rng, case)
            draw_span(rng, case, axis)
            for stream in case["streams"]:
                draw_split(rng, case, axis, stream)
            if rng.random() < 0.5:
                case["attributes"] = [{"name": "institution", "text": "a centre"}, {"name": "run", "type": "int", "values": [7.0]}]
            draw_sends(rng, case, axis, lags)
            case["sends"] = [list(each) for each in case["sends"]]
            expected = reference.run(case)
            if expected.files:
                return case, expected
        except (Unlucky, AssertionError):
            continue
    raise RuntimeError(f"seed {seed} gives no case")


# ---- ranks


def draw_way(rng: random.Random, case: dict, restart: bool, reserves: bool = True) -> tuple[str, int, int]:
    """The strategy, the ranks of a job, and those of them that the model has."""
    ways = WAYS if reserves else [way for way in WAYS if not way[1]]
    if not restart and all("format" not in stream for stream in case["streams"]) and rng.random() < 0.4:
        ways = PARTS
    way, reserved = rng.choice(ways)
    ranks = rng.randint(1 + reserved, 7)
    return way, ranks, ranks - reserved


def draw_layouts(rng: random.Random, case: dict, ranks: int) -> tuple[list[dict], dict[str, int]]:
    layouts, numbers = [], {}
    for of in case["fields"]:
        key = ",".join(of["dims"])
        if key and key not in numbers:
            numbers[key] = len(layouts)
            shape = [case["shapes"][dim] for dim in of["dims"]]
            layouts.append(draw_layout(rng, shape, ranks, case["land"].get(key, [])))
    return layouts, numbers


def draw_layout(rng: random.Random, shape: list[int], ranks: int, land: list[int]) -> dict:
    kind = "map" if land else rng.choice(("boxes", "subarray", "map"))
    if kind == "map":
        elements = [element for element in range(math.prod(shape)) if element not in land]
        of_ranks: list[list[int]] = [[] for _ in range(ranks)]
        mixed = rng.random() < 0.6
        if mixed:
            rng.shuffle(elements)
        for place, element in enumerate(elements):
            of_ranks[rng.randrange(ranks) if mixed else place * ranks // len(elements)].append(element)
        for mine in of_ranks:
            for _ in range(rng.randint(0, 3)):
                mine.insert(rng.randint(0, len(mine)), -1)
        return {"kind": kind, "shape": shape, "of": of_ranks}
    boxes = cut(rng, [0] * len(shape), shape, ranks if kind == "subarray" else ranks * rng.randint(1, 2))
    order = list(range(len(shape)))
    if rng.random() < 0.5:
        rng.shuffle(order)
    of_ranks = []
    for rank in range(ranks):
        mine = boxes[rank::ranks]
        mine = [box for box in mine if math.prod(box[1]) > 0]
        if kind == "subarray":
            mine = mine or [[[0] * len(shape), [0] * len(shape)]]
            inside = [rng.randint(0, 2) for _ in shape]
            memory = [mine[0][1][axis] + i + rng.randint(0, 2) for axis, i in zip(order, inside, strict=True)]
            of_ranks.append({"boxes": mine, "memory": [max(1, length) for length in memory], "in": inside})
        else:
            of_ranks.append({"boxes": mine})
    return {"kind": kind, "shape": shape, "order": order, "of": of_ranks}


def cut(rng: random.Random, start: list[int], count: list[int], parts: int) -> list[list[list[int]]]:
    """A box in so many parts, some of which may have nothing."""
    if parts == 1:
        return [[start, count]]
    axis, left = rng.randrange(len(count)), rng.randint(1, parts - 1)
    at = rng.randint(0, count[axis]) if rng.random() < 0.2 else count[axis] * left // parts
    first, second, behind = list(count), list(count), list(start)
    first[axis], second[axis], behind[axis] = at, count[axis] - at, start[axis] + at
    return cut(rng, start, first, left) + cut(rng, behind, second, parts - left)


def job_of(rng: random.Random, case: dict, restart: bool, reserves: bool = True) -> dict:
    """A model's run from its start to its end: sends, and how it ends, are set by the caller."""
    way, ranks, of_model = draw_way(rng, case, restart, reserves)
    layouts, numbers = draw_layouts(rng, case, of_model)
    fields = [of | {"layout": numbers.get(",".join(of["dims"]), -1)} for of in case["fields"]]
    return {
        "case": case["name"], "folder": case["folder"], "first": 0, "ranks": ranks, "config": way + configuration(case, restart),
        "units": case["given_units"], "calendar": case["calendar"], "layouts": layouts, "fields": fields,
        "attributes": case["attributes"], "end": "finalize",
    }  # fmt: skip


def sends_of(axis: Axis, sends: list[tuple[int, int, int, bool]], syncs: set[int]) -> list[list]:
    """As stream_cases takes them; SYNCS: the sends behind which all is committed."""
    return [
        [axis.time(at), number, sample, int(wanted), index in syncs]
        for index, (at, number, sample, wanted) in enumerate(sends)
    ]


__all__ = ["TYPES", "UNITS", "Unlucky", "draw_case", "job_of", "sends_of"]
