! SPDX-License-Identifier: Apache-2.0
!> What the files of the ocean on Weir share, history and restart: the instance of Weir, and what this rank holds of a field.
module on_weir
  use, intrinsic :: iso_fortran_env, only: int64
  use mpi_f08, only: MPI_Comm
  use weir
  use grid, only: grid_t
  implicit none
  private
  public :: writer_t, start_output, end_output, layouts_t, new_layouts

  !> The instance of Weir.
  type :: writer_t
    type(weir_t) :: weir
  end type writer_t

  !> What this rank holds of a field, and where it lies in the model's arrays.
  type :: layouts_t
    integer :: plane   !< (x, y): this rank's block within its halo
    integer :: volume  !< (x, y, z): the same, held as (x, z, y)
    integer :: sea     !< (x, y): an offset map that leaves out the halo and the land
  end type layouts_t

contains

  !> Collective. comm gets the ranks that the model has; MPI_COMM_NULL on a rank that Weir keeps for itself.
  subroutine start_output(world, comm, writer, stat, errmsg)
    type(MPI_Comm), intent(in) :: world
    type(MPI_Comm), intent(out) :: comm
    type(writer_t), intent(out) :: writer
    integer, intent(out) :: stat
    character(*), intent(inout) :: errmsg
    call weir_init(world, comm, writer%weir, stat=stat, errmsg=errmsg)
  end subroutine start_output

  subroutine end_output(writer, stat, errmsg)
    type(writer_t), intent(inout) :: writer
    integer, intent(out) :: stat
    character(*), intent(inout) :: errmsg
    call weir_finalize(writer%weir, stat, errmsg)
  end subroutine end_output

  subroutine new_layouts(writer, g, nz, layouts)
    type(writer_t), intent(in) :: writer
    type(grid_t), intent(in) :: g
    integer, intent(in) :: nz
    type(layouts_t), intent(out) :: layouts
    integer(int64) :: offsets(0:g%nx + 1, 0:g%ny + 1)
    integer :: i, j, shape(2)

    shape = [g%global_nx, g%global_ny]
    call weir_def_layout_subarray(writer%weir, shape, [g%offset_x + 1, g%offset_y + 1], [g%nx, g%ny], &
      memory_shape=[g%nx + 2, g%ny + 2], memory_start=[2, 2], layout=layouts%plane)
    call weir_def_layout_subarray(writer%weir, [shape, nz], [g%offset_x + 1, g%offset_y + 1, 1], [g%nx, g%ny, nz], &
      memory_shape=[g%nx + 2, nz, g%ny + 2], memory_start=[2, 1, 2], layout=layouts%volume, order=[1, 3, 2])

    offsets = WEIR_ABSENT
    do j = 1, g%ny
      do i = 1, g%nx
        if (g%mask_h(i, j) > 0) offsets(i, j) = g%offset_x + i + int(g%offset_y + j - 1, int64)*g%global_nx
      end do
    end do
    call weir_def_layout_map(writer%weir, int(shape, int64), offsets, layouts%sea)
  end subroutine new_layouts

end module on_weir
