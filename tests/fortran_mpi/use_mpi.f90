! SPDX-License-Identifier: Apache-2.0
! ranks: 1 3
! A program with `use mpi` and module weir_c: writes records by a layout and a coordinate, reads them back, and gets the
! sentences of what is wrong.
program use_mpi
  use mpi
  use, intrinsic :: iso_c_binding
  use weir_c
  implicit none
  type(c_ptr) :: writer, file
  integer :: rank, ranks, model, ierror, faults
  character(kind=c_char, len=200), target :: path
  character(:), allocatable :: sentence

  faults = 0
  call MPI_Init(ierror)
  call expect(weir_init(MPI_COMM_WORLD, c_null_ptr, model, writer), 'weir_init')
  call MPI_Comm_rank(model, rank, ierror)
  call MPI_Comm_size(model, ranks, ierror)
  call name_file()
  call write_file()
  call read_file()
  call refuse()
  call expect(weir_finalize(writer), 'weir_finalize')
  call MPI_Comm_free(model, ierror)
  call MPI_Finalize(ierror)
  if (faults > 0) stop 1

contains

  subroutine expect(status, what)
    integer(c_int), intent(in) :: status
    character(*), intent(in) :: what
    if (status == WEIR_OK) return
    faults = faults + 1
    print '(a, a, i0, a, a)', what, ': ', status, ' ', weir_text(weir_file_error(file))//weir_text(weir_init_error())
  end subroutine expect

  subroutine expect_true(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    faults = faults + 1
    print '(a)', what
  end subroutine expect_true

  ! The test's own folder, as rank 0 has it.
  subroutine name_file()
    character(150) :: folder
    call get_environment_variable('TMPDIR', folder)
    if (folder == '') folder = '/tmp'
    call MPI_Bcast(folder, len(folder), MPI_CHARACTER, 0, model, ierror)
    path = trim(folder)//'/use_mpi_'//achar(iachar('0') + ranks)//'.nc'//c_null_char
  end subroutine name_file

  ! Six rows of four for each rank.
  function layout_of(rows) result(layout)
    integer, intent(in) :: rows
    integer(c_int) :: layout
    call expect(weir_def_layout(writer, 2, [int(6*ranks, c_int64_t), 4_c_int64_t], 1, [int(6*rank, c_int64_t), 0_c_int64_t], &
                                [int(rows, c_int64_t), 4_c_int64_t], c_null_ptr, layout), 'weir_def_layout')
  end function layout_of

  subroutine write_file()
    integer(c_int) :: time, y, x, height, place, layout
    integer(c_int64_t) :: record
    real(c_double), target :: values(4, 6), places(4)
    integer :: i, j

    call expect(weir_create(writer, path, WEIR_CLOBBER, file), 'weir_create')
    call expect(weir_def_dim(file, 'time'//c_null_char, WEIR_C_UNLIMITED, time), 'weir_def_dim')
    call expect(weir_def_dim(file, 'y'//c_null_char, int(6*ranks, c_int64_t), y), 'weir_def_dim')
    call expect(weir_def_dim(file, 'x'//c_null_char, 4_c_int64_t, x), 'weir_def_dim')
    call expect(weir_def_var(file, 'height'//c_null_char, WEIR_FLOAT, 3, [time, y, x], height), 'weir_def_var')
    call expect(weir_def_var(file, 'place'//c_null_char, WEIR_DOUBLE, 1, [x], place), 'weir_def_var')
    call expect(weir_put_att_text(file, height, 'units'//c_null_char, 'm'//c_null_char), 'weir_put_att_text')
    call expect(weir_put_att_text(file, WEIR_C_GLOBAL, 'title'//c_null_char, 'by pointers'//c_null_char), 'weir_put_att_text')
    call expect(weir_enddef(file), 'weir_enddef')
    layout = layout_of(6)
    places = [1, 2, 3, 4]
    call expect(weir_put_var(file, place, 0_c_int64_t, WEIR_DOUBLE, c_loc(places)), 'weir_put_var')
    do record = 0, 2
      values = reshape([((value_of(record, 6*rank + j, i), i=0, 3), j=0, 5)], [4, 6])
      call expect(weir_put(file, height, record, layout, WEIR_DOUBLE, c_loc(values)), 'weir_put')
    end do
    call expect(weir_close(file), 'weir_close')
  end subroutine write_file

  real(c_double) function value_of(record, y, x)
    integer(c_int64_t), intent(in) :: record
    integer, intent(in) :: y, x
    value_of = 1000*real(record, c_double) + 10*y + x
  end function value_of

  subroutine read_file()
    integer(c_int) :: height
    integer(c_int64_t) :: records
    real(c_double), target :: all(4, 6*ranks)
    integer :: j
    character(kind=c_char), target :: title(11)

    call expect(weir_open(writer, path, WEIR_NOWRITE, file), 'weir_open')
    call expect(weir_inq_varid(file, 'height'//c_null_char, height), 'weir_inq_varid')
    call expect(weir_inq_nrecords(file, records), 'weir_inq_nrecords')
    call expect_true(records == 3, 'there are not 3 records')
    call expect(weir_get_att(file, WEIR_C_GLOBAL, 'title'//c_null_char, c_loc(title)), 'weir_get_att')
    call expect_true(all_of(title) == 'by pointers', 'the title is '//all_of(title))
    call expect(weir_get_vara_all(file, height, [2_c_int64_t, 0_c_int64_t, 0_c_int64_t], &
                                  [1_c_int64_t, int(6*ranks, c_int64_t), 4_c_int64_t], WEIR_DOUBLE, c_loc(all)), &
                'weir_get_vara_all')
    do j = 0, 6*ranks - 1
      call expect_true(abs(all(4, j + 1) - value_of(2_c_int64_t, j, 3)) < 1e-6, 'a value is another')
    end do
    call expect(weir_close(file), 'weir_close')
  end subroutine read_file

  function all_of(letters) result(text)
    character(kind=c_char), intent(in) :: letters(:)
    character(size(letters)) :: text
    text = transfer(letters, text)
  end function all_of

  subroutine refuse()
    integer(c_int) :: dim
    call expect(weir_create(writer, path, WEIR_CLOBBER, file), 'weir_create')
    call expect_true(weir_def_dim(file, 'x'//c_null_char, -4_c_int64_t, dim) == WEIR_EARGUMENT, 'a length of -4 is taken')
    sentence = weir_text(weir_file_error(file))
    call expect_true(index(sentence, '"x"') > 0 .and. index(sentence, '-4') > 0, 'not the sentence: '//sentence)
    call expect_true(weir_close(file) /= WEIR_OK, 'a failed file is closed as if all were well')
  end subroutine refuse
end program use_mpi
