! SPDX-License-Identifier: Apache-2.0
!> Gathers the fields of all ranks on one, as many models do to write.
module gather
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  use grid, only: grid_t
  implicit none
  private
  public :: gather_volume, gathers

  integer, parameter :: root = 0

contains

  !> Whether this rank gets the fields, and writes them.
  logical function gathers(comm)
    type(MPI_Comm), intent(in) :: comm
    integer :: rank
    call MPI_Comm_rank(comm, rank)
    gathers = rank == root
  end function gathers

  !> Collective. values: (x, z, y), without halo. global: (x, y, z) of the globe on the rank that gathers; elsewhere it has
  !> no elements.
  subroutine gather_volume(g, values, global)
    type(grid_t), intent(in) :: g
    real(real64), intent(in) :: values(:, :, :)
    real(real64), allocatable, intent(out) :: global(:, :, :)
    real(real64), allocatable :: all(:)
    integer, allocatable :: blocks(:, :), counts(:), places(:)
    integer :: ranks, nz, r, k

    call MPI_Comm_size(g%comm, ranks)
    nz = size(values, 2)
    allocate (blocks(4, ranks))
    call MPI_Gather([g%offset_x, g%offset_y, g%nx, g%ny], 4, MPI_INTEGER, blocks, 4, MPI_INTEGER, root, g%comm)
    if (gathers(g%comm)) then
      allocate (global(g%global_nx, g%global_ny, nz), all(g%global_nx*g%global_ny*nz))
    else
      allocate (global(0, 0, 0), all(0))
      blocks = 0
    end if
    counts = blocks(3, :)*blocks(4, :)*nz
    places = [(sum(counts(:r - 1)), r=1, ranks)]
    call MPI_Gatherv(values, size(values), MPI_DOUBLE_PRECISION, all, counts, places, MPI_DOUBLE_PRECISION, root, g%comm)
    do r = 1, merge(ranks, 0, gathers(g%comm))
      associate (x => blocks(1, r), y => blocks(2, r), nx => blocks(3, r), ny => blocks(4, r))
        associate (block => reshape(all(places(r) + 1:places(r) + counts(r)), [nx, nz, ny]))
          do k = 1, nz
            global(x + 1:x + nx, y + 1:y + ny, k) = block(:, k, :)
          end do
        end associate
      end associate
    end do
  end subroutine gather_volume

end module gather
