! SPDX-License-Identifier: Apache-2.0
! A Fortran program that defines what Weir's files have not, in a parallel netCDF-4 file that it creates by
! nf90_create(comm=). Rank 0 prints what it gets back.
!
!   fortran FILE CASE   CASE: group, strings, grow
program fortran
  use, intrinsic :: iso_fortran_env, only: real32, real64
  use mpi_f08
  use netcdf
  implicit none
  integer, parameter :: nx = 12, ny = 10, records = 3
  character(200) :: path, which
  integer :: rank, ranks, file, x, y, t, field, other, station, inner, group, first, last, record
  type(MPI_Comm) :: comm
  type(MPI_Info) :: info

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call get_command_argument(1, path)
  call get_command_argument(2, which)
  first = rank*ny/ranks + 1
  last = (rank + 1)*ny/ranks

  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Info_create(info)
  call check(nf90_create(trim(path), ior(NF90_CLOBBER, NF90_NETCDF4), file, comm=comm%mpi_val, info=info%mpi_val))
  call MPI_Info_free(info)
  call MPI_Comm_free(comm)
  call check(nf90_def_dim(file, 'x', nx, x))
  call check(nf90_def_dim(file, 'y', ny, y))
  call check(nf90_def_dim(file, 'time', NF90_UNLIMITED, t))
  call check(nf90_put_att(file, NF90_GLOBAL, 'title', 'from Fortran'))
  call check(nf90_def_var(file, 'field', NF90_FLOAT, [x, y, t], field, chunksizes=[nx, ny, 1], deflate_level=2, &
    shuffle=.true.))
  call check(nf90_put_att(file, field, '_FillValue', -9.0_real32))
  other = -1
  select case (which)
  case ('group')
    call check(nf90_def_grp(file, 'ice', group))
    call check(nf90_def_dim(group, 'layer', 2, station))
    call check(nf90_def_var(group, 'area', NF90_INT, [x, station], inner))
    call check(nf90_put_att(group, inner, 'units', 'm2'))
  case ('strings')
    call check(nf90_def_var(file, 'names', NF90_STRING, [y], other))
    call check(nf90_put_att(file, other, 'long_name', 'names of rows'))
  case ('grow')
    call check(nf90_def_dim(file, 'station', NF90_UNLIMITED, station))
    call check(nf90_def_var(file, 'observed', NF90_DOUBLE, [station, t], other))
  end select
  call check(nf90_enddef(file))
  call check(nf90_var_par_access(file, field, NF90_COLLECTIVE))
  if (which == 'grow') call check(nf90_var_par_access(file, other, NF90_COLLECTIVE))
  if (which == 'group') then
    if (rank == 0) call check(nf90_put_var(group, inner, reshape([(record, record=1, 2*nx)], [nx, 2])))
  end if
  do record = 1, records
    call put_rows()
    if (which == 'grow') call check(nf90_put_var(file, other, [rank + record/8.0_real64], &
      start=[ranks*(record - 1) + rank + 1, record], count=[1, 1]))
  end do
  call check(nf90_sync(file))
  call tell()
  call check(nf90_close(file))
  call MPI_Finalize()

contains

  subroutine put_rows()
    real(real32) :: rows(nx, ny)
    integer :: i
    rows = reshape([(real(100*record + i, real32), i=1, nx*ny)], [nx, ny])
    call check(nf90_put_var(file, field, rows(:, first:last), start=[1, first, record], count=[nx, last - first + 1, 1]))
  end subroutine put_rows

  subroutine tell()
    integer :: dims, variables, attributes, unlimited, length, groups, numbers(4)
    real(real32) :: row(nx)
    call check(nf90_inquire(file, dims, variables, attributes, unlimited))
    call check(nf90_inquire_dimension(file, t, len=length))
    call check(nf90_inq_grps(file, groups, numbers))
    call check(nf90_get_var(file, field, row, start=[1, ny, 2], count=[nx, 1, 1]))
    if (rank == 0) print '(5(i0, 1x), a, f0.1, a, i0)', dims, variables, attributes, groups, length, 'the last value ', row(nx), &
      ' of ', unlimited
    if (which == 'grow') call check(nf90_inquire_dimension(file, station, len=length))
    if (which == 'grow' .and. rank == 0) print '(a, i0)', 'stations ', length
  end subroutine tell

  include '../check.inc'
end program fortran
