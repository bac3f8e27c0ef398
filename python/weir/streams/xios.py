# SPDX-License-Identifier: Apache-2.0
"""XIOS's iodef.xml as streams. The formats are those of XIOS's reference guide (XIOS 1 and 2)."""

import re
from pathlib import Path
from typing import Final

from weir.streams.intervals import Interval, xios_interval
from weir.streams.written import Notes, Output, Stream, Translation
from weir.streams.xios_grid import part_of
from weir.streams.xios_tree import Names, Node, Tree, XiosError, is_true

OPERATIONS: Final = {
    "average": "mean", "instant": "instant", "maximum": "maximum", "minimum": "minimum", "accumulate": "sum"
}  # fmt: skip
PRECISIONS: Final = {"4": "float", "8": "double", "2": "short"}
ATTRIBUTES: Final = {"standard_name": "standard_name", "long_name": "long_name", "unit": "units", "comment": "comment"}
DATE: Final = {"%y": "%Y", "%mo": "%m", "%d": "%d", "%h": "%H", "%mi": "%M", "%s": "%S"}
CALENDARS: Final = {
    "gregorian": "standard", "julian": "julian", "d360": "360_day", "allleap": "all_leap", "noleap": "noleap"
}  # fmt: skip
# What a file or a field may have and a stream has not; values that change nothing are no loss.
OF_FILES: Final = {
    "sync_freq": "Weir commits at weir_sync_all, and where a file ends",
    "append": "on a restart Weir goes on by itself: set the key restart",
    "split_freq_format": "Weir writes the begin of a file's time into its name, and not its end",
    "split_last_date": "Weir writes the begin of a file's time into its name, and not its end",
    "split_start_offset": "files begin at multiples of the split from the run's start",
    "split_end_offset": "files end at multiples of the split from the run's start",
    "record_offset": "records begin with the first of the run",
    "time_counter": "Weir writes time and time_bnds as CF has them",
    "time_counter_name": "the record dimension is called time",
    "cyclic": "files are not read again",
}
WITHOUT_LOSS: Final = {"time_counter": ("centered", "record"), "append": ("false", ".false.", ".FALSE.")}


def translate(path: Path) -> Translation:
    """Raises XiosError for what is no table."""
    made = Translation(path.name)
    contexts = Tree(path, made.left_out).contexts()
    if not any(True for context in contexts for _ in context.below("file_definition")):
        raise XiosError(f"{path} has no context with a file_definition")
    made.remarks.add("", "XIOS counts intervals from the start of the run: align: start.")
    for context in contexts:
        Context(context, made).translate()
    return made


