! SPDX-License-Identifier: Apache-2.0
!> The restart file, written with PnetCDF: as ../restart.f90 does with Weir.
module restart
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  use pnetcdf
  use grid, only: grid_t
  use halo, only: exchange_halo, plane_field, volume_field
  use output, only: create_file, offset, writer_t
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
    integer :: file, dims(3), step_var, step, vars(11), k

    parts = parts_of(s)
    call create_file(writer, trim(path), file, stat)
    if (stat == NF90_NOERR) stat = nf90mpi_def_dim(file, 'x', offset(g%global_nx), dims(1))
    if (stat == NF90_NOERR) stat = nf90mpi_def_dim(file, 'y', offset(g%global_ny), dims(2))
    if (stat == NF90_NOERR) stat = nf90mpi_def_dim(file, 'z', offset(size(s%age, 2)), dims(3))
    if (stat == NF90_NOERR) stat = nf90mpi_def_var(file, 'step', NF90_INT, step_var)
    do k = 1, size(parts)
      if (stat == NF90_NOERR) &
        stat = nf90mpi_def_var(file, trim(parts(k)%name), NF90_DOUBLE, dims(:parts(k)%ndims), vars(k))
    end do
    if (stat == NF90_NOERR) stat = nf90mpi_enddef(file)

    step = s%step
    if (stat == NF90_NOERR) stat = nf90mpi_put_var_all(file, step_var, step)
    do k = 1, size(parts)
      if (stat == NF90_NOERR) stat = put_part(file, vars(k), parts(k), g)
    end do
    if (stat == NF90_NOERR) stat = nf90mpi_close(file)
    if (stat /= NF90_NOERR) errmsg = trim(path)//': '//nf90mpi_strerror(stat)
  end subroutine write_restart

  !> PnetCDF swaps bytes in the caller's buffer, so it gets a copy.
  integer function put_part(file, var, part, g) result(stat)
    integer, intent(in) :: file, var
    type(part_t), intent(in) :: part
    type(grid_t), intent(in) :: g
    real(real64), allocatable :: plane(:, :), volume(:, :, :)
    integer :: nz

    if (part%ndims == 2) then
      plane = part%plane(1:g%nx, 1:g%ny)
      stat = nf90mpi_put_var_all(file, var, plane, start=offset([g%offset_x + 1, g%offset_y + 1]), &
        count=offset([g%nx, g%ny]))
    else
      nz = size(part%volume, 2)
      volume = part%volume(1:g%nx, :, 1:g%ny)
      stat = nf90mpi_put_var_all(file, var, volume, start=offset([g%offset_x + 1, g%offset_y + 1, 1]), &
        count=offset([g%nx, g%ny, nz]), map=offset([1, g%nx*nz, g%nx]))
    end if
  end function put_part

  !> Collective. The file may come from any number of ranks; its
  !> grid must be this run's.
  subroutine read_restart(writer, path, g, s, stat, errmsg)
    type(writer_t), intent(in) :: writer
    character(*), intent(in) :: path
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout), target :: s
    integer, intent(out) :: stat
    character(*), intent(inout) :: errmsg
    type(part_t) :: parts(11)
    integer :: file, var, k

    stat = nf90mpi_open(writer%comm%mpi_val, trim(path), NF90_NOWRITE, MPI_INFO_NULL%mpi_val, file)
    if (stat == NF90_NOERR) stat = nf90mpi_inq_varid(file, 'step', var)
    if (stat == NF90_NOERR) stat = nf90mpi_get_var_all(file, var, s%step)
    if (stat == NF90_NOERR) then
      parts = parts_of(s)
      do k = 1, size(parts)
        if (stat == NF90_NOERR) stat = nf90mpi_inq_varid(file, trim(parts(k)%name), var)
        if (stat == NF90_NOERR) stat = get_part(file, var, parts(k), g)
      end do
    end if
    if (stat == NF90_NOERR) stat = nf90mpi_close(file)
    if (stat /= NF90_NOERR) errmsg = trim(path)//': '//nf90mpi_strerror(stat)
    call exchange_halo(g, [plane_field(s%h), plane_field(s%u), plane_field(s%v)])
    call exchange_halo(g, [volume_field(s%temperature), volume_field(s%age)])
  end subroutine read_restart

  integer function get_part(file, var, part, g) result(stat)
    integer, intent(in) :: file, var
    type(part_t), intent(in) :: part
    type(grid_t), intent(in) :: g
    integer :: nz

    if (part%ndims == 2) then
      stat = nf90mpi_get_var_all(file, var, part%plane(1:g%nx, 1:g%ny), &
        start=offset([g%offset_x + 1, g%offset_y + 1]), &
        count=offset([g%nx, g%ny]))
    else
      nz = size(part%volume, 2)
      stat = nf90mpi_get_var_all(file, var, part%volume(1:g%nx, :, 1:g%ny), &
        start=offset([g%offset_x + 1, g%offset_y + 1, 1]), &
        count=offset([g%nx, g%ny, nz]), map=offset([1, g%nx*nz, g%nx]))
    end if
  end function get_part

end module restart
