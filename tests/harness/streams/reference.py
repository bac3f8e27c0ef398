# SPDX-License-Identifier: Apache-2.0
"""What the files of a case have, by NumPy and cftime: samples are folded in the order in which they come, in double."""

from dataclasses import dataclass, field
from fnmatch import fnmatchcase

import netCDF4
import numpy as np

from .dates import LENGTHS, Axis, Boundaries, expanded

TYPES = {
    "byte": "i1", "short": "i2", "int": "i4", "int64": "i8", "ubyte": "u1", "ushort": "u2", "uint": "u4", "uint64": "u8",
    "float": "f4", "double": "f8",
}
STORED = {"byte": (-126, 127), "short": (-32766, 32767), "int": (-2147483646, 2147483647), "ubyte": (0, 254),
          "ushort": (0, 65534), "uint": (0, 4294967294)}  # fmt: skip
METHODS = {"instant": "point", "rms": "root_mean_square", "count": ""}
REFERENCES = ("coordinates", "bounds", "cell_measures", "ancillary_variables", "grid_mapping", "formula_terms")
RANGES = ("valid_min", "valid_max", "valid_range")
FLAGS = ("flag_values", "flag_masks", "flag_meanings")
CELSIUS = ("degC", "degree_Celsius", "degrees_Celsius", "celsius", "Celsius")


def default_fill(kind: str) -> np.generic:
    return np.dtype(TYPES[kind]).type(netCDF4.default_fillvals[TYPES[kind]])


def is_real(kind: str) -> bool:
    return kind in ("float", "double")


# ---- what the model has


def mix(x: np.ndarray) -> np.ndarray:
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def sample(of: dict, number: int, shape: tuple[int, ...]) -> np.ndarray:
    """A field's values in the model's memory, as stream_cases.cpp has them."""
    dtype = np.dtype(TYPES[of["memory"]])
    if of["values"]:
        return np.array(of["values"], "f8").astype(dtype).reshape(shape)
    with np.errstate(over="ignore"):
        elements = np.arange(int(np.prod(shape)), dtype="u8")
        first = mix(np.array([of["seed"]], "u8") * np.uint64(0x9E3779B97F4A7C15) + np.uint64(number))
        h = mix(first + elements)
    if dtype.kind == "f":
        values = (((h >> np.uint64(11)).astype("f8") * 2.0**-53 * 2 - 1) * of["amplitude"]).astype(dtype)
    else:
        values = (of["low"] + ((h >> np.uint64(11)) % np.uint64(of["span"])).astype("i8")).astype(dtype)
    missing = (h & np.uint64(1023)) < np.uint64(of["missing"])
    values[missing] = np.array(of["fill"]).astype(dtype)
    if of["nan"]:
        values[missing & ((h >> np.uint64(10) & np.uint64(1)) != 0)] = np.nan
    return values.reshape(shape)


def attribute(of: dict, name: str) -> dict | None:
    return next((each for each in of["attributes"] if each["name"] == name), None)


def value_of(given: dict) -> str | np.ndarray:
    return given["text"] if "text" in given else np.array(given["values"], TYPES[given["type"]])


def missing_in(of: dict, values: np.ndarray) -> np.ndarray:
    marks = [attribute(of, name) for name in ("_FillValue", "missing_value")]
    mark = next((each for each in marks if each), None)
    missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(values.shape, bool)
    if mark:
        missing |= values == np.array(mark["values"][0], TYPES[mark["type"]]).astype(values.dtype)
    return missing


# ---- operations


