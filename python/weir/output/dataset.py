# SPDX-License-Identifier: Apache-2.0
"""A netCDF file that all ranks write, in the manner of netCDF4-python."""

import os
from contextlib import suppress
from types import TracebackType
from typing import Any, ClassVar, Final

from mpi4py import MPI

from weir import _output, constants
from weir.errors import Code, Error
from weir.output.elsewhere import check_keywords
from weir.output.layout import Layout
from weir.output.names import ByName
from weir.output.contents import Contents
from weir.output.scope import OWN, parent_of
from weir.output.session import Text, Weir, shared

OPEN_MODES: Final = {"r": constants.NOWRITE, "a": constants.WRITE, "r+": constants.WRITE}
FORMATS: Final = {
    "NETCDF3_CLASSIC": constants.CDF1,
    "NETCDF3_64BIT_OFFSET": constants.CDF2,
    "NETCDF3_64BIT_DATA": constants.CDF5,
    "NETCDF4": constants.NETCDF4,
    "ZARR": constants.ZARR,
}
# netCDF4-python's other names of the same.
ALSO: Final = {"NETCDF3_64BIT": "NETCDF3_64BIT_OFFSET", "NETCDF4_CLASSIC": "NETCDF4"}


class Dataset(Contents):
    """A netCDF file of all ranks of `comm` (default: MPI.COMM_WORLD). Making, defining and closing one is Collective.

    mode     "w": a new file; "x": the same, where none has that name; "a": one that is there, for more records, or a new
             one; "r+": one that is there; "r": to read
    config   Weir's configuration, as weir.Weir takes it
    format   "NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET" or "NETCDF3_64BIT_DATA"; default: the first of them that can
             hold the file, but "NETCDF4" with parallel=True, as netCDF4-python has it. "NETCDF4" and "ZARR" (a folder of
             version 3: call it NAME.zarr) are for compressed variables; netCDF4-python, zarr-python and xarray read them
    weir     a weir.Weir in the place of comm and config
    records  of a file that is there: how many of its records stay. The next commit takes the others away, which a run that
             restarts from an earlier checkpoint finds behind it

    info, encoding and keepweakref are netCDF4-python's and have no effect: MPI's hints are keys of the configuration.

    Definitions end with the first put, and begin again with the next definition. What is put is in the file, for good, after
    sync() or close(). A rank that leaves `with` by an exception tells the others, which get a weir.Error with that rank's
    number; the file is then the one of the last sync(), or gone.
    """

    _own: ClassVar[frozenset[str]] = OWN | {
        "_weir", "_path", "_is_open", "_defining", "_waiting", "is_new", "format_asked", "keepweakref",
        "all_dimensions", "all_variables", "all_groups",
    }  # fmt: skip
    parent: None = None
    cmptypes: ClassVar[dict[str, Any]] = {}
    vltypes: ClassVar[dict[str, Any]] = {}
    enumtypes: ClassVar[dict[str, Any]] = {}
    auto_complex = False
    __orthogonal_indexing__ = True

    def __init__(
        self, filename: Text, mode: str = "r", clobber: bool = True, format: str | None = None, diskless: bool = False,
        persist: bool = False, keepweakref: bool = False, memory: Any = None, encoding: str | None = None,
        parallel: bool = False, comm: MPI.Intracomm | None = None, info: MPI.Info | None = None,
        auto_complex: bool = False, *, config: Text | None = None, weir: Weir | None = None, records: int | None = None,
    ) -> None:  # fmt: skip
        check_keywords({"diskless": diskless, "persist": persist, "memory": memory, "auto_complex": auto_complex})
        asked = "NETCDF4" if parallel and format is None else ALSO.get(format or "", format)
        how = mode.removesuffix("s") if mode in ("rs", "ws", "as", "r+s", "xs") else mode
        mode_word(how, asked, clobber)
        self._weir = shared(comm, config) if weir is None else weir
        self._path = os.fspath(filename)
        if how == "a" and self._weir.comm is not None and not self._weir.comm.bcast(os.path.exists(self._path)):
            how = "w"
        self._is_open = False
        self.is_new = how in "wx"
        self.keepweakref = keepweakref
        if records is not None and how not in ("a", "r+"):
            raise ValueError(f"{self._path}: records is for a file that is there, opened by mode 'a' or 'r+'")
        file = _output.File(self._weir.instance, self._path, mode_word(how, asked, clobber), self.is_new, records)
        super().__init__(self, file, "")
        self._is_open = True
        self._defining = self.is_new
        self.format_asked = asked if self.is_new else self.data_model
        self._waiting = []
        self.all_dimensions, self.all_variables, self.all_groups = ByName(), ByName(), ByName()
        ndims, nvars, natts, _ = self._file.inq()
        for number in range(ndims):
            self.enter_dimension(number)
        for number in range(nvars):
            self.enter_variable(number)
        for number in range(natts):
            self.enter_scope(parent_of(self._file.inq_attname(self._id, number)))
        self._weir.entered(self)

    def set_fill_on(self) -> None:
        """Elements that no rank puts hold the fill value. This is the default."""
        self._file.set_fill(constants.FILL)

    def set_fill_off(self) -> None:
        """They are left as they are: for a program that puts all."""
        self._file.set_fill(constants.NOFILL)

    def set_fill_cover(self) -> None:
        """They are an error of sync() and close()."""
        self._file.set_fill(constants.COVER)

    def ready(self) -> None:
        """Ends the definitions. Collective the first time, which is the first put, if it is not called before."""
        if self._defining:
            self._defining = False
            self._file.enddef()
            self._define_layouts()

    def begin_definition(self) -> str | None:
        """For Weir's own classes: definitions are open afterwards. Returns the format; None: Weir's to choose."""
        if self._is_open and not self._defining:
            self.redef()
        return self.format_asked

    def redef(self) -> None:
        """sync(), then dimensions, variables and attributes can be added, until the next put or ready(). Collective."""
        self.ready()
        self._file.redef()
        self._defining = True

    def sync(self) -> None:
        """What was put is then in the file, for good, and can be read. Collective."""
        self.ready()
        self._file.sync()

    def close(self) -> None:
        """sync(), then the end of the dataset, also after an error. Collective."""
        if not self._is_open:
            return
        self._is_open = False
        self._weir.left(self)
        self._file.close()

    def give_up(self, error: BaseException) -> None:
        """This rank goes no further: closes the file, and the others are told where they meet next. Collective in
        its close."""
        if not self._is_open:
            return
        told = error.code if isinstance(error, Error) else Code.ESTATE
        why = str(error) if isinstance(error, Error) else f"{type(error).__name__}: {error}"
        with suppress(Error):
            self._file.fail(told, f"the program left {self._path} before its end: {why}")
        with suppress(Error):
            self.close()

    def isopen(self) -> bool:
        return self._is_open

    def filepath(self, encoding: str | None = None) -> str:
        return self._path

    def has_blosc_filter(self) -> bool:
        return False

    def has_bzip2_filter(self) -> bool:
        return False

    def has_szip_filter(self) -> bool:
        return False

    @property
    def file_format(self) -> str:
        return self.data_model

    @property
    def disk_format(self) -> str:
        model = self.data_model
        return {"NETCDF4": "HDF5", "ZARR": "ZARR"}.get(model, "NETCDF3")

    @property
    def comm(self) -> MPI.Intracomm:
        """Of the ranks that have it."""
        return MPI.COMM_SELF if self._weir.comm is None else self._weir.comm

    @property
    def rank(self) -> int:
        """This rank's number."""
        return self.comm.rank

    @property
    def data_model(self) -> str:
        """The format, which is chosen when the definitions end."""
        return {1: "NETCDF3_CLASSIC", 2: "NETCDF3_64BIT_OFFSET", 3: "NETCDF4", 5: "NETCDF3_64BIT_DATA", 10: "ZARR"}[
            self._file.inq_format()
        ]

    @property
    def left_out(self) -> dict[str, str]:
        """What a file that was opened has and Weir does not take, by its name, and why."""
        return dict(self._file.inq_left_out())

    def __enter__(self) -> "Dataset":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.close()
        else:
            self.give_up(error)

    def __repr__(self) -> str:
        return f"<weir.Dataset {self._path}: {', '.join(self.variables)}>"

    def require_readable(self) -> None:
        if self._defining:
            raise Error(Code.ESTATE, f"{self._path} cannot be read while it is defined: sync() it first")

    def _called(self) -> str:
        return self._path


def mode_word(mode: str, format: str | None, clobber: bool) -> int:
    """weir.h's mode."""
    if mode in OPEN_MODES:
        return OPEN_MODES[mode]
    if mode not in ("w", "x"):
        raise Error(Code.EARGUMENT, f'the mode is {mode!r}: take "w", "x", "a" or "r"')
    if format is not None and format not in FORMATS:
        raise Error(Code.EARGUMENT, f"format {format!r}: Weir writes {', '.join(FORMATS)}")
    word = 0 if format is None else FORMATS[format]
    return word if clobber and mode == "w" else word | constants.NOCLOBBER
