! SPDX-License-Identifier: Apache-2.0
! ranks: 1 4
!> What was defined is what a file tells of itself; attributes of every kind; identifiers from 1, fastest first.
program inquiry
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  use mpi_f08
  use weir
  use expect
  implicit none
  type(weir_t) :: writer
  type(weir_file) :: file
  type(MPI_Comm) :: comm
  integer :: stat, format
  character(500) :: message
  character(:), allocatable :: json

  call MPI_Init()
  call weir_init(MPI_COMM_WORLD, comm, writer, config='strategy: remap', stat=stat, errmsg=message)
  call expect_ok(stat, message, 'weir_init')
  call write_file()
  call weir_open(writer, test_path('inquiry.nc'), WEIR_NOWRITE, file, stat, message)
  call expect_ok(stat, message, 'weir_open')
  call expect_dimensions()
  call expect_variable()
  call expect_attributes()
  call weir_inq_format(file, format, stat, message)
  call expect_ok(stat, message, 'weir_inq_format')
  call expect_true(format == 5, 'unsigned types need CDF-5')
  call weir_close(file, stat, message)
  call expect_ok(stat, message, 'weir_close')
  call weir_report(writer, json, stat, message)
  call expect_ok(stat, message, 'weir_report')
  call expect_true(index(json, '"strategy"') > 0, 'the report names the strategy: '//json)
  deallocate (json) ! a program's own variables are not freed at its end
  call weir_finalize(writer, stat, message)
  call expect_ok(stat, message, 'weir_finalize')
  call MPI_Comm_free(comm)
  call conclude()

contains

  subroutine write_file()
    integer :: x, y, t, var, scalar, layout, rank
    character(:), allocatable :: json

    call weir_create(writer, test_path('inquiry.nc'), ior(WEIR_CLOBBER, WEIR_CDF5), file)
    call weir_def_dim(file, 'x', 4, x)
    call weir_def_dim(file, 'y', 3_int64, y)
    call weir_def_dim(file, 't', WEIR_UNLIMITED, t)
    call expect_true(all([x, y, t] == [1, 2, 3]), 'dimensions count from 1')
    call weir_def_var(file, 'scalar', WEIR_INT, [integer ::], scalar)
    call weir_def_var(file, 'level', WEIR_UBYTE, [x, y, t], var)
    call expect_true(all([scalar, var] == [1, 2]), 'variables count from 1')
    call weir_put_att(file, WEIR_GLOBAL, 'title', 'waves and weirs')
    call weir_put_att_text(file, WEIR_GLOBAL, 'history', 'none  ')
    call weir_put_att(file, var, 'bytes', [1_int8, -2_int8])
    call weir_put_att(file, var, '_FillValue', [-1_int8], type=WEIR_UBYTE)
    call weir_put_att(file, var, 'shorts', [3_int16, -4_int16])
    call weir_put_att(file, var, 'ints', reshape([1, 2, 3, 4], [2, 2]))
    call weir_put_att(file, var, 'longs', 5000000000_int64)
    call weir_put_att(file, var, 'floats', 0.1_real32)
    call weir_put_att(file, var, 'doubles', [0.1_real64, -0.2_real64])
    call weir_put_att(file, var, 'limits', [huge(0_int64), -1_int64], type=WEIR_UINT64)
    call weir_enddef(file, stat, message)
    call expect_ok(stat, message, 'weir_enddef')
    call weir_put_var(file, scalar, 7)
    call MPI_Comm_rank(comm, rank)
    call weir_def_layout(writer, [4, 3], [1, 1], merge([4, 3], 0, rank == 0), layout)
    call weir_plan(file, var, layout, json, stat, message)
    call expect_ok(stat, message, 'weir_plan')
    call expect_true(index(json, '{') == 1, 'a plan is JSON: '//json)
    call weir_close(file, stat, message)
    call expect_ok(stat, message, 'weir_close')
  end subroutine write_file

  subroutine expect_dimensions()
    integer :: ndims, nvars, natts, record_dim, dim, length
    integer(int64) :: long_length
    character(WEIR_MAX_NAME) :: name

    call weir_inq(file, ndims, nvars, natts, record_dim, stat, message)
    call expect_ok(stat, message, 'weir_inq')
    call expect_true(all([ndims, nvars, natts, record_dim] == [3, 2, 2, 3]), 'weir_inq')
    call weir_inq_dimid(file, 'y', dim, stat, message)
    call expect_ok(stat, message, 'weir_inq_dimid')
    call expect_true(dim == 2, 'weir_inq_dimid')
    call weir_inq_dim(file, dim, length, name)
    call weir_inq_dim(file, dim, long_length)
    call expect_true(length == 3 .and. long_length == 3 .and. name == 'y', 'weir_inq_dim')
    call weir_inq_dimid(file, 'z', dim, stat, message)
    call expect_code(stat, WEIR_ENOTFOUND, message, ['"z"'], 'a dimension that is not there')
  end subroutine expect_dimensions

  subroutine expect_variable()
    integer :: var, type, ndims, dims(5), natts, short(2)
    character(5) :: name
    character(3) :: attribute

    call weir_inq_varid(file, 'level', var)
    dims = -7
    call weir_inq_var(file, var, name, type, ndims, dims, natts, stat, message)
    call expect_ok(stat, message, 'weir_inq_var')
    call expect_true(name == 'level' .and. all([type, ndims, natts] == [WEIR_UBYTE, 3, 8]), 'weir_inq_var')
    call expect_true(all(dims == [1, 2, 3, -7, -7]), 'dims, fastest first')
    call weir_inq_var(file, var, dims=short, stat=stat, errmsg=message)
    call expect_code(stat, WEIR_EARGUMENT, message, ['2', '3'], 'too little room for dims')
    call weir_inq_attname(file, var, 1, attribute, stat, message)
    call expect_ok(stat, message, 'weir_inq_attname')
    call expect_true(attribute == 'byt', 'a name cut at its end: '//attribute)
  end subroutine expect_variable

  subroutine expect_attributes()
    integer :: var, type
    integer(int64) :: count, longs, limits(2)
    integer(int8) :: bytes(2), fill
    integer(int16) :: shorts(2)
    integer(int32) :: ints(2, 2)
    real(real32) :: floats
    real(real64) :: doubles(2)
    character(20) :: title

    call weir_inq_varid(file, 'level', var)
    call weir_get_att(file, WEIR_GLOBAL, 'title', title, stat, message)
    call expect_ok(stat, message, 'a text')
    call expect_true(title == 'waves and weirs', 'a text')
    call weir_inq_att(file, WEIR_GLOBAL, 'history', type, count)
    call expect_true(type == WEIR_CHAR .and. count == 6, 'a text keeps its blanks')
    call weir_get_att(file, var, 'bytes', bytes)
    call weir_get_att(file, var, '_FillValue', fill)
    call weir_get_att(file, var, 'shorts', shorts)
    call weir_get_att(file, var, 'ints', ints)
    call weir_get_att(file, var, 'longs', longs)
    call weir_get_att(file, var, 'floats', floats)
    call weir_get_att(file, var, 'doubles', doubles)
    call weir_get_att(file, var, 'limits', limits, stat, message)
    call expect_ok(stat, message, 'attributes')
    call expect_true(all(bytes == [1_int8, -2_int8]) .and. fill == -1_int8 .and. all(shorts == [3_int16, -4_int16]), &
      'short attributes')
    call expect_true(all(ints == reshape([1, 2, 3, 4], [2, 2])) .and. longs == 5000000000_int64, 'longer attributes')
    call expect_true(abs(floats - 0.1_real32) <= 0, 'a real attribute')
    call expect_true(all(abs(doubles - [0.1_real64, -0.2_real64]) <= 0), 'real attributes')
    call expect_true(all(limits == [huge(0_int64), -1_int64]), 'unsigned attributes')
    call weir_inq_att(file, var, 'limits', type, count)
    call expect_true(type == WEIR_UINT64 .and. count == 2, 'the type of unsigned attributes')
    call weir_get_att(file, var, 'doubles', floats, stat, message)
    call expect_code(stat, WEIR_EARGUMENT, message, [character(6) :: 'double', 'float'], 'an attribute of another kind')
    call weir_get_att(file, var, 'doubles', doubles(:1), stat, message)
    call expect_code(stat, WEIR_EARGUMENT, message, ['1', '2'], 'an attribute longer than the array')
    call weir_get_att(file, var, 'absent', doubles, stat, message)
    call expect_code(stat, WEIR_ENOTFOUND, message, ['absent'], 'an attribute that is not there')
  end subroutine expect_attributes

end program inquiry
