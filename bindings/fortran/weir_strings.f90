! SPDX-License-Identifier: Apache-2.0
!> C's strings as Fortran's.
module weir_strings
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_pointer, c_ptr, c_size_t
  implicit none
  private
  public :: text_at

  interface
    pure function strlen(address) bind(C, name='strlen')
      import
      type(c_ptr), value :: address
      integer(c_size_t) :: strlen
    end function strlen
  end interface

contains

  !> A copy of the string that ends with a null character; '' for a null address.
  function text_at(address) result(text)
    type(c_ptr), intent(in) :: address
    character(:), allocatable :: text
    character(kind=c_char), pointer :: characters(:)
    integer :: i

    if (.not. c_associated(address)) then
      text = ''
      return
    end if
    call c_f_pointer(address, characters, [strlen(address)])
    allocate (character(size(characters)) :: text)
    do i = 1, size(characters)
      text(i:i) = characters(i)
    end do
  end function text_at

end module weir_strings
