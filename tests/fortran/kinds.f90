! SPDX-License-Identifier: Apache-2.0
! ranks: 1 4 7
!> Every kind of data and every rank of array, put and got back.
program kinds
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  use mpi_f08
  use weir
  use expect
  implicit none
  type(weir_t) :: writer
  type(weir_file) :: file
  type(MPI_Comm) :: comm
  integer :: rank, ranks, stat
  character(500) :: message

  call MPI_Init()
  call weir_init(MPI_COMM_WORLD, comm, writer, stat=stat, errmsg=message)
  call expect_ok(stat, message, 'weir_init')
  call MPI_Comm_rank(comm, rank)
  call MPI_Comm_size(comm, ranks)
  call every_kind()
  call every_rank()
  call weir_finalize(writer, stat, message)
  call expect_ok(stat, message, 'weir_finalize')
  call MPI_Comm_free(comm)
  call conclude()

contains

  !> Each rank has columns 1 and 2 of three of its own.
  subroutine every_kind()
    integer(int8) :: a(5, 2), a2(5, 2)
    integer(int16) :: b(5, 2), b2(5, 2)
    integer(int32) :: c(5, 2), c2(5, 2)
    integer(int64) :: d(5, 2), d2(5, 2)
    real(real32) :: e(5, 2), e2(5, 2)
    real(real64) :: f(5, 2), f2(5, 2)
    character(1) :: t(5, 2), t2(5, 2)
    integer :: x, y, vars(7), types(7), k, start(2), count(2)
    character(8) :: name

    a = reshape([(int(k - 100 + rank, int8), k=1, 10)], [5, 2])
    b = a - 20000_int16
    c = a + 2000000000
    d = a + 9000000000000000000_int64
    e = a + 0.25_real32
    f = a + acos(-1.0_real64)
    t = achar(a + 165)
    types = [WEIR_BYTE, WEIR_SHORT, WEIR_INT, WEIR_INT64, WEIR_FLOAT, WEIR_DOUBLE, WEIR_CHAR]
    call weir_create(writer, test_path('kinds.nc'), WEIR_CLOBBER, file)
    call weir_def_dim(file, 'x', 5, x)
    call weir_def_dim(file, 'y', 3_int64*ranks, y)
    do k = 1, size(types)
      write (name, '(a, i0)') 'v', k
      call weir_def_var(file, name, types(k), [x, y], vars(k))
    end do
    call weir_enddef(file)
    start = [1, 3*rank + 1]
    count = [5, 2]
    call weir_put_vara(file, vars(1), start, count, a)
    call weir_put_vara(file, vars(2), start, count, b)
    call weir_put_vara(file, vars(3), start, count, c)
    call weir_put_vara(file, vars(4), start, count, d)
    call weir_put_vara(file, vars(5), int(start, int64), int(count, int64), e)
    call weir_put_vara(file, vars(6), start, count, f)
    call weir_put_vara(file, vars(7), start, count, t)
    call weir_close(file, stat, message)
    call expect_ok(stat, message, 'write every kind')

    call weir_open(writer, test_path('kinds.nc'), WEIR_NOWRITE, file, stat, message)
    call expect_ok(stat, message, 'weir_open')
    call weir_get_vara(file, vars(1), start, count, a2)
    call weir_get_vara(file, vars(2), start, count, b2)
    call weir_get_vara(file, vars(3), start, count, c2)
    call weir_get_vara(file, vars(4), start, count, d2)
    call weir_get_vara(file, vars(5), int(start, int64), int(count, int64), e2)
    call weir_get_vara(file, vars(6), start, count, f2)
    call weir_get_vara(file, vars(7), start, count, t2)
    call expect_true(all(a == a2), 'integer(int8)')
    call expect_true(all(b == b2), 'integer(int16)')
    call expect_true(all(c == c2), 'integer(int32)')
    call expect_true(all(d == d2), 'integer(int64)')
    call expect_true(all(transfer(e, [0]) == transfer(e2, [0])), 'real(real32)')
    call expect_true(all(transfer(f, [0]) == transfer(f2, [0])), 'real(real64)')
    call expect_true(all(t == t2), 'character')
    call expect_conversion(vars(1), start, count, a)
    call weir_close(file, stat, message)
    call expect_ok(stat, message, 'read every kind')
  end subroutine every_kind

  !> The third column is nobody's, and bytes read as doubles.
  subroutine expect_conversion(var, start, count, written)
    integer, intent(in) :: var, start(2), count(2)
    integer(int8), intent(in) :: written(:, :)
    real(real64) :: read_back(5, 2), unwritten(5)

    call weir_get_vara(file, var, start, count, read_back, stat, message)
    call expect_ok(stat, message, 'bytes as doubles')
    call expect_true(all(nint(read_back) == written), 'bytes as doubles')
    call weir_get_vara(file, var, [1, 3*rank + 3], [5, 1], unwritten, stat, message)
    call expect_ok(stat, message, 'an unwritten column')
    call expect_true(all(nint(unwritten) == -127), 'an unwritten column holds the fill value')
  end subroutine expect_conversion

  !> Scalars to seven dimensions; the last dimension is cut among the ranks.
  subroutine every_rank()
    real(real64) :: r0, r1(2), r2(2, 3), r3(2, 3, 2), r4(2, 3, 2, 2), r5(2, 3, 2, 2, 1), r6(2, 3, 2, 2, 1, 2)
    real(real64) :: r7(2, 3, 2, 2, 1, 2, 2), back(96)
    integer, parameter :: lengths(7) = [2, 3, 2, 2, 1, 2, 2]
    integer :: dims(7), split(7), vars(0:7), k
    character(2) :: name

    r7 = reshape([(k + 1000.0_real64*rank, k=1, size(r7))], shape(r7))
    r6 = r7(:, :, :, :, :, :, 1)
    r5 = r6(:, :, :, :, :, 1)
    r4 = r5(:, :, :, :, 1)
    r3 = r4(:, :, :, 1)
    r2 = r3(:, :, 1)
    r1 = r2(:, 1)
    r0 = 42
    call weir_create(writer, test_path('ranks.nc'), WEIR_CLOBBER, file)
    do k = 1, 7
      write (name, '(a, i0)') 'd', k
      call weir_def_dim(file, name, lengths(k), dims(k))
      write (name, '(a, i0)') 's', k
      call weir_def_dim(file, name, lengths(k)*ranks, split(k))
    end do
    call weir_def_var(file, 'r0', WEIR_DOUBLE, [integer ::], vars(0))
    do k = 1, 7
      write (name, '(a, i0)') 'r', k
      call weir_def_var(file, name, WEIR_DOUBLE, [dims(:k - 1), split(k)], vars(k))
    end do
    call weir_enddef(file)
    call weir_put_var(file, vars(0), r0)
    call weir_put_vara(file, vars(1), starts(1), lengths(:1), r1)
    call weir_put_vara(file, vars(2), starts(2), lengths(:2), r2)
    call weir_put_vara(file, vars(3), starts(3), lengths(:3), r3)
    call weir_put_vara(file, vars(4), starts(4), lengths(:4), r4)
    call weir_put_vara(file, vars(5), starts(5), lengths(:5), r5)
    call weir_put_vara(file, vars(6), starts(6), lengths(:6), r6)
    call weir_put_vara(file, vars(7), starts(7), lengths(:7), r7)
    call weir_sync(file, stat, message)
    call expect_ok(stat, message, 'write every rank')
    do k = 1, 7
      back = -1
      call weir_get_vara(file, vars(k), starts(k), lengths(:k), back(:product(lengths(:k))), stat, message)
      call expect_ok(stat, message, 'read every rank')
      call expect_true(all(nint(back(:product(lengths(:k)))) == counted(product(lengths(:k))) + 1000*rank), &
        'an array of rank '//achar(48 + k))
    end do
    call weir_get_vara(file, vars(0), [integer ::], [integer ::], back(1), stat, message)
    call expect_ok(stat, message, 'read a scalar')
    call expect_true(nint(back(1)) == 42, 'a scalar')
    call weir_close(file, stat, message)
    call expect_ok(stat, message, 'close every rank')
  end subroutine every_rank

  pure function counted(n) result(numbers)
    integer, intent(in) :: n
    integer :: numbers(n), k
    numbers = [(k, k=1, n)]
  end function counted

  !> Where this rank's part of a variable of k dimensions begins.
  function starts(k) result(start)
    integer, intent(in) :: k
    integer :: start(k)
    integer, parameter :: lengths(7) = [2, 3, 2, 2, 1, 2, 2]
    start = 1
    start(k) = lengths(k)*rank + 1
  end function starts

end program kinds
