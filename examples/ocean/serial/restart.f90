! SPDX-License-Identifier: Apache-2.0
!> The restart file, gathered on one rank: as ../restart.f90 does with Weir. The bytes are the same.
module restart
  use, intrinsic :: iso_fortran_env, only: real64
  use netcdf
  use gather, only: gather_volume, gathers
  use grid, only: grid_t
  use output, only: share, writer_t
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
    real(real64), allocatable :: global(:, :, :)
    integer :: file, step_var, vars(11), k
    logical :: mine

    parts = parts_of(s)
    mine = gathers(g%comm)
    stat = NF90_NOERR
    if (mine) then
      stat = nf90_create(trim(path), NF90_CLOBBER, file)
      if (stat == NF90_NOERR) call define_parts(file, g, size(s%age, 2), parts, step_var, vars, stat)
      if (stat == NF90_NOERR) stat = nf90_put_var(file, step_var, s%step)
    end if
    do k = 1, size(parts)
      if (parts(k)%ndims == 2) then
        call gather_volume(g, reshape(parts(k)%plane(1:g%nx, 1:g%ny), [g%nx, 1, g%ny]), global)
        if (mine .and. stat == NF90_NOERR) stat = nf90_put_var(file, vars(k), global(:, :, 1))
      else
        call gather_volume(g, parts(k)%volume(1:g%nx, :, 1:g%ny), global)
        if (mine .and. stat == NF90_NOERR) stat = nf90_put_var(file, vars(k), global)
      end if
    end do
    if (mine .and. stat == NF90_NOERR) stat = nf90_close(file)
    call share(g%comm, stat, trim(path), errmsg)
  end subroutine write_restart

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
