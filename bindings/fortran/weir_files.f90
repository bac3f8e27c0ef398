! SPDX-License-Identifier: Apache-2.0
!> Start and end of Weir, files, and what is defined in them. All collective, save the sentences of errors.
!> Calls that look alike have an interface each: where a procedure with a bind(C) name takes its interface from an
!> abstract one, gfortran 12 hands over a broken descriptor for a text.
module weir_files
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int32_t, c_int64_t, c_ptr
  use mpi_f08, only: MPI_Comm
  use weir_strings, only: text_at
  use weir_types
  implicit none
  private
  public :: weir_init, weir_finalize, weir_init_error, weir_error, weir_file_error, weir_strerror, weir_report
  public :: weir_create, weir_open, weir_open_at, weir_sync, weir_sync_all, weir_close
  public :: weir_def_dim, weir_def_var, weir_put_att, weir_put_att_text, weir_set_fill, weir_set_alignment, weir_enddef
  public :: weir_redef, weir_def_dim_unlimited, weir_extend_dim
  public :: weir_def_var_chunking, weir_def_var_deflate, weir_def_var_zstd, weir_def_var_fletcher32
  public :: weir_def_var_quantize

  interface
    !> config: a YAML file's path, or YAML text; without it, the file that WEIR_CONFIG names. model_comm is the
    !> communicator for the model, or MPI_COMM_NULL on a rank that has served inside this call until the model ended.
    subroutine weir_init(world, model_comm, instance, config, stat, errmsg) bind(C, name='weir_f_init')
      import
      type(MPI_Comm), intent(in) :: world
      type(MPI_Comm), intent(out) :: model_comm
      type(weir_t), intent(out) :: instance
      type(*), dimension(..), intent(in), optional :: config
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_init

    subroutine weir_finalize(instance, stat, errmsg) bind(C, name='weir_f_finalize')
      import
      type(weir_t), intent(inout) :: instance
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_finalize

    subroutine weir_create(instance, path, mode, file, stat, errmsg) bind(C, name='weir_f_create')
      import
      type(weir_t), intent(in) :: instance
      character(kind=c_char, len=*), intent(in) :: path
      integer(c_int), intent(in) :: mode
      type(weir_file), intent(out) :: file
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_create

    subroutine weir_open(instance, path, mode, file, stat, errmsg) bind(C, name='weir_f_open')
      import
      type(weir_t), intent(in) :: instance
      character(kind=c_char, len=*), intent(in) :: path
      integer(c_int), intent(in) :: mode
      type(weir_file), intent(out) :: file
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_open

    !> A dimension that is unlimited in the file beside the record dimension. length: 8-byte, 1 or more.
    subroutine weir_def_dim_unlimited(file, name, length, dim, stat, errmsg) bind(C, name='weir_f_def_dim_unlimited')
      import
      type(weir_file), intent(in) :: file
      character(kind=c_char, len=*), intent(in) :: name
      integer(c_int64_t), intent(in) :: length
      integer(c_int), intent(out) :: dim
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_def_dim_unlimited

    subroutine weir_extend_dim(file, dim, length, stat, errmsg) bind(C, name='weir_f_extend_dim')
      import
      type(weir_file), intent(in) :: file
      integer(c_int), intent(in) :: dim
      integer(c_int64_t), intent(in) :: length
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_extend_dim

    !> dims: fastest first; [integer ::] for a scalar. The record dimension can only be the last.
    subroutine weir_def_var(file, name, type, dims, var, stat, errmsg) bind(C, name='weir_f_def_var')
      import
      type(weir_file), intent(in) :: file
      character(kind=c_char, len=*), intent(in) :: name
      integer(c_int), intent(in) :: type
      integer(c_int), contiguous, intent(in) :: dims(:)
      integer(c_int), intent(out) :: var
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_def_var

    !> values: a text, or numbers whose kind gives the attribute its type. `type` is for what Fortran has no kind for:
    !> the unsigned type of the same size, and WEIR_STRING, of which each element of an array of characters is one
    !> string, without its trailing blanks.
    subroutine weir_put_att(file, var, name, values, type, stat, errmsg) bind(C, name='weir_f_put_att')
      import
      type(weir_file), intent(in) :: file
      integer(c_int), intent(in) :: var
      character(kind=c_char, len=*), intent(in) :: name
      type(*), dimension(..), contiguous, intent(in) :: values
      integer(c_int), intent(in), optional :: type
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_put_att

    !> The text goes into the file as it is, trailing blanks included.
    subroutine weir_put_att_text(file, var, name, text, stat, errmsg) bind(C, name='weir_f_put_att_text')
      import
      type(weir_file), intent(in) :: file
      integer(c_int), intent(in) :: var
      character(kind=c_char, len=*), intent(in) :: name, text
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_put_att_text

    !> chunks: a length for each dimension, fastest first; along the record dimension too.
    subroutine weir_def_var_chunking(file, var, storage, chunks, stat, errmsg) bind(C, name='weir_f_def_var_chunking')
      import
      type(weir_file), intent(in) :: file
      integer(c_int), intent(in) :: var, storage
      integer(c_int), contiguous, intent(in) :: chunks(:)
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_def_var_chunking

    subroutine weir_def_var_deflate(file, var, shuffle, deflate, level, stat, errmsg) &
      bind(C, name='weir_f_def_var_deflate')
      import
      type(weir_file), intent(in) :: file
      integer(c_int), intent(in) :: var, shuffle, deflate, level
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_def_var_deflate

    subroutine weir_def_var_zstd(file, var, level, stat, errmsg) bind(C, name='weir_f_def_var_zstd')
      import
      type(weir_file), intent(in) :: file
      integer(c_int), intent(in) :: var, level
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_def_var_zstd

    subroutine weir_def_var_fletcher32(file, var, fletcher32, stat, errmsg) bind(C, name='weir_f_def_var_fletcher32')
      import
      type(weir_file), intent(in) :: file
      integer(c_int), intent(in) :: var, fletcher32
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_def_var_fletcher32

    subroutine weir_def_var_quantize(file, var, mode, digits, stat, errmsg) bind(C, name='weir_f_def_var_quantize')
      import
      type(weir_file), intent(in) :: file
      integer(c_int), intent(in) :: var, mode, digits
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_def_var_quantize

    subroutine weir_set_fill(file, mode, stat, errmsg) bind(C, name='weir_f_set_fill')
      import
      type(weir_file), intent(in) :: file
      integer(c_int), intent(in) :: mode
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_set_fill

    subroutine weir_set_alignment(file, header_free_bytes, variable_align_bytes, record_align_bytes, stat, errmsg) &
      bind(C, name='weir_f_set_alignment')
      import
      type(weir_file), intent(in) :: file
      integer(c_int64_t), intent(in) :: header_free_bytes, variable_align_bytes, record_align_bytes
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_set_alignment

    subroutine weir_enddef(file, stat, errmsg) bind(C, name='weir_f_enddef')
      import
      type(weir_file), intent(in) :: file
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_enddef

    !> Commits, and opens the definitions again, until weir_enddef.
    subroutine weir_redef(file, stat, errmsg) bind(C, name='weir_f_redef')
      import
      type(weir_file), intent(in) :: file
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_redef

    subroutine weir_sync(file, stat, errmsg) bind(C, name='weir_f_sync')
      import
      type(weir_file), intent(in) :: file
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_sync

    !> Commits all files of this Weir that are open to write, as one.
    subroutine weir_sync_all(instance, stat, errmsg) bind(C, name='weir_f_sync_all')
      import
      type(weir_t), intent(in) :: instance
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_sync_all

    !> `file` is unusable afterwards, also where the close has failed: the sentence is in `errmsg` only.
    subroutine weir_close(file, stat, errmsg) bind(C, name='weir_f_close')
      import
      type(weir_file), intent(inout) :: file
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_close
  end interface

  !> As weir_open with WEIR_WRITE, and goes back to the first `records` records: the next commit takes the others away.
  interface weir_open_at
    subroutine weir_open_at_int32(instance, path, mode, records, file, stat, errmsg) &
      bind(C, name='weir_f_open_at_int32')
      import
      type(weir_t), intent(in) :: instance
      character(kind=c_char, len=*), intent(in) :: path
      integer(c_int), intent(in) :: mode
      integer(c_int32_t), intent(in) :: records
      type(weir_file), intent(out) :: file
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_open_at_int32

    subroutine weir_open_at_int64(instance, path, mode, records, file, stat, errmsg) &
      bind(C, name='weir_f_open_at_int64')
      import
      type(weir_t), intent(in) :: instance
      character(kind=c_char, len=*), intent(in) :: path
      integer(c_int), intent(in) :: mode
      integer(c_int64_t), intent(in) :: records
      type(weir_file), intent(out) :: file
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_open_at_int64
  end interface weir_open_at

  interface weir_def_dim
    subroutine weir_def_dim_int32(file, name, length, dim, stat, errmsg) bind(C, name='weir_f_def_dim_int32')
      import
      type(weir_file), intent(in) :: file
      character(kind=c_char, len=*), intent(in) :: name
      integer(c_int32_t), intent(in) :: length
      integer(c_int), intent(out) :: dim
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_def_dim_int32

    subroutine weir_def_dim_int64(file, name, length, dim, stat, errmsg) bind(C, name='weir_f_def_dim_int64')
      import
      type(weir_file), intent(in) :: file
      character(kind=c_char, len=*), intent(in) :: name
      integer(c_int64_t), intent(in) :: length
      integer(c_int), intent(out) :: dim
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_def_dim_int64
  end interface weir_def_dim

  interface
    function sentence_of_init() bind(C, name='weir_init_error')
      import
      type(c_ptr) :: sentence_of_init
    end function sentence_of_init

    function sentence_of_instance(instance) bind(C, name='weir_f_error')
      import
      type(weir_t), intent(in) :: instance
      type(c_ptr) :: sentence_of_instance
    end function sentence_of_instance

    function sentence_of_file(file) bind(C, name='weir_f_file_error')
      import
      type(weir_file), intent(in) :: file
      type(c_ptr) :: sentence_of_file
    end function sentence_of_file

    function words_of_code(code) bind(C, name='weir_strerror')
      import
      integer(c_int), value :: code
      type(c_ptr) :: words_of_code
    end function words_of_code

    subroutine report_json(instance, json, stat, errmsg) bind(C, name='weir_f_report')
      import
      type(weir_t), intent(in) :: instance
      type(c_ptr), intent(out) :: json
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine report_json
  end interface

