# SPDX-License-Identifier: Apache-2.0
"""FMS's diag_table, the text and the YAML, as streams. The formats are those of FMS's documentation of diag_manager."""

import csv
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import yaml

from weir.streams.intervals import Interval, interval_of
from weir.streams.written import Output, Stream, Translation

REDUCTIONS: Final = {
    "true": "mean", "average": "mean", "avg": "mean", "mean": "mean", "false": "instant", "none": "instant",
    "min": "minimum", "max": "maximum", "rms": "rms", "sum": "sum",
}  # fmt: skip
KINDS: Final = {"1": "double", "2": "float", "r8": "double", "r4": "float", "i8": "int64", "i4": "int"}
DATE: Final = {"yr": "%Y", "mo": "%m", "dy": "%d", "hr": "%H", "mi": "%M", "sc": "%S"}


class FmsError(ValueError):
    """A table that cannot be read; the text says what is wrong and where."""


@dataclass
class File:
    """A file of either table, with the words of the table."""

    name: str
    every: str  # "6 hours", "0", "-1"
    unlimited: str
    split: str = ""
    begin: str = ""
    duration: str = ""
    file_time: str = ""
    region: dict[str, Any] | str = ""
    attributes: dict[str, str] = field(default_factory=dict)
    fields: list["Field"] = field(default_factory=list)


@dataclass
class Field:
    module: str
    name: str
    output_name: str
    reduction: str
    kind: str
    region: str = ""
    levels: str = ""
    attributes: dict[str, str] = field(default_factory=dict)


def translate_text(path: Path) -> Translation:
    title, date, files, homeless = read_text(path)
    made = Table(path, title, date, files).translated()
    for each in homeless:
        made.left_out.add(each, "the table does not define that file")
    return made


def translate_yaml(path: Path) -> Translation:
    title, date, files = read_yaml(path)
    return Table(path, title, date, files).translated()


# ---- The text ----


def rows_of(text: str) -> Iterator[tuple[int, list[str]]]:
    """Lines with their numbers and words: between commas, or blanks behind a quotation mark, as Fortran reads a list."""
    for number, line in enumerate(text.splitlines(), 1):
        bare = re.sub(r"""("[^"]*"|'[^']*')|#.*""", lambda match: match[1] or "", line).strip()
        if bare:
            apart = re.sub(r"""("[^"]*"|'[^']*')\s+(?=["'])""", r"\1, ", bare).replace("'", '"')
            yield number, [word.strip() for word in next(csv.reader([apart], skipinitialspace=True))]


def read_text(path: Path) -> tuple[str, str, list[File], list[str]]:
    """Title, base date, files, and the fields whose file the table does not define. A file may be defined again, and behind
    its fields."""
    files: dict[str, File] = {}
    fields: list[tuple[str, Field]] = []
    title, date = "", ""
    for number, words in rows_of(path.read_text(encoding="utf-8", errors="replace")):
        words = words[:-1] if len(words) > 6 and not words[-1] else words
        if not files and len(words) < 6:  # the table may begin with its title and base date
            if re.fullmatch(r"\d+(?:[ ,]+\d+){5}", " ".join(words)):
                date = " ".join(words)
            else:
                title = title or words[0]
        elif len(words) >= 6 and re.fullmatch(r"-?\d+", words[1]):
            files.setdefault(words[0], file_of(words))
        elif len(words) == 8:
            module, name, output_name, file, _, reduction, region, packing = words
            fields.append((file, Field(module, name, output_name, reduction, packing, region)))
        else:
            raise FmsError(f"{path}, line {number}: {len(words)} words are neither a file (6 to 11) nor a field (8)")
    if not files:
        raise FmsError(f"{path} defines no file: it is no diag_table")
    for file, each in fields:
        if file in files:
            files[file].fields.append(each)
    homeless = [f"{each.name} in {file}" for file, each in fields if file not in files and file != "null"]
    return title, date, list(files.values()), homeless


def file_of(words: list[str]) -> File:
    more = words + [""] * (11 - len(words))
    return File(words[0], freq(words[1], words[2]), words[5], freq(more[6], more[7]), more[8], freq(more[9], more[10]))


def freq(number: str, unit: str) -> str:
    return f"{number} {unit}" if number else ""


# ---- The YAML ----


