! SPDX-License-Identifier: Apache-2.0
! ranks: 1 4 7
!> Sentences count as Fortran does, from 1 and with the fastest dimension first; and a buffer of the right size must
!> have the right shape too.
program counting
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  use weir
  use expect
  implicit none
  type(weir_t) :: writer
  type(weir_file) :: file
  type(MPI_Comm) :: comm
  integer :: rank, ranks, stat, x, y, t, field, series, box
  integer :: first(3) !< of this rank's part of a record
  character(500) :: message
  real(real64) :: upright(4, 3), lying(3, 4), flat(12), split(2, 2, 3), deep(4, 3, 1), wide(6, 5)

  call MPI_Init()
  call weir_init(MPI_COMM_WORLD, comm, writer, 'timeout: 60'//new_line('a'), stat, message)
  call expect_ok(stat, message, 'weir_init')
  call MPI_Comm_rank(comm, rank)
  call MPI_Comm_size(comm, ranks)
  first = [1, 3*rank + 1, 1]
  call weir_def_layout(writer, [4, 3*ranks], first(:2), [4, 3], box)
  upright = rank
  lying = rank
  flat = rank
  split = rank
  deep = rank
  wide = rank

  call buffers_that_fit()
  call buffers_of_another_shape()
  call records_and_layouts()
  call shapes_and_boxes()
  if (ranks > 1) call ranks_that_differ()

  call weir_finalize(writer, stat, message)
  call expect_ok(stat, message, 'weir_finalize')
  call MPI_Comm_free(comm)
  call conclude()

contains

  subroutine open_file(name)
    character(*), intent(in) :: name
    call weir_create(writer, test_path(name), WEIR_CLOBBER, file)
    call weir_def_dim(file, 'x', 4, x)
    call weir_def_dim(file, 'y', 3*ranks, y)
    call weir_def_dim(file, 't', WEIR_UNLIMITED, t)
    call weir_def_var(file, 'field', WEIR_DOUBLE, [x, y], field)
    call weir_def_var(file, 'series', WEIR_DOUBLE, [x, y, t], series)
    call weir_enddef(file, stat, message)
    call expect_ok(stat, message, 'weir_enddef of '//name)
  end subroutine open_file

  !> The last call has failed with these words, and so has the file, which is given up.
  subroutine expect_refusal(code, words, what)
    integer, intent(in) :: code
    character(*), intent(in) :: words(:), what
    call expect_code(stat, code, message, words, what)
    call weir_close(file, stat, message)
    call expect_code(stat, code, message, words, what//', at the close')
  end subroutine expect_refusal

  !> Axes of length 1 do not count, and neighbouring axes may be joined on one side.
  subroutine buffers_that_fit()
    integer :: within

    call open_file('fits.nc')
    call weir_put_vara(file, series, first, [4, 3, 1], upright, stat, message)
    call expect_ok(stat, message, 'the shape of the box')
    call weir_put_vara(file, series, first, [4, 3, 1], deep, stat, message)
    call expect_ok(stat, message, 'with the record')
    call weir_put_vara(file, series, first, [4, 3, 1], flat, stat, message)
    call expect_ok(stat, message, 'of one dimension')
    call weir_put_vara(file, series, first, [4, 3, 1], split, stat, message)
    call expect_ok(stat, message, 'with an axis in two')
    call weir_put(file, field, box, upright, stat=stat, errmsg=message)
    call expect_ok(stat, message, 'the shape of the layout')
    call weir_put(file, field, box, flat, stat=stat, errmsg=message)
    call expect_ok(stat, message, 'of one dimension, by layout')
    call weir_def_layout_subarray(writer, [4, 3*ranks], first(:2), [4, 3], [6, 5], [2, 2], within)
    call weir_put(file, field, within, wide, stat=stat, errmsg=message)
    call expect_ok(stat, message, 'the array around a box')
    call weir_sync(file, stat, message)
    call expect_ok(stat, message, 'weir_sync')
    call weir_get_vara(file, series, first, [4, 3, 1], lying, stat, message)
    call expect_code(stat, WEIR_EARGUMENT, message, ['shape (3, 4)    ', 'needs (4, 3, 1);'], 'a get of another shape')
    call weir_get_vara(file, series, first, [4, 3, 1], upright, stat, message)
    call expect_ok(stat, message, 'the file goes on')
    call weir_get(file, field, box, lying, stat=stat, errmsg=message)
    call expect_code(stat, WEIR_EARGUMENT, message, ['shape (3, 4) ', 'needs (4, 3);'], 'a get by layout')
    call weir_get_vara(file, series, [1, 1, 3], [1, 1, 1], flat(:1), stat, message)
    call expect_code(stat, WEIR_EARGUMENT, message, ['record 3 of "series', 'but the file has 1 '], 'a record that is not there')
    call weir_close(file, stat, message)
    call expect_ok(stat, message, 'weir_close')
    call weir_free_layout(writer, within)
  end subroutine buffers_that_fit

  subroutine buffers_of_another_shape()
    real(real64) :: turned(3*ranks, 4)

    turned = rank
    call open_file('box.nc')
    call weir_put_vara(file, field, first(:2), [4, 3], lying, stat, message)
    call expect_refusal(WEIR_EARGUMENT, ['put of "field"', 'shape (3, 4)  ', 'needs (4, 3); '], 'a box')
    call open_file('layout.nc')
    call weir_put(file, field, box, lying, stat=stat, errmsg=message)
    call expect_refusal(WEIR_EARGUMENT, ['put of "field"       ', 'layout 1 needs (4, 3)'], 'a layout')
    call open_file('whole.nc')
    call weir_put_var(file, field, turned, stat=stat, errmsg=message)
    call expect_refusal(WEIR_EARGUMENT, ['put of "field"         ', 'the variable needs (4, '], 'a whole variable')
  end subroutine buffers_of_another_shape

  subroutine records_and_layouts()
    call open_file('record.nc')
    call weir_put(file, series, box, upright, record=0, stat=stat, errmsg=message)
    call expect_refusal(WEIR_EARGUMENT, ['record 0; records count from 1'], 'record 0')
    call open_file('unknown.nc')
    call weir_put(file, series, 4711, upright, record=1, stat=stat, errmsg=message)
    call expect_refusal(WEIR_EARGUMENT, ['there is no layout 4711'], 'a layout that is none')
    call open_file('variable.nc')
    call weir_put(file, 3, box, upright, record=1, stat=stat, errmsg=message)
    call expect_refusal(WEIR_EARGUMENT, ['no variable number 3: it has 2, counted from 1'], 'a variable that is none')
    call open_file('fill.nc')
    call weir_put(file, series, box, [(huge(1.0_real64), x=1, 12)], record=2, stat=stat, errmsg=message)
    call expect_ok(stat, message, 'a double is a double')
    call weir_close(file, stat, message)
    call expect_ok(stat, message, 'weir_close')
  end subroutine records_and_layouts

  subroutine shapes_and_boxes()
    integer :: other, none

    call weir_def_layout(writer, [4, 2], [1, 1], [4, merge(2, 0, rank == 0)], other)
    call open_file('shape.nc')
    call weir_put(file, field, other, [real(real64) :: 1, 2, 3, 4, 5, 6, 7, 8], stat=stat, errmsg=message)
    call expect_refusal(WEIR_EARGUMENT, ['array (4, 2), the variable is (4, '], 'a layout of another array')
    call weir_def_layout(writer, [4, 3], [2, 3], [3, 2], none, stat=stat, errmsg=message)
    call expect_code(stat, WEIR_EARGUMENT, message, ['the box (2:4, 3:4)      ', 'dimension 2 has length 3'], &
      'a box beyond its array')
    call weir_def_layout_map(writer, [4, 3], [13], none, stat, message)
    call expect_code(stat, WEIR_EARGUMENT, message, &
      ['element 1 of an offset map is 13', 'elements 1 to 12                '], 'an offset beyond its array')
  end subroutine shapes_and_boxes

  subroutine ranks_that_differ()
    integer :: record

    record = merge(2, 1, rank == ranks - 1)
    call open_file('records.nc')
    call weir_put_vara(file, series, [1, 3*rank + 1, record], [4, 3, 1], upright, stat, message)
    call expect_refusal(WEIR_EMISMATCH, ['record 1', 'record 2'], 'other records of a box')
    call open_file('puts.nc')
    call weir_put(file, series, box, upright, record=record)
    call weir_sync(file, stat, message)
    call expect_refusal(WEIR_EMISMATCH, ['record 1', 'record 2'], 'other records of a put')
    call open_file('overlap.nc')
    call weir_put_vara(file, field, [1, 2], [4, 3], upright, stat, message)
    call expect_refusal(WEIR_EOVERLAP, ['holds (1:4, 2:4) and'], 'an overlap')
  end subroutine ranks_that_differ

end program counting
