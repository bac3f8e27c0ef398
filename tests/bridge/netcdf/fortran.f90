! SPDX-License-Identifier: Apache-2.0
! A Fortran 90 program (and a few calls of the Fortran 77 interface) that writes one file from every rank: by nf90_create
! alone, or, where it is given a second argument, for its communicator. Prints what it reads back.
program fortran
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  use mpi_f08
  use netcdf
  implicit none
  integer, parameter :: nx = 20, ny = 6, records = 2
  character(200) :: path
  integer :: rank, ranks, file, x, y, t, vars(6), first, last, i, j, k, old_mode, rows(ny)
  integer(int32) :: ints(nx, ny)
  real(real64) :: doubles(nx, ny), transposed(ny, nx), sums(6)
  real(real32) :: floats(nx, ny)
  integer(int16) :: shorts(nx, ny)
  character(nx) :: words(ny)
  include 'netcdf.inc'

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call get_command_argument(1, path)
  if (command_argument_count() == 1) then
    call check(nf90_create(trim(path), NF90_CLOBBER, file))
  else
    call check(nf90_create(trim(path), NF90_CLOBBER, file, comm=MPI_COMM_WORLD%mpi_val, info=MPI_INFO_NULL%mpi_val))
  end if
  call check(nf90_def_dim(file, 'x', nx, x))
  call check(nf90_def_dim(file, 'y', ny, y))
  call check(nf90_def_dim(file, 't', NF90_UNLIMITED, t))
  call check(nf90_def_var(file, 'ints', NF90_INT, [x, y], vars(1)))
  call check(nf90_def_var(file, 'doubles', NF90_DOUBLE, [x, y, t], vars(2)))
  call check(nf90_def_var(file, 'floats', NF90_FLOAT, [x, y, t], vars(3)))
  call check(nf90_def_var(file, 'shorts', NF90_SHORT, [x, y], vars(4)))
  call check(nf90_def_var(file, 'words', NF90_CHAR, [x, y], vars(5)))
  call check(nf90_def_var(file, 'rows', NF90_INT, [y], vars(6)))
  call check(nf90_put_att(file, NF90_GLOBAL, 'title', 'from Fortran'))
  call check(nf90_put_att(file, vars(2), 'range', [1.0_real64, 2.5_real64]))
  call check(nf90_put_att(file, vars(4), '_FillValue', -1_int16))
  call check(nf_set_fill(file, NF_FILL, old_mode))
  call check(nf90_enddef(file))
  if (command_argument_count() > 1) call check(nf90_var_par_access(file, NF90_GLOBAL, NF90_COLLECTIVE))

  first = rank*nx/ranks + 1
  last = (rank + 1)*nx/ranks
  do j = 1, ny
    do i = 1, nx
      ints(i, j) = 100*i + j
      words(j)(i:i) = achar(iachar('a') + modulo(i + j, 26))
    end do
  end do
  doubles = ints/8.0_real64
  floats = real(ints, real32)/4
  shorts = int(ints, int16)
  rows = [(7*j, j=1, ny)]
  associate (n => last - first + 1)
    call check(nf90_put_var(file, vars(1), ints(first:last, :), start=[first, 1], count=[n, ny]))
    do k = 1, records
      call check(nf90_put_var(file, vars(2), doubles(first:last, :) + k, start=[first, 1, k], count=[n, ny, 1]))
      transposed(:, first:last) = transpose(floats(first:last, :)) + k
      call check(nf90_put_var(file, vars(3), transposed(:, first:last), start=[first, 1, k], count=[n, ny, 1], &
        map=[ny, 1, ny*n]))
    end do
    call check(nf90_put_var(file, vars(4), shorts(first:last, 1:ny:2), start=[first, 1], count=[n, ny/2], &
      stride=[1, 2]))
    call check(nf90_put_var(file, vars(4), shorts(first:last, 2:ny:2), start=[first, 2], count=[n, ny/2], &
      stride=[1, 2]))
  end associate
  call check(nf90_put_var(file, vars(5), words))
  call check(nf_put_var_int(file, vars(6), rows))
  call check(nf90_sync(file))

  call check(nf_get_var_int(file, vars(1), ints))
  call check(nf90_get_var(file, vars(2), doubles, start=[1, 1, 2], count=[nx, ny, 1]))
  call check(nf90_get_var(file, vars(3), floats, start=[1, 1, 1], count=[nx, ny, 1]))
  call check(nf90_get_var(file, vars(4), shorts))
  call check(nf90_get_var(file, vars(6), rows))
  call check(nf90_close(file))
  sums = [real(sum(ints), real64), sum(doubles), real(sum(floats), real64), real(sum(int(shorts)), real64), &
    real(sum(rows), real64), 0.0_real64]
  if (rank == 0) print '(6f12.2)', sums
  call MPI_Finalize()

contains

  include '../check.inc'

end program fortran
