# SPDX-License-Identifier: Apache-2.0
"""Made by tools/interfaces from include/weir/types.h: its constants, without their prefix."""

from enum import IntEnum
from typing import Final

# External and memory types; the numbers are netCDF's nc_type. WEIR_STRING is a type of attributes only: texts of any
# length, in netCDF-4 and Zarr.
BYTE: Final = 1
CHAR: Final = 2
SHORT: Final = 3
INT: Final = 4
FLOAT: Final = 5
DOUBLE: Final = 6
UBYTE: Final = 7
USHORT: Final = 8
UINT: Final = 9
INT64: Final = 10
UINT64: Final = 11
STRING: Final = 12

# What functions return: WEIR_OK or what was wrong. weir_strerror gives each in words.
OK: Final = 0

# Modes of weir_create and weir_open, to be combined bit by bit (| or ior). Without a format word Weir takes the oldest
# classic format that can hold the file: CDF-1, else CDF-2, else CDF-5.
NOWRITE: Final = 0x0
WRITE: Final = 0x1
CLOBBER: Final = 0x0
NOCLOBBER: Final = 0x4
CDF1: Final = 0x10000
CDF2: Final = 0x200  # netCDF's 64-bit offset
CDF5: Final = 0x20  # netCDF's 64-bit data
NETCDF4: Final = 0x1000
ZARR: Final = 0x100000  # a folder of version 3

# How the values of a netCDF-4 or Zarr variable lie in the file: the one way that Weir writes.
CHUNKED: Final = 0

# How a variable is quantized: weir_def_var_quantize.
NOQUANTIZE: Final = 0
QUANTIZE_BITGROOM: Final = 1
QUANTIZE_GRANULARBR: Final = 2
QUANTIZE_BITROUND: Final = 3

# What elements hold that no rank put.
FILL: Final = 0  # they hold the variable's _FillValue, or netCDF's default of its type (the default)
NOFILL: Final = 1  # they are left as they are; for a model that puts every element
COVER: Final = 2  # a put that leaves one is an error


class Code(IntEnum):
    """What was wrong: weir_code, without its prefix."""

    EARGUMENT = -1001  # an argument cannot be right
    ESTATE = -1002  # the call comes at the wrong time: before enddef, after close, on a freed handle
    ECONFIG = -1003  # the configuration has an unknown key or an impossible value
    EOVERLAP = -1004  # two ranks hold the same element
    ECOVER = -1005  # no rank holds an element, and the file asks for full cover
    EMISMATCH = -1006  # the ranks do not agree: on a definition, or on what they put
    ERANGE = -1007  # a value does not fit the external type; the fill value was written in its place
    EIO = -1008  # the file system refused
    EFORMAT = -1009  # not a netCDF classic file, or a damaged one, or one of another shape
    ETIMEOUT = -1010  # a rank did not come within `timeout`
    EMEMORY = -1011  # buffer_limit is too small for this, or the machine has no memory left
    EMPI = -1012  # MPI reported an error
    ENOTFOUND = -1013  # no dimension, variable or attribute of that name
    EINTERNAL = -1014  # a defect of Weir
