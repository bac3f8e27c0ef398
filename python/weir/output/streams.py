# SPDX-License-Identifier: Apache-2.0
"""Fields that the ranks of a Python program send, and of which the configuration's streams make files."""

import os
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from types import TracebackType
from typing import Any, ClassVar, Final

import numpy as np
from mpi4py import MPI
from numpy.typing import DTypeLike

from weir import _output
from weir.errors import Code, Error
from weir.output.layout import BoxLayout, Layout, layout_over
from weir.output.session import Text, Weir, whole
from weir.output.types import DTYPES, Array, attribute_of, elements_of, file_type, texts_of
from weir.output.variable import fitted


class Named:
    """What has attributes that go into files: a field, or all files of all streams. Names in `_own` are Python's."""

    _own: ClassVar[frozenset[str]]
    _instance: _output.Instance
    _field: _output.Field | None
    _attributes: dict[str, Any]
    name: str

    def setncattr(self, name: str, value: Any) -> None:
        """Sets an attribute: a text, a number, a list of numbers of one type, or a list of texts. Before start()."""
        if (texts := texts_of(value)) is not None:
            self._instance.put_field_att_texts(self._field, name, texts)
        else:
            values, number = attribute_of(value, f"attribute {name!r} of {self.name}", None)
            self._instance.put_field_att(self._field, name, number, values)
        self._attributes[name] = value

    def setncatts(self, attributes: dict[str, Any]) -> None:
        for name, value in attributes.items():
            self.setncattr(name, value)

    def ncattrs(self) -> list[str]:
        return list(self._attributes)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self._own:
            object.__setattr__(self, name, value)
        else:
            self.setncattr(name, value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in self._own or name not in self._attributes:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        return self._attributes[name]


OWN: Final = frozenset({"_instance", "_field", "_attributes", "name"})


class Field(Named):
    """A field, which Streams.createField makes. Its attributes (`field.units = "K"`) go into the files."""

    _own: ClassVar[frozenset[str]] = OWN | {"_streams", "_layout", "_block_shape", "dtype", "dimensions"}

    def __init__(
        self, streams: "Streams", name: str, datatype: DTypeLike, dimensions: tuple[str, ...], layout: Layout | None
    ) -> None:
        number = file_type(datatype, f'field "{name}"')
        self._streams, self._instance = streams, streams._instance
        self._attributes = {}
        self.name, self.dtype, self.dimensions = name, DTYPES[number], dimensions
        self._block_shape = () if layout is None else layout.block_shape
        self._field = self._instance.def_field(name, number, dimensions, None if layout is None else layout.made)

    def set(self, values: Any) -> None:
        """Makes it a fixed field, a coordinate or a mask, with this rank's block of values. They are copied. Before start().
        Collective, and waits for no rank."""
        self._give(values, self._instance.set_field)

    def send(self, time: Any, values: Any) -> None:
        """Sends this rank's block of the field as it is at `time`: a number of the units of Streams.start, or a date. The
        block may be changed afterwards. Masked elements are missing samples: they are _FillValue, or NaN of a field
        without one. The times of a field ascend. Collective; waits for other ranks only where it ends an interval."""
        when = self._streams.number_of(time)
        self._give(values, lambda field, number, block: self._instance.send(field, when, number, block))

    def wanted(self, time: Any) -> bool:
        """Whether a stream takes the field at this time: the program need not compute it else. Local."""
        return self._instance.field_wanted(self._defined, self._streams.number_of(time))

    @property
    def _defined(self) -> _output.Field:
        assert self._field is not None
        return self._field

    def _give(self, values: Any, take: Any) -> None:
        """take(field, type, block); what is wrong with this rank's values, the others hear too."""
        try:
            block, number = elements_of(self._unmasked(values), f'field "{self.name}"', 0, None)
            if 0 not in self._block_shape:
                block = fitted(block, self._block_shape)
        except Exception:
            with suppress(Error):  # Python's ranks have this one's sentence
                take(self._defined, 1, None)
            raise
        take(self._defined, number, block)

    def _unmasked(self, values: Any) -> Array:
        if not isinstance(values, np.ma.MaskedArray):
            return np.asarray(values)
        if "_FillValue" in self._attributes:
            return np.asarray(values.filled(self._attributes["_FillValue"]))
        if values.dtype.kind != "f":
            raise Error(
                Code.EARGUMENT, f'field "{self.name}": a masked block of {values.dtype}: give the field a _FillValue'
            )
        return np.asarray(values.filled(np.nan))

    def __repr__(self) -> str:
        return f"<weir.Field {self.name}({', '.join(self.dimensions)}): {self.dtype}>"


class Streams(Named):
    """The streams of one configuration, on all ranks of `comm` (default: MPI.COMM_WORLD). Collective.

    config   as weir.Weir takes it; its key `streams` says which fields go into which files, and how
    weir     a weir.Weir in the place of comm and config, which then also ends the streams

        with weir.Streams(comm, config="weir.yaml") as streams:
            streams.createDimension("lat", 120)
            streams.createDimension("lon", 240)
            mine = streams.createLayout(("lat", "lon"), start=(first, 0), count=(rows, 240))
            streams.createField("lat", "f8", "lat").set(latitudes)
            sst = streams.createField("sst", "f4", ("lat", "lon"), mine)
            sst.units = "K"
            streams.start("seconds since 1990-01-01 00:00:00", calendar="noleap")
            for step in range(1, steps + 1):
                sst.send(step * 3600.0, block)

    Attributes of a Streams (`streams.title = "..."`) are those of all files.
    """

    _own: ClassVar[frozenset[str]] = OWN | {"_weir", "_is_own", "_axis", "dimensions", "fields"}

    def __init__(
        self, comm: MPI.Intracomm | None = None, config: Text | None = None, *, weir: Weir | None = None
    ) -> None:
        self._is_own = weir is None
        if weir is None:
            text = None if config is None else os.fspath(config)
            world = MPI.COMM_WORLD if comm is None else comm
            weir = whole(world, text, "make the streams by weir.Streams(weir=w)")
        self._weir, self._instance, self._field, self._attributes = weir, weir.instance, None, {}
        self.name = "all files"
        self.dimensions: dict[str, int] = {}
        self.fields: dict[str, Field] = {}
        self._axis: tuple[str, str] | None = None

    def createDimension(self, dimname: str, size: int) -> None:
        """A dimension that fields have. The record dimension, time, is the streams' own."""
        if self.dimensions.setdefault(dimname, size) != size:
            raise Error(
                Code.EARGUMENT, f'dimension "{dimname}" has {self.dimensions[dimname]} elements already, not {size}'
            )

    def createLayout(
        self, dimensions: Sequence[str] | str, indices: Any = None, *, start: Sequence[int] | None = None,
        count: Sequence[int] | None = None, order: Sequence[int] | None = None,
        memory_shape: Sequence[int] | None = None, memory_start: Sequence[int] | None = None,
    ) -> Layout:  # fmt: skip
        """What this rank holds of an array over `dimensions`, as Dataset.createLayout has it. Collective."""
        layout = layout_over(
            self._shape(names_of(dimensions)), indices, (start, count, order, memory_shape, memory_start)
        )
        layout.define(self._instance)
        return layout

    def createField(
        self, name: str, datatype: DTypeLike, dimensions: Sequence[str] | str = (), layout: Layout | None = None
    ) -> Field:
        """A field over these dimensions, slowest first, of this type in the files. layout: what this rank sends of it;
        without, rank 0 sends it whole, and the blocks of other ranks do not count. Collective."""
        names = names_of(dimensions)
        if names and layout is None:
            shape = self._shape(names)
            count = shape if self._weir.comm is None or self._weir.comm.rank == 0 else (0,) * len(shape)
            layout = BoxLayout(shape, (0,) * len(shape), count, None, None, None)
            layout.define(self._instance)
        elif names and layout is not None and layout.shape != self._shape(names):
            raise Error(
                Code.EARGUMENT, f'field "{name}" over {names}: {layout!r} is of another shape than {self._shape(names)}'
            )
        self.fields[name] = Field(self, name, datatype, names, layout if names else None)
        return self.fields[name]

    def start(self, units: str, start: Any = 0.0, calendar: str = "standard") -> None:
        """Ends the definitions, and begins the streams. units, calendar: CF's, of all times that follow. start: the time
        from which this run computes, a number of these units or a date. Collective."""
        self._axis = (units, calendar)
        self._instance.start_streams(units, self.number_of(start), calendar)

    def close(self) -> None:
        """Ends the streams and their files, unless a weir.Weir was given, which does it when it ends. Collective."""
        if self._is_own:
            self._weir.finalize()

    def number_of(self, time: Any) -> float:
        """A date as a number of this axis."""
        if not hasattr(time, "year"):
            return float(time)
        if self._axis is None:
            raise Error(Code.ESTATE, f"{time} is a date: call start() before, which says in which units times are")
        return float(import_module("cftime").date2num(time, *self._axis))

    def __enter__(self) -> "Streams":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            return self.close()
        with suppress(Error):  # the program has its error, and shows that
            self.close()

    def __repr__(self) -> str:
        return f"<weir.Streams: {', '.join(self.fields)}>"

    def _shape(self, names: tuple[str, ...]) -> tuple[int, ...]:
        missing = [name for name in names if name not in self.dimensions]
        if missing:
            has = ", ".join(self.dimensions) or "none"
            raise Error(
                Code.ENOTFOUND, f'there is no dimension "{missing[0]}": there are {has}; call createDimension before'
            )
        return tuple(self.dimensions[name] for name in names)


def names_of(dimensions: Sequence[str] | str) -> tuple[str, ...]:
    return (dimensions,) if isinstance(dimensions, str) else tuple(dimensions)