def read_yaml(path: Path) -> tuple[str, str, list[File]]:
    try:
        table = yaml.load(path.read_text(encoding="utf-8", errors="replace"), Loader=yaml.BaseLoader)
    except yaml.YAMLError as error:
        raise FmsError(f"{path} cannot be read as YAML: {' '.join(str(error).split())}") from error
    if not isinstance(table, dict) or not isinstance(table.get("diag_files"), list):
        raise FmsError(f"{path} has no list diag_files: it is no diag_table.yaml")
    files = []
    for entry in table["diag_files"]:
        if not isinstance(entry, dict) or "file_name" not in entry:
            raise FmsError(f"{path}: an entry of diag_files has no file_name")
        if "freq" not in entry:
            raise FmsError(f"{path}: the file {entry['file_name']} has no freq")
        if is_no(entry.get("write_file")):
            continue
        region = (entry.get("sub_region") or [""])[0]
        files.append(
            File(
                entry["file_name"],
                entry["freq"],
                entry.get("unlimdim", "time"),
                entry.get("new_file_freq", ""),
                entry.get("start_time", ""),
                entry.get("file_duration", ""),
                entry.get("filename_time", ""),
                region,
                merged(entry.get("global_meta")),
                [field_of(entry, each) for each in entry.get("varlist") or [] if not is_no(each.get("write_var"))],
            )  # fmt: skip
        )
    return table.get("title", ""), table.get("base_date", ""), files


def field_of(file: dict[str, Any], entry: dict[str, Any]) -> Field:
    def word(key: str, usual: str = "") -> str:
        return str(entry.get(key, file.get(key, usual)))

    name = word("var_name")
    attributes = merged(entry.get("attributes"))
    if "long_name" in entry:
        attributes["long_name"] = entry["long_name"]
    output_name = str(entry.get("out_name", entry.get("output_name", name)))
    return Field(word("module"), name, output_name, word("reduction"), word("kind"), "", word("zbounds"), attributes)


def merged(maps: Any) -> dict[str, str]:
    """Of a list of maps, which FMS writes for one."""
    return {str(key): str(value) for each in maps or [] for key, value in each.items()}


def is_no(text: Any) -> bool:
    return str(text).strip(".").lower() in ("false", "no", "f")


# ---- Both ----


class Table:
    def __init__(self, path: Path, title: str, date: str, files: list[File]) -> None:
        self._made, self._title, self._date, self._files = Translation(path.name), title.strip(), date, files
        modules: dict[str, set[str]] = defaultdict(set)
        for each in (each for file in files for each in file.fields):
            modules[each.name].add(each.module)
        self._shared = {name for name, of in modules.items() if len(of) > 1}

    def translated(self) -> Translation:
        remarks = self._made.remarks
        remarks.add("", "FMS counts intervals from the start of the run: align: start.")
        if self._date:
            remarks.add(
                "", f'weir_start_streams: "days since {date_of(self._date)}", or other units: all files have the same'
            )
        if self._shared:
            names = ", ".join(sorted(self._shared))
            remarks.add(
                "", f"{names}: fields of several modules, and a field has one name: in weir_def_field it is MODULE_NAME"
            )
        for file in self._files:
            self._add(file)
        return self._made

    def _add(self, file: File) -> None:
        left_out = self._made.left_out
        if re.match(r"-1\b", file.every):
            names = ", ".join(each.output_name for each in file.fields) or "no field"
            left_out.add(
                f"file {file.name}",
                f"it is written once, at the end ({names}): give fields that do not change to weir_set_field, and list them in a stream",
            )
            return
        if "," in file.every + file.split + file.duration:
            left_out.add(
                f"file {file.name}", "its interval changes in the run: make a stream of each, with from and until"
            )
            return
        every = Interval(1, "step") if re.match(r"0\b", file.every) else interval_in(file.every)
        if every is None:
            left_out.add(f"file {file.name}", f'"{file.every}" is no interval of Weir\'s')
            return
        name, has_date = pattern_of(file.name)
        stream = Stream(re.sub(r"%\d?\w\w", "", file.name), f"{name}.nc", every, "start")
        if self._title:
            stream.attributes["title"] = self._title
        stream.attributes.update(file.attributes)
        self._set_times(stream, file, has_date)
        if file.unlimited != "time":
            left_out.add(f"unlimdim {file.unlimited}", "the record dimension is called time")
        regions = []
        for each in file.fields:
            output = self._output(stream, each)
            if output is not None:
                stream.add(output)
                regions.append(each.region)
        set_region(stream, file.region, regions)
        self._made.add(stream)

    def _set_times(self, stream: Stream, file: File, has_date: bool) -> None:
        stream.split = interval_in(file.split) if file.split else None
        if file.split and stream.split is None:
            stream.left_out.add(f"new_file_freq {file.split}", "it is no interval of Weir's")
        if stream.split and not has_date:
            stream.file = stream.file.removesuffix(".nc") + "_{time:%Y%m%d}.nc"
        if has_date and file.file_time != "begin":
            stream.remarks.add("", "FMS writes the middle of a file's time into its name, Weir the begin")
        stream.begin = date_of(file.begin) if file.begin else None
        if file.duration and file.duration != file.split:
            stream.left_out.add(f"file_duration {file.duration}", "give the date as until")

    def _output(self, stream: Stream, each: Field) -> Output | None:
        reduction = each.reduction.strip(".").lower()
        if reduction not in REDUCTIONS:
            stream.left_out.add(
                each.output_name, f"the reduction {each.reduction}: send what it is made of as a field of the model"
            )
            return None
        of = f"{each.module}_{each.name}" if each.name in self._shared else each.name
        output = Output(
            each.output_name, of, REDUCTIONS[reduction], KINDS.get(each.kind), attributes=dict(each.attributes)
        )
        if each.kind in ("4", "8"):
            stream.left_out.add(
                each.output_name,
                f"packing {each.kind}: give type: {'short' if each.kind == '4' else 'byte'}, scale_factor and add_offset",
            )
        if each.levels and set(each.levels.replace(",", " ").split()) != {"-999"}:
            stream.left_out.add(
                each.output_name,
                f"zbounds {each.levels}: a stream has one box: give the part of the vertical dimension there",
            )
        return output


