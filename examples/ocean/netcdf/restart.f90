! SPDX-License-Identifier: Apache-2.0
!> The restart file, written with netCDF's parallel calls: as ../restart.f90 does with Weir. The bytes are the same.
module restart
  use netcdf
  use grid, only: grid_t
  use output, only: create_file, take_all_together, writer_t
  use restart_file, only: define_parts, read_parts
  use state, only: state_t
  use state_parts, only: part_t, parts_of
  implicit none
  private
  public :: write_restart, read_restart

contains

  !> Collective.
  subroutine write_restart(writer, path, g, s, stat, errmsg)
    type(writer_t), intent(in) :: writer
    character(*), intent(in) :: path
    type(grid_t), intent(in) :: g
    type(state_t), intent(in), target :: s
    integer, intent(out) :: stat
    character(*), intent(inout) :: errmsg
    type(part_t) :: parts(11)
    integer :: file, step_var, vars(11), k

    parts = parts_of(s)
    call create_file(writer, trim(path), file, stat)
    if (stat == NF90_NOERR) call define_parts(file, g, size(s%age, 2), parts, step_var, vars, stat)
    if (stat == NF90_NOERR) call take_all_together(file, stat)

    if (stat == NF90_NOERR) stat = nf90_put_var(file, step_var, s%step)
    do k = 1, size(parts)
      if (stat == NF90_NOERR) stat = put_part(file, vars(k), parts(k), g)
    end do
    if (stat == NF90_NOERR) stat = nf90_close(file)
    if (stat /= NF90_NOERR) errmsg = trim(path)//': '//nf90_strerror(stat)
  end subroutine write_restart

  integer function put_part(file, var, part, g) result(stat)
    integer, intent(in) :: file, var
    type(part_t), intent(in) :: part
    type(grid_t), intent(in) :: g
    integer :: nz

    if (part%ndims == 2) then
      stat = nf90_put_var(file, var, part%plane(1:g%nx, 1:g%ny), start=[g%offset_x + 1, g%offset_y + 1], &
        count=[g%nx, g%ny])
    else
      nz = size(part%volume, 2)
      stat = nf90_put_var(file, var, part%volume(1:g%nx, :, 1:g%ny), start=[g%offset_x + 1, g%offset_y + 1, 1], &
        count=[g%nx, g%ny, nz], map=[1, g%nx*nz, g%nx])
    end if
  end function put_part

  !> Collective.
  subroutine read_restart(writer, path, g, s, stat, errmsg)
    type(writer_t), intent(in) :: writer
    character(*), intent(in) :: path
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout), target :: s
    integer, intent(out) :: stat
    character(*), intent(inout) :: errmsg

    call read_parts(path, g, s, stat, errmsg)
  end subroutine read_restart

end module restart
