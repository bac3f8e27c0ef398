! SPDX-License-Identifier: Apache-2.0
!> Asking about a file. Local: any rank, any time.
module weir_inquiry
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int32_t, c_int64_t
  use weir_types
  implicit none
  private
  public :: weir_inq, weir_inq_nrecords, weir_inq_dimid, weir_inq_dim, weir_inq_varid, weir_inq_var, weir_inq_attname
  public :: weir_inq_att, weir_get_att, weir_inq_format, weir_inq_unlimdims, weir_inq_left_out

  interface
    !> record_dim: 0 where the file has none.
    subroutine weir_inq(file, ndims, nvars, natts, record_dim, stat, errmsg) bind(C, name='weir_f_inq')
      import
      type(weir_file), intent(in) :: file
      integer(c_int), intent(out), optional :: ndims, nvars, natts, record_dim, stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_inq

    !> The record dimension and those of weir_def_dim_unlimited: dims(1:ndims).
    subroutine weir_inq_unlimdims(file, ndims, dims, stat, errmsg) bind(C, name='weir_f_inq_unlimdims')
      import
      type(weir_file), intent(in) :: file
      integer(c_int), intent(out), optional :: ndims
      integer(c_int), contiguous, intent(inout), optional :: dims(:)
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_inq_unlimdims

    subroutine weir_inq_dimid(file, name, dim, stat, errmsg) bind(C, name='weir_f_inq_dimid')
      import
      type(weir_file), intent(in) :: file
      character(kind=c_char, len=*), intent(in) :: name
      integer(c_int), intent(out) :: dim
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_inq_dimid

    subroutine weir_inq_varid(file, name, var, stat, errmsg) bind(C, name='weir_f_inq_varid')
      import
      type(weir_file), intent(in) :: file
      character(kind=c_char, len=*), intent(in) :: name
      integer(c_int), intent(out) :: var
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_inq_varid

    !> dims(1:ndims) gets the dimensions, fastest first; its other elements stay as they are.
    subroutine weir_inq_var(file, var, name, type, ndims, dims, natts, stat, errmsg) bind(C, name='weir_f_inq_var')
      import
      type(weir_file), intent(in) :: file
      integer(c_int), intent(in) :: var
      type(*), dimension(..), intent(inout), optional :: name
      integer(c_int), intent(out), optional :: type, ndims
      integer(c_int), contiguous, intent(inout), optional :: dims(:)
      integer(c_int), intent(out), optional :: natts, stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_inq_var

    !> What a file that was opened has and Weir does not number: names(1:count), arrays of characters, and why.
    subroutine weir_inq_left_out(file, count, names, reasons, stat, errmsg) bind(C, name='weir_f_inq_left_out')
      import
      type(weir_file), intent(in) :: file
      integer(c_int), intent(out), optional :: count
      type(*), dimension(..), contiguous, intent(inout), optional :: names, reasons
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_inq_left_out

    !> The name of attribute `number`, from 1.
    subroutine weir_inq_attname(file, var, number, name, stat, errmsg) bind(C, name='weir_f_inq_attname')
      import
      type(weir_file), intent(in) :: file
      integer(c_int), intent(in) :: var, number
      character(kind=c_char, len=*), intent(inout) :: name
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_inq_attname

    subroutine weir_inq_att(file, var, name, type, count, stat, errmsg) bind(C, name='weir_f_inq_att')
      import
      type(weir_file), intent(in) :: file
      integer(c_int), intent(in) :: var
      character(kind=c_char, len=*), intent(in) :: name
      integer(c_int), intent(out), optional :: type
      integer(c_int64_t), intent(out), optional :: count
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_inq_att

    !> values: of the attribute's kind (an unsigned type's is the signed one of its size) and at least of its length; a
    !> text is padded with blanks, further numbers stay as they are. Strings: an array of characters, or one text for one.
    subroutine weir_get_att(file, var, name, values, stat, errmsg) bind(C, name='weir_f_get_att')
      import
      type(weir_file), intent(in) :: file
      integer(c_int), intent(in) :: var
      character(kind=c_char, len=*), intent(in) :: name
      type(*), dimension(..), contiguous, intent(inout) :: values
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_get_att

    !> The file's format: 1, 2 or 5.
    subroutine weir_inq_format(file, format, stat, errmsg) bind(C, name='weir_f_inq_format')
      import
      type(weir_file), intent(in) :: file
      integer(c_int), intent(out) :: format
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_inq_format
  end interface

  interface weir_inq_dim
    subroutine weir_inq_dim_int32(file, dim, length, name, stat, errmsg) bind(C, name='weir_f_inq_dim_int32')
      import
      type(weir_file), intent(in) :: file
      integer(c_int), intent(in) :: dim
      integer(c_int32_t), intent(out) :: length
      type(*), dimension(..), intent(inout), optional :: name
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_inq_dim_int32

    subroutine weir_inq_dim_int64(file, dim, length, name, stat, errmsg) bind(C, name='weir_f_inq_dim_int64')
      import
      type(weir_file), intent(in) :: file
      integer(c_int), intent(in) :: dim
      integer(c_int64_t), intent(out) :: length
      type(*), dimension(..), intent(inout), optional :: name
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_inq_dim_int64
  end interface weir_inq_dim

  !> Records in the file: committed and put.
  interface weir_inq_nrecords
    subroutine weir_inq_nrecords_int32(file, records, stat, errmsg) bind(C, name='weir_f_inq_nrecords_int32')
      import
      type(weir_file), intent(in) :: file
      integer(c_int32_t), intent(out) :: records
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_inq_nrecords_int32

    subroutine weir_inq_nrecords_int64(file, records, stat, errmsg) bind(C, name='weir_f_inq_nrecords_int64')
      import
      type(weir_file), intent(in) :: file
      integer(c_int64_t), intent(out) :: records
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_inq_nrecords_int64
  end interface weir_inq_nrecords
end module weir_inquiry