def interval_in(text: str) -> Interval | None:
    match = re.fullmatch(r"(\d+) +([A-Za-z]+)", text.strip())
    return interval_of(int(match[1]), match[2]) if match else None


def date_of(text: str) -> str:
    """Of "1990 1 1 0 0 0"."""
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    year, month, day, hour, minute, second = numbers + [0] * (6 - len(numbers))
    return f"{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"


def pattern_of(name: str) -> tuple[str, bool]:
    """ "ocn%4yr%2mo" is ocn_{time:%Y_%m}: FMS puts _ before each part of a date."""
    made = re.sub(r"(?:%\d?(?:yr|mo|dy|hr|mi|sc)\d?)+", lambda match: f"_{{time:{letters_of(match[0])}}}", name)
    return made, made != name


def letters_of(parts: str) -> str:
    return "_".join(DATE[part] for part in re.findall("yr|mo|dy|hr|mi|sc", parts))


def set_region(stream: Stream, of_file: dict[str, Any] | str, of_fields: list[str]) -> None:
    """A region of all fields of a file is a box. The table does not say what the dimensions are called."""
    regions = {region for region in of_fields if region.lower() not in ("", "none")}
    if isinstance(of_file, dict):
        stream.box = corners_of(stream, of_file)
    elif regions and (len(regions) > 1 or len(regions) != len(set(of_fields))):
        stream.left_out.add("", "its fields have different regions, and a stream has one box: make a stream of each")
    elif regions:
        bounds = [float(number) for number in regions.pop().replace(",", " ").split()]
        stream.box = {
            name: value_range(*bounds[at : at + 2]) for name, at in (("lon", 0), ("lat", 2)) if len(bounds) >= at + 2
        }
        if len(bounds) == 6 and bounds[4:] != [-1, -1]:
            stream.left_out.add(
                "",
                f"the vertical bounds {bounds[4]:g} to {bounds[5]:g}: give the part of the vertical dimension in box",
            )
    if stream.box:
        stream.remarks.add("", f"box: give the model's names of the dimensions {' and '.join(stream.box)}")


def corners_of(stream: Stream, region: dict[str, Any]) -> dict[str, str]:
    corners = [
        [float(number) for number in str(region.get(f"corner{each}", "")).replace(",", " ").split()]
        for each in range(1, 5)
    ]
    if any(len(corner) != 2 for corner in corners):
        stream.left_out.add("sub_region", "it has not four corners of two numbers")
        return {}
    sides = [sorted({corner[axis] for corner in corners}) for axis in (0, 1)]
    if any(len(side) > 2 for side in sides):
        stream.left_out.add("sub_region", "it is no rectangle along the dimensions, and a box is one")
        return {}
    if region.get("grid_type", "latlon").startswith("ind"):
        if "tile" in region:
            stream.left_out.add(f"tile {region['tile']}", "Weir's dimensions have no tiles: the box is a part of each")
        return {
            name: f"[{int(side[0]) - 1}, {int(side[-1]) - 1}]" for name, side in zip(("x", "y"), sides, strict=True)
        }
    return {name: value_range(side[0], side[-1]) for name, side in zip(("lon", "lat"), sides, strict=True)}


def value_range(first: float, last: float) -> str:
    return f"{{from: {min(first, last):g}, to: {max(first, last):g}}}"
