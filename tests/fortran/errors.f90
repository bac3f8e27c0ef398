! SPDX-License-Identifier: Apache-2.0
! ranks: 1 4 7
!> What Fortran can get wrong: every rank is told, with the same code, and the file keeps its first error.
program errors
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  use weir
  use expect
  implicit none
  type(weir_t) :: writer
  type(weir_file) :: file
  type(MPI_Comm) :: comm
  integer, parameter :: own = 6
  integer :: rank, ranks, stat, layout, x, t, field, series
  character(500) :: message
  character(:), allocatable :: last_rank !< as sentences begin with it
  real(real64) :: values(own)

  call MPI_Init()
  call expect_sentence_of_init()
  call errors_with('remap')
  call errors_with('collective') ! whose ranks write together
  deallocate (last_rank) ! a program's own variables are not freed at its end
  call conclude()

contains

  subroutine errors_with(strategy)
    character(*), intent(in) :: strategy

    call weir_init(MPI_COMM_WORLD, comm, writer, 'timeout: 60'//new_line('a')//'strategy: '//strategy, stat, message)
    call expect_ok(stat, message, 'weir_init')
    call MPI_Comm_rank(comm, rank)
    call MPI_Comm_size(comm, ranks)
    values = rank
    last_rank = 'rank '//achar(iachar('0') + ranks - 1)//': '
    call weir_def_layout(writer, [own*ranks], [own*rank + 1], [own], layout)
    call handles_that_are_none()
    call a_short_buffer_on_one_rank()
    call a_long_buffer_for_a_box()
    call a_type_netcdf_does_not_have()
    call a_record_that_is_not_named()
    call a_rank_that_cannot_put()
    call a_box_that_one_rank_refuses()
    call a_put_into_a_file_that_has_failed()
    call an_attribute_that_one_rank_refuses()
    call an_attribute_after_the_definitions()
    call calls_at_the_wrong_time_nobody_asked_about()
    call a_definition_nobody_asked_about()
    call layouts_that_cannot_be()
    call a_layout_that_one_rank_refuses()
    call a_message_that_is_cut()
    call weir_finalize(writer, stat, message)
    call expect_ok(stat, message, 'weir_finalize')
    call MPI_Comm_free(comm)
  end subroutine errors_with

  subroutine expect_sentence_of_init()
    type(weir_t) :: nothing
    type(MPI_Comm) :: nobody

    call weir_init(MPI_COMM_WORLD, nobody, nothing, 'stratgey: remap', stat, message)
    call expect_code(stat, WEIR_ECONFIG, message, ['stratgey', 'strategy'], 'an unknown key')
    call expect_true(weir_init_error() == trim(message), 'weir_init_error')
    call expect_true(nobody == MPI_COMM_NULL, 'no communicator')
    call weir_create(nothing, test_path('nothing.nc'), WEIR_CLOBBER, file, stat, message)
    call expect_code(stat, WEIR_ESTATE, message, ['weir_init'], 'an instance that is none')
    call expect_true(weir_error(nothing) == '', 'no instance, no sentence')
  end subroutine expect_sentence_of_init

  subroutine open_file(name)
    character(*), intent(in) :: name
    call weir_create(writer, test_path(name), WEIR_CLOBBER, file)
    call weir_def_dim(file, 'x', own*ranks, x)
    call weir_def_dim(file, 't', WEIR_UNLIMITED, t)
    call weir_def_var(file, 'field', WEIR_DOUBLE, [x], field)
    call weir_def_var(file, 'series', WEIR_DOUBLE, [x, t], series)
    call weir_enddef(file, stat, message)
    call expect_ok(stat, message, 'weir_enddef of '//name)
  end subroutine open_file

  !> The file has failed on every rank, once all have met, with a sentence that holds `word`; nothing is left of it.
  subroutine expect_failed(name, what, word, code)
    character(*), intent(in) :: name, what, word
    integer, intent(in), optional :: code
    integer :: wanted
    logical :: exists

    wanted = WEIR_EARGUMENT
    if (present(code)) wanted = code
    call weir_sync(file, stat, message)
    call expect_code(stat, wanted, message, [word], what)
    call expect_alike(stat, what)
    call weir_put(file, field, layout, values, stat=stat, errmsg=message)
    call expect_code(stat, wanted, message, [word], what//', at a later put')
    call weir_close(file, stat, message)
    call expect_code(stat, wanted, message, [word], what//', at the close')
    call MPI_Barrier(comm)
    inquire (file=test_path(name), exist=exists)
    call expect_true(.not. exists, what//': no broken file')
  end subroutine expect_failed

  subroutine handles_that_are_none()
    type(weir_file) :: none

    call weir_sync(none, stat, message)
    call expect_code(stat, WEIR_ESTATE, message, ['weir_create'], 'a file that is none')
    call open_file('closed.nc')
    call weir_close(file, stat, message)
    call expect_ok(stat, message, 'close')
    call weir_put(file, field, layout, values, stat=stat, errmsg=message)
    call expect_code(stat, WEIR_ESTATE, message, ['not open'], 'put after close')
    call weir_close(file, stat, message)
    call expect_code(stat, WEIR_ESTATE, message, ['not open'], 'close after close')
    call weir_open(writer, test_path('absent.nc'), WEIR_NOWRITE, file)
    call weir_sync(file, stat, message)
    call expect_code(stat, WEIR_ESTATE, message, ['absent.nc'], 'a file that could not be opened says why')
  end subroutine handles_that_are_none

  subroutine a_short_buffer_on_one_rank()
    integer :: length

    call open_file('short.nc')
    length = merge(own - 1, own, rank == ranks - 1)
    call weir_put(file, field, layout, values(:length), stat=stat, errmsg=message)
    if (rank == ranks - 1) &
      call expect_code(stat, WEIR_EARGUMENT, message, ['5 elements', 'needs 6   '], 'a short buffer')
    call expect_failed('short.nc', 'a short buffer on one rank', &
      'short.nc: put of "field": values have 5 elements, but layout 1 needs 6')
  end subroutine a_short_buffer_on_one_rank

  subroutine a_long_buffer_for_a_box()
    call open_file('long.nc')
    call weir_put_vara(file, field, [own*rank + 1], [own - 2], values, stat, message)
    call expect_code(stat, WEIR_EARGUMENT, message, ['6 elements', 'needs 4   '], 'a long buffer')
    call weir_put_vara(file, field, [own*rank + 1, 1], [own, 1], values, stat, message)
    call expect_code(stat, WEIR_EARGUMENT, message, ['6 elements', 'needs 4   '], 'the first error stays')
    call expect_failed('long.nc', 'a long buffer for a box', '6 elements')
    call open_file('axes.nc')
    call weir_put_vara(file, field, [own*rank + 1, 1], [own, 1], values, stat, message)
    call expect_code(stat, WEIR_EARGUMENT, message, ['2 elements  ', '1 dimensions'], 'a box of other dimensions')
    call expect_failed('axes.nc', 'a box of other dimensions', '1 dimensions')
  end subroutine a_long_buffer_for_a_box

  subroutine a_type_netcdf_does_not_have()
    logical :: truths(own)
    complex :: numbers(own)

    truths = .true.
    numbers = (1.0, 2.0)
    call open_file('logical.nc')
    call weir_put(file, field, layout, truths, stat=stat, errmsg=message)
    call expect_code(stat, WEIR_EARGUMENT, message, ['real(real32'], 'logical values')
    call expect_failed('logical.nc', 'logical values', 'put of "field"')
    call open_file('complex.nc')
    call weir_put_vara(file, field, [own*rank + 1], [own], numbers, stat, message)
    call expect_code(stat, WEIR_EARGUMENT, message, ['real(real32'], 'complex values')
    call expect_failed('complex.nc', 'complex values', 'put of "field"')
  end subroutine a_type_netcdf_does_not_have

  subroutine a_record_that_is_not_named()
    call open_file('record.nc')
    call weir_put(file, series, layout, values, stat=stat, errmsg=message)
    call expect_code(stat, WEIR_EARGUMENT, message, ['series ', 'record='], 'no record')
    call expect_failed('record.nc', 'no record', 'record=')
    call open_file('zero.nc')
    call weir_put(file, series, layout, values, record=0, stat=stat, errmsg=message)
    call expect_code(stat, WEIR_EARGUMENT, message, ['record'], 'record 0')
    call expect_failed('zero.nc', 'record 0', 'record')
  end subroutine a_record_that_is_not_named

  subroutine a_rank_that_cannot_put()
    call open_file('cannot.nc')
    call weir_fail(file, WEIR_OK, 'all is well', stat, message)
    call expect_code(stat, WEIR_EARGUMENT, message, ['not a Weir status code'], 'a failure without a code')
    if (rank == ranks - 1) then
      call weir_fail(file, WEIR_EMEMORY, 'the field has no mean  ', stat, message)
      call expect_code(stat, WEIR_EMEMORY, message, ['the field has no mean'], 'weir_fail')
      call expect_true(index(weir_file_error(file), last_rank) == 1, 'weir_fail leaves its sentence on the file')
    else
      call weir_put(file, field, layout, values)
    end if
    call expect_failed('cannot.nc', 'a rank that cannot put', 'cannot.nc: the field has no mean', WEIR_EMEMORY)
    call expect_whole_file('after.nc')
  end subroutine a_rank_that_cannot_put

  !> After a failure all ranks are in step again.
  subroutine expect_whole_file(name)
    character(*), intent(in) :: name

    call open_file(name)
    call weir_put(file, field, layout, values, stat=stat, errmsg=message)
    call expect_ok(stat, message, 'a put into '//name)
    call expect_what_was_put(file, name)
  end subroutine expect_whole_file

  subroutine expect_what_was_put(whole, name)
    type(weir_file), intent(inout) :: whole
    character(*), intent(in) :: name
    real(real64) :: read(own)

    call weir_sync(whole, stat, message)
    call expect_ok(stat, message, 'weir_sync of '//name)
    read = -1
    call weir_get(whole, field, layout, read, stat=stat, errmsg=message)
    call expect_ok(stat, message, 'weir_get from '//name)
    call expect_true(all(abs(read - values) <= 0), 'what was put is in '//name)
    call weir_close(whole, stat, message)
    call expect_ok(stat, message, 'weir_close of '//name)
  end subroutine expect_what_was_put

  !> All ranks meet in weir_put_vara: they get the sentence there.
  subroutine a_box_that_one_rank_refuses()
    integer :: length

    call open_file('box.nc')
    length = merge(own - 1, own, rank == ranks - 1)
    call weir_put_vara(file, field, [own*rank + 1], [own], values(:length), stat, message)
    call expect_code(stat, WEIR_EARGUMENT, message, ['box.nc: put of "field": values have 5 elements'], &
      'a box that one rank refuses')
    call expect_failed('box.nc', 'a box that one rank refuses', last_rank)
  end subroutine a_box_that_one_rank_refuses

  !> It answers with its first error, and other files do not suffer.
  subroutine a_put_into_a_file_that_has_failed()
    type(weir_file) :: good

    call open_file('good.nc')
    good = file
    call weir_put(good, field, layout, values, stat=stat, errmsg=message)
    call expect_ok(stat, message, 'a put into good.nc')
    call open_file('failed.nc')
    call weir_put_vara(file, field, [own*ranks + 1], [own], values, stat, message)
    call expect_true(stat == WEIR_EARGUMENT, 'a box outside its variable')
    if (rank == ranks - 1) call weir_put(file, field, layout, values(:own - 1), stat=stat, errmsg=message)
    call expect_true(index(message, '5 elements') == 0, 'the first error, not: '//trim(message))
    call weir_fail(file, WEIR_EMEMORY, 'nor this one', stat, message)
    call expect_code(stat, WEIR_EARGUMENT, message, ['failed.nc'], 'weir_fail of a file that has failed')
    call expect_what_was_put(good, 'good.nc')
    call expect_failed('failed.nc', 'a put into a file that has failed', 'failed.nc')
  end subroutine a_put_into_a_file_that_has_failed

  !> What is refused of a definition, by one rank or by all, weir_enddef tells all ranks.
  subroutine an_attribute_that_one_rank_refuses()
    call weir_create(writer, test_path('attribute.nc'), WEIR_CLOBBER, file)
    call weir_def_dim(file, 'x', own*ranks, x)
    call weir_def_var(file, 'field', WEIR_DOUBLE, [x], field)
    if (rank == ranks - 1) call weir_put_att(file, field, 'phase', (1.0, 2.0), stat=stat, errmsg=message)
    if (rank == ranks - 1) call expect_code(stat, WEIR_EARGUMENT, message, ['real(real32'], 'a complex attribute')
    call weir_enddef(file, stat, message)
    call expect_code(stat, WEIR_EARGUMENT, message, ['attribute.nc: attribute phase'], &
      'an attribute that one rank refuses')
    call expect_failed('attribute.nc', 'an attribute that one rank refuses', last_rank)
  end subroutine an_attribute_that_one_rank_refuses

  !> A definition that comes late is refused as such, whatever else is wrong with it, and fails the file on all ranks.
  subroutine an_attribute_after_the_definitions()
    integer :: var

    call open_file('late.nc')
    if (rank == ranks - 1) then
      call weir_put_att(file, field, 'phase', (1.0, 2.0), stat=stat, errmsg=message)
      call expect_code(stat, WEIR_ESTATE, message, ['before weir_enddef'], 'a late attribute of a wrong kind')
      call weir_def_var(file, 'late', 4711, [x, x + 99], var, stat, message)
      call expect_code(stat, WEIR_ESTATE, message, ['before weir_enddef'], 'a late variable')
    end if
    call weir_put(file, field, layout, values)
    call expect_failed('late.nc', 'a late attribute', last_rank, WEIR_ESTATE)
  end subroutine an_attribute_after_the_definitions

  !> Where only the last call of a group is asked, it tells of a call that came at the wrong time.
  subroutine calls_at_the_wrong_time_nobody_asked_about()
    logical :: exists

    call weir_create(writer, test_path('early.nc'), WEIR_CLOBBER, file)
    call weir_def_dim(file, 'x', own*ranks, x)
    call weir_def_var(file, 'field', WEIR_DOUBLE, [x], field)
    call weir_put(file, field, layout, values)
    call weir_enddef(file)
    call weir_put(file, field, layout, values)
    call weir_close(file, stat, message)
    call expect_code(stat, WEIR_ESTATE, message, ['weir_put before weir_enddef'], 'a put before the definitions ended')
    call expect_alike(stat, 'a put before the definitions ended')
    call MPI_Barrier(comm)
    inquire (file=test_path('early.nc'), exist=exists)
    call expect_true(.not. exists, 'a put before the definitions ended: no broken file')
    call open_file('late.nc')
    call weir_put_att(file, field, 'units', 'K')
    call weir_put(file, field, layout, values)
    call expect_failed('late.nc', 'a late attribute nobody asked about', 'definitions have ended', WEIR_ESTATE)
    call expect_whole_file('read.nc')
    call weir_open(writer, test_path('read.nc'), WEIR_NOWRITE, file)
    call weir_put(file, field, layout, values)
    call weir_close(file, stat, message)
    call expect_code(stat, WEIR_ESTATE, message, ['WEIR_NOWRITE'], 'a put into a file to read')
    call expect_alike(stat, 'a put into a file to read')
  end subroutine calls_at_the_wrong_time_nobody_asked_about

  !> Without `stat` an error waits for the next call that has one: the first that was refused is told.
  subroutine a_definition_nobody_asked_about()
    integer :: var

    call weir_create(writer, test_path('definition.nc'), WEIR_CLOBBER, file)
    call weir_def_dim(file, 'x', own*ranks, x)
    call weir_def_var(file, 'field', WEIR_DOUBLE, [x, x + 5], field)
    call weir_def_dim(file, 'x', 3, var)
    call weir_enddef(file, stat, message)
    call expect_code(stat, WEIR_EARGUMENT, message, ['field'], 'a wrong definition')
    call weir_def_var(file, 'late', WEIR_DOUBLE, [x], var, stat, message)
    call expect_code(stat, WEIR_EARGUMENT, message, ['field'], 'a definition after a wrong one')
    call expect_failed('definition.nc', 'a wrong definition', 'field')
  end subroutine a_definition_nobody_asked_about

  subroutine layouts_that_cannot_be()
    integer :: none

    call weir_def_layout(writer, [own*ranks, 2], [1], [own], none, stat=stat, errmsg=message)
    call expect_code(stat, WEIR_EARGUMENT, message, ['starts'], 'starts of another size than shape')
    call weir_def_layout(writer, [own*ranks, 2], [1, 1], [own, 2], none, order=[1], stat=stat, errmsg=message)
    call expect_code(stat, WEIR_EARGUMENT, message, ['order'], 'an order of another size than shape')
    call weir_def_layout(writer, [own*ranks], [own*ranks + 1], [1], none, stat=stat, errmsg=message)
    call expect_true(stat == WEIR_EARGUMENT, 'a box outside its array: '//trim(message))
    call weir_def_layout_map(writer, [own*ranks], [1, 1], none, stat, message)
    call expect_true(stat == WEIR_EARGUMENT, 'a map that names an element twice: '//trim(message))
    call weir_def_layout_map(writer, [own*ranks], [-3], none, stat, message)
    call expect_code(stat, WEIR_EARGUMENT, message, ['-3'], 'a negative offset')
  end subroutine layouts_that_cannot_be

  !> All ranks meet where a layout is defined.
  subroutine a_layout_that_one_rank_refuses()
    integer :: none, axes

    axes = merge(2, 1, rank == ranks - 1)
    call weir_def_layout(writer, [own*ranks], [(own*rank + 1, none=1, axes)], [own], none, stat=stat, errmsg=message)
    call expect_true(stat == WEIR_EARGUMENT, 'a layout that one rank refuses: '//trim(message))
    call weir_def_layout_subarray(writer, [own*ranks], [(own*rank + 1, none=1, axes)], [own], [own], [1], none, &
      stat=stat, errmsg=message)
    call expect_true(stat == WEIR_EARGUMENT, 'a part of an array that one rank refuses: '//trim(message))
    call expect_whole_file('after_layout.nc')
  end subroutine a_layout_that_one_rank_refuses

  !> A short errmsg gets the beginning of the sentence, and is left alone where all is well.
  subroutine a_message_that_is_cut()
    character(10) :: short

    short = 'untouched'
    call weir_create(writer, test_path('no/such/directory/file.nc'), WEIR_CLOBBER, file, stat, message)
    if (stat == WEIR_OK) call weir_enddef(file, stat, message)
    call expect_code(stat, WEIR_EIO, message, ['no/such/directory'], 'a directory that is not there')
    call weir_close(file, stat, message)
    call expect_true(stat /= WEIR_OK, 'a file that could not be made cannot be closed')
    call open_file('short_message.nc')
    call weir_put(file, field, layout, values, stat=stat, errmsg=short)
    call expect_true(short == 'untouched', 'errmsg is left alone')
    call weir_put(file, field, 4711, values, stat=stat, errmsg=short)
    call expect_true(stat /= WEIR_OK .and. short /= 'untouched', 'errmsg is cut')
    call weir_close(file, stat, message)
    call expect_true(stat /= WEIR_OK, 'an unknown layout fails the file')
  end subroutine a_message_that_is_cut

end program errors
