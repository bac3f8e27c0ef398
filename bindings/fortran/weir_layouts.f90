! SPDX-License-Identifier: Apache-2.0
!> Layouts: what this rank holds of an array of `shape` (a variable without its record dimension), and how it lies in
!> memory. Made once, good for any variable of that shape. Collective, save weir_inq_layout.
!>   order  the array's axes as they lie in memory, fastest first: a model that holds a(x, z, y) of an array (x, y, z)
!>          gives [1, 3, 2]. Without it: as in the file.
module weir_layouts
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int32_t, c_int64_t
  use weir_types
  implicit none
  private
  public :: weir_def_layout, weir_def_layout_subarray, weir_def_layout_map, weir_inq_layout, weir_free_layout

  !> One box, starts(ndims) and counts(ndims); or several, starts(ndims, nboxes) and counts(ndims, nboxes), in memory
  !> one after another without gaps. A rank that holds nothing gives nboxes = 0, or a count of 0.
  interface weir_def_layout
    subroutine weir_def_layout_int32(instance, shape, starts, counts, layout, order, stat, errmsg) &
      bind(C, name='weir_f_def_layout_int32')
      import
      type(weir_t), intent(in) :: instance
      integer(c_int32_t), contiguous, intent(in) :: shape(:)
      integer(c_int32_t), dimension(..), contiguous, intent(in) :: starts, counts
      integer(c_int), intent(out) :: layout
      integer(c_int), contiguous, intent(in), optional :: order(:)
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_def_layout_int32

    subroutine weir_def_layout_int64(instance, shape, starts, counts, layout, order, stat, errmsg) &
      bind(C, name='weir_f_def_layout_int64')
      import
      type(weir_t), intent(in) :: instance
      integer(c_int64_t), contiguous, intent(in) :: shape(:)
      integer(c_int64_t), dimension(..), contiguous, intent(in) :: starts, counts
      integer(c_int), intent(out) :: layout
      integer(c_int), contiguous, intent(in), optional :: order(:)
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_def_layout_int64
  end interface weir_def_layout

  !> One box inside a larger array in memory (halos): the array has memory_shape(:), the box begins at its element
  !> memory_start(:), counted from 1 whatever its lower bounds are; both are listed as in memory, fastest first.
  interface weir_def_layout_subarray
    subroutine weir_def_layout_subarray_int32(instance, shape, start, count, memory_shape, memory_start, layout, &
      order, stat, errmsg) bind(C, name='weir_f_def_layout_subarray_int32')
      import
      type(weir_t), intent(in) :: instance
      integer(c_int32_t), contiguous, intent(in) :: shape(:), start(:), count(:), memory_shape(:), memory_start(:)
      integer(c_int), intent(out) :: layout
      integer(c_int), contiguous, intent(in), optional :: order(:)
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_def_layout_subarray_int32

    subroutine weir_def_layout_subarray_int64(instance, shape, start, count, memory_shape, memory_start, layout, &
      order, stat, errmsg) bind(C, name='weir_f_def_layout_subarray_int64')
      import
      type(weir_t), intent(in) :: instance
      integer(c_int64_t), contiguous, intent(in) :: shape(:), start(:), count(:), memory_shape(:), memory_start(:)
      integer(c_int), intent(out) :: layout
      integer(c_int), contiguous, intent(in), optional :: order(:)
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_def_layout_subarray_int64
  end interface weir_def_layout_subarray

  !> An offset map: an array like the buffer (of any rank) that says of each of its elements which element of the array
  !> in file order it is, counted from 1, or WEIR_ABSENT.
  interface weir_def_layout_map
    subroutine weir_def_layout_map_int32(instance, shape, offsets, layout, stat, errmsg) &
      bind(C, name='weir_f_def_layout_map_int32')
      import
      type(weir_t), intent(in) :: instance
      integer(c_int32_t), contiguous, intent(in) :: shape(:)
      integer(c_int32_t), dimension(..), contiguous, intent(in) :: offsets
      integer(c_int), intent(out) :: layout
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_def_layout_map_int32

    subroutine weir_def_layout_map_int64(instance, shape, offsets, layout, stat, errmsg) &
      bind(C, name='weir_f_def_layout_map_int64')
      import
      type(weir_t), intent(in) :: instance
      integer(c_int64_t), contiguous, intent(in) :: shape(:)
      integer(c_int64_t), dimension(..), contiguous, intent(in) :: offsets
      integer(c_int), intent(out) :: layout
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_def_layout_map_int64
  end interface weir_def_layout_map

  !> Elements that a buffer for this layout has on this rank, absent and halo elements included. Local.
  interface weir_inq_layout
    subroutine weir_inq_layout_int32(instance, layout, buffer_length, stat, errmsg) &
      bind(C, name='weir_f_inq_layout_int32')
      import
      type(weir_t), intent(in) :: instance
      integer(c_int), intent(in) :: layout
      integer(c_int32_t), intent(out) :: buffer_length
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_inq_layout_int32

    subroutine weir_inq_layout_int64(instance, layout, buffer_length, stat, errmsg) &
      bind(C, name='weir_f_inq_layout_int64')
      import
      type(weir_t), intent(in) :: instance
      integer(c_int), intent(in) :: layout
      integer(c_int64_t), intent(out) :: buffer_length
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_inq_layout_int64
  end interface weir_inq_layout

  interface
    subroutine weir_free_layout(instance, layout, stat, errmsg) bind(C, name='weir_f_free_layout')
      import
      type(weir_t), intent(in) :: instance
      integer(c_int), intent(in) :: layout
      integer(c_int), intent(out), optional :: stat
      type(*), dimension(..), intent(inout), optional :: errmsg
    end subroutine weir_free_layout
  end interface
end module weir_layouts
