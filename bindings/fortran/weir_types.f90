! SPDX-License-Identifier: Apache-2.0
!> Handles and constants. The numbers are those of include/weir/types.h, save where counting from 1 asks for another.
module weir_types
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr, c_null_ptr
  implicit none
  private :: c_int, c_ptr, c_null_ptr

  !> One running Weir: made by weir_init, ended by weir_finalize.
  type, bind(C) :: weir_t
    private
    type(c_ptr) :: handle = c_null_ptr
  end type weir_t

  !> One netCDF file: made by weir_create or weir_open, ended by weir_close.
  type, bind(C) :: weir_file
    private
    type(c_ptr) :: handle = c_null_ptr
    type(c_ptr) :: instance = c_null_ptr
  end type weir_file

  ! Made by tools/interfaces from include/weir/weir.h and types.h:
  character(*), parameter :: WEIR_VERSION = '0.2.0'
  integer, parameter :: WEIR_MAX_NAME = 257

  ! External and memory types; the numbers are netCDF's nc_type. WEIR_STRING is a type of attributes only: texts of any
  ! length, in netCDF-4 and Zarr.
  integer(c_int), parameter :: WEIR_BYTE = 1
  integer(c_int), parameter :: WEIR_CHAR = 2
  integer(c_int), parameter :: WEIR_SHORT = 3
  integer(c_int), parameter :: WEIR_INT = 4
  integer(c_int), parameter :: WEIR_FLOAT = 5
  integer(c_int), parameter :: WEIR_DOUBLE = 6
  integer(c_int), parameter :: WEIR_UBYTE = 7
  integer(c_int), parameter :: WEIR_USHORT = 8
  integer(c_int), parameter :: WEIR_UINT = 9
  integer(c_int), parameter :: WEIR_INT64 = 10
  integer(c_int), parameter :: WEIR_UINT64 = 11
  integer(c_int), parameter :: WEIR_STRING = 12

  ! What functions return: WEIR_OK or what was wrong. weir_strerror gives each in words.
  integer(c_int), parameter :: WEIR_OK = 0
  integer(c_int), parameter :: WEIR_EARGUMENT = -1001 !< an argument cannot be right
  integer(c_int), parameter :: WEIR_ESTATE = -1002 !< the call comes at the wrong time: before enddef, after close, on a freed handle
  integer(c_int), parameter :: WEIR_ECONFIG = -1003 !< the configuration has an unknown key or an impossible value
  integer(c_int), parameter :: WEIR_EOVERLAP = -1004 !< two ranks hold the same element
  integer(c_int), parameter :: WEIR_ECOVER = -1005 !< no rank holds an element, and the file asks for full cover
  integer(c_int), parameter :: WEIR_EMISMATCH = -1006 !< the ranks do not agree: on a definition, or on what they put
  integer(c_int), parameter :: WEIR_ERANGE = -1007 !< a value does not fit the external type; the fill value was written in its place
  integer(c_int), parameter :: WEIR_EIO = -1008 !< the file system refused
  integer(c_int), parameter :: WEIR_EFORMAT = -1009 !< not a netCDF classic file, or a damaged one, or one of another shape
  integer(c_int), parameter :: WEIR_ETIMEOUT = -1010 !< a rank did not come within `timeout`
  integer(c_int), parameter :: WEIR_EMEMORY = -1011 !< buffer_limit is too small for this, or the machine has no memory left
  integer(c_int), parameter :: WEIR_EMPI = -1012 !< MPI reported an error
  integer(c_int), parameter :: WEIR_ENOTFOUND = -1013 !< no dimension, variable or attribute of that name
  integer(c_int), parameter :: WEIR_EINTERNAL = -1014 !< a defect of Weir

  ! Modes of weir_create and weir_open, to be combined bit by bit (| or ior). Without a format word Weir takes the
  ! oldest classic format that can hold the file: CDF-1, else CDF-2, else CDF-5.
  integer(c_int), parameter :: WEIR_NOWRITE = 0
  integer(c_int), parameter :: WEIR_WRITE = 1
  integer(c_int), parameter :: WEIR_CLOBBER = 0
  integer(c_int), parameter :: WEIR_NOCLOBBER = 4
  integer(c_int), parameter :: WEIR_CDF1 = int(z'10000', c_int)
  integer(c_int), parameter :: WEIR_CDF2 = int(z'200', c_int) !< netCDF's 64-bit offset
  integer(c_int), parameter :: WEIR_CDF5 = int(z'20', c_int) !< netCDF's 64-bit data
  integer(c_int), parameter :: WEIR_NETCDF4 = int(z'1000', c_int)
  integer(c_int), parameter :: WEIR_ZARR = int(z'100000', c_int) !< a folder of version 3

  ! How the values of a netCDF-4 or Zarr variable lie in the file: the one way that Weir writes.
  integer(c_int), parameter :: WEIR_CHUNKED = 0

  ! How a variable is quantized: weir_def_var_quantize.
  integer(c_int), parameter :: WEIR_NOQUANTIZE = 0
  integer(c_int), parameter :: WEIR_QUANTIZE_BITGROOM = 1
  integer(c_int), parameter :: WEIR_QUANTIZE_GRANULARBR = 2
  integer(c_int), parameter :: WEIR_QUANTIZE_BITROUND = 3

  ! What elements hold that no rank put.
  integer(c_int), parameter :: WEIR_FILL = 0 !< they hold the variable's _FillValue, or netCDF's default of its type (the default)
  integer(c_int), parameter :: WEIR_NOFILL = 1 !< they are left as they are; for a model that puts every element
  integer(c_int), parameter :: WEIR_COVER = 2 !< a put that leaves one is an error
  ! Counting from 1 asks for other values of these:
  integer(c_int), parameter :: WEIR_GLOBAL = 0    !< "variable" of the file's own attributes
  integer(c_int), parameter :: WEIR_UNLIMITED = 0 !< length of the record dimension
  integer(c_int), parameter :: WEIR_ABSENT = 0    !< in an offset map: this element of the buffer is not in the file
end module weir_types
