! SPDX-License-Identifier: Apache-2.0
!> What is in the restart file, in netCDF's calls, and how every rank reads it: of the parallel restart (restart.f90) and
!> of the gathered one (../serial/restart.f90).
module parts_of_state
  use, intrinsic :: iso_fortran_env, only: real64
  use netcdf
  use grid, only: grid_t
  use halo, only: exchange_halo, plane_field, volume_field
  use state, only: state_t
  implicit none
  private
  public :: part_t, parts_of, define_parts, read_parts

  !> A part of the state and its name in the file: a plane (x, y), or a volume, held as (x, z, y). Halos included.
  type :: part_t
    character(11) :: name
    integer :: ndims
    real(real64), pointer :: plane(:, :) => null(), volume(:, :, :) => null()
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
    real(real64), intent(in), target :: values(:, :)
    type(part_t) :: plane
    plane%name = name
    plane%ndims = 2
    plane%plane(0:, 0:) => values
  end function plane

  function volume(name, values)
    character(*), intent(in) :: name
    real(real64), intent(in), target :: values(:, :, :)
    type(part_t) :: volume
    volume%name = name
    volume%ndims = 3
    volume%volume(0:, 1:, 0:) => values
  end function volume

  !> The definitions of the file; ends with nf90_enddef. `vars`: of the parts, in their order.
  subroutine define_parts(file, g, nz, parts, step_var, vars, stat)
    integer, intent(in) :: file, nz
    type(grid_t), intent(in) :: g
    type(part_t), intent(in) :: parts(:)
    integer, intent(out) :: step_var, vars(:), stat
    integer :: dims(3), k

    stat = nf90_def_dim(file, 'x', g%global_nx, dims(1))
    if (stat == NF90_NOERR) stat = nf90_def_dim(file, 'y', g%global_ny, dims(2))
    if (stat == NF90_NOERR) stat = nf90_def_dim(file, 'z', nz, dims(3))
    if (stat == NF90_NOERR) stat = nf90_def_var(file, 'step', NF90_INT, step_var)
    do k = 1, size(parts)
      if (stat == NF90_NOERR) &
        stat = nf90_def_var(file, trim(parts(k)%name), NF90_DOUBLE, dims(:parts(k)%ndims), vars(k))
    end do
    if (stat == NF90_NOERR) stat = nf90_enddef(file)
  end subroutine define_parts

  !> Collective, since halos are exchanged; every rank reads for itself. The file may come from any number of ranks; its
  !> grid must be this run's.
  subroutine read_parts(path, g, s, stat, errmsg)
    character(*), intent(in) :: path
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout), target :: s
    integer, intent(out) :: stat
    character(*), intent(inout) :: errmsg
    type(part_t) :: parts(11)
    integer :: file, var, k

    stat = nf90_open(trim(path), NF90_NOWRITE, file)
    if (stat == NF90_NOERR) stat = nf90_inq_varid(file, 'step', var)
    if (stat == NF90_NOERR) stat = nf90_get_var(file, var, s%step)
    if (stat == NF90_NOERR) then
      parts = parts_of(s)
      do k = 1, size(parts)
        if (stat == NF90_NOERR) stat = nf90_inq_varid(file, trim(parts(k)%name), var)
        if (stat == NF90_NOERR) stat = get_part(file, var, parts(k), g)
      end do
    end if
    if (stat == NF90_NOERR) stat = nf90_close(file)
    if (stat /= NF90_NOERR) errmsg = trim(path)//': '//nf90_strerror(stat)
    call exchange_halo(g, [plane_field(s%h), plane_field(s%u), plane_field(s%v)])
    call exchange_halo(g, [volume_field(s%temperature), volume_field(s%age)])
  end subroutine read_parts

  integer function get_part(file, var, part, g) result(stat)
    integer, intent(in) :: file, var
    type(part_t), intent(in) :: part
    type(grid_t), intent(in) :: g
    integer :: nz

    if (part%ndims == 2) then
      stat = nf90_get_var(file, var, part%plane(1:g%nx, 1:g%ny), start=[g%offset_x + 1, g%offset_y + 1], &
        count=[g%nx, g%ny])
    else
      nz = size(part%volume, 2)
      stat = nf90_get_var(file, var, part%volume(1:g%nx, :, 1:g%ny), start=[g%offset_x + 1, g%offset_y + 1, 1], &
        count=[g%nx, g%ny, nz], map=[1, g%nx*nz, g%nx])
    end if
  end function get_part

end module parts_of_state
