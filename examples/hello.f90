! SPDX-License-Identifier: Apache-2.0
!> Every rank writes its own rows of one variable of one file.
program hello
  use mpi_f08
  use weir
  implicit none
  type(weir_t) :: writer
  type(weir_file) :: file
  type(MPI_Comm) :: comm
  integer :: rank, ranks, x, y, temperature, stat
  character(300) :: message
  real :: rows(10, 4)

  call MPI_Init()
  call weir_init(MPI_COMM_WORLD, comm, writer, stat=stat, errmsg=message)
  if (stat /= WEIR_OK) print '(a)', trim(message)
  if (comm /= MPI_COMM_NULL) then ! else Weir kept this rank for itself
    call MPI_Comm_rank(comm, rank)
    call MPI_Comm_size(comm, ranks)
    rows = rank
    call weir_create(writer, 'hello.nc', WEIR_CLOBBER, file)
    call weir_def_dim(file, 'x', 10, x)
    call weir_def_dim(file, 'y', 4*ranks, y)
    call weir_def_var(file, 'temperature', WEIR_FLOAT, [x, y], temperature)
    call weir_enddef(file)
    call weir_put_vara(file, temperature, [1, 4*rank + 1], [10, 4], rows)
    call weir_close(file, stat, message)
    if (stat /= WEIR_OK .and. rank == 0) print '(a)', trim(message)
    call weir_finalize(writer)
    call MPI_Comm_free(comm)
  end if
  call MPI_Finalize()
  if (stat /= WEIR_OK) stop 1
end program hello
