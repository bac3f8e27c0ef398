# SPDX-License-Identifier: Apache-2.0
"""The tuned table (docs/tuning.md): what `weir tune` leaves for `strategy: auto`."""

import os
from dataclasses import asdict, dataclass, field, fields
from math import inf, isfinite, log
from pathlib import Path

import yaml

from weir import cache

VERSION = 1
COMPUTE_FLOOR = 1e-3  # seconds, so that 0 has a logarithm


class TableError(ValueError):
    """A sentence on what is wrong with a table."""


@dataclass
class Entry:
    ranks: int
    hosts: int
    bytes_per_record: int
    variables: int
    compute_seconds: float
    config: dict
    seconds: float
    default_seconds: float
    stripes: dict = field(default_factory=dict)
    measured: bool = False  # by a run with `strategy: auto`
    packing: str = ""  # of the files: "netcdf4 zlib 1"; classic ones are not packed

    def shape(self) -> tuple:
        return (self.ranks, self.hosts, self.bytes_per_record, self.variables, self.compute_seconds + COMPUTE_FLOOR)

    def distance(self, other: "Entry") -> float:
        if self.packing != other.packing:
            return inf
        return sum(log(a / b) ** 2 for a, b in zip(self.shape(), other.shape(), strict=True))


@dataclass
class Table:
    machine: str
    hosts: int = 0
    profile: str = ""
    entries: list[Entry] = field(default_factory=list)

    def keep(self, entry: Entry) -> None:
        """In the place of one of the same shape, or beside the others."""
        self.entries = [known for known in self.entries if known.distance(entry) > 0] + [entry]


def check_entry(number: int, found: object) -> Entry:
    def reject(what: str) -> None:
        raise TableError(f"entry {number} {what}")

    if not isinstance(found, dict):
        reject("is no map")
    needed = [f.name for f in fields(Entry) if f.name not in ("stripes", "measured", "packing")]
    if missing := [name for name in needed if name not in found]:
        reject(f"has no {missing[0]}")
    config = found["config"]
    if not isinstance(config, dict) or not isinstance(config.get("strategy"), str):
        reject("has no config with a strategy")
    for name in needed:
        if name == "config":
            continue
        value = found[name]
        whole = name in ("ranks", "hosts", "bytes_per_record", "variables")
        number_like = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
        least_is_fine = value >= 0 if name == "compute_seconds" and number_like else number_like and value > 0
        if not number_like or not isfinite(value) or not least_is_fine:
            reject(f"has the impossible {name} {value!r}")
    measured = found.get("measured", False)
    if not isinstance(measured, bool):
        reject(f"has the impossible measured {measured!r}")
    packing = found.get("packing", "")
    if not isinstance(packing, str):
        reject(f"has the impossible packing {packing!r}")
    more = {"stripes": found.get("stripes") or {}, "measured": measured, "packing": packing}
    return Entry(**{name: found[name] for name in needed}, **more)


def read_table(path: Path) -> Table:
    """Raises TableError: not YAML, another version, an entry that makes no sense; OSError."""
    try:
        found = cache.read_map(path)
        version = found.get("version")
        if version != VERSION:
            raise TableError(f"it is of version {version}, and this Weir knows version {VERSION}")
        if not isinstance(found.get("machine"), str) or not isinstance(found.get("entries"), list):
            raise TableError("it has no machine or no entries")
        entries = [check_entry(i, entry) for i, entry in enumerate(found["entries"], 1)]
    except ValueError as error:
        raise TableError(f"the tuned table {path} is of no use: {error}; remove it, and run weir tune") from error
    return Table(found["machine"], found.get("hosts", 0), str(found.get("profile", "")), entries)


def write_table(path: Path, table: Table) -> None:
    """By a new file and a rename, so that no reader finds half of it."""
    entries = [{k: v for k, v in asdict(entry).items() if v not in ({}, "") and v is not False} for entry in table.entries]
    whole = {"version": VERSION, "machine": table.machine, "hosts": table.hosts, "profile": table.profile}
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.{os.getpid()}")
    text = yaml.safe_dump({**whole, "entries": entries}, sort_keys=False, default_flow_style=None, width=200)
    new.write_text(text, encoding="utf-8")
    new.replace(path)


def update(path: Path, table: Table) -> str:
    """Writes the table over the one that is there, whose other entries stay where it is of the same machine. Returns a
    line on what became of the old one where it was another's; else ""."""
    said = ""
    if path.is_file():
        try:
            old = read_table(path)
        except TableError as error:
            said = f"{error}: it is replaced"
        else:
            if old.machine == table.machine:
                entries, table.entries = table.entries, old.entries
                for entry in entries:
                    table.keep(entry)
            elif path == cache.tuned_path():
                aside = cache.tuned_path_of(old.machine)
                path.replace(aside)
                said = f"the table of the machine {old.machine} is now {aside}"
            else:
                said = f"the table of the machine {old.machine} is replaced"
    write_table(path, table)
    return said
