! SPDX-License-Identifier: Apache-2.0
!> Weir for Fortran programs with `use mpi`, and for compilers that cannot compile the module weir (no mpi_f08, no assumed
!> rank): the C interface as it is, by bind(C). include/weir/weir.h says what each function does; here
!>
!> 1. functions return WEIR_OK or a code; weir_text(weir_file_error(file)) is the sentence;
!> 2. everything counts from 0, and dimensions are listed slowest first, as in C; WEIR_C_GLOBAL, WEIR_C_UNLIMITED and
!>    WEIR_C_ABSENT are what those are there;
!> 3. values go by c_loc(values): the compiler checks neither their type nor their number; the model's array has TARGET, and is
!>    contiguous;
!> 4. texts end with c_null_char; config, order, chunks and calendar are c_loc(...), or c_null_ptr for none, and dims of a field
!>    is c_loc of the texts' addresses; all results of an inquiry are given, of lengths that hold them;
!> 5. communicators are the integers of `use mpi`.
!>
!> It is made of this file and weir_types.f90, by the model's own compiler, and wants libweir alone.
module weir_c
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_int, c_int64_t, c_null_char, c_ptr
  use weir_types, WEIR_FROM_1_GLOBAL => WEIR_GLOBAL, WEIR_FROM_1_UNLIMITED => WEIR_UNLIMITED, WEIR_FROM_1_ABSENT => WEIR_ABSENT, &
    weir_t_of_weir => weir_t, weir_file_of_weir => weir_file
  implicit none
  private :: c_associated, c_char, c_double, c_f_pointer, c_int, c_int64_t, c_null_char, c_ptr
  private :: WEIR_FROM_1_GLOBAL, WEIR_FROM_1_UNLIMITED, WEIR_FROM_1_ABSENT, weir_t_of_weir, weir_file_of_weir

  integer(c_int), parameter :: WEIR_C_GLOBAL = -1
  integer(c_int64_t), parameter :: WEIR_C_UNLIMITED = 0, WEIR_C_ABSENT = -huge(0_c_int64_t) - 1

  interface
    integer(c_int) function weir_init(world, config, model_comm, weir) bind(C, name='weir_init_f')
      import
      integer(c_int), value :: world
      type(c_ptr), value :: config
      integer(c_int), intent(out) :: model_comm
      type(c_ptr), intent(out) :: weir
    end function weir_init
    type(c_ptr) function weir_init_error() bind(C, name='weir_init_error')
      import
    end function weir_init_error
    integer(c_int) function weir_finalize(weir) bind(C, name='weir_finalize')
      import
      type(c_ptr), intent(inout) :: weir
    end function weir_finalize
    type(c_ptr) function weir_error(weir) bind(C, name='weir_error')
      import
      type(c_ptr), value :: weir
    end function weir_error
    type(c_ptr) function weir_file_error(file) bind(C, name='weir_file_error')
      import
      type(c_ptr), value :: file
    end function weir_file_error
    type(c_ptr) function weir_strerror(code) bind(C, name='weir_strerror')
      import
      integer(c_int), value :: code
    end function weir_strerror
    integer(c_int) function weir_report(weir, json) bind(C, name='weir_report')
      import
      type(c_ptr), value :: weir
      type(c_ptr), intent(out) :: json
    end function weir_report
    integer(c_int) function weir_create(weir, path, mode, file) bind(C, name='weir_create')
      import
      type(c_ptr), value :: weir
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: mode
      type(c_ptr), intent(out) :: file
    end function weir_create
    integer(c_int) function weir_open(weir, path, mode, file) bind(C, name='weir_open')
      import
      type(c_ptr), value :: weir
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: mode
      type(c_ptr), intent(out) :: file
    end function weir_open
    integer(c_int) function weir_open_at(weir, path, mode, records, file) bind(C, name='weir_open_at')
      import
      type(c_ptr), value :: weir
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: mode
      integer(c_int64_t), value :: records
      type(c_ptr), intent(out) :: file
    end function weir_open_at
    integer(c_int) function weir_def_dim(file, name, length, dim) bind(C, name='weir_def_dim')
      import
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: length
      integer(c_int), intent(out) :: dim
    end function weir_def_dim
    integer(c_int) function weir_def_dim_unlimited(file, name, length, dim) bind(C, name='weir_def_dim_unlimited')
      import
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: length
      integer(c_int), intent(out) :: dim
    end function weir_def_dim_unlimited
    integer(c_int) function weir_extend_dim(file, dim, length) bind(C, name='weir_extend_dim')
      import
      type(c_ptr), value :: file
      integer(c_int), value :: dim
      integer(c_int64_t), value :: length
    end function weir_extend_dim
    integer(c_int) function weir_def_var(file, name, type, ndims, dims, var) bind(C, name='weir_def_var')
      import
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: type, ndims
      integer(c_int), intent(in) :: dims(*)
      integer(c_int), intent(out) :: var
    end function weir_def_var
    integer(c_int) function weir_put_att(file, var, name, type, count, values) bind(C, name='weir_put_att')
      import
      type(c_ptr), value :: file
      integer(c_int), value :: var
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: type
      integer(c_int64_t), value :: count
      type(c_ptr), value :: values
    end function weir_put_att
    integer(c_int) function weir_put_att_text(file, var, name, text) bind(C, name='weir_put_att_text')
      import
      type(c_ptr), value :: file
      integer(c_int), value :: var
      character(kind=c_char), intent(in) :: name(*), text(*)
    end function weir_put_att_text
    integer(c_int) function weir_def_var_chunking(file, var, storage, chunks) bind(C, name='weir_def_var_chunking')
      import
      type(c_ptr), value :: file
      integer(c_int), value :: var, storage
      type(c_ptr), value :: chunks
    end function weir_def_var_chunking
    integer(c_int) function weir_def_var_deflate(file, var, shuffle, deflate, level) &
      bind(C, name='weir_def_var_deflate')
      import
      type(c_ptr), value :: file
      integer(c_int), value :: var, shuffle, deflate, level
    end function weir_def_var_deflate
    integer(c_int) function weir_def_var_zstd(file, var, level) bind(C, name='weir_def_var_zstd')
      import
      type(c_ptr), value :: file
      integer(c_int), value :: var, level
    end function weir_def_var_zstd
    integer(c_int) function weir_def_var_fletcher32(file, var, fletcher32) bind(C, name='weir_def_var_fletcher32')
      import
      type(c_ptr), value :: file
      integer(c_int), value :: var, fletcher32
    end function weir_def_var_fletcher32
    integer(c_int) function weir_def_var_quantize(file, var, mode, digits) bind(C, name='weir_def_var_quantize')
      import
      type(c_ptr), value :: file
      integer(c_int), value :: var, mode, digits
    end function weir_def_var_quantize
    integer(c_int) function weir_set_fill(file, mode) bind(C, name='weir_set_fill')
      import
      type(c_ptr), value :: file
      integer(c_int), value :: mode
    end function weir_set_fill
    integer(c_int) function weir_set_alignment(file, header_free_bytes, variable_align_bytes, record_align_bytes) &
      bind(C, name='weir_set_alignment')
      import
      type(c_ptr), value :: file
      integer(c_int64_t), value :: header_free_bytes, variable_align_bytes, record_align_bytes
    end function weir_set_alignment
    integer(c_int) function weir_enddef(file) bind(C, name='weir_enddef')
      import
      type(c_ptr), value :: file
    end function weir_enddef
    integer(c_int) function weir_redef(file) bind(C, name='weir_redef')
      import
      type(c_ptr), value :: file
    end function weir_redef
    integer(c_int) function weir_sync(file) bind(C, name='weir_sync')
      import
      type(c_ptr), value :: file
    end function weir_sync
    integer(c_int) function weir_sync_all(weir) bind(C, name='weir_sync_all')
      import
      type(c_ptr), value :: weir
    end function weir_sync_all
    integer(c_int) function weir_close(file) bind(C, name='weir_close')
      import
      type(c_ptr), value :: file
    end function weir_close
    integer(c_int) function weir_def_layout(weir, ndims, shape, nboxes, starts, counts, order, layout) &
      bind(C, name='weir_def_layout')
      import
      type(c_ptr), value :: weir
      integer(c_int), value :: ndims
      integer(c_int64_t), intent(in) :: shape(*)
      integer(c_int), value :: nboxes
      integer(c_int64_t), intent(in) :: starts(*), counts(*)
      type(c_ptr), value :: order
      integer(c_int), intent(out) :: layout
    end function weir_def_layout
    integer(c_int) function weir_def_layout_subarray(weir, ndims, shape, start, count, order, memory_shape, &
      memory_start, layout) bind(C, name='weir_def_layout_subarray')
      import
      type(c_ptr), value :: weir
      integer(c_int), value :: ndims
      integer(c_int64_t), intent(in) :: shape(*), start(*), count(*)
      type(c_ptr), value :: order
      integer(c_int64_t), intent(in) :: memory_shape(*), memory_start(*)
      integer(c_int), intent(out) :: layout
    end function weir_def_layout_subarray
    integer(c_int) function weir_def_layout_map(weir, ndims, shape, length, offsets, layout) &
      bind(C, name='weir_def_layout_map')
      import
      type(c_ptr), value :: weir
      integer(c_int), value :: ndims
      integer(c_int64_t), intent(in) :: shape(*)
      integer(c_int64_t), value :: length
      integer(c_int64_t), intent(in) :: offsets(*)
      integer(c_int), intent(out) :: layout
    end function weir_def_layout_map
    integer(c_int) function weir_inq_layout(weir, layout, buffer_length) bind(C, name='weir_inq_layout')
      import
      type(c_ptr), value :: weir
      integer(c_int), value :: layout
      integer(c_int64_t), intent(out) :: buffer_length
    end function weir_inq_layout
    integer(c_int) function weir_free_layout(weir, layout) bind(C, name='weir_free_layout')
      import
      type(c_ptr), value :: weir
      integer(c_int), value :: layout
    end function weir_free_layout
    integer(c_int) function weir_put(file, var, record, layout, type, values) bind(C, name='weir_put')
      import
      type(c_ptr), value :: file
      integer(c_int), value :: var
      integer(c_int64_t), value :: record
      integer(c_int), value :: layout, type
      type(c_ptr), value :: values
    end function weir_put
    integer(c_int) function weir_put_vara(file, var, start, count, type, values) bind(C, name='weir_put_vara')
      import
      type(c_ptr), value :: file
      integer(c_int), value :: var
      integer(c_int64_t), intent(in) :: start(*), count(*)
      integer(c_int), value :: type
      type(c_ptr), value :: values
    end function weir_put_vara
    integer(c_int) function weir_put_var(file, var, record, type, values) bind(C, name='weir_put_var')
      import
      type(c_ptr), value :: file
      integer(c_int), value :: var
      integer(c_int64_t), value :: record
      integer(c_int), value :: type
      type(c_ptr), value :: values
    end function weir_put_var
    integer(c_int) function weir_fail(file, code, sentence) bind(C, name='weir_fail')
      import
      type(c_ptr), value :: file
      integer(c_int), value :: code
      character(kind=c_char), intent(in) :: sentence(*)
    end function weir_fail
    integer(c_int) function weir_plan(file, var, layout, json) bind(C, name='weir_plan')
      import
      type(c_ptr), value :: file
      integer(c_int), value :: var, layout
      type(c_ptr), intent(out) :: json
    end function weir_plan
    integer(c_int) function weir_get(file, var, record, layout, type, values) bind(C, name='weir_get')
      import
      type(c_ptr), value :: file
      integer(c_int), value :: var
      integer(c_int64_t), value :: record
      integer(c_int), value :: layout, type
      type(c_ptr), value :: values
    end function weir_get
    integer(c_int) function weir_prefetch(file, nvars, vars, record, layout) bind(C, name='weir_prefetch')
      import
      type(c_ptr), value :: file
      integer(c_int), value :: nvars
      integer(c_int), intent(in) :: vars(*)
      integer(c_int64_t), value :: record
      integer(c_int), value :: layout
    end function weir_prefetch
    integer(c_int) function weir_get_vara_all(file, var, start, count, type, values) bind(C, name='weir_get_vara_all')
      import
      type(c_ptr), value :: file
      integer(c_int), value :: var
      integer(c_int64_t), intent(in) :: start(*), count(*)
      integer(c_int), value :: type
      type(c_ptr), value :: values
    end function weir_get_vara_all
    integer(c_int) function weir_get_vara(file, var, start, count, type, values) bind(C, name='weir_get_vara')
      import
      type(c_ptr), value :: file
      integer(c_int), value :: var
      integer(c_int64_t), intent(in) :: start(*), count(*)
      integer(c_int), value :: type
      type(c_ptr), value :: values
    end function weir_get_vara
    integer(c_int) function weir_inq(file, ndims, nvars, natts, record_dim) bind(C, name='weir_inq')
      import
      type(c_ptr), value :: file
      integer(c_int), intent(out) :: ndims, nvars, natts, record_dim
    end function weir_inq
    integer(c_int) function weir_inq_unlimdims(file, ndims, dims) bind(C, name='weir_inq_unlimdims')
      import
      type(c_ptr), value :: file
      integer(c_int), intent(out) :: ndims
      type(c_ptr), value :: dims
    end function weir_inq_unlimdims
    integer(c_int) function weir_inq_nrecords(file, records) bind(C, name='weir_inq_nrecords')
      import
      type(c_ptr), value :: file
      integer(c_int64_t), intent(out) :: records
    end function weir_inq_nrecords
    integer(c_int) function weir_inq_dimid(file, name, dim) bind(C, name='weir_inq_dimid')
      import
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(out) :: dim
    end function weir_inq_dimid
    integer(c_int) function weir_inq_dim(file, dim, name, length) bind(C, name='weir_inq_dim')
      import
      type(c_ptr), value :: file
      integer(c_int), value :: dim
      character(kind=c_char), intent(out) :: name(*)
      integer(c_int64_t), intent(out) :: length
    end function weir_inq_dim
    integer(c_int) function weir_inq_varid(file, name, var) bind(C, name='weir_inq_varid')
      import
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(out) :: var
    end function weir_inq_varid
    integer(c_int) function weir_inq_var(file, var, name, type, ndims, dims, natts) bind(C, name='weir_inq_var')
      import
      type(c_ptr), value :: file
      integer(c_int), value :: var
      character(kind=c_char), intent(out) :: name(*)
      integer(c_int), intent(out) :: type, ndims, dims(*), natts
    end function weir_inq_var
    integer(c_int) function weir_inq_left_out(file, count, names, reasons) bind(C, name='weir_inq_left_out')
      import
      type(c_ptr), value :: file
      integer(c_int), intent(out) :: count
      type(c_ptr), value :: names, reasons
    end function weir_inq_left_out
    integer(c_int) function weir_inq_attname(file, var, number, name) bind(C, name='weir_inq_attname')
      import
      type(c_ptr), value :: file
      integer(c_int), value :: var, number
      character(kind=c_char), intent(out) :: name(*)
    end function weir_inq_attname
    integer(c_int) function weir_inq_att(file, var, name, type, count) bind(C, name='weir_inq_att')
      import
      type(c_ptr), value :: file
      integer(c_int), value :: var
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(out) :: type
      integer(c_int64_t), intent(out) :: count
    end function weir_inq_att
    integer(c_int) function weir_get_att(file, var, name, values) bind(C, name='weir_get_att')
      import
      type(c_ptr), value :: file
      integer(c_int), value :: var
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), value :: values
    end function weir_get_att
    integer(c_int) function weir_inq_format(file, format) bind(C, name='weir_inq_format')
      import
      type(c_ptr), value :: file
      integer(c_int), intent(out) :: format
    end function weir_inq_format
    integer(c_int) function weir_def_field(weir, name, type, ndims, dims, layout, field) bind(C, name='weir_def_field')
      import
      type(c_ptr), value :: weir
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: type, ndims
      type(c_ptr), value :: dims
      integer(c_int), value :: layout
      integer(c_int), intent(out) :: field
    end function weir_def_field
    integer(c_int) function weir_put_field_att(weir, field, name, type, count, values) &
      bind(C, name='weir_put_field_att')
      import
      type(c_ptr), value :: weir
      integer(c_int), value :: field
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: type
      integer(c_int64_t), value :: count
      type(c_ptr), value :: values
    end function weir_put_field_att
    integer(c_int) function weir_put_field_att_text(weir, field, name, text) bind(C, name='weir_put_field_att_text')
      import
      type(c_ptr), value :: weir
      integer(c_int), value :: field
      character(kind=c_char), intent(in) :: name(*), text(*)
    end function weir_put_field_att_text
    integer(c_int) function weir_set_field(weir, field, type, values) bind(C, name='weir_set_field')
      import
      type(c_ptr), value :: weir
      integer(c_int), value :: field, type
      type(c_ptr), value :: values
    end function weir_set_field
    integer(c_int) function weir_start_streams(weir, units, calendar, start) bind(C, name='weir_start_streams')
      import
      type(c_ptr), value :: weir
      character(kind=c_char), intent(in) :: units(*)
      type(c_ptr), value :: calendar
      real(c_double), value :: start
    end function weir_start_streams
    integer(c_int) function weir_send(weir, field, time, type, values) bind(C, name='weir_send')
      import
      type(c_ptr), value :: weir
      integer(c_int), value :: field
      real(c_double), value :: time
      integer(c_int), value :: type
      type(c_ptr), value :: values
    end function weir_send
    integer(c_int) function weir_field_wanted(weir, field, time, wanted) bind(C, name='weir_field_wanted')
      import
      type(c_ptr), value :: weir
      integer(c_int), value :: field
      real(c_double), value :: time
      integer(c_int), intent(out) :: wanted
    end function weir_field_wanted
  end interface

contains

  !> What a C text says.
  function weir_text(text) result(words)
    type(c_ptr), intent(in) :: text
    character(:), allocatable :: words
    character(kind=c_char), pointer :: letters(:)
    integer :: length

    length = 0
    if (c_associated(text)) then
      call c_f_pointer(text, letters, [huge(length)])
      do while (letters(length + 1) /= c_null_char)
        length = length + 1
      end do
    end if
    allocate (character(length) :: words)
    if (length > 0) words = transfer(letters(1:length), words)
  end function weir_text
end module weir_c
