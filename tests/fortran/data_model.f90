! SPDX-License-Identifier: Apache-2.0
! ranks: 1 4
!> Strings, and dimensions that grow beside that of the records, as a folder of Zarr has them; what cannot be is told.
program data_model
  use, intrinsic :: iso_fortran_env, only: int64
  use mpi_f08
  use weir
  use expect
  implicit none
  type(weir_t) :: writer
  type(weir_file) :: file
  type(MPI_Comm) :: comm
  character(500) :: message
  character(8) :: flags(3), few(2)
  character(200) :: reasons(2)
  character(4) :: short(3)
  character(20) :: units
  integer :: rank, stat, t, obs, var, ndims, dims(3), type
  integer(int64) :: count, length

  call MPI_Init()
  call weir_init(MPI_COMM_WORLD, comm, writer, config='strategy: remap', stat=stat, errmsg=message)
  call expect_ok(stat, message, 'weir_init')
  call weir_create(writer, test_path('model.zarr'), WEIR_ZARR, file)
  call weir_def_dim(file, 't', WEIR_UNLIMITED, t)
  call weir_def_dim_unlimited(file, 'obs', 4_int64, obs)
  call weir_def_var(file, 'a', WEIR_INT, [obs, t], var)
  call weir_put_att(file, var, 'flags', [character(8) :: 'thin', '', 'thick'], type=WEIR_STRING)
  call weir_put_att(file, var, 'units', 'K', type=WEIR_STRING)
  call weir_extend_dim(file, obs, 5_int64)
  call weir_enddef(file, stat, message)
  call expect_ok(stat, message, 'weir_enddef')
  call weir_put_var(file, var, [1, 2, 3, 4, 5], record=1)
  call weir_redef(file)
  call weir_extend_dim(file, obs, 7_int64)
  call weir_close(file, stat, message)
  call expect_ok(stat, message, 'weir_close')

  call weir_open(writer, test_path('model.zarr'), WEIR_NOWRITE, file, stat, message)
  call expect_ok(stat, message, 'weir_open')
  dims = -1
  call weir_inq_unlimdims(file, ndims, dims, stat, message)
  call expect_ok(stat, message, 'weir_inq_unlimdims')
  call expect_true(ndims == 2 .and. all(dims == [t, obs, -1]), 'both dimensions are unlimited')
  call weir_inq_dim(file, obs, length)
  call expect_true(length == 7, 'the dimension has its new length')
  call weir_inq_left_out(file, ndims, stat=stat, errmsg=message)
  call expect_true(stat == WEIR_OK .and. ndims == 0, 'nothing is left out of it')
  call weir_inq_att(file, var, 'flags', type, count)
  call expect_true(type == WEIR_STRING .and. count == 3, 'three strings')
  call weir_get_att(file, var, 'flags', flags, stat, message)
  call expect_ok(stat, message, 'weir_get_att')
  call expect_true(all(flags == [character(8) :: 'thin', '', 'thick']), 'the strings come back')
  call weir_get_att(file, var, 'units', units)
  call expect_true(units == 'K', 'one string goes into a text')
  call weir_get_att(file, var, 'flags', few, stat, message)
  call expect_true(stat == WEIR_EARGUMENT .and. index(message, '3 string(s)') > 0, 'too few elements: '//trim(message))
  call weir_get_att(file, var, 'flags', short, stat, message)
  call expect_true(stat == WEIR_EARGUMENT .and. index(message, 'room for 4') > 0, 'too short: '//trim(message))
  call weir_get_att(file, var, 'flags', dims, stat, message)
  call expect_true(stat == WEIR_EARGUMENT, 'numbers take no strings')
  call weir_inq_unlimdims(file, dims=dims(1:1), stat=stat, errmsg=message)
  call expect_true(stat == WEIR_EARGUMENT .and. index(message, '2 unlimited') > 0, 'too short a list: '//trim(message))
  call weir_close(file, stat, message)
  call expect_ok(stat, message, 'weir_close of a file to read')

  call MPI_Comm_rank(comm, rank)
  if (rank == 0) call make_other(test_path('other.zarr'))
  call MPI_Barrier(comm)
  call weir_open(writer, test_path('other.zarr'), WEIR_NOWRITE, file, stat, message)
  call expect_ok(stat, message, 'weir_open of a folder by others')
  call weir_inq_left_out(file, ndims, few, reasons, stat, message)
  call expect_true(stat == WEIR_OK .and. ndims == 1 .and. few(1) == 'wet', 'left out by its name: '//trim(message))
  call expect_true(index(reasons(1), 'bool') > 0, 'with the reason: '//trim(reasons(1)))
  call weir_inq_left_out(file, reasons=short(1:1), stat=stat, errmsg=message)
  call expect_true(stat == WEIR_EARGUMENT .and. index(message, 'room for 4') > 0, 'no room for it: '//trim(message))
  call weir_close(file, stat)

  call weir_create(writer, test_path('refused.zarr'), WEIR_ZARR, file)
  call weir_put_att(file, WEIR_GLOBAL, 'numbers', [1, 2], type=WEIR_STRING, stat=stat, errmsg=message)
  call expect_true(stat == WEIR_EARGUMENT .and. index(message, 'give characters') > 0, 'numbers: '//trim(message))
  call weir_close(file, stat)
  call weir_finalize(writer, stat, message)
  call expect_ok(stat, message, 'weir_finalize')
  call MPI_Comm_free(comm)
  call conclude()

contains

  !> A folder with one array, of a type that Weir does not read.
  subroutine make_other(folder)
    character(*), intent(in) :: folder
    integer :: unit

    call execute_command_line('mkdir -p '//folder//'/wet')
    open (newunit=unit, file=folder//'/zarr.json')
    write (unit, '(a)') '{"zarr_format": 3, "node_type": "group", "attributes": {}}'
    close (unit)
    open (newunit=unit, file=folder//'/wet/zarr.json')
    write (unit, '(a)') '{"zarr_format": 3, "node_type": "array", "shape": [2], "data_type": "bool", "fill_value": false,'
    write (unit, '(a)') '"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}}, "dimension_names": ["x"],'
    write (unit, '(a)') '"chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}}, "attributes": {},'
    write (unit, '(a)') '"codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}'
    close (unit)
  end subroutine make_other
end program data_model