contains

  !> The sentence of this thread's last failed weir_init. Local.
  function weir_init_error() result(sentence)
    character(:), allocatable :: sentence
    sentence = text_at(sentence_of_init())
  end function weir_init_error

  !> The sentence of the last error on this rank; '' where there was none. Local.
  function weir_error(instance) result(sentence)
    type(weir_t), intent(in) :: instance
    character(:), allocatable :: sentence
    sentence = text_at(sentence_of_instance(instance))
  end function weir_error

  !> The sentence of the file's last error on this rank; '' where there was none. Local.
  function weir_file_error(file) result(sentence)
    type(weir_file), intent(in) :: file
    character(:), allocatable :: sentence
    sentence = text_at(sentence_of_file(file))
  end function weir_file_error

  !> A code's name in words. Local.
  function weir_strerror(code) result(words)
    integer, intent(in) :: code
    character(:), allocatable :: words
    words = text_at(words_of_code(code))
  end function weir_strerror

  !> The report so far as JSON; '' on error. Collective.
  subroutine weir_report(instance, json, stat, errmsg)
    type(weir_t), intent(in) :: instance
    character(:), allocatable, intent(out) :: json
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: address

    call report_json(instance, address, stat, errmsg)
    json = text_at(address)
  end subroutine weir_report

end module weir_files
