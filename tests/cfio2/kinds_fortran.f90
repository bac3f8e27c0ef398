! SPDX-License-Identifier: Apache-2.0
! ranks: 3 5
!> Every kind of data and of index in Fortran, with a type(MPI_Comm); 0 to 4 dimensions, records, parts of arrays,
!> attributes; and what Fortran sees that C does not: arrays too short, of another kind, or of other lengths.
program kinds_fortran
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  use mpi_f08
  use cfio2
  use weir
  use expect
  implicit none
  integer, parameter :: own = 4
  type(MPI_Comm) :: comm
  integer :: rank, ranks, stat, start, length
  character(500) :: message

  call MPI_Init()
  comm = MPI_COMM_WORLD
  call MPI_Comm_rank(comm, rank)
  call MPI_Comm_size(comm, ranks)
  start = own*(rank - 1) + 1
  length = own*(ranks - 1)
  call cfio2_init(comm, 2, 2, stat, message)
  call expect_ok(stat, message, 'cfio2_init')
  if (.not. cfio2_control_process(comm)) then
    call every_kind()
    call every_shape()
    call records()
    call what_cannot_be()
  end if
  call cfio2_finalize(comm, stat, message)
  call expect_ok(stat, message, 'cfio2_finalize')
  call expect_start_that_cannot_be()
  call check_kinds()
  call conclude()