class Context:
    def __init__(self, node: Node, made: Translation) -> None:
        self._node, self._made, self._names = node, made, Names(node)

    def translate(self) -> None:
        self._tell_calendar()
        for file in self._node.below("file"):
            attributes = self._names.resolved(file)
            if is_true(attributes.get("enabled"), True):
                self._add_file(file, attributes)

    def _tell_calendar(self) -> None:
        found = next(self._node.below("calendar"), None)
        attributes = {**self._node.own, **(found.own if found else {})}
        kind = attributes.get("type", attributes.get("calendar_type", "")).lower()
        origin = attributes.get("time_origin") or attributes.get("start_date")
        if kind in CALENDARS or origin:
            calendar = f', "{CALENDARS[kind]}"' if kind in CALENDARS else ""
            self._made.remarks.add("", f'weir_start_streams: "seconds since {origin or "..."}"{calendar}')
        elif kind:
            self._made.left_out.add(f"calendar {kind}", "it is none of CF's")

    def _add_file(self, file: Node, attributes: dict[str, str]) -> None:
        label = file.own.get("id") or attributes.get("name", "file")
        left_out = self._made.left_out
        if attributes.get("mode", "write") == "read":
            return left_out.add(f"file {label}", "streams write: read it by weir_open and weir_get")
        every = xios_interval(attributes.get("output_freq", "1ts"))
        if every is None:
            return left_out.add(f"file {label}", f"output_freq {attributes['output_freq']} is no interval of Weir's")
        stream = Stream(label, "", every, "start", format="netcdf4")
        name_file(stream, attributes)
        for key, why in OF_FILES.items():
            value = attributes.get(key)
            if value is not None and value not in WITHOUT_LOSS.get(key, ()):
                stream.left_out.add(f"{key}={value}", why)
        if attributes.get("convention", "CF") != "CF":
            stream.left_out.add(
                f"convention={attributes['convention']}", "Weir writes what the model gives its fields, and CF's time"
            )
        self._add_variables(stream, file)
        self._add_fields(stream, file, attributes)

    def _add_variables(self, stream: Stream, file: Node) -> None:
        """<variable> of a file is an attribute of it; those of its fields are theirs."""
        for variable in file.children:
            if variable.tag == "variable":
                add_variable(stream.attributes, stream.left_out, variable)

    def _add_fields(self, stream: Stream, file: Node, of_file: dict[str, str]) -> None:
        series = of_file.get("timeseries", "none").lower()
        alone = Stream(
            f"{stream.name}_series",
            stream.file,
            stream.every,
            "start",
            stream.split,
            "netcdf4",
            attributes=stream.attributes,
        )
        fixed: list[Output] = []
        boxes: list[dict[str, str]] = []
        levels: set[int] = set()
        for node in self._fields_of(file):
            field = FileField(self._names, node, of_file)
            if not field.is_enabled():
                continue
            output = field.output(stream.left_out)
            if output is None:
                continue
            if "default_value" in field.attributes:
                why = "the model gives its fields their _FillValue by weir_put_field_att"
                self._made.left_out.add(f"default_value={field.attributes['default_value']}", why)
            part = part_of(self._names, field.attributes, field.sent)
            if part.transformations:
                stream.left_out.add(
                    output.name,
                    f"XIOS transforms its grid ({', '.join(part.transformations)}): send the field as it is to be",
                )
                continue
            for name in part.unknown:
                stream.left_out.add(
                    "", f"the zoom {name}, which the model fills in at run time: give its elements as box"
                )
            for name in sorted(part.guessed & part.box.keys()):
                stream.remarks.add("", f"box: {name} is XIOS's usual name of a dimension: give the model's")
            levels.add(int(field.attributes.get("compression_level", of_file.get("compression_level", "0"))))
            if output.operation == "once":
                fixed.append(output)
                continue
            boxes.append(part.box)
            is_alone = series in ("only", "both", "exclusive") and is_true(field.attributes.get("ts_enabled"), False)
            if is_alone:
                alone.add(output)
                alone.split = xios_interval(field.attributes.get("ts_split_freq", "")) or alone.split
            if series in ("none", "both") or (series == "exclusive" and not is_alone):
                stream.add(output)
        for each in (stream, alone):
            each.compression_level = max(levels, default=0)
        if len(levels) > 1:
            stream.left_out.add("compression_level", f"a stream has one, not {', '.join(map(str, sorted(levels)))}")
        self._set_box(stream, alone, boxes)
        add_fixed(stream, fixed)
        if alone.outputs:
            prefix = of_file.get("ts_prefix", file_name(of_file, stream.every))
            time = f"_{date_word(alone.split, of_file.get('split_freq_format'))}" if alone.split else ""
            alone.file = f"{prefix}_{{field}}{time}.nc"
            self._made.add(alone)
        if stream.outputs or not alone.outputs:
            self._made.add(stream)

    def _set_box(self, stream: Stream, alone: Stream, boxes: list[dict[str, str]]) -> None:
        merged: dict[str, str] = {}
        for box in boxes:
            if any(merged.get(name, part) != part for name, part in box.items()):
                stream.left_out.add(
                    "", "its fields have different zooms, and a stream has one box: make a stream of each"
                )
                return
            merged.update(box)
        stream.box = alone.box = merged

    def _fields_of(self, file: Node) -> list[Node]:
        """With those of the groups that its groups refer to."""
        found: list[Node] = []
        for node in file.below("field", "field_group"):
            if node.tag == "field":
                found.append(node)
            elif "group_ref" in node.own:
                found += self._members(node.own["group_ref"], node)
        return found

    def _members(self, name: str, into: Node) -> list[Node]:
        group = self._names.find("field_group", name)
        if group is None:
            self._made.left_out.add(
                f"field_group {name}", "no group of this id is defined: what it writes is not known"
            )
            return []
        members = []
        for node in group.below("field"):
            given = {"field_ref": node.own["id"]} if "id" in node.own else dict(node.own)
            members.append(Node("field", given, into))
        return members


