! SPDX-License-Identifier: Apache-2.0
!> The interface of CFIO2 (Wang & Huang 2025, section 4, table 3) over Weir: include/cfio2.h in Fortran, with the same
!> contracts.
!>   comm     an integer, of mpif.h and module mpi, or a type(MPI_Comm) of mpi_f08
!>   indices  start counts from 1. Dimensions are listed slowest first, as in C and as CFIO2 has them: for an array
!>            data(nx, ny, nz) give "Z", "Y", "X". The integers are of kind int32 or int64, all of a call alike.
!>   append   an integer (0 or 1) or a logical
!>   stat, errmsg  0 or a weir_code, and the sentence where it is not 0. Without `stat` an error is told by the next call
!>            that has one, at the latest by cfio2_wait_output or cfio2_finalize.
module cfio2
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_f_pointer, c_float, c_int, c_int16_t, c_int32_t, &
    c_int64_t, c_int8_t, c_ptr, c_size_t
  implicit none
  private
  public :: cfio2_init, cfio2_put_vara, cfio2_wait_output, cfio2_finalize
  public :: cfio2_put_att, cfio2_put_att_text, cfio2_control_process, cfio2_error

  ! The types of data. The short names of the first three are those of CFIO2's Fortran module.
  integer, parameter, public :: cfio2_data_type_int = 0, cfio2_data_type_float = 1, cfio2_data_type_double = 2, &
    cfio2_data_type_byte = 3, cfio2_data_type_char = 4, cfio2_data_type_short = 5, cfio2_data_type_ubyte = 6, &
    cfio2_data_type_ushort = 7, cfio2_data_type_uint = 8, cfio2_data_type_int64 = 9, cfio2_data_type_uint64 = 10
  integer, parameter, public :: cfio2_int = 0, cfio2_float = 1, cfio2_double = 2, cfio2_byte = 3, cfio2_char = 4, &
    cfio2_short = 5, cfio2_ubyte = 6, cfio2_ushort = 7, cfio2_uint = 8, cfio2_int64 = 9, cfio2_uint64 = 10

  interface
    subroutine cfio2_init(comm, IO_process_per_node, IO_process_per_var, stat, errmsg) bind(C, name='cfio2_f_init')
      import
      type(*), dimension(..), intent(in) :: comm
      integer(c_int), intent(in) :: IO_process_per_node, IO_process_per_var
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine cfio2_init

    subroutine cfio2_wait_output(comm, stat, errmsg) bind(C, name='cfio2_f_wait_output')
      import
      type(*), dimension(..), intent(in) :: comm
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine cfio2_wait_output

    subroutine cfio2_finalize(comm, stat, errmsg) bind(C, name='cfio2_f_finalize')
      import
      type(*), dimension(..), intent(in) :: comm
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine cfio2_finalize

    !> var_name '': an attribute of the file. The kind of the values gives its type.
    subroutine cfio2_put_att(comm, filename, var_name, name, values, stat, errmsg) bind(C, name='cfio2_f_put_att')
      import
      type(*), dimension(..), intent(in) :: comm
      character(kind=c_char, len=*), intent(in) :: filename, var_name, name
      type(*), dimension(..), contiguous, intent(in) :: values
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine cfio2_put_att

    subroutine cfio2_put_att_text(comm, filename, var_name, name, text, stat, errmsg) bind(C, name='cfio2_f_put_att')
      import
      type(*), dimension(..), intent(in) :: comm
      character(kind=c_char, len=*), intent(in) :: filename, var_name, name, text
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine cfio2_put_att_text

    function control_process(comm) bind(C, name='cfio2_f_control_process')
      import
      type(*), dimension(..), intent(in) :: comm
      integer(c_int) :: control_process
    end function control_process

    function last_error() bind(C, name='cfio2_error')
      import
      type(c_ptr) :: last_error
    end function last_error

    pure function strlen(address) bind(C, name='strlen')
      import
      type(c_ptr), value :: address
      integer(c_size_t) :: strlen
    end function strlen
  end interface

  !> Puts this rank's part of a variable; see cfio2.h. buf: an array of the part's elements, of the kind that `datatype`
  !> says (or of its size, for unsigned types), or its c_loc, as CFIO2 wants it.
  interface cfio2_put_vara
    subroutine put_int8(comm, filename, var_name, datatype, dim_name, global, start, count, buf, append, stat, errmsg) &
      bind(C, name='cfio2_f_put_vara')
      import
      type(*), dimension(..), intent(in) :: comm, append
      character(kind=c_char, len=*), intent(in) :: filename, var_name
      integer(c_int), intent(in) :: datatype
      character(kind=c_char, len=*), contiguous, intent(in) :: dim_name(:)
      type(*), dimension(..), contiguous, intent(in) :: global, start, count
      integer(c_int8_t), dimension(..), contiguous, intent(in) :: buf
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine put_int8

    subroutine put_int16(comm, filename, var_name, datatype, dim_name, global, start, count, buf, append, stat, errmsg) &
      bind(C, name='cfio2_f_put_vara')
      import
      type(*), dimension(..), intent(in) :: comm, append
      character(kind=c_char, len=*), intent(in) :: filename, var_name
      integer(c_int), intent(in) :: datatype
      character(kind=c_char, len=*), contiguous, intent(in) :: dim_name(:)
      type(*), dimension(..), contiguous, intent(in) :: global, start, count
      integer(c_int16_t), dimension(..), contiguous, intent(in) :: buf
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine put_int16

    subroutine put_int32(comm, filename, var_name, datatype, dim_name, global, start, count, buf, append, stat, errmsg) &
      bind(C, name='cfio2_f_put_vara')
      import
      type(*), dimension(..), intent(in) :: comm, append
      character(kind=c_char, len=*), intent(in) :: filename, var_name
      integer(c_int), intent(in) :: datatype
      character(kind=c_char, len=*), contiguous, intent(in) :: dim_name(:)
      type(*), dimension(..), contiguous, intent(in) :: global, start, count
      integer(c_int32_t), dimension(..), contiguous, intent(in) :: buf
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine put_int32

    subroutine put_int64(comm, filename, var_name, datatype, dim_name, global, start, count, buf, append, stat, errmsg) &
      bind(C, name='cfio2_f_put_vara')
      import
      type(*), dimension(..), intent(in) :: comm, append
      character(kind=c_char, len=*), intent(in) :: filename, var_name
      integer(c_int), intent(in) :: datatype
      character(kind=c_char, len=*), contiguous, intent(in) :: dim_name(:)
      type(*), dimension(..), contiguous, intent(in) :: global, start, count
      integer(c_int64_t), dimension(..), contiguous, intent(in) :: buf
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine put_int64

    subroutine put_real32(comm, filename, var_name, datatype, dim_name, global, start, count, buf, append, stat, errmsg) &
      bind(C, name='cfio2_f_put_vara')
      import
      type(*), dimension(..), intent(in) :: comm, append
      character(kind=c_char, len=*), intent(in) :: filename, var_name
      integer(c_int), intent(in) :: datatype
      character(kind=c_char, len=*), contiguous, intent(in) :: dim_name(:)
      type(*), dimension(..), contiguous, intent(in) :: global, start, count
      real(c_float), dimension(..), contiguous, intent(in) :: buf
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine put_real32

    subroutine put_real64(comm, filename, var_name, datatype, dim_name, global, start, count, buf, append, stat, errmsg) &
      bind(C, name='cfio2_f_put_vara')
      import
      type(*), dimension(..), intent(in) :: comm, append
      character(kind=c_char, len=*), intent(in) :: filename, var_name
      integer(c_int), intent(in) :: datatype
      character(kind=c_char, len=*), contiguous, intent(in) :: dim_name(:)
      type(*), dimension(..), contiguous, intent(in) :: global, start, count
      real(c_double), dimension(..), contiguous, intent(in) :: buf
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine put_real64

    subroutine put_text(comm, filename, var_name, datatype, dim_name, global, start, count, buf, append, stat, errmsg) &
      bind(C, name='cfio2_f_put_vara')
      import
      type(*), dimension(..), intent(in) :: comm, append
      character(kind=c_char, len=*), intent(in) :: filename, var_name
      integer(c_int), intent(in) :: datatype
      character(kind=c_char, len=*), contiguous, intent(in) :: dim_name(:)
      type(*), dimension(..), contiguous, intent(in) :: global, start, count
      character(kind=c_char, len=*), dimension(..), contiguous, intent(in) :: buf
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine put_text

    subroutine put_address(comm, filename, var_name, datatype, dim_name, global, start, count, buf, append, stat, errmsg) &
      bind(C, name='cfio2_f_put_vara_address')
      import
      type(*), dimension(..), intent(in) :: comm, append
      character(kind=c_char, len=*), intent(in) :: filename, var_name
      integer(c_int), intent(in) :: datatype
      character(kind=c_char, len=*), contiguous, intent(in) :: dim_name(:)
      type(*), dimension(..), contiguous, intent(in) :: global, start, count
      type(c_ptr), value :: buf
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine put_address
  end interface cfio2_put_vara

contains

  !> .true. on a rank that has served inside cfio2_init. Local.
  logical function cfio2_control_process(comm)
    type(*), dimension(..), intent(in) :: comm
    cfio2_control_process = control_process(comm) /= 0
  end function cfio2_control_process

  !> The sentence of the last call that failed; '' where the last call did not. Local.
  function cfio2_error() result(text)
    character(:), allocatable :: text
    character(kind=c_char), pointer :: characters(:)
    type(c_ptr) :: address
    integer :: i

    address = last_error()
    call c_f_pointer(address, characters, [strlen(address)])
    allocate (character(size(characters)) :: text)
    do i = 1, size(characters)
      text(i:i) = characters(i)
    end do
  end function cfio2_error

end module cfio2