contains

  subroutine ok(what)
    character(*), intent(in) :: what
    call expect_ok(stat, message, what)
  end subroutine ok

  subroutine wait(what)
    character(*), intent(in) :: what
    call cfio2_wait_output(comm, stat, message)
    call ok(what)
  end subroutine wait

  subroutine every_kind()
    character(:), allocatable :: f
    integer :: i
    integer :: n(own)

    f = test_path('kinds.nc')
    n = [(start + i - 1, i=1, own)]
    call cfio2_put_vara(comm, f, 'byte', cfio2_byte, ['x'], [length], [start], [own], int(n, int8), 0, stat, message)
    call ok('byte')
    call cfio2_put_vara(comm, f, 'short', cfio2_short, ['x'], [length], [start], [own], int(n, int16), 1, stat, message)
    call ok('short')
    call cfio2_put_vara(comm, f, 'int', cfio2_int, ['x'], [length], [start], [own], n, 1, stat, message)
    call ok('int')
    call cfio2_put_vara(comm, f, 'int64', cfio2_int64, ['x'], [length], [start], [own], int(n, int64), 1, stat, message)
    call ok('int64')
    call cfio2_put_vara(comm, f, 'ubyte', cfio2_ubyte, ['x'], [length], [start], [own], int(n, int8), 1, stat, message)
    call ok('ubyte')
    call cfio2_put_vara(comm, f, 'ushort', cfio2_ushort, ['x'], [length], [start], [own], int(n, int16), 1, stat, message)
    call ok('ushort')
    call cfio2_put_vara(comm, f, 'uint', cfio2_uint, ['x'], [length], [start], [own], n, .true., stat, message)
    call ok('uint')
    call cfio2_put_vara(comm, f, 'uint64', cfio2_uint64, ['x'], [length], [start], [own], int(n, int64), 1, stat, message)
    call ok('uint64')
    call cfio2_put_vara(comm, f, 'float', cfio2_float, ['x'], [length], [start], [own], real(n, real32), 1, stat, message)
    call ok('float')
    call cfio2_put_vara(comm, f, 'double', cfio2_double, ['x'], int([length], int64), int([start], int64), &
                        int([own], int64), real(n, real64), 1, stat, message)
    call ok('double, with long indices')
    call cfio2_put_vara(comm, f, 'char', cfio2_char, ['x'], [length], [start], [own], repeat(achar(64 + rank), own), 1, &
                        stat, message)
    call ok('char')
    call cfio2_put_att_text(comm, f, 'float', 'units', 'm', stat, message)
    call ok('a text')
    call cfio2_put_att(comm, f, 'float', 'valid_range', [0.0, 99.0], stat, message)
    call ok('numbers')
    call cfio2_put_att(comm, f, '', 'title', 'kinds', stat, message)
    call ok('the title')
    call wait('every kind')
  end subroutine every_kind

  !> The last dimension of the file is Fortran's first. A section of an array is put as it is.
  subroutine every_shape()
    character(:), allocatable :: f
    real(real64) :: cube(3, own, 2), larger(8, own, 2)
    real(real64) :: flat(1, 3, own, 2)
    integer :: x, y, z

    f = test_path('shapes.nc')
    do z = 1, 2
      do y = 1, own
        do x = 1, 3
          cube(x, y, z) = element(x, start + y - 1, z)
        end do
      end do
    end do
    larger = -1
    larger(2:6:2, :, :) = cube
    flat(1, :, :, :) = cube
    call cfio2_put_vara(comm, f, 'cube', cfio2_double, [character(4) :: 'z', 'yy', 'x'], [2, length, 3], [1, start, 1], &
                        [2, own, 3], cube, 0, stat, message)
    call ok('three dimensions')
    call cfio2_put_vara(comm, f, 'section', cfio2_double, [character(4) :: 'z', 'yy', 'x'], [2, length, 3], [1, start, 1], &
                        [2, own, 3], larger(2:6:2, :, :), 1, stat, message)
    call ok('a section')
    call cfio2_put_vara(comm, f, 'four', cfio2_double, [character(4) :: 'z', 'yy', 'x', 'one'], [2, length, 3, 1], &
                        [1, start, 1, 1], [2, own, 3, 1], flat, 1, stat, message)
    call ok('four dimensions')
    call cfio2_put_vara(comm, f, 'scalar', cfio2_double, [character(1) ::], [integer ::], [integer ::], [integer ::], &
                        2.5_real64, 1, stat, message)
    call ok('no dimension')
    call wait('every shape')
  end subroutine every_shape

  pure real(real64) function element(x, y, z)
    integer, intent(in) :: x, y, z
    element = 100*z + y + x/8.0_real64
  end function element

  subroutine records()
    integer :: record

    do record = 1, 4
      call cfio2_put_vara(comm, test_path('records.nc'), 'series', cfio2_int, ['t', 'x'], [0, length], [record, start], &
                          [1, own], spread(record*start, 1, own), record > 1, stat, message)
      call ok('a record')
      if (record == 2) call wait('two records')
    end do
    call wait('records')
  end subroutine records

  !> Each is told on this rank at once, and on all ranks where they wait.
  subroutine what_cannot_be()
    character(:), allocatable :: f
    character(20) :: words(2)
    integer :: kind

    f = test_path('wrong.nc')
    words(1) = 'rank '//achar(iachar('0') + ranks - 1)//': '
    words(2) = 'datatype 77'
    call cfio2_put_vara(comm, f, 'short', cfio2_int, ['x'], [length], [start], [own], [1, 2, 3], 0, stat, message)
    call refused(['3 elements', 'count says'], 'a short array')
    call cfio2_put_vara(comm, f, 'kind', cfio2_double, ['x'], [length], [start], [own], [1.0, 2.0, 3.0, 4.0], 0, stat, message)
    call refused(['float ', 'double'], 'an array of another kind')
    call cfio2_put_vara(comm, f, 'axes', cfio2_int, ['x'], [length], [start, 1], [own], [1, 2, 3, 4], 0, stat, message)
    call refused(['start  ', '2 entr ', 'each di'], 'start of another length')
    call cfio2_put_vara(comm, f, 'index', cfio2_int, ['x'], [length], [0], [own], [1, 2, 3, 4], 0, stat, message)
    call refused(['start -1'], 'an index below 1')
    kind = merge(77, cfio2_int, rank == ranks - 1)
    call cfio2_put_vara(comm, f, 'datatype', kind, ['x'], [length], [start], [own], [1, 2, 3, 4], 0)
    call cfio2_wait_output(comm, stat, message)
    call expect_code(stat, WEIR_EARGUMENT, message, words, 'what nobody asked about')
  end subroutine what_cannot_be

  subroutine refused(words, what)
    character(*), intent(in) :: words(:), what

    call expect_code(stat, WEIR_EARGUMENT, message, words, what)
    call expect_true(cfio2_error() == trim(message), what//': cfio2_error says the same')
    call cfio2_wait_output(comm, stat, message)
    call expect_code(stat, WEIR_EARGUMENT, message, words, what//', where all ranks wait')
  end subroutine refused

  subroutine expect_start_that_cannot_be()
    call cfio2_put_vara(comm, 'f.nc', 'v', cfio2_int, ['x'], [1], [1], [1], [1], 0, stat, message)
    call expect_code(stat, WEIR_ESTATE, message, ['cfio2_init'], 'a put after the end')
    call cfio2_init(comm, 0, 1, stat, message)
    call expect_code(stat, WEIR_EARGUMENT, message, ['give 1 or more'], 'nobody to write')
    call cfio2_init([1, 2], 1, 1, stat, message)
    call expect_code(stat, WEIR_EARGUMENT, message, ['without a communicator'], 'a communicator that is none')
  end subroutine expect_start_that_cannot_be

  subroutine check_kinds()
    type(weir_t) :: reader
    type(MPI_Comm) :: alone
    type(weir_file) :: file
    character(8), parameter :: names(10) = [character(8) :: 'byte', 'short', 'int', 'int64', 'ubyte', 'ushort', 'uint', &
      'uint64', 'float', 'double']
    integer, parameter :: types(10) = [WEIR_BYTE, WEIR_SHORT, WEIR_INT, WEIR_INT64, WEIR_UBYTE, WEIR_USHORT, WEIR_UINT, &
      WEIR_UINT64, WEIR_FLOAT, WEIR_DOUBLE]
    integer :: k, var, found, i, x, y, z
    real(real64) :: read(length), cube(3, length, 2), scalar
    integer :: series(length, 4)
    character(1) :: letters(length)
    character(8) :: units

    call unset('WEIR_STRATEGY')
    call weir_init(MPI_COMM_SELF, alone, reader, 'strategy: serial'//new_line('a'))
    call weir_open(reader, test_path('kinds.nc'), WEIR_NOWRITE, file, stat, message)
    call ok('kinds.nc')
    do k = 1, size(names)
      call weir_inq_varid(file, trim(names(k)), var, stat, message)
      call ok(names(k))
      call weir_inq_var(file, var, type=found)
      call expect_true(found == types(k), 'the type of '//names(k))
      call weir_get_vara(file, var, [1], [length], read, stat, message)
      call expect_true(all(abs(read - [(i, i=1, length)]) <= 0), 'the values of '//names(k))
    end do
    units = ''
    call weir_get_att(file, size(names) - 1, 'units', units, stat, message)
    call expect_true(stat == WEIR_OK .and. units == 'm', 'the units')
    call weir_inq_varid(file, 'char', var)
    call weir_get_vara(file, var, [1], [length], letters)
    call expect_true(letters(1) == 'A' .and. letters(length) == achar(63 + ranks), 'text')
    call weir_close(file)
    call weir_open(reader, test_path('shapes.nc'), WEIR_NOWRITE, file, stat, message)
    call ok('shapes.nc')
    do k = 1, 2
      call weir_inq_varid(file, trim(merge('cube   ', 'section', k == 1)), var)
      call weir_get_vara(file, var, [1, 1, 1], [3, length, 2], cube)
      call expect_true(all(abs(cube - reshape([(((element(x, y, z), x=1, 3), y=1, length), z=1, 2)], shape(cube))) <= 0), &
                       'the cube')
    end do
    call weir_inq_varid(file, 'scalar', var)
    call weir_get_vara(file, var, [integer ::], [integer ::], scalar)
    call expect_true(abs(scalar - 2.5_real64) <= 0, 'the scalar')
    call weir_close(file)
    call weir_open(reader, test_path('records.nc'), WEIR_NOWRITE, file, stat, message)
    call ok('records.nc')
    call weir_inq_varid(file, 'series', var)
    call weir_get_vara(file, var, [1, 1], [length, 4], series)
    call expect_true(series(1, 4) == 4 .and. series(length, 3) == 3*(length - own + 1), 'the series')
    call weir_close(file)
    call weir_finalize(reader)
  end subroutine check_kinds

end program kinds_fortran
