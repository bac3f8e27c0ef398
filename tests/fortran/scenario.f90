! SPDX-License-Identifier: Apache-2.0
! ranks: 1 4 7
!> The same model output as tests/c/scenario.c, to the byte: tests/cli/scenario.sh compares the files.
program scenario
  use, intrinsic :: iso_fortran_env, only: int16, int64, real32, real64
  use mpi_f08
  use weir
  use expect, only: conclude, expect_ok, test_path
  implicit none
  integer, parameter :: nx = 23, ny = 17, nz = 5
  type(weir_t) :: writer
  type(weir_file) :: file
  type(MPI_Comm) :: comm
  integer :: rank, ranks, stat, first, last, plane, volume, sea
  integer :: x, y, z, t, title_length, lon, title, depth, counter, flow, salt
  character(500) :: message

  call MPI_Init()
  call weir_init(MPI_COMM_WORLD, comm, writer, stat=stat, errmsg=message)
  call expect_ok(stat, message, 'weir_init')
  call MPI_Comm_rank(comm, rank)
  call MPI_Comm_size(comm, ranks)
  first = rank*ny/ranks + 1
  last = (rank + 1)*ny/ranks
  call define_layouts()
  call define_file()
  call put_fixed()
  call put_record(1)
  call weir_sync(file, stat, message)
  call expect_ok(stat, message, 'weir_sync')
  call put_record(2)
  call put_record(3)
  call weir_close(file, stat, message)
  call expect_ok(stat, message, 'weir_close')
  call weir_finalize(writer, stat, message)
  call expect_ok(stat, message, 'weir_finalize')
  call MPI_Comm_free(comm)
  call conclude()

contains

  !> Rows first to last of (x, y); of (x, y, z) the same, in memory (x, z, y) with a halo of one row on each side; and a
  !> map of (x, y) that leaves every third element out and is dealt out to the ranks in turn.
  subroutine define_layouts()
    integer(int64) :: offsets((nx*ny - rank + ranks - 1)/ranks)
    integer :: i

    call weir_def_layout(writer, [nx, ny], [1, first], [nx, last - first + 1], plane)
    call weir_def_layout_subarray(writer, [nx, ny, nz], [1, first, 1], [nx, last - first + 1, nz], &
      [nx, nz, last - first + 3], [1, 1, 2], volume, order=[1, 3, 2])
    offsets = [(int(rank + 1 + (i - 1)*ranks, int64), i=1, size(offsets))]
    where (modulo(offsets, 3_int64) == 0) offsets = WEIR_ABSENT
    call weir_def_layout_map(writer, [nx, ny] + 0_int64, offsets, sea)
  end subroutine define_layouts

  subroutine define_file()
    call weir_create(writer, test_path('scenario_fortran.nc'), WEIR_CLOBBER, file)
    call weir_def_dim(file, 'x', nx, x)
    call weir_def_dim(file, 'y', ny, y)
    call weir_def_dim(file, 'z', nz, z)
    call weir_def_dim(file, 't', WEIR_UNLIMITED, t)
    call weir_def_dim(file, 'title_length', 11, title_length)
    call weir_put_att(file, WEIR_GLOBAL, 'Conventions', 'CF-1.10')
    call weir_put_att(file, WEIR_GLOBAL, 'levels', [1_int16, 2_int16, 3_int16])
    call weir_def_var(file, 'lon', WEIR_DOUBLE, [x], lon)
    call weir_put_att(file, lon, 'units', 'degrees_east')
    call weir_def_var(file, 'title', WEIR_CHAR, [title_length], title)
    call weir_def_var(file, 'depth', WEIR_SHORT, [x, y], depth)
    call weir_put_att(file, depth, '_FillValue', [-9999_int16])
    call weir_def_var(file, 'counter', WEIR_INT, [t], counter)
    call weir_def_var(file, 'flow', WEIR_FLOAT, [x, y, t], flow)
    call weir_put_att(file, flow, 'valid_range', [-1.0e6_real32, 1.0e6_real32])
    call weir_def_var(file, 'salt', WEIR_DOUBLE, [x, y, z, t], salt)
    call weir_enddef(file, stat, message)
    call expect_ok(stat, message, 'weir_enddef')
  end subroutine define_file

  subroutine put_fixed()
    real(real64) :: longitudes(nx)
    integer, allocatable :: depths(:)
    integer :: i

    longitudes = [(0.25_real64*i, i=1, nx)]
    call weir_put_var(file, lon, longitudes)
    call weir_put_var(file, title, 'weir & flow')
    allocate (depths((nx*ny - rank + ranks - 1)/ranks))
    depths = [(10*(rank + 1 + (i - 1)*ranks), i=1, size(depths))]
    call weir_put(file, depth, sea, depths)
  end subroutine put_fixed

  subroutine put_record(record)
    integer, intent(in) :: record
    real(real64) :: flows(nx, first:last), salts(nx, nz, first - 1:last + 1)
    integer :: i, j, k

    salts = -1
    do j = first, last
      do i = 1, nx
        flows(i, j) = 1000*record + j + i/100.0_real64
        do k = 1, nz
          salts(i, k, j) = flows(i, j) + k/8.0_real64
        end do
      end do
    end do
    call weir_put_var(file, counter, 7*record, record)
    call weir_put(file, flow, plane, flows, record)
    call weir_put(file, salt, volume, salts, record)
  end subroutine put_record

end program scenario
