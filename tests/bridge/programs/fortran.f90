! SPDX-License-Identifier: Apache-2.0
!> PnetCDF's Fortran calls, of both kinds: nf90mpi_ (Fortran 90) and nfmpi_ (Fortran 77).
!>
!>   fortran FILE
program fortran
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use mpi
  use pnetcdf
  implicit none
  integer, parameter :: nx = 21, ny = 6, records = 3
  integer :: rank, ranks, error, file, dims(3), field, days, steps, record, first, last, request(1), status(1), i
  integer(MPI_OFFSET_KIND) :: start(3), count(3), length
  real(real32), allocatable :: values(:, :)
  real(real64) :: day(1)
  integer :: step(1)
  character(256) :: path

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call get_command_argument(1, path)
  first = nx*rank/ranks
  last = nx*(rank + 1)/ranks
  allocate (values(last - first, ny))

  call check(nf90mpi_create(MPI_COMM_WORLD, trim(path), NF90_CLOBBER, MPI_INFO_NULL, file))
  call check(nf90mpi_def_dim(file, 'x', int(nx, MPI_OFFSET_KIND), dims(1)))
  call check(nf90mpi_def_dim(file, 'y', int(ny, MPI_OFFSET_KIND), dims(2)))
  call check(nf90mpi_def_dim(file, 'time', int(NF90_UNLIMITED, MPI_OFFSET_KIND), dims(3)))
  call check(nf90mpi_def_var(file, 'field', NF90_FLOAT, dims, field))
  call check(nf90mpi_def_var(file, 'days', NF90_DOUBLE, dims(3:3), days))
  call check(nf90mpi_def_var(file, 'steps', NF90_INT, dims(3:3), steps))
  call check(nf90mpi_put_att(file, field, 'units', 'm'))
  call check(nf90mpi_enddef(file))

  do record = 1, records
    start = [int(first + 1, MPI_OFFSET_KIND), 1_MPI_OFFSET_KIND, int(record, MPI_OFFSET_KIND)]
    count = [int(last - first, MPI_OFFSET_KIND), int(ny, MPI_OFFSET_KIND), 1_MPI_OFFSET_KIND]
    values = reshape([(real(100*record + 10*rank + i), i=1, size(values))], shape(values))
    day = 0.5_real64*record
    step = 7*record
    if (record == 1) then
      call check(nf90mpi_put_var_all(file, field, values, start=start, count=count))
    else if (record == 2) then
      call check(nfmpi_put_vara_real_all(file, field, start, count, values))
    else
      call check(nf90mpi_iput_var(file, field, values, request(1), start=start, count=count))
      call check(nf90mpi_wait_all(file, 1, request, status))
      call check(status(1))
    end if
    call check(nfmpi_put_var1_double_all(file, days, start(3:3), day(1)))
    call check(nf90mpi_put_var_all(file, steps, step, start=start(3:3), count=[1_MPI_OFFSET_KIND]))
  end do
  call check(nf90mpi_inquire_dimension(file, dims(3), len=length))
  if (rank == 0) print '(a, i0)', 'records: ', length
  call check(nf90mpi_close(file))
  call MPI_Finalize(error)

contains

  subroutine check(code)
    integer, intent(in) :: code
    integer :: ignored
    if (code == NF90_NOERR) return
    print '(a, i0, 2a)', 'rank ', rank, ': ', trim(nf90mpi_strerror(code))
    call MPI_Abort(MPI_COMM_WORLD, 1, ignored)
  end subroutine check

end program fortran
