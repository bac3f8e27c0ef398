! SPDX-License-Identifier: Apache-2.0
! ranks: 1 4
!> Two fields go to streams, hour by hour: daily means and minima are in one file. A field has halos and its axes in
!> another order in memory. Values of a wrong size or shape are refused.
program streams
  use, intrinsic :: iso_fortran_env, only: real32, real64
  use mpi_f08
  use weir
  use expect
  implicit none
  integer, parameter :: nx = 6, ny = 8, nz = 3, hours = 48
  character(*), parameter :: nl = new_line('a')
  type(weir_t) :: writer
  type(MPI_Comm) :: comm
  integer :: rank, ranks, stat, first, rows, plane, volume, column, whole, sst, salt, unused, lat, area
  character(500) :: message

  call MPI_Init()
  call weir_init(MPI_COMM_WORLD, comm, writer, 'streams:'//nl//'  daily:'//nl//'    file: "'//test_path('streams_f.nc') &
    //'"'//nl//'    every: 1 day'//nl//'    fields: {sst: mean, salt_min: {of: salt, as: minimum}}'//nl, stat, message)
  call expect_ok(stat, message, 'weir_init')
  call MPI_Comm_rank(comm, rank)
  call MPI_Comm_size(comm, ranks)
  first = rank*ny/ranks + 1
  rows = (rank + 1)*ny/ranks - first + 1
  call weir_def_layout(writer, [nx, ny], [1, first], [nx, rows], plane)
  call weir_def_layout_subarray(writer, [nx, ny, nz], [1, first, 1], [nx, rows, nz], [nx, nz, rows + 2], [1, 1, 2], &
    volume, order=[1, 3, 2])
  call weir_def_layout(writer, [ny], [1], [merge(ny, 0, rank == 0)], column)

  call define()
  call send_all()
  call weir_finalize(writer, stat, message)
  call expect_ok(stat, message, 'weir_finalize')
  call MPI_Comm_free(comm)
  call check_file()
  call refuse_a_size()
  call conclude()

contains

  subroutine define()
    integer :: j

    call weir_def_field(writer, 'sst', WEIR_FLOAT, [character(5) :: 'lon', 'lat'], plane, sst, stat, message)
    call expect_ok(stat, message, 'weir_def_field of sst')
    call weir_def_field(writer, 'salt', WEIR_DOUBLE, [character(5) :: 'lon', 'lat', 'depth'], volume, salt, stat, message)
    call expect_ok(stat, message, 'weir_def_field of salt')
    call weir_def_field(writer, 'unused', WEIR_FLOAT, ['lon', 'lat'], plane, unused)
    call weir_def_field(writer, 'area', WEIR_DOUBLE, [character(1) ::], 0, area, stat, message)
    call expect_ok(stat, message, 'weir_def_field of a scalar')
    call weir_def_field(writer, 'lat', WEIR_DOUBLE, 'lat', column, lat, stat, message)
    call expect_ok(stat, message, 'weir_def_field of lat')
    call weir_def_field(writer, 'wrong', WEIR_FLOAT, [1, 2], plane, whole, stat, message)
    call expect_code(stat, WEIR_EARGUMENT, message, [character(20) :: 'dims', 'characters'], 'dims that are numbers')
    call weir_put_field_att_text(writer, sst, 'units', 'K', stat, message)
    call expect_ok(stat, message, 'weir_put_field_att_text')
    call weir_put_field_att(writer, sst, 'valid_range', [0._real32, 400._real32], stat=stat, errmsg=message)
    call expect_ok(stat, message, 'weir_put_field_att')
    call weir_put_field_att(writer, WEIR_GLOBAL, 'title', 'a title', stat=stat, errmsg=message)
    call expect_ok(stat, message, 'weir_put_field_att of all files')
    call weir_set_field(writer, lat, [(10._real64*j, j=1, ny)], stat, message)
    call expect_ok(stat, message, 'weir_set_field')
  end subroutine define

  !> Element (i, j, k) of the arrays.
  elemental real(real64) function element(i, j, k)
    integer, intent(in) :: i, j, k
    element = i + nx*(j - 1) + 100*k
  end function element

  subroutine send_all()
    real(real64), allocatable :: plane_values(:, :), volume_values(:, :, :)
    integer :: hour, i, j, k
    logical :: wanted

    allocate (plane_values(nx, rows), volume_values(nx, nz, 0:rows + 1))
    volume_values = -1e30_real64
    call weir_send(writer, sst, 3600._real64, plane_values, stat, message)
    call expect_true(stat == WEIR_ESTATE, 'a send before weir_start_streams: '//trim(message))
    call weir_start_streams(writer, 'seconds since 1990-01-01 00:00:00', 0._real64, stat=stat, errmsg=message)
    call expect_ok(stat, message, 'weir_start_streams')
    call expect_true(weir_field_wanted(writer, sst, 3600._real64), 'sst is wanted')
    call expect_true(.not. weir_field_wanted(writer, unused, 3600._real64), 'unused is not wanted')
    wanted = weir_field_wanted(writer, 99, 3600._real64, stat, message)
    call expect_true(wanted .and. stat == WEIR_EARGUMENT, 'there is no field 99: '//trim(message))
    do hour = 1, hours
      do j = 1, rows
        plane_values(:, j) = [(element(i, first + j - 1, 0) + hour, i=1, nx)]
        do k = 1, nz
          volume_values(:, k, j) = [(element(i, first + j - 1, k) - hour, i=1, nx)]
        end do
      end do
      call weir_send(writer, sst, 3600._real64*hour, real(plane_values, real32), stat, message)
      call expect_ok(stat, message, 'weir_send of sst')
      call weir_send(writer, salt, 3600._real64*hour, volume_values, stat, message)
      call expect_ok(stat, message, 'weir_send of salt')
    end do
  end subroutine send_all

  !> A rank that cannot send what it holds fails the files of all ranks, as a refused put does.
  subroutine refuse_a_size()
    type(weir_t) :: other
    real(real32) :: values(nx, ny)
    integer :: field, layout

    call weir_init(MPI_COMM_WORLD, comm, other, 'streams:'//nl//'  s:'//nl//'    file: "'//test_path('streams_g.nc') &
      //'"'//nl//'    every: 1 day'//nl//'    fields: [sst]'//nl, stat, message)
    call expect_ok(stat, message, 'weir_init')
    call weir_def_layout(other, [nx, ny], [1, first], [nx, rows], layout)
    call weir_def_field(other, 'sst', WEIR_FLOAT, [character(5) :: 'lon', 'lat'], layout, field)
    call weir_start_streams(other, 'seconds since 1990-01-01 00:00:00', 0._real64)
    values = 0
    if (rank == 0) then
      call weir_send(other, field, 86400._real64, values(:, :rows - 1), stat, message)
      call expect_code(stat, WEIR_EARGUMENT, message, [character(20) :: 'elements', 'field 1'], 'values of a wrong size')
    else
      call weir_send(other, field, 86400._real64, values(:, :rows), stat, message)
    end if
    call weir_finalize(other, stat, message)
    call expect_code(stat, WEIR_EARGUMENT, message, [character(20) :: 'NULL', 'sst'], 'the end after it')
    call MPI_Comm_free(comm)
  end subroutine refuse_a_size

  subroutine check_file()
    type(weir_t) :: reader
    type(weir_file) :: file
    real(real64) :: plane_values(nx, ny), volume_values(nx, ny, nz), time(1), latitudes(ny)
    integer :: day, var, i, j, k

    call weir_init(MPI_COMM_WORLD, comm, reader, 'strategy: remap'//nl, stat, message)
    call expect_ok(stat, message, 'weir_init to read')
    call weir_open(reader, test_path('streams_f.nc'), WEIR_NOWRITE, file, stat, message)
    call expect_ok(stat, message, 'weir_open')
    do day = 1, hours/24
      call weir_inq_varid(file, 'sst', var)
      call weir_get_vara(file, var, [1, 1, day], [nx, ny, 1], plane_values, stat, message)
      call expect_ok(stat, message, 'weir_get_vara of sst')
      call expect_true(all(abs(plane_values - reshape([((element(i, j, 0), i=1, nx), j=1, ny)], [nx, ny]) &
        - (24*day - 11.5_real64)) <= 0), 'daily means of sst')
      call weir_inq_varid(file, 'salt_min', var)
      call weir_get_vara(file, var, [1, 1, 1, day], [nx, ny, nz, 1], volume_values, stat, message)
      call expect_ok(stat, message, 'weir_get_vara of salt_min')
      call expect_true(all(abs(volume_values + 24*day &
        - reshape([(((element(i, j, k), i=1, nx), j=1, ny), k=1, nz)], [nx, ny, nz])) <= 0), 'daily minima of salt')
      call weir_inq_varid(file, 'time', var)
      call weir_get_vara(file, var, [day], [1], time)
      call expect_true(abs(time(1) - 86400._real64*(day - 0.5_real64)) <= 0, 'time in the middle')
    end do
    call weir_inq_varid(file, 'lat', var)
    call weir_get_vara(file, var, [1], [ny], latitudes)
    call expect_true(all(abs(latitudes - [(10._real64*j, j=1, ny)]) <= 0), 'the coordinate')
    call weir_close(file)
    call weir_finalize(reader)
    call MPI_Comm_free(comm)
  end subroutine check_file
end program streams
