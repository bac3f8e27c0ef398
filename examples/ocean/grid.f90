! SPDX-License-Identifier: Apache-2.0
!> The sphere as an Arakawa C grid, and the part of it that this rank has.
!>
!>      v(i,j)   q(i,j)          h and tracers at the centres of cells, u at their eastern faces, v at their
!>        +--------+             northern faces, vorticity at their north-eastern corners.
!>        |        |
!>        | h(i,j) u(i,j)        Arrays have one halo cell on each side: (0:nx+1, 0:ny+1), where nx and ny are this
!>        |        |             rank's own. The globe is closed from east to west; north and south are walls.
!>        +--------+
module grid
  use, intrinsic :: iso_fortran_env, only: int8, real64
  use mpi_f08
  use continents, only: is_land
  implicit none
  private
  public :: grid_t, run_t, new_grid

  real(real64), parameter :: pi = acos(-1.0_real64)
  real(real64), parameter :: radius_m = 6.371e6_real64, rotation_per_second = 7.292e-5_real64
  real(real64), parameter :: south_degrees = -75.0_real64, north_degrees = 69.0_real64

  !> A run of cells in one row. Loops go over runs, so that land costs nothing.
  type :: run_t
    integer :: j, first, last
  end type run_t

  type :: grid_t
    integer :: global_nx, global_ny, nx, ny
    integer :: offset_x, offset_y           !< cells west and south of this rank's first
    type(MPI_Comm) :: comm
    integer :: west, east, south, north     !< neighbouring ranks
    real(real64) :: dy                      !< metres, as all lengths
    real(real64), allocatable :: dx(:), dx_v(:), cos_h(:), cos_v(:)
    real(real64), allocatable :: coriolis_v(:) !< at the corners, 1/s
    real(real64), allocatable :: latitude(:)   !< of centres, degrees
    real(real64), allocatable :: all_lon(:), all_lat(:), all_lon_u(:), all_lat_v(:) !< of the globe, for files
    !> 1 in the sea, 0 on land: of cells, of faces, of corners.
    real(real64), allocatable :: mask_h(:, :), mask_u(:, :), mask_v(:, :), mask_q(:, :)
    type(run_t), allocatable :: sea(:)      !< this rank's cells in the sea
    type(run_t), allocatable :: near(:)     !< those and what is next to them, halo included
  end type grid_t