class Sums:
    """The samples of one interval of one output."""

    def __init__(self, operation: str, shape: tuple[int, ...]) -> None:
        self.operation = operation
        self.all = 0.0
        self.weight, self.value, self.squares = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        if operation in ("minimum", "maximum"):
            self.value += np.inf if operation == "minimum" else -np.inf

    def fold(self, values: np.ndarray, missing: np.ndarray, weight: float) -> None:
        self.all += weight
        valid, x = ~missing, np.where(missing, 0.0, values.astype("f8"))
        self.weight = np.where(valid, self.weight + weight, self.weight)
        match self.operation:
            case "mean" | "sum":
                new = self.value + weight * x
            case "rms":
                new = self.value + weight * x * x
            case "minimum":
                new = np.where(x < self.value, x, self.value)
            case "maximum":
                new = np.where(x > self.value, x, self.value)
            case "count":
                new = self.value + 1
            case _:
                deviation = x - self.value
                with np.errstate(invalid="ignore", divide="ignore"):
                    new = self.value + weight * deviation / self.weight
                self.squares = np.where(valid, self.squares + weight * deviation * (x - new), self.squares)
        self.value = np.where(valid, new, self.value)

    def result(self, fraction: float) -> np.ndarray:
        """NaN where too little was valid."""
        with np.errstate(invalid="ignore", divide="ignore"):
            match self.operation:
                case "mean":
                    value = self.value / self.weight
                case "rms":
                    value = np.sqrt(self.value / self.weight)
                case "variance":
                    value = self.squares / self.weight
                case "standard_deviation":
                    value = np.sqrt(self.squares / self.weight)
                case _:
                    value = self.value
        return np.where((self.weight == 0) | (self.weight < fraction * self.all), np.nan, value)


# ---- what files have


@dataclass
class Variable:
    dims: tuple[str, ...]
    kind: str
    attributes: dict
    fill: np.generic  # of what was never put
    values: list | np.ndarray = field(default_factory=list)  # a record each
    digits: int = 0


@dataclass
class File:
    name: str
    attributes: dict
    dims: dict[str, int]
    variables: dict[str, Variable]
    format: str
    begins: list[int] = field(default_factory=list)  # of its records
    ends: list[int] = field(default_factory=list)


def in_words(microseconds: int) -> str:
    for name, length in reversed(LENGTHS.items()):
        if microseconds % length == 0:
            count = microseconds // length
            return f"{count} {name}{'s' if count != 1 else ''}"
    return f"{microseconds} microseconds"


def squared(units: str) -> str:
    if units in ("1", ""):
        return units
    if units in CELSIUS:
        return "K2"
    return units + "2" if units.isascii() and units.isalpha() else f"({units})2"


def survives(values: np.ndarray, dtype: np.dtype) -> bool:
    if dtype.kind == "f":
        return bool(np.all(~np.isfinite(values) | (np.abs(values.astype("f8")) <= np.finfo(dtype).max)))
    limits = np.iinfo(dtype)
    return all(float(v).is_integer() and limits.min <= v <= limits.max for v in values.tolist())


