! SPDX-License-Identifier: Apache-2.0
!> Every rank sends its rows of a field each hour, and names no file: streams.yaml says what becomes of them.
!>     WEIR_CONFIG=examples/streams.yaml mpirun -n 4 build/bin/streams_f90
program streams
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  use weir
  implicit none
  integer, parameter :: nx = 10, rows = 4, hours = 72
  type(weir_t) :: writer
  type(MPI_Comm) :: comm
  integer :: rank, ranks, layout, sst, hour, ended, stat
  character(300) :: message
  real :: values(nx, rows)

  call MPI_Init()
  call weir_init(MPI_COMM_WORLD, comm, writer, stat=stat, errmsg=message)
  if (stat /= WEIR_OK) print '(a)', trim(message)
  if (comm /= MPI_COMM_NULL) then ! else Weir kept this rank for itself
    call MPI_Comm_rank(comm, rank)
    call MPI_Comm_size(comm, ranks)
    call weir_def_layout(writer, [nx, rows*ranks], [1, rows*rank + 1], [nx, rows], layout)
    call weir_def_field(writer, 'sst', WEIR_FLOAT, ['x', 'y'], layout, sst)
    call weir_put_field_att(writer, sst, 'units', 'degC')
    call weir_start_streams(writer, 'hours since 1990-01-30', 0._real64, 'noleap', stat, message)
    do hour = 1, hours
      if (stat /= WEIR_OK) exit
      values = rank + modulo(hour, 24)
      call weir_send(writer, sst, real(hour, real64), values, stat, message)
    end do
    if (stat /= WEIR_OK .and. rank == 0) print '(a)', trim(message)
    call weir_finalize(writer, ended)
    if (stat == WEIR_OK) stat = ended
    call MPI_Comm_free(comm)
  end if
  call MPI_Finalize()
  if (stat /= WEIR_OK) stop 1
end program streams
