! SPDX-License-Identifier: Apache-2.0
! ranks: 1 4 7
!> Buffers that do not lie in one piece, turn round, have no known size, or hold texts.
program sections
  use, intrinsic :: iso_fortran_env, only: real32
  use mpi_f08
  use weir
  use expect
  implicit none
  type(weir_t) :: writer
  type(weir_file) :: file
  type(MPI_Comm) :: comm
  integer :: rank, ranks, stat, x, y, length, field, names, i, j, k
  character(500) :: message
  real(real32) :: wide(0:9, 12), back(0:9, 12)
  character(6) :: words(3), words_back(3)

  call MPI_Init()
  call weir_init(MPI_COMM_WORLD, comm, writer, stat=stat, errmsg=message)
  call expect_ok(stat, message, 'weir_init')
  call MPI_Comm_rank(comm, rank)
  call MPI_Comm_size(comm, ranks)
  wide = reshape([((real(100*j + i + 10000*rank), i=0, 9), j=1, 12)], shape(wide))
  words = ['flood ', 'ebb   ', 'slack ']

  call weir_create(writer, test_path('sections.nc'), WEIR_CLOBBER, file)
  call weir_def_dim(file, 'x', 4, x)
  call weir_def_dim(file, 'y', 3*ranks, y)
  call weir_def_dim(file, 'length', 6, length)
  call weir_def_var(file, 'field', WEIR_FLOAT, [x, y], field)
  call weir_def_var(file, 'names', WEIR_CHAR, [length, y], names)
  call weir_enddef(file)
  call weir_put_vara(file, field, [1, 3*rank + 1], [4, 3], wide(1:7:2, 12:2:-5))
  call weir_put_vara(file, names, [1, 3*rank + 1], [6, 3], words)
  call weir_sync(file, stat, message)
  call expect_ok(stat, message, 'write sections')

  back = -1
  call weir_get_vara(file, field, [1, 3*rank + 1], [4, 3], back(1:7:2, 12:2:-5), stat, message)
  call expect_ok(stat, message, 'read a section')
  call expect_true(all(nint(back(1:7:2, 12:2:-5)) == nint(wide(1:7:2, 12:2:-5))), 'a section came back')
  call expect_true(count(nint(back) == -1) == size(back) - 12, 'what is between stays as it is')
  call get_contiguous([3, 2, 1])
  call get_assumed_size(back, size(back))
  call expect_true(all(nint(reshape(back, [4])) == nint(wide(1:7:2, 12))), 'an array of assumed size')
  call an_array_made_by_reshape()
  call a_component()
  call weir_get_vara(file, names, [1, 3*rank + 1], [6, 3], words_back, stat, message)
  call expect_ok(stat, message, 'read texts')
  call expect_true(all(words_back == words), 'texts came back')

  call weir_close(file, stat, message)
  call expect_ok(stat, message, 'weir_close')
  call weir_finalize(writer, stat, message)
  call expect_ok(stat, message, 'weir_finalize')
  call MPI_Comm_free(comm)
  call conclude()

contains

  !> The file holds the section in the order it was given.
  subroutine get_contiguous(order)
    integer, intent(in) :: order(3)
    real(real32) :: plain(4, 3)

    call weir_get_vara(file, field, [1, 3*rank + 1], [4, 3], plain, stat, message)
    call expect_ok(stat, message, 'read in one piece')
    do j = 1, 3
      call expect_true(all(nint(plain(:, j)) == [(100*(5*order(j) - 3) + i + 10000*rank, i=1, 7, 2)]), &
        'columns in their order')
    end do
  end subroutine get_contiguous

  !> GNU 12 does not know the strides of such an array, nor of such starts: what goes over is right, or it is refused.
  subroutine an_array_made_by_reshape()
    real(real32), allocatable :: made(:, :)
    real(real32) :: plain(4, 3)

    call made_by_reshape([(real(k), k=1, 12)], [4, 3], made)
    call weir_get_vara(file, field, [1, 3*rank + 1], [4, 3], plain)
    call weir_put_vara(file, field, [1, 3*rank + 1], [4, 3], (made), stat, message)
    call expect_ok(stat, message, 'put a copy of an array made by reshape')
    call weir_sync(file, stat, message)
    plain = 0
    call weir_get_vara(file, field, [1, 3*rank + 1], [4, 3], plain, stat, message)
    call expect_ok(stat, message, 'get')
    call expect_true(all(nint(reshape(plain, [12])) == [(k, k=1, 12)]), 'a copy of an array made by reshape')
    made = 0
    call weir_get_vara(file, field, [1, 3*rank + 1], [4, 3], made, stat, message)
    if (stat == WEIR_OK) then
      call expect_true(all(nint(reshape(made, [12])) == [(k, k=1, 12)]), 'an array made by reshape')
    else
      call expect_code(stat, WEIR_EARGUMENT, message, ['ALLOCATE'], 'an array made by reshape')
    end if
  end subroutine an_array_made_by_reshape

  !> A component of an array of derived type goes over as a copy; where the compiler makes none, that is an error.
  subroutine a_component()
    type :: cell_t
      real(real32) :: height, width
    end type cell_t
    type(cell_t) :: cells(4, 3)
    real(real32) :: plain(4, 3)

    cells%height = 2
    cells%width = 3
    call weir_put_vara(file, field, [1, 3*rank + 1], [4, 3], (cells%width))
    call weir_sync(file, stat, message)
    call expect_ok(stat, message, 'put a copy of a component')
    plain = 0
    call weir_get_vara(file, field, [1, 3*rank + 1], [4, 3], plain)
    call expect_true(all(nint(plain) == 3), 'a copy of a component')
    call weir_get_vara(file, field, [1, 3*rank + 1], [4, 3], cells%height, stat, message)
    if (stat == WEIR_OK) then
      call expect_true(all(nint(cells%height) == 3 .and. nint(cells%width) == 3), 'a component')
    else
      call expect_code(stat, WEIR_EARGUMENT, message, ['parentheses'], 'a component that is not packed')
      call expect_true(all(nint(cells%height) == 2 .and. nint(cells%width) == 3), 'a component that is not touched')
    end if
  end subroutine a_component

  subroutine get_assumed_size(values, n)
    integer, intent(in) :: n
    real(real32), intent(inout) :: values(*)
    call weir_get_vara(file, field, [1, 3*rank + 1], [4, 1], values, stat, message)
    call expect_ok(stat, message, 'read into an array of assumed size')
    call expect_true(n >= 4, 'it has room')
  end subroutine get_assumed_size

end program sections