class Output:
    """A field in a file."""

    def __init__(self, case: dict, stream: dict, name: str, choice: dict) -> None:
        self.name, self.choice = name, choice
        self.number = next(n for n, each in enumerate(case["fields"]) if each["name"] == choice.get("of", name))
        self.of = case["fields"][self.number]
        self.operation = choice["as"]
        self.keep = [kept(case, stream, dim) for dim in self.of["dims"]]
        self.shape = tuple(len(indices) for indices in self.keep)
        self.whole = tuple(case["shapes"][dim] for dim in self.of["dims"])
        results = self.of["type"]
        if self.operation == "count":
            results = "int"
        elif self.operation not in ("instant", "minimum", "maximum") and not is_real(results):
            results = "double"
        self.kind = choice.get("type", "short" if "scale_factor" in choice else results)
        self.scale, self.offset = choice.get("scale_factor"), choice.get("add_offset", 0.0)
        if self.scale is None and is_real(results) and not is_real(self.kind):
            least, most = STORED[self.kind]
            low, high = (float(v) for v in value_of(attribute(self.of, "valid_range")))
            self.scale = (high - low) / (most - least)
            self.offset = low - least * self.scale
        self.packed = self.scale is not None
        self.sums: Sums | None = None
        self.open: dict | None = None
        self.since, self.step = 0, 0
        self.define(case, stream)

    def define(self, case: dict, stream: dict) -> None:
        dtype, operation = np.dtype(TYPES[self.kind]), self.operation
        made: dict = {}
        for given in self.of["attributes"]:
            name = given["name"]
            if name == "_FillValue" or (name == "actual_range" and operation != "instant"):
                continue
            if name in RANGES and (
                self.packed or operation not in ("instant", "mean", "minimum", "maximum", "rms")
            ):
                continue
            if name in FLAGS and (self.packed or operation not in ("instant", "minimum", "maximum")):
                continue
            if name == "missing_value" and (self.packed or operation == "count"):
                continue
            value = value_of(given)
            if (name in RANGES or name in FLAGS or name == "missing_value") and not isinstance(value, str):
                if not survives(value, dtype):
                    continue
                value = value.astype(dtype)
            made[name] = value
        if operation == "count":
            made["units"] = "1"
            if "standard_name" in made:
                made["standard_name"] += " number_of_observations"
        elif operation == "variance" and "units" in made:
            made["units"] = squared(made["units"])
        fill = default_fill(self.kind)
        if operation != "count":
            given = None if self.packed else attribute(self.of, "_FillValue") or attribute(self.of, "missing_value")
            kept = bool(given) and "text" not in given and len(given["values"]) == 1 and survives(value_of(given), dtype)
            if kept:
                fill = value_of(given).astype(dtype)[0]
            if kept or self.packed or operation != "instant":
                made["_FillValue"] = fill
        self.fill = fill
        if self.packed:
            made |= {"scale_factor": np.float64(self.scale), "add_offset": np.float64(self.offset)}
        made |= self.choice.get("attributes", {})
        before = made.get("cell_methods", "")
        method = METHODS.get(operation, operation)
        if method and not (operation == "instant" and "time:" in before):
            made["cell_methods"] = f"{before} time: {method}".strip()
        self.attributes = made

    def variable(self, step: int) -> Variable:
        made = dict(self.attributes)
        if step and self.operation not in ("instant", "count"):
            made["cell_methods"] += f" (interval: {in_words(step)})"
        return Variable(("time", *self.of["dims"]), self.kind, made, self.fill, digits=self.choice.get("digits", 0))

    def stored(self, values: np.ndarray, missing: np.ndarray | None = None) -> np.ndarray:
        """As the file has them. MISSING: of an instant, which goes to the file as it is, unless it is packed."""
        dtype = np.dtype(TYPES[self.kind])
        if missing is not None and not self.packed:
            return values.astype(dtype)
        absent = np.isnan(values) if missing is None else missing
        values = np.where(absent, 0.0, values.astype("f8"))
        if self.packed:
            values = np.rint((values - self.offset) / self.scale)
        fill = dtype.type(0) if self.operation == "count" else self.fill
        return np.where(absent, fill, values.astype(dtype))


def kept(case: dict, stream: dict, dim: str) -> list[int]:
    length = case["shapes"][dim]
    part = stream.get("box", {}).get(dim)
    if part is None:
        return list(range(length))
    if isinstance(part, list):
        return list(range(part[0], part[1] + 1))
    if "at" in part:
        return part["at"]
    if "from" in part:
        coordinate = next(each for each in case["fields"] if each["name"] == dim)["values"]
        return [i for i, value in enumerate(coordinate) if part["from"] <= value <= part["to"]]
    return list(range(part.get("first", 0), part.get("last", length - 1) + 1, part.get("every", 1)))


def choices(case: dict, stream: dict) -> list[tuple[str, dict]]:
    """The outputs of a stream: names in the file, and what becomes of them."""
    found = []
    sent = [each["name"] for each in case["fields"] if not each["values"]]
    for name, given in stream["fields"]:
        choice = {"as": stream.get("as", "instant")} | given
        names = [each for each in sent if fnmatchcase(each, name)] if "*" in name else [name]
        found += [(each, choice) for each in names]
    return found


