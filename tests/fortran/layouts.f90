! SPDX-License-Identifier: Apache-2.0
! ranks: 1 4 7
!> Layouts: a box, several boxes, a box within a halo in another order, an offset map with holes, and nothing at all.
!> Element (i, j, k) of the file's array of 6 x 5 x 3*ranks holds i + 10 j + 100 k.
program layouts
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use weir
  use expect
  implicit none
  type(weir_t) :: writer
  type(weir_file) :: file
  type(MPI_Comm) :: comm
  integer, parameter :: nx = 6, ny = 5, own = 3
  integer :: rank, ranks, stat, dims(3), vars(5), full(3), k
  character(500) :: message

  call MPI_Init()
  call weir_init(MPI_COMM_WORLD, comm, writer, stat=stat, errmsg=message)
  call expect_ok(stat, message, 'weir_init')
  call MPI_Comm_rank(comm, rank)
  call MPI_Comm_size(comm, ranks)
  full = [nx, ny, own*ranks]

  call weir_create(writer, test_path('layouts.nc'), WEIR_CLOBBER, file)
  call weir_def_dim(file, 'x', nx, dims(1))
  call weir_def_dim(file, 'y', ny, dims(2))
  call weir_def_dim(file, 'z', own*ranks, dims(3))
  do k = 1, size(vars)
    call weir_def_var(file, 'v'//achar(48 + k), WEIR_DOUBLE, dims, vars(k))
  end do
  call weir_enddef(file)
  call one_box()
  call several_boxes()
  call halo_in_another_order()
  call map_with_holes()
  call only_the_last_rank()
  call weir_close(file, stat, message)
  call expect_ok(stat, message, 'weir_close')
  call weir_finalize(writer, stat, message)
  call expect_ok(stat, message, 'weir_finalize')
  call MPI_Comm_free(comm)
  call conclude()

contains

  elemental real(real64) function element(i, j, k)
    integer, intent(in) :: i, j, k
    element = i + 10*j + 100*k
  end function element

  !> This rank's own part, (i, j, k) with k from 1 to 3.
  function own_part() result(values)
    real(real64) :: values(nx, ny, own)
    integer :: i, j, k
    values = reshape([(((element(i, j, own*rank + k), i=1, nx), j=1, ny), k=1, own)], shape(values))
  end function own_part

  subroutine one_box()
    integer :: layout, length
    integer(int64) :: long_length
    real(real64) :: back(nx, ny, own)

    call weir_def_layout(writer, full, [1, 1, own*rank + 1], [nx, ny, own], layout)
    call weir_inq_layout(writer, layout, length, stat, message)
    call expect_ok(stat, message, 'weir_inq_layout')
    call weir_inq_layout(writer, layout, long_length)
    call expect_true(length == nx*ny*own .and. long_length == length, 'the length of a box')
    call weir_put(file, vars(1), layout, own_part())
    call weir_sync(file, stat, message)
    call expect_ok(stat, message, 'put one box')
    back = -1
    call weir_get(file, vars(1), layout, back, stat=stat, errmsg=message)
    call expect_ok(stat, message, 'get one box')
    call expect_true(all(nint(back) == nint(own_part())), 'one box came back')
    call expect_whole(vars(1), own*ranks)
    call weir_free_layout(writer, layout, stat, message)
    call expect_ok(stat, message, 'weir_free_layout')
  end subroutine one_box

  !> The last rank puts the first rank's part, and so on; each as two boxes, the upper one first.
  subroutine several_boxes()
    integer :: layout, starts(3, 2), counts(3, 2), other, i, j, k
    real(real64) :: values(nx*ny*own)

    other = ranks - 1 - rank
    starts = reshape([1, 3, own*other + 1, 1, 1, own*other + 1], [3, 2])
    counts = reshape([nx, ny - 2, own, nx, 2, own], [3, 2])
    values = [(((element(i, j, own*other + k), i=1, nx), j=3, ny), k=1, own), &
      (((element(i, j, own*other + k), i=1, nx), j=1, 2), k=1, own)]
    call weir_def_layout(writer, int(full, int64), int(starts, int64), int(counts, int64), layout, &
      stat=stat, errmsg=message)
    call expect_ok(stat, message, 'define several boxes')
    call weir_put(file, vars(2), layout, values)
    call weir_sync(file, stat, message)
    call expect_ok(stat, message, 'put several boxes')
    call expect_whole(vars(2), own*ranks)
  end subroutine several_boxes

  !> In memory (x, z, y) with one halo cell in x and y.
  subroutine halo_in_another_order()
    integer :: layout, j, k
    real(real64) :: field(0:nx + 1, own, 0:ny + 1), back(0:nx + 1, own, 0:ny + 1), part(nx, ny, own)

    part = own_part()
    field = -9
    do j = 1, ny
      do k = 1, own
        field(1:nx, k, j) = part(:, j, k)
      end do
    end do
    call weir_def_layout_subarray(writer, full, [1, 1, own*rank + 1], [nx, ny, own], &
      memory_shape=[nx + 2, own, ny + 2], memory_start=[2, 1, 2], layout=layout, order=[1, 3, 2], stat=stat, &
      errmsg=message)
    call expect_ok(stat, message, 'define a box in a halo')
    call weir_put(file, vars(3), layout, field)
    call weir_sync(file, stat, message)
    call expect_ok(stat, message, 'put a box in a halo')
    call expect_whole(vars(3), own*ranks)
    back = -9
    call weir_get(file, vars(3), layout, back, stat=stat, errmsg=message)
    call expect_ok(stat, message, 'get a box in a halo')
    call expect_true(all(nint(back) == nint(field)), 'the halo stays as it is')
  end subroutine halo_in_another_order

  !> Elements whose number is a multiple of 7 are nobody's; the ranks' elements are dealt out in turn.
  subroutine map_with_holes()
    integer :: layout, i, total, length
    integer(int64), allocatable :: offsets(:)
    real(real64), allocatable :: values(:), back(:)
    real(real64) :: whole(nx*ny*own*ranks)

    total = nx*ny*own*ranks
    length = (total - rank + ranks - 1)/ranks
    allocate (offsets(length), values(length), back(length))
    offsets = [(merge(int(i, int64), int(WEIR_ABSENT, int64), modulo(i, 7) /= 0), i=rank + 1, total, ranks)]
    values = real([(i, i=rank + 1, total, ranks)], real64)
    call weir_def_layout_map(writer, int(full, int64), offsets, layout, stat, message)
    call expect_ok(stat, message, 'define a map')
    call weir_put(file, vars(4), layout, values)
    call weir_sync(file, stat, message)
    call expect_ok(stat, message, 'put by a map')
    call weir_get_vara(file, vars(4), [1, 1, 1], full, whole, stat, message)
    call expect_ok(stat, message, 'get what was put by a map')
    do i = 1, total
      if (modulo(i, 7) == 0) then
        call expect_true(whole(i) > 9.9e36_real64, 'a hole holds the fill value')
      else
        call expect_true(nint(whole(i)) == i, 'an element put by a map')
      end if
    end do
    back = -1
    call weir_get(file, vars(4), layout, back, stat=stat, errmsg=message)
    call expect_ok(stat, message, 'get by a map')
    call expect_true(all(nint(back) == merge(nint(values), -1, offsets /= WEIR_ABSENT)), &
      'absent elements stay as they are')
  end subroutine map_with_holes

  subroutine only_the_last_rank()
    integer :: layout, count(3), i, j, k
    real(real64), allocatable :: values(:, :, :)

    count = merge(full, 0, rank == ranks - 1)
    values = reshape([(((element(i, j, k), i=1, count(1)), j=1, count(2)), k=1, count(3))], count)
    call weir_def_layout(writer, full, [1, 1, 1], count, layout)
    call weir_put(file, vars(5), layout, values)
    call weir_sync(file, stat, message)
    call expect_ok(stat, message, 'put by the last rank')
    call expect_whole(vars(5), own*ranks)
  end subroutine only_the_last_rank

  subroutine expect_whole(var, nz)
    integer, intent(in) :: var, nz
    real(real64) :: whole(nx, ny, nz)
    integer :: i, j, k

    call weir_get_vara(file, var, [1, 1, 1], full, whole, stat, message)
    call expect_ok(stat, message, 'read the whole variable')
    call expect_true(all([(((nint(whole(i, j, k)) == nint(element(i, j, k)), i=1, nx), j=1, ny), k=1, nz)]), &
      'variable v'//achar(48 + var))
  end subroutine expect_whole

end program layouts
