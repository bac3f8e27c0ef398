! SPDX-License-Identifier: Apache-2.0
!> The contents of the restart file, in netCDF's calls, and how every rank reads it, for the parallel restart (restart.f90)
!> and the gathered one (../serial/restart.f90).
module restart_file
  use netcdf
  use grid, only: grid_t
  use halo, only: exchange_halo, plane_field, volume_field
  use state, only: state_t
  use state_parts, only: part_t, parts_of
  implicit none
  private
  public :: define_parts, read_parts

contains

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

end module restart_file