class Sequence:
    """The files of a stream, or of one of its fields."""

    def __init__(self, case: dict, axis: Axis, stream: dict, outputs: list[Output], pattern: str) -> None:
        self.case, self.axis, self.stream, self.outputs, self.pattern = case, axis, stream, outputs, pattern
        self.begin = max(stream.get("from_instant", case["start"]), case["start"])
        self.until = stream.get("until_instant")
        count, unit = stream["every"]
        self.steps = count if unit == "step" else 0
        self.ends = None if self.steps else Boundaries(axis, count, unit, stream.get("align", "calendar"), self.begin)
        self.split = stream.get("split", {})
        self.parts = None
        if "interval" in self.split:
            self.parts = Boundaries(axis, *self.split["interval"], stream.get("align", "calendar"), self.begin)
        self.has_intervals = any(output.operation != "instant" for output in outputs)
        self.stamp = stream.get("stamp", "middle" if self.has_intervals else "end")
        if not self.has_intervals:
            self.stamp = "end"
        self.files: list[File] = []
        self.label = 0
        for output in outputs:
            output.since = self.begin

    def in_range(self, output: Output, at: int) -> bool:
        if self.until is not None and at > self.until:
            return False
        return at > self.begin or (at == self.begin and not self.has_intervals and self.ends is not None)

    def wants(self, output: Output, at: int) -> bool:
        if not self.in_range(output, at):
            return False
        return output.operation != "instant" or self.ends is None or self.ends.end_of(at) == at

    def fold(self, output: Output, at: int, before: int, values: np.ndarray) -> None:
        if not self.in_range(output, at):
            return
        if output.open is None:
            begin = output.since
            if self.ends is not None:
                begin = max(self.ends.begin_of(at), self.begin)
            output.open = {"begin": begin, "end": self.ends.end_of(at) if self.ends else at, "samples": 0}
            output.sums = Sums(output.operation, output.shape)
            output.step = at - before
        elif output.step == 0:
            output.step = at - before
        elif output.step != at - before:
            output.step = -1
        open_ = output.open
        open_["samples"] += 1
        open_["last"] = at
        if self.ends is None:
            open_["end"] = at
        assert at <= open_["end"], "a case whose samples do not meet an interval's end"
        part = values if output.shape == output.whole else values[np.ix_(*output.keep)]
        missing = missing_in(output.of, part)
        if output.operation != "instant":
            since = max(before, open_["begin"])
            weight = (at - since) / 1e6 if self.stream.get("weighted") == "yes" else 1.0
            output.sums.fold(part, missing, weight)
        elif (at == open_["end"]) if self.ends is not None else open_["samples"] == self.steps:
            open_["instant"] = output.stored(part, missing)

    def finish(self, output: Output, at: int) -> None:
        """Where the sample was the interval's last. All outputs of the field have folded it before."""
        open_ = output.open
        if not self.in_range(output, at):
            return
        if (at == open_["end"]) if self.ends is not None else open_["samples"] == self.steps:
            record = self.record(open_["end"], open_["begin"])
            self.put(output, record, open_.get("instant"))
            output.since, output.open = open_["end"], None

    def put(self, output: Output, record: int, instant: np.ndarray | None = None) -> None:
        if instant is None:
            instant = output.stored(output.sums.result(self.stream.get("valid_fraction", 0.0)))
        held = self.held(output.of, output.keep)
        self.files[-1].variables[output.name].values[record] = np.where(held, instant, output.fill)

    def held(self, of: dict, keep: list[list[int]]) -> np.ndarray:
        """Which elements some rank holds."""
        held = np.ones([self.case["shapes"][dim] for dim in of["dims"]], bool)
        held.ravel()[self.case["land"].get(",".join(of["dims"]), [])] = False
        return held[np.ix_(*keep)] if keep else held

    def record(self, end: int, begin: int) -> int:
        if not self.has_intervals:
            begin = end
        if self.files and end in self.files[-1].ends:
            known = self.files[-1].ends.index(end)
            assert begin == self.files[-1].begins[known], "a case whose fields count steps apart"
            return known
        assert not self.files or end > self.last_end, "a case whose sample comes too late"
        if self.needs_file(end):
            self.begin_file(end, begin)
        file = self.files[-1]
        file.ends.append(end)
        file.begins.append(begin)
        self.last_end = end
        for output in self.outputs:
            variable = file.variables[output.name]
            variable.values.append(np.full(output.shape, variable.fill))
        time = self.axis.time(begin + (end - begin) // 2 if self.stamp == "middle" else end)
        file.variables["time"].values.append(np.float64(time))
        if self.has_intervals:
            file.variables["time_bnds"].values.append(np.array([self.axis.time(begin), self.axis.time(end)]))
        return len(file.ends) - 1

    def label_of(self, end: int, begin: int) -> int:
        if self.parts:
            return self.parts.begin_of(max(end, self.begin + 1))
        return max(begin, self.last_end) if self.files else begin

    def needs_file(self, end: int) -> bool:
        if not self.files:
            return True
        if self.parts:
            return self.label_of(end, end) != self.label
        records = len(self.files[-1].ends)
        if "records" in self.split:
            return records >= self.split["records"]
        return "bytes" in self.split and self.bytes(records + 1) > self.split["bytes"]

    def bytes(self, records: int) -> int:
        """Of a file with so many records, without compression, which is not there yet."""
        file = self.made("", 0)
        fixed, one = 0, 0
        classic = file.format == "auto"
        for variable in file.variables.values():
            of_records = variable.dims[:1] == ("time",)
            lengths = [file.dims[dim] for dim in variable.dims if dim != "time"]
            size = int(np.prod(lengths)) * np.dtype(TYPES[variable.kind]).itemsize
            size += -size % 4 if classic else 0
            one, fixed = (one + size, fixed) if of_records else (one, fixed + size)
        return fixed + records * one + (header_bytes(file) if classic else 0)

    def begin_file(self, end: int, begin: int) -> None:
        self.label = self.label_of(end, begin)
        steps = {output.step for output in self.outputs if output.step}
        step = steps.pop() if len(steps) == 1 else 0
        self.files.append(self.made(expanded(self.pattern, self.axis, self.label), max(step, 0)))

    def made(self, name: str, step: int) -> File:
        times = {"standard_name": "time", "units": self.axis.units, "calendar": self.axis.calendar, "axis": "T"}
        variables = {"time": Variable(("time",), "double", times, default_fill("double"))}
        dims = {"time": 0}
        if self.has_intervals:
            times["bounds"] = "time_bnds"
            variables["time_bnds"] = Variable(("time", "bnds"), "double", {}, default_fill("double"))
            dims["bnds"] = 2
        for number in self.fixed_fields():
            of = self.case["fields"][number]
            keep = [kept(self.case, self.stream, dim) for dim in of["dims"]]
            values = sample(of, 0, tuple(self.case["shapes"][dim] for dim in of["dims"]))
            attributes = {given["name"]: value_of(given) for given in of["attributes"]}
            kind = of["type"]
            values = values[np.ix_(*keep)] if keep else values
            values = np.where(self.held(of, keep), values, default_fill(kind))
            variables[of["name"]] = Variable(tuple(of["dims"]), kind, attributes, default_fill(kind), values.astype(TYPES[kind]))
            dims |= {dim: len(indices) for dim, indices in zip(of["dims"], keep, strict=True)}
        for output in self.outputs:
            variables[output.name] = output.variable(step)
            dims |= dict(zip(output.of["dims"], output.shape, strict=True))
        attributes: dict = {"Conventions": "CF-1.11"}
        measures = [word for each in variables.values() for word in str(each.attributes.get("cell_measures", "")).split()]
        external = sorted({word for word in measures if not word.endswith(":") and word not in variables})
        attributes |= {"external_variables": " ".join(external)} if external else {}
        attributes |= {given["name"]: value_of(given) for given in self.case["attributes"]}
        return File(name, attributes | self.stream.get("attributes", {}), dims, variables, self.stream.get("format", "auto"))

    def fixed_fields(self) -> list[int]:
        fields = self.case["fields"]
        number_of = {each["name"]: number for number, each in enumerate(fields)}
        found: set[int] = set()
        listed = [number_of[name] for name, _ in self.stream["fields"] if name in number_of and fields[number_of[name]]["values"]]
        ask = [output.number for output in self.outputs]

        def want(name: str) -> None:
            number = number_of.get(name, -1)
            if number >= 0 and fields[number]["values"] and number not in found:
                found.add(number)
                ask.append(number)

        for number in listed:
            want(fields[number]["name"])
        while ask:
            of = fields[ask.pop()]
            for dim in of["dims"]:
                want(dim)
            for given in of["attributes"]:
                if given["name"] in REFERENCES:
                    for word in given["text"].split():
                        want(word.removesuffix(":"))
        return sorted(found)

    def end(self) -> None:
        if self.stream.get("unfinished") != "write":
            return
        cut = [output for output in self.outputs if output.open and output.operation != "instant"]
        if not cut:
            return
        begin, end = min(o.open["begin"] for o in cut), max(o.open["last"] for o in cut)
        if self.files:
            end = max(end, self.last_end)
        record = self.record(end, begin)
        for output in cut:
            self.put(output, record)


def header_bytes(file: File) -> int:
    """Of a classic file, by the grammar of its format."""
    wide = any(variable.kind in ("ubyte", "ushort", "uint", "int64", "uint64") for variable in file.variables.values())
    count, offset = (8, 8) if wide else (4, 4)

    def name(text: str) -> int:
        return count + len(text.encode()) + -len(text.encode()) % 4

    def attributes(of: dict) -> int:
        size = 4 + count
        for key, value in of.items():
            data = value.encode() if isinstance(value, str) else np.asarray(value).tobytes()
            size += name(key) + 4 + count + len(data) + -len(data) % 4
        return size

    size = 4 + count + 4 + count + sum(name(dim) + count for dim in file.dims) + attributes(file.attributes) + 4 + count
    for key, variable in file.variables.items():
        size += name(key) + count + count * len(variable.dims) + attributes(variable.attributes) + 4 + count + offset
    return size


# ---- a whole run


@dataclass
class Expected:
    files: dict[str, File]
    sends: list[tuple[int, int, int, bool]]  # what the model sends: time, field, number of the sample, is it wanted


def sequences(case: dict, axis: Axis) -> list[Sequence]:
    made = []
    for stream in case["streams"]:
        outputs = [
            Output(case, stream, name, choice)
            for name, choice in choices(case, stream)
            if not next(each for each in case["fields"] if each["name"] == choice.get("of", name))["values"]
        ]
        if "{field}" in stream["file"]:
            made += [
                Sequence(case, axis, stream, [output], stream["file"].replace("{field}", output.name)) for output in outputs
            ]
        else:
            made.append(Sequence(case, axis, stream, outputs, stream["file"]))
    return made


def run(case: dict, until: int | None = None) -> Expected:
    """UNTIL: the time of the last sample, before the end of the case."""
    axis = Axis(case["units"], case["calendar"])
    all_sequences = sequences(case, axis)
    targets: dict[int, list[tuple[Sequence, Output]]] = {}
    for sequence in all_sequences:
        for output in sequence.outputs:
            targets.setdefault(output.number, []).append((sequence, output))
    last = [case["start"]] * len(case["fields"])
    sends = []
    for at, number, number_of_sample in case["sends"]:
        if until is not None and at > until:
            break
        wanted = any(sequence.wants(output, at) for sequence, output in targets.get(number, []))
        if not wanted and case["obeys"]:
            continue
        sends.append((at, number, number_of_sample, wanted))
        of = case["fields"][number]
        values = sample(of, number_of_sample, tuple(case["shapes"][dim] for dim in of["dims"]))
        for sequence, output in targets.get(number, []):
            sequence.fold(output, at, last[number], values)
        for sequence, output in targets.get(number, []):
            sequence.finish(output, at)
        last[number] = at
    for sequence in all_sequences:
        sequence.end()
    files = [file for sequence in all_sequences for file in sequence.files]
    assert len({file.name for file in files}) == len(files), "a case whose files have one name"
    return Expected({file.name: file for file in files}, sends)
