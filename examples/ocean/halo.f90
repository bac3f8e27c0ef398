! SPDX-License-Identifier: Apache-2.0
!> The halo exchange: every field's outermost own cells go to the neighbours. First west and east, then south and north
!> with the corners just received. All fields of a call travel in one message to each neighbour.
module halo
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  use grid, only: grid_t
  implicit none
  private
  public :: field_t, plane_field, volume_field, exchange_halo

  !> A field to exchange, seen as (x, level, y); it counts from 1 here, so that its first own column is 2.
  type :: field_t
    real(real64), pointer, contiguous :: values(:, :, :) => null()
  end type field_t

contains

  !> values(0:nx+1, 0:ny+1).
  function plane_field(values) result(field)
    real(real64), intent(in), target, contiguous :: values(:, :)
    type(field_t) :: field
    field%values(1:size(values, 1), 1:1, 1:size(values, 2)) => values
  end function plane_field

  !> values(0:nx+1, nz, 0:ny+1).
  function volume_field(values) result(field)
    real(real64), intent(in), target, contiguous :: values(:, :, :)
    type(field_t) :: field
    field%values => values
  end function volume_field

  !> The fields of one call have equally many levels. Collective over the grid's communicator.
  subroutine exchange_halo(g, fields)
    type(grid_t), intent(in) :: g
    type(field_t), intent(in) :: fields(:)

    call swap_columns(g, fields, g%nx + 1, 1, g%east, g%west)
    call swap_columns(g, fields, 2, g%nx + 2, g%west, g%east)
    call swap_rows(g, fields, g%ny + 1, 1, g%north, g%south)
    call swap_rows(g, fields, 2, g%ny + 2, g%south, g%north)
  end subroutine exchange_halo

  !> Column `sent` goes to the rank `to`; the column from the rank `from` becomes column `received`.
  subroutine swap_columns(g, fields, sent, received, to, from)
    type(grid_t), intent(in) :: g
    type(field_t), intent(in) :: fields(:)
    integer, intent(in) :: sent, received, to, from
    real(real64) :: outgoing(size(fields(1)%values, 2), g%ny, size(fields))
    real(real64) :: incoming(size(fields(1)%values, 2), g%ny, size(fields))
    integer :: k

    do k = 1, size(fields)
      outgoing(:, :, k) = fields(k)%values(sent, :, 2:g%ny + 1)
    end do
    call MPI_Sendrecv(outgoing, size(outgoing), MPI_DOUBLE_PRECISION, to, 0, &
      incoming, size(incoming), MPI_DOUBLE_PRECISION, from, 0, g%comm, MPI_STATUS_IGNORE)
    do k = 1, size(fields)
      fields(k)%values(received, :, 2:g%ny + 1) = incoming(:, :, k)
    end do
  end subroutine swap_columns

  !> The same for rows. Beyond the northern and southern walls there is no rank: the halo there stays unchanged.
  subroutine swap_rows(g, fields, sent, received, to, from)
    type(grid_t), intent(in) :: g
    type(field_t), intent(in) :: fields(:)
    integer, intent(in) :: sent, received, to, from
    real(real64) :: outgoing(g%nx + 2, size(fields(1)%values, 2), size(fields))
    real(real64) :: incoming(g%nx + 2, size(fields(1)%values, 2), size(fields))
    integer :: k

    do k = 1, size(fields)
      outgoing(:, :, k) = fields(k)%values(:, :, sent)
    end do
    call MPI_Sendrecv(outgoing, size(outgoing), MPI_DOUBLE_PRECISION, to, 0, &
      incoming, size(incoming), MPI_DOUBLE_PRECISION, from, 0, g%comm, MPI_STATUS_IGNORE)
    if (from == MPI_PROC_NULL) return
    do k = 1, size(fields)
      fields(k)%values(:, :, received) = incoming(:, :, k)
    end do
  end subroutine swap_rows

end module halo
