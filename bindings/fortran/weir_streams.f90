! SPDX-License-Identifier: Apache-2.0
!> Streams: the model sends fields, and the configuration's key `streams` says what becomes of them. weir.h has the whole
!> account. Collective, save weir_field_wanted; a call that ends no interval waits for no rank.
!>   field   from 1, as weir_def_field gives it
!>   values  as in weir_data: of the field's layout as many elements, and its shape; of a scalar one element on rank 0,
!>           and anything on the others. After the call they are the caller's again.
!>   time    in the units and calendar of weir_start_streams
module weir_streams
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int
  use weir_types
  implicit none
  private
  public :: weir_def_field, weir_put_field_att, weir_put_field_att_text, weir_set_field, weir_start_streams, weir_send
  public :: weir_field_wanted

  interface
    !> Defines a field: its name, its type in files (WEIR_FLOAT), the names of its dimensions, and the layout by which
    !> its values are sent. dims: an array of characters, fastest first, each without its trailing blanks:
    !> [character(5) :: 'lon', 'lat', 'depth']. [character(1) ::] for a scalar, whose layout is ignored.
    subroutine weir_def_field(instance, name, type, dims, layout, field, stat, errmsg) bind(C, name='weir_f_def_field')
      import
      type(weir_t), intent(in) :: instance
      character(kind=c_char, len=*), intent(in) :: name
      integer(c_int), intent(in) :: type
      type(*), dimension(..), contiguous, intent(in) :: dims
      integer(c_int), intent(in) :: layout
      integer(c_int), intent(out) :: field
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_def_field

    !> Sets an attribute of a field, or of all files of all streams (WEIR_GLOBAL). values and type: as in weir_put_att.
    subroutine weir_put_field_att(instance, field, name, values, type, stat, errmsg) &
      bind(C, name='weir_f_put_field_att')
      import
      type(weir_t), intent(in) :: instance
      integer(c_int), intent(in) :: field
      character(kind=c_char, len=*), intent(in) :: name
      type(*), dimension(..), contiguous, intent(in) :: values
      integer(c_int), intent(in), optional :: type
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_put_field_att

    !> The text goes into the files as it is, trailing blanks included.
    subroutine weir_put_field_att_text(instance, field, name, text, stat, errmsg) &
      bind(C, name='weir_f_put_field_att_text')
      import
      type(weir_t), intent(in) :: instance
      integer(c_int), intent(in) :: field
      character(kind=c_char, len=*), intent(in) :: name, text
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_put_field_att_text

    !> Gives a fixed field, a coordinate or a mask, this rank's values. They are copied.
    subroutine weir_set_field(instance, field, values, stat, errmsg) bind(C, name='weir_f_set_field')
      import
      type(weir_t), intent(in) :: instance
      integer(c_int), intent(in) :: field
      type(*), dimension(..), contiguous, intent(in) :: values
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_set_field

    !> Ends the definitions and begins the streams. units: 'seconds since 1990-01-01 00:00:00'. start: the time from
    !> which this run computes. calendar: 'noleap'; without it, or blank, 'standard'.
    subroutine weir_start_streams(instance, units, start, calendar, stat, errmsg) bind(C, name='weir_f_start_streams')
      import
      type(weir_t), intent(in) :: instance
      character(kind=c_char, len=*), intent(in) :: units
      real(c_double), intent(in) :: start
      type(*), dimension(..), intent(in), optional :: calendar
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_start_streams

    !> Sends this rank's part of a field as it is at `time`.
    subroutine weir_send(instance, field, time, values, stat, errmsg) bind(C, name='weir_f_send')
      import
      type(weir_t), intent(in) :: instance
      integer(c_int), intent(in) :: field
      real(c_double), intent(in) :: time
      type(*), dimension(..), contiguous, intent(in) :: values
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_send

    subroutine field_wanted_number(instance, field, time, wanted, stat, errmsg) bind(C, name='weir_f_field_wanted')
      import
      type(weir_t), intent(in) :: instance
      integer(c_int), intent(in) :: field
      real(c_double), intent(in) :: time
      integer(c_int), intent(out) :: wanted
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine field_wanted_number
  end interface

contains

  !> Whether a stream takes the field at this time: the model need not compute it else. .true. on error, so that
  !> weir_send says what is wrong. Local.
  function weir_field_wanted(instance, field, time, stat, errmsg) result(wanted)
    type(weir_t), intent(in) :: instance
    integer, intent(in) :: field
    real(c_double), intent(in) :: time
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    logical :: wanted
    integer :: number, code

    call field_wanted_number(instance, field, time, number, code, errmsg)
    wanted = number /= 0 .or. code /= WEIR_OK
    if (present(stat)) stat = code
  end function weir_field_wanted

end module weir_streams