contains

  !> Collective over `comm`: cuts the globe into one block a rank, as square as possible; the sizes need not be divisible.
  subroutine new_grid(comm, global_nx, global_ny, g)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: global_nx, global_ny
    type(grid_t), intent(out) :: g
    integer :: ranks, rank, blocks(2), place(2)

    g%global_nx = global_nx
    g%global_ny = global_ny
    call MPI_Comm_size(comm, ranks)
    blocks = 0
    call MPI_Dims_create(ranks, 2, blocks)
    call MPI_Cart_create(comm, 2, blocks, [.true., .false.], .false., g%comm)
    call MPI_Comm_rank(g%comm, rank)
    call MPI_Cart_coords(g%comm, rank, 2, place)
    call MPI_Cart_shift(g%comm, 0, 1, g%west, g%east)
    call MPI_Cart_shift(g%comm, 1, 1, g%south, g%north)
    g%offset_x = place(1)*global_nx/blocks(1)
    g%offset_y = place(2)*global_ny/blocks(2)
    g%nx = (place(1) + 1)*global_nx/blocks(1) - g%offset_x
    g%ny = (place(2) + 1)*global_ny/blocks(2) - g%offset_y
    call set_places(g)
    call set_masks(g)
    g%sea = runs(g%mask_h(1:g%nx, 1:g%ny) > 0, 1)
    g%near = runs(is_near_sea(g), 0)
  end subroutine new_grid

  subroutine set_places(g)
    type(grid_t), intent(inout) :: g
    real(real64) :: dlon, dlat, lat_v
    integer :: i, j

    dlon = 360.0_real64/g%global_nx
    dlat = (north_degrees - south_degrees)/g%global_ny
    g%all_lon = [((i - 0.5_real64)*dlon, i=1, g%global_nx)]
    g%all_lon_u = [(i*dlon, i=1, g%global_nx)]
    g%all_lat = [(south_degrees + (j - 0.5_real64)*dlat, j=1, g%global_ny)]
    g%all_lat_v = [(south_degrees + j*dlat, j=1, g%global_ny)]
    g%dy = radius_m*dlat*pi/180
    allocate (g%latitude(0:g%ny + 1), g%dx(0:g%ny + 1), g%dx_v(0:g%ny + 1), g%cos_h(0:g%ny + 1), &
      g%cos_v(0:g%ny + 1), g%coriolis_v(0:g%ny + 1))
    do j = 0, g%ny + 1
      g%latitude(j) = south_degrees + (g%offset_y + j - 0.5_real64)*dlat
      lat_v = south_degrees + (g%offset_y + j)*dlat
      g%cos_h(j) = cos(g%latitude(j)*pi/180)
      g%cos_v(j) = cos(lat_v*pi/180)
      g%dx(j) = radius_m*g%cos_h(j)*dlon*pi/180
      g%dx_v(j) = radius_m*g%cos_v(j)*dlon*pi/180
      g%coriolis_v(j) = 2*rotation_per_second*sin(lat_v*pi/180)
    end do
  end subroutine set_places

  !> Every rank computes its halo's masks from the place of each cell on the globe.
  subroutine set_masks(g)
    type(grid_t), intent(inout) :: g
    real(real64) :: cells(0:g%nx + 2, 0:g%ny + 2)
    integer :: i, j, global_i, global_j

    do j = 0, g%ny + 2
      do i = 0, g%nx + 2
        global_i = modulo(g%offset_x + i - 1, g%global_nx) + 1
        global_j = g%offset_y + j
        cells(i, j) = 0
        if (global_j < 1 .or. global_j > g%global_ny) cycle
        if (.not. is_land(g%all_lon(global_i), g%all_lat(global_j))) cells(i, j) = 1
      end do
    end do
    allocate (g%mask_h(0:g%nx + 1, 0:g%ny + 1), g%mask_u(0:g%nx + 1, 0:g%ny + 1), &
      g%mask_v(0:g%nx + 1, 0:g%ny + 1), g%mask_q(0:g%nx + 1, 0:g%ny + 1))
    do j = 0, g%ny + 1
      do i = 0, g%nx + 1
        g%mask_h(i, j) = cells(i, j)
        g%mask_u(i, j) = cells(i, j)*cells(i + 1, j)
        g%mask_v(i, j) = cells(i, j)*cells(i, j + 1)
        g%mask_q(i, j) = g%mask_u(i, j)*cells(i, j + 1)*cells(i + 1, j + 1)
      end do
    end do
  end subroutine set_masks

  function is_near_sea(g) result(near)
    type(grid_t), intent(in) :: g
    logical :: near(0:g%nx + 1, 0:g%ny + 1)
    integer :: i, j

    do j = 0, g%ny + 1
      do i = 0, g%nx + 1
        near(i, j) = any(g%mask_h(max(i - 1, 0):min(i + 1, g%nx + 1), max(j - 1, 0):min(j + 1, g%ny + 1)) > 0)
      end do
    end do
  end function is_near_sea

  !> The runs of true cells, row by row; the first cell of `wanted` is (lowest, lowest).
  function runs(wanted, lowest) result(found)
    integer, intent(in) :: lowest
    logical, intent(in) :: wanted(lowest:, lowest:)
    type(run_t), allocatable :: found(:)
    integer :: i, j, first

    found = [run_t ::]
    do j = lowest, ubound(wanted, 2)
      first = lowest
      do i = lowest, ubound(wanted, 1)
        if (.not. wanted(i, j)) then
          first = i + 1
        else if (i == ubound(wanted, 1)) then
          found = [found, run_t(j, first, i)]
        else if (.not. wanted(i + 1, j)) then
          found = [found, run_t(j, first, i)]
        end if
      end do
    end do
  end function runs

end module grid
