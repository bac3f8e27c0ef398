! SPDX-License-Identifier: Apache-2.0
!> Expectations of the Fortran tests: each that does not hold is shown with its rank, and the program then ends with 1.
module expect
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi_f08
  use weir, only: WEIR_OK, weir_strerror
  implicit none
  private
  public :: expect_true, expect_ok, expect_code, expect_alike, test_path, conclude, made_by_reshape, unset

  integer :: failures = 0

contains

  !> An allocatable array that gets its memory from the assignment of a RESHAPE. Here, and not where it is used, because
  !> the compiler knows that it leaves such an array's strides undefined, and warns.
  subroutine made_by_reshape(values, lengths, made)
    real, intent(in) :: values(:)
    integer, intent(in) :: lengths(2)
    real, allocatable, intent(out) :: made(:, :)
    made = reshape(values, lengths)
  end subroutine made_by_reshape

  subroutine expect_true(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    integer :: rank

    if (holds) return
    failures = failures + 1
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    write (error_unit, '(a, i0, 2a)') 'rank ', rank, ': ', what
  end subroutine expect_true

  subroutine expect_ok(stat, sentence, what)
    integer, intent(in) :: stat
    character(*), intent(in) :: sentence, what
    call expect_true(stat == WEIR_OK, what//': '//weir_strerror(stat)//': '//trim(sentence))
  end subroutine expect_ok

  !> The call must have failed with `wanted`, and its sentence must hold every word of `words`.
  subroutine expect_code(stat, wanted, sentence, words, what)
    integer, intent(in) :: stat, wanted
    character(*), intent(in) :: sentence, words(:), what
    integer :: k

    call expect_true(stat == wanted, what//': wanted "'//weir_strerror(wanted)//'", got "'//weir_strerror(stat)//'": ' &
      //trim(sentence))
    do k = 1, size(words)
      call expect_true(index(sentence, trim(words(k))) > 0, what//': no "'//trim(words(k))//'" in: '//trim(sentence))
    end do
  end subroutine expect_code

  !> All ranks have the same code. Collective.
  subroutine expect_alike(stat, what)
    integer, intent(in) :: stat
    character(*), intent(in) :: what
    integer :: both(2)

    call MPI_Allreduce([stat, -stat], both, 2, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
    call expect_true(both(1) == -both(2), what//': the ranks got different codes')
  end subroutine expect_alike

  !> A file's path in the test's own directory.
  function test_path(name) result(path)
    character(*), intent(in) :: name
    character(:), allocatable :: path
    character(4096) :: directory
    integer :: length, stat

    call get_environment_variable('TMPDIR', directory, length, stat)
    path = name
    if (stat == 0 .and. length > 0) path = directory(:length)//'/'//name
  end function test_path

  !> Takes a variable out of this program's environment.
  subroutine unset(name)
    use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char
    character(*), intent(in) :: name
    integer(c_int) :: code
    interface
      function unsetenv(text) bind(C, name='unsetenv')
        import
        character(kind=c_char), intent(in) :: text(*)
        integer(c_int) :: unsetenv
      end function unsetenv
    end interface

    code = unsetenv(name//c_null_char)
    call expect_true(code == 0, 'unsetenv of '//name)
  end subroutine unset

  !> Ends MPI, and the program with 1 if any rank was disappointed. Collective.
  subroutine conclude()
    integer :: all_failures

    call MPI_Allreduce(failures, all_failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Finalize()
    if (all_failures > 0) stop 1
  end subroutine conclude

end module expect
