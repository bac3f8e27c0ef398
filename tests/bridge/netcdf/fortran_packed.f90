! SPDX-License-Identifier: Apache-2.0
! A Fortran program that writes compressed netCDF-4 as UFS's write component does: definitions, some coordinates, more
! definitions, then fields, each rank its part; the time by one rank. Then it opens the file again, for one record more and
! a definition. By nf90_create and nf90_open alone on one rank, or, where it is given a second argument, for its
! communicator.
program fortran_packed
  use, intrinsic :: iso_fortran_env, only: int16, real32, real64
  use mpi_f08
  use netcdf
  implicit none
  integer, parameter :: nx = 40, ny = 12, nz = 3, records = 3
  character(200) :: path
  integer :: rank, ranks, file, x, y, z, t, first, last, i, k, old_mode, length
  integer :: x_var, z_var, t_var, temp, wind, codes, title
  integer :: chunks(4), level
  logical :: shuffle, checked, together
  real(real32) :: field(nx, ny, nz)
  real(real64) :: sums(2)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call get_command_argument(1, path)
  together = command_argument_count() > 1
  if (together) then
    call check(nf90_create(trim(path), ior(ior(NF90_CLOBBER, NF90_NETCDF4), NF90_CLASSIC_MODEL), file, &
      comm=MPI_COMM_WORLD%mpi_val, info=MPI_INFO_NULL%mpi_val))
  else
    call check(nf90_create(trim(path), ior(ior(NF90_CLOBBER, NF90_NETCDF4), NF90_CLASSIC_MODEL), file))
  end if
  call check(nf90_set_fill(file, NF90_NOFILL, old_mode))
  call check(nf90_def_dim(file, 'x', nx, x))
  call check(nf90_def_dim(file, 'y', ny, y))
  call check(nf90_def_var(file, 'x', NF90_DOUBLE, x, x_var))
  call check(nf90_enddef(file))
  call access_together(x_var)
  call check(nf90_put_var(file, x_var, [(i*0.25_real64, i=1, nx)]))
  call check(nf90_redef(file))
  call check(nf90_put_att(file, x_var, 'cartesian_axis', 'X'))
  call check(nf90_def_dim(file, 'z', nz, z))
  call check(nf90_def_dim(file, 'time', NF90_UNLIMITED, t))
  call check(nf90_def_var(file, 'z', NF90_FLOAT, z, z_var))
  call check(nf90_enddef(file))
  call access_together(z_var)
  call check(nf90_put_var(file, z_var, [1.0_real32, 5.0_real32, 25.0_real32]))
  call check(nf90_redef(file))
  call check(nf90_def_var(file, 'time', NF90_DOUBLE, t, t_var))
  call check(nf90_put_att(file, t_var, 'units', 'hours'))
  call check(nf90_def_var(file, 'temp', NF90_FLOAT, [x, y, z, t], temp, chunksizes=[nx/2, ny, 1, 1], shuffle=.true., &
    deflate_level=2))
  call check(nf90_def_var(file, 'wind', NF90_FLOAT, [x, y, t], wind, fletcher32=.true., chunksizes=[nx, ny, 1]))
  call check(nf90_put_att(file, wind, 'missing_value', 9.99e20_real32))
  call check(nf90_def_var(file, 'codes', NF90_SHORT, [x, y], codes))
  call check(nf90_def_var(file, 'title', NF90_CHAR, [x], title))
  call check(nf90_put_att(file, NF90_GLOBAL, 'source', 'Fortran'))
  call check(nf90_enddef(file))
  call access_together(temp)
  call access_together(wind)

  first = rank*nx/ranks + 1
  last = (rank + 1)*nx/ranks
  call check(nf90_put_var(file, codes, reshape([(int(i, int16), i=ny*(first - 1) + 1, ny*last)], [last - first + 1, ny], &
    order=[2, 1]), start=[first, 1], count=[last - first + 1, ny]))
  if (rank == 0) call check(nf90_put_var(file, title, 'as the model says'))
  do k = 1, records
    if (rank == 0) call check(nf90_put_var(file, t_var, [6.0_real64*k], start=[k], count=[1]))
    field = reshape([(real(i, real32)/8 + k, i=1, nx*ny*nz)], [nx, ny, nz])
    call check(nf90_put_var(file, temp, field(first:last, :, :), start=[first, 1, 1, k], &
      count=[last - first + 1, ny, nz, 1]))
    call check(nf90_put_var(file, wind, real(field(first:last, :, 1), real64)*2, start=[first, 1, k], &
      count=[last - first + 1, ny, 1]))
  end do
  call check(nf90_sync(file))
  call check(nf90_inquire_dimension(file, t, len=length))
  call check(nf90_inquire_variable(file, temp, chunksizes=chunks, deflate_level=level, shuffle=shuffle))
  call check(nf90_inquire_variable(file, wind, fletcher32=checked))
  call check(nf90_get_var(file, temp, field, start=[1, 1, 1, 2], count=[nx, ny, nz, 1]))
  sums(1) = sum(real(field, real64))
  call check(nf90_get_var(file, wind, field(:, :, 1), start=[1, 1, 3], count=[nx, ny, 1]))
  sums(2) = sum(real(field(:, :, 1), real64))
  if (rank == 0) print '(a, i0, a, 4(1x, i0), a, i0, 2(1x, l1), 2(1x, f0.3))', 'records ', length, ', chunks', chunks, &
    ', level ', level, shuffle, checked, sums
  call check(nf90_close(file))
  call append()
  call MPI_Finalize()

contains

  subroutine append()
    integer :: more
    if (together) then
      call check(nf90_open(trim(path), NF90_WRITE, file, comm=MPI_COMM_WORLD%mpi_val, info=MPI_INFO_NULL%mpi_val))
    else
      call check(nf90_open(trim(path), NF90_WRITE, file))
    end if
    call access_together(temp)
    call access_together(wind)
    if (rank == 0) call check(nf90_put_var(file, t_var, [25.0_real64], start=[records + 1], count=[1]))
    call check(nf90_put_var(file, temp, field(first:last, :, :), start=[first, 1, 1, records + 1], &
      count=[last - first + 1, ny, nz, 1]))
    call check(nf90_put_var(file, wind, field(first:last, :, 1), start=[first, 1, records + 1], &
      count=[last - first + 1, ny, 1]))
    call check(nf90_redef(file))
    call check(nf90_def_var(file, 'more', NF90_INT, [x, y], more, deflate_level=1))
    call check(nf90_put_att(file, NF90_GLOBAL, 'runs', 2))
    call check(nf90_enddef(file))
    call access_together(more)
    call check(nf90_put_var(file, more, reshape([(i, i=ny*(first - 1) + 1, ny*last)], [last - first + 1, ny], &
      order=[2, 1]), start=[first, 1], count=[last - first + 1, ny]))
    call check(nf90_inquire_dimension(file, t, len=length))
    if (rank == 0) print '(a, i0)', 'appended: records ', length
    call check(nf90_close(file))
  end subroutine append

  subroutine access_together(var)
    integer, intent(in) :: var
    if (together) call check(nf90_var_par_access(file, var, NF90_COLLECTIVE))
  end subroutine access_together

  include '../check.inc'
end program fortran_packed
