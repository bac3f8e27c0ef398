! SPDX-License-Identifier: Apache-2.0
!> Putting data and reading them back (collective, but for weir_get_vara). After a put returns, `values` is the caller's again.
!>   record  from 1; needed where the variable has the record dimension, ignored where it has not.
!>   values  have as many elements as the box, or the layout's memory, and its shape: neighbouring axes may be joined into
!>           one, or one be cut into neighbours (values(nx*ny, nz) for a box of [nx, ny, nz]), and axes of length 1 do
!>           not count. So an array of one dimension always fits, and (ny, nx) is refused where (nx, ny) is meant. Of an
!>           array of assumed size neither is known.
!> Sentences count as Fortran does, from 1 and with the fastest dimension first.
module weir_data
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int32_t, c_int64_t, c_ptr
  use weir_strings, only: text_at
  use weir_types
  implicit none
  private
  public :: weir_put, weir_put_vara, weir_put_var, weir_fail, weir_plan, weir_get, weir_get_vara, weir_get_vara_all
  public :: weir_prefetch

  interface
    !> Puts this rank's part of a variable, of one record of it.
    subroutine weir_put(file, var, layout, values, record, stat, errmsg) bind(C, name='weir_f_put')
      import
      type(weir_file), intent(in) :: file
      integer(c_int), intent(in) :: var, layout
      type(*), dimension(..), contiguous, intent(in) :: values
      integer(c_int), intent(in), optional :: record
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_put

    !> Puts a whole variable, or one record of it, that all ranks hold alike: a time, a coordinate, a scalar.
    subroutine weir_put_var(file, var, values, record, stat, errmsg) bind(C, name='weir_f_put_var')
      import
      type(weir_file), intent(in) :: file
      integer(c_int), intent(in) :: var
      type(*), dimension(..), contiguous, intent(in) :: values
      integer(c_int), intent(in), optional :: record
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_put_var

    !> This rank cannot make the put that the others make: all ranks get `code` and `sentence`, with this rank's number
    !> and the file's path, where they meet next, at the latest at the commit. `stat` gets the code too. Local.
    subroutine weir_fail(file, code, sentence, stat, errmsg) bind(C, name='weir_f_fail')
      import
      type(weir_file), intent(in) :: file
      integer(c_int), intent(in) :: code
      character(kind=c_char, len=*), intent(in) :: sentence
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_fail

    !> Reads one record by layout, each part of the file once for all ranks. Elements of `values` that are absent from
    !> the map or in the halo stay as they are. Ranks may want the same elements, or nothing. Collective.
    subroutine weir_get(file, var, layout, values, record, stat, errmsg) bind(C, name='weir_f_get')
      import
      type(weir_file), intent(in) :: file
      integer(c_int), intent(in) :: var, layout
      type(*), dimension(..), contiguous, intent(inout) :: values
      integer(c_int), intent(in), optional :: record
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_get

    !> Storage is asked to have at hand what weir_get of these variables by this layout will read: call it before the
    !> model sets itself up, get them afterwards. Returns without waiting for what was asked for. Collective.
    subroutine weir_prefetch(file, vars, layout, record, stat, errmsg) bind(C, name='weir_f_prefetch')
      import
      type(weir_file), intent(in) :: file
      integer(c_int), contiguous, intent(in) :: vars(:)
      integer(c_int), intent(in) :: layout
      integer(c_int), intent(in), optional :: record
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_prefetch
  end interface

  !> Puts one box, start(:) and count(:) over all the variable's dimensions, the record dimension last. A count of 0:
  !> this rank has nothing.
  interface weir_put_vara
    subroutine weir_put_vara_int32(file, var, start, count, values, stat, errmsg) bind(C, name='weir_f_put_vara_int32')
      import
      type(weir_file), intent(in) :: file
      integer(c_int), intent(in) :: var
      integer(c_int32_t), contiguous, intent(in) :: start(:), count(:)
      type(*), dimension(..), contiguous, intent(in) :: values
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_put_vara_int32

    subroutine weir_put_vara_int64(file, var, start, count, values, stat, errmsg) bind(C, name='weir_f_put_vara_int64')
      import
      type(weir_file), intent(in) :: file
      integer(c_int), intent(in) :: var
      integer(c_int64_t), contiguous, intent(in) :: start(:), count(:)
      type(*), dimension(..), contiguous, intent(in) :: values
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_put_vara_int64
  end interface weir_put_vara

  !> Reads one box, start(:) and count(:) over all the variable's dimensions, the record dimension last. Local.
  interface weir_get_vara
    subroutine weir_get_vara_int32(file, var, start, count, values, stat, errmsg) bind(C, name='weir_f_get_vara_int32')
      import
      type(weir_file), intent(in) :: file
      integer(c_int), intent(in) :: var
      integer(c_int32_t), contiguous, intent(in) :: start(:), count(:)
      type(*), dimension(..), contiguous, intent(inout) :: values
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_get_vara_int32

    subroutine weir_get_vara_int64(file, var, start, count, values, stat, errmsg) bind(C, name='weir_f_get_vara_int64')
      import
      type(weir_file), intent(in) :: file
      integer(c_int), intent(in) :: var
      integer(c_int64_t), contiguous, intent(in) :: start(:), count(:)
      type(*), dimension(..), contiguous, intent(inout) :: values
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_get_vara_int64
  end interface weir_get_vara

  !> The same where all ranks read, each its box, and each part of the file is read once for all of them. A count of 0:
  !> this rank wants nothing. All ranks that want something get the same records. Collective.
  interface weir_get_vara_all
    subroutine weir_get_vara_all_int32(file, var, start, count, values, stat, errmsg) &
      bind(C, name='weir_f_get_vara_all_int32')
      import
      type(weir_file), intent(in) :: file
      integer(c_int), intent(in) :: var
      integer(c_int32_t), contiguous, intent(in) :: start(:), count(:)
      type(*), dimension(..), contiguous, intent(inout) :: values
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_get_vara_all_int32

    subroutine weir_get_vara_all_int64(file, var, start, count, values, stat, errmsg) &
      bind(C, name='weir_f_get_vara_all_int64')
      import
      type(weir_file), intent(in) :: file
      integer(c_int), intent(in) :: var
      integer(c_int64_t), contiguous, intent(in) :: start(:), count(:)
      type(*), dimension(..), contiguous, intent(inout) :: values
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_get_vara_all_int64
  end interface weir_get_vara_all

  interface
    subroutine plan_json(file, var, layout, json, stat, errmsg) bind(C, name='weir_f_plan')
      import
      type(weir_file), intent(in) :: file
      integer(c_int), intent(in) :: var, layout
      type(c_ptr), intent(out) :: json
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine plan_json
  end interface

contains

  !> The plan of a put as JSON; '' on error. Collective.
  subroutine weir_plan(file, var, layout, json, stat, errmsg)
    type(weir_file), intent(in) :: file
    integer, intent(in) :: var, layout
    character(:), allocatable, intent(out) :: json
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: address

    call plan_json(file, var, layout, address, stat, errmsg)
    json = text_at(address)
  end subroutine weir_plan

end module weir_data