class FileField:
    """A field of a file: its attributes, and the field that the model sends for it."""

    def __init__(self, names: Names, node: Node, of_file: dict[str, str]) -> None:
        self._of_file = of_file
        self._chain = names.chain(node)
        self.attributes = names.resolved(node)
        self.sent = names.resolved(self._chain[-1])
        last = self._chain[-1]
        self.of = last.inherited().get("field_ref") or last.own.get("id") or last.own.get("name", "")
        named = [each for each in self._chain if "name" in each.inherited() or "id" in each.own]
        self.name = self.attributes.get("name") or (named[0].own.get("id", self.of) if named else self.of)
        self._variables = [
            child for each in reversed(self._chain) for child in each.children if child.tag == "variable"
        ]

    def is_enabled(self) -> bool:
        level, most = (
            int(each) for each in (self.attributes.get("level", "1"), self._of_file.get("output_level", "10"))
        )
        return is_true(self.attributes.get("enabled"), True) and level <= most and bool(self.of)

    def output(self, left_out: Notes) -> Output | None:
        """What a stream writes; None of what XIOS computes."""
        computed = next((each.text for each in self._chain if each.text), None)
        if computed is not None:
            left_out.add(
                f"{self.name} ({' '.join(computed.split())})",
                "XIOS computes that of other fields: send it as a field of the model",
            )
            return None
        operation = self.attributes.get("operation", "")
        if not operation:
            left_out.add(self.name, "the table gives it no operation, here or where it is defined")
            return None
        if operation != "once" and operation not in OPERATIONS:
            left_out.add(self.name, f"its operation {operation!r} is none of {', '.join(OPERATIONS)} and once")
            return None
        output = Output(
            self.name, self.of, OPERATIONS.get(operation, operation), PRECISIONS.get(self.attributes.get("prec", ""))
        )
        for key in ("scale_factor", "add_offset"):
            setattr(output, key, self.attributes.get(key))
        if output.scale_factor is None and (output.add_offset is not None or output.type == "short"):
            left_out.add(self.name, "it is packed without a scale_factor: Weir packs with one, so it is a float")
            output.add_offset, output.type = None, "float"
        output.attributes = {
            name: self.attributes[key].strip()
            for key, name in ATTRIBUTES.items()
            if self.attributes.get(key, "").strip()
        }
        for variable in self._variables:
            add_variable(output.attributes, left_out, variable)
        self._tell_sampling(operation, left_out)
        return output

    def _tell_sampling(self, operation: str, left_out: Notes) -> None:
        step = xios_interval(self.attributes.get("freq_op", "1ts"))
        if operation not in ("instant", "once") and step != Interval(1, "step"):
            left_out.add(
                self.name,
                f"freq_op={self.attributes['freq_op']}: each sample counts that the model sends: send it as often",
            )
        if self.attributes.get("freq_offset", "0s").strip("0ts") not in ("", "d", "h"):
            left_out.add(
                self.name, f"freq_offset={self.attributes['freq_offset']}: samples come when the model sends them"
            )
        if self.attributes.get("cell_methods_mode", "") or "cell_methods" in self.attributes:
            left_out.add(self.name, "its cell_methods: Weir writes what the operation is")


def add_fixed(stream: Stream, fixed: list[Output]) -> None:
    """Fields that are written once: fixed ones, which are in the files of a stream that lists them."""
    if not fixed:
        return
    names = ", ".join(output.of for output in fixed)
    if not stream.outputs:
        stream.left_out.add(
            names,
            "written once (operation once): give it to weir_set_field, and list it in a stream that has other fields",
        )
        return
    usual = stream.usual()
    for output in fixed:
        if output.name != output.of:
            stream.left_out.add(f"{output.of} as {output.name}", "a fixed field has the model's name in files")
        stream.add(Output(output.of, output.of, usual))
    stream.remarks.add(
        "", f"written once: {names}: the model gives them to weir_set_field, and their attributes to weir_put_field_att"
    )


def add_variable(attributes: dict[str, str], left_out: Notes, variable: Node) -> None:
    name = variable.own.get("name") or variable.own.get("id", "")
    if variable.own.get("type", "string") != "string":
        left_out.add(f"attribute {name}", "attributes of a stream are texts: give a number by weir_put_field_att")
    elif name and variable.text:
        attributes[name] = " ".join(variable.text.split())


def file_name(attributes: dict[str, str], every: Interval) -> str:
    """Without its ending. What NEMO replaces in names, Weir's pattern has, or the user has to give."""
    name = attributes.get("name", "") + attributes.get("name_suffix", "")
    name = re.sub(r"_?@enddate@", "", name).replace("@startdate@", "{time:%Y%m%d}")
    name = name.replace("@freq@", attributes.get("output_freq", "1ts")).replace("@expname@", "EXPERIMENT")
    return name or str(every).replace(" ", "_")


def date_word(split: Interval | None, given: str | None = None) -> str:
    """The date in a file's name: as split_freq_format has it, or as fine as the split."""
    if given is not None:
        known = re.sub("|".join(sorted(DATE, key=len, reverse=True)), lambda match: DATE[match[0]], given)
        if "%" in known and not re.search(r"%(?![YmdHMS])", known):
            return f"{{time:{known}}}"
    if split is not None and split.unit == "month":
        return "{time:%Y}" if split.count % 12 == 0 else "{time:%Y%m}"
    is_days = split is not None and split.unit == "second" and split.count % 86400 == 0
    return "{time:%Y%m%d}" if is_days else "{time:%Y%m%d%H%M%S}"


def name_file(stream: Stream, attributes: dict[str, str]) -> None:
    name = file_name(attributes, stream.every)
    if "EXPERIMENT" in name:
        stream.remarks.add("", "EXPERIMENT: the model puts its experiment's name there (@expname@): give it")
    if split := attributes.get("split_freq"):
        stream.split = xios_interval(split)
        if stream.split is None:
            stream.left_out.add(f"split_freq={split}", "it is no interval of Weir's")
        elif "{time" not in name:
            name += f"_{date_word(stream.split, attributes.get('split_freq_format'))}"
    if attributes.get("type", "one_file") == "multiple_file":
        stream.remarks.add("", "type=multiple_file: Weir writes one file, which needs no rebuild")
    stream.file = f"{name}.nc"
