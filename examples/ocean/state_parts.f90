! SPDX-License-Identifier: Apache-2.0
!> The model's state as the restart file has it: its parts and their names, whatever library writes them.
module state_parts
  use, intrinsic :: iso_fortran_env, only: real64
  use state, only: state_t
  implicit none
  private
  public :: part_t, parts_of

  !> A part of the state and its name in the file: a plane (x, y), or a volume, held as (x, z, y). Halos included.
  type :: part_t
    character(11) :: name
    integer :: ndims
    real(real64), pointer :: plane(:, :) => null(), volume(:, :, :) => null()
    real(real64), pointer, contiguous :: values(:) => null() !< all of it, as it lies in memory
  end type part_t

contains

  function parts_of(s) result(parts)
    type(state_t), intent(in), target :: s
    type(part_t) :: parts(11)
    integer :: last, before

    last = modulo(s%step - 1, 3)
    before = modulo(s%step - 2, 3)
    parts = [plane('h', s%h), plane('u', s%u), plane('v', s%v), &
      plane('dh_last', s%dh(:, :, last)), plane('dh_before', s%dh(:, :, before)), &
      plane('du_last', s%du(:, :, last)), plane('du_before', s%du(:, :, before)), &
      plane('dv_last', s%dv(:, :, last)), plane('dv_before', s%dv(:, :, before)), &
      volume('temperature', s%temperature), volume('age', s%age)]
  end function parts_of

  function plane(name, values)
    character(*), intent(in) :: name
    real(real64), intent(in), target, contiguous :: values(:, :)
    type(part_t) :: plane
    plane%name = name
    plane%ndims = 2
    plane%plane(0:, 0:) => values
    plane%values(1:size(values)) => values
  end function plane

  function volume(name, values)
    character(*), intent(in) :: name
    real(real64), intent(in), target, contiguous :: values(:, :, :)
    type(part_t) :: volume
    volume%name = name
    volume%ndims = 3
    volume%volume(0:, 1:, 0:) => values
    volume%values(1:size(values)) => values
  end function volume

end module state_parts
