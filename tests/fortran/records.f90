! SPDX-License-Identifier: Apache-2.0
! ranks: 1 4 7
!> A file grows by records: in one go, after a sync, and after it was closed and opened again.
program records
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use mpi_f08
  use weir
  use expect
  implicit none
  type(weir_t) :: writer
  type(weir_file) :: file
  type(MPI_Comm) :: comm
  integer, parameter :: own = 5
  integer :: rank, ranks, stat, x, t, time, field, pair, fixed, layout, record
  character(500) :: message

  call MPI_Init()
  call weir_init(MPI_COMM_WORLD, comm, writer, stat=stat, errmsg=message)
  call expect_ok(stat, message, 'weir_init')
  call MPI_Comm_rank(comm, rank)
  call MPI_Comm_size(comm, ranks)
  call weir_def_layout(writer, [own*ranks], [own*rank + 1], [own], layout)

  call weir_create(writer, test_path('records.nc'), WEIR_CLOBBER, file)
  call weir_def_dim(file, 'x', own*ranks, x)
  call weir_def_dim(file, 't', WEIR_UNLIMITED, t)
  call weir_def_var(file, 'time', WEIR_DOUBLE, [t], time)
  call weir_def_var(file, 'fixed', WEIR_INT, [x], fixed)
  call weir_def_var(file, 'field', WEIR_FLOAT, [x, t], field)
  call weir_def_var(file, 'pair', WEIR_SHORT, [x, t], pair)
  call weir_put_att_text(file, WEIR_GLOBAL, 'history', 'longer than later')
  call weir_enddef(file)
  call weir_put(file, fixed, layout, [(record, record=1, own)] + own*rank)
  do record = 1, 3
    call put_record(record)
  end do
  call weir_sync(file, stat, message)
  call expect_ok(stat, message, 'three records')
  call expect_records(3)
  call put_record(4)
  call weir_close(file, stat, message)
  call expect_ok(stat, message, 'a fourth record')

  call weir_open(writer, test_path('records.nc'), WEIR_WRITE, file, stat, message)
  call expect_ok(stat, message, 'open to append')
  call weir_inq_varid(file, 'time', time)
  call weir_inq_varid(file, 'field', field)
  call weir_inq_varid(file, 'pair', pair)
  call expect_records(4)
  call put_record(5)
  call put_record(6)
  call weir_sync_all(writer, stat, message)
  call expect_ok(stat, message, 'two records appended')
  call redefine()
  call weir_close(file, stat, message)
  call expect_ok(stat, message, 'close after appending')

  call weir_open(writer, test_path('records.nc'), WEIR_NOWRITE, file, stat, message)
  call expect_ok(stat, message, 'open to read')
  call expect_records(6)
  call expect_contents()
  call weir_close(file, stat, message)
  call weir_finalize(writer, stat, message)
  call expect_ok(stat, message, 'weir_finalize')
  call MPI_Comm_free(comm)
  call conclude()

contains

  !> `pair` by boxes of two records at once, from the second on.
  subroutine put_record(record)
    integer, intent(in) :: record
    integer :: i, both(own, 2)

    call weir_put_var(file, time, 0.5_real64*record, record)
    call weir_put(file, field, layout, [(real(i + 100*record + 1000*rank, real32), i=1, own)], record)
    if (modulo(record, 2) == 1) return
    both = reshape([(i, i=1, 2*own)], [own, 2]) + 100*record
    call weir_put_vara(file, pair, [own*rank + 1, record - 1], [own, 2], both, stat, message)
    call expect_ok(stat, message, 'two records of a box')
  end subroutine put_record

  !> The header has room for a short text in place of a longer one, and for nothing more.
  subroutine redefine()
    integer :: var

    call weir_redef(file, stat, message)
    call expect_ok(stat, message, 'weir_redef')
    call weir_put_att_text(file, WEIR_GLOBAL, 'history', 'later')
    call weir_enddef(file, stat, message)
    call expect_ok(stat, message, 'a shorter attribute')
    call weir_redef(file)
    call weir_def_var(file, 'more', WEIR_FLOAT, [t], var)
    call weir_enddef(file, stat, message)
    call expect_true(stat == WEIR_EARGUMENT .and. index(message, 'header_free') > 0, 'a header without room')
  end subroutine redefine

  subroutine expect_records(wanted)
    integer, intent(in) :: wanted
    integer :: found, record_dim, length
    integer(int64) :: long_found

    call weir_inq_nrecords(file, found, stat, message)
    call expect_ok(stat, message, 'weir_inq_nrecords')
    call weir_inq_nrecords(file, long_found)
    call weir_inq(file, record_dim=record_dim)
    call weir_inq_dim(file, record_dim, length)
    call expect_true(found == wanted .and. long_found == wanted .and. length == wanted, 'the number of records')
  end subroutine expect_records

  subroutine expect_contents()
    real(real64) :: times(6)
    real(real32) :: values(own)
    integer :: both(own, 2), i, record, fixed_values(own*ranks)

    call weir_get_vara(file, time, [1], [6], times, stat, message)
    call expect_ok(stat, message, 'read the times')
    call expect_true(all(nint(2*times) == [1, 2, 3, 4, 5, 6]), 'the times')
    call weir_inq_varid(file, 'fixed', fixed)
    call weir_get_vara_all(file, fixed, [1], [own*ranks], fixed_values, stat, message)
    call expect_ok(stat, message, 'read the fixed variable on all ranks')
    call expect_true(all(fixed_values == [(i, i=1, own*ranks)]), 'the fixed variable')
    fixed_values = 0
    call weir_get_vara(file, fixed, [1], [own*ranks], fixed_values, stat, message)
    call expect_ok(stat, message, 'read the fixed variable')
    call expect_true(all(fixed_values == [(i, i=1, own*ranks)]), 'the fixed variable by one rank')
    call weir_get_vara_all(file, fixed, [1], [own*ranks], fixed_values(:own*ranks - merge(1, 0, rank == ranks - 1)), stat, &
                           message)
    call expect_true(stat == WEIR_EARGUMENT, 'an array that is too short on one rank is all ranks'' error')
    call weir_prefetch(file, [field], layout, 7, stat, message)
    call expect_true(stat == WEIR_EARGUMENT, 'a record that is not there cannot be asked for ahead')
    do record = 1, 6
      call weir_prefetch(file, [field], layout, record, stat, message)
      call expect_ok(stat, message, 'ask for a record ahead')
      call weir_get(file, field, layout, values, record, stat, message)
      call expect_ok(stat, message, 'read a record')
      call expect_true(all(nint(values) == [(i + 100*record + 1000*rank, i=1, own)]), 'a record')
      if (modulo(record, 2) == 1) cycle
      call weir_get_vara(file, pair, [own*rank + 1, record - 1], [own, 2], both, stat, message)
      call expect_ok(stat, message, 'read two records')
      call expect_true(all(reshape(both, [2*own]) == [(i, i=1, 2*own)] + 100*record), 'two records')
    end do
  end subroutine expect_contents

end program records
