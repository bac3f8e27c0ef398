! SPDX-License-Identifier: Apache-2.0
!> Handles and constants. The numbers are those of include/weir/weir.h, save where counting from 1 asks for another.
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

  character(*), parameter :: WEIR_VERSION = '0.2.0'
  integer, parameter :: WEIR_MAX_NAME = 257

  ! External types.
  integer(c_int), parameter :: WEIR_BYTE = 1, WEIR_CHAR = 2, WEIR_SHORT = 3, WEIR_INT = 4, WEIR_FLOAT = 5, &
    WEIR_DOUBLE = 6, WEIR_UBYTE = 7, WEIR_USHORT = 8, WEIR_UINT = 9, WEIR_INT64 = 10, WEIR_UINT64 = 11, &
    WEIR_STRING = 12

  ! Codes; weir_strerror gives each in words.
  integer(c_int), parameter :: WEIR_OK = 0, WEIR_EARGUMENT = -1001, WEIR_ESTATE = -1002, WEIR_ECONFIG = -1003, &
    WEIR_EOVERLAP = -1004, WEIR_ECOVER = -1005, WEIR_EMISMATCH = -1006, WEIR_ERANGE = -1007, WEIR_EIO = -1008, &
    WEIR_EFORMAT = -1009, WEIR_ETIMEOUT = -1010, WEIR_EMEMORY = -1011, WEIR_EMPI = -1012, WEIR_ENOTFOUND = -1013, &
    WEIR_EINTERNAL = -1014

  ! Modes of weir_create and weir_open, to be combined with ior().
  integer(c_int), parameter :: WEIR_NOWRITE = 0, WEIR_WRITE = 1, WEIR_CLOBBER = 0, WEIR_NOCLOBBER = 4, &
    WEIR_CDF1 = int(z'10000', c_int), WEIR_CDF2 = int(z'200', c_int), WEIR_CDF5 = int(z'20', c_int), &
    WEIR_NETCDF4 = int(z'1000', c_int), &
    WEIR_ZARR = int(z'100000', c_int)

  ! How the values of a netCDF-4 variable lie in the file.
  integer(c_int), parameter :: WEIR_CHUNKED = 0
  integer(c_int), parameter :: WEIR_NOQUANTIZE = 0, WEIR_QUANTIZE_BITGROOM = 1, WEIR_QUANTIZE_GRANULARBR = 2, &
                               WEIR_QUANTIZE_BITROUND = 3

  ! What becomes of elements that nobody put.
  integer(c_int), parameter :: WEIR_FILL = 0, WEIR_NOFILL = 1, WEIR_COVER = 2

  integer(c_int), parameter :: WEIR_GLOBAL = 0    !< "variable" of the file's own attributes
  integer(c_int), parameter :: WEIR_UNLIMITED = 0 !< length of the record dimension
  integer(c_int), parameter :: WEIR_ABSENT = 0    !< in an offset map: this element of the buffer is not in the file
end module weir_types
