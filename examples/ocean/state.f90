! SPDX-License-Identifier: Apache-2.0
!> What the model remembers from one step to the next: all of it is in the restart file, and nothing else is needed to
!> continue to the bit.
module state
  use, intrinsic :: iso_fortran_env, only: real64
  use grid, only: grid_t
  implicit none
  private
  public :: state_t, new_state, climatology, layer_middle, layer_thickness_m, missing, rest_thickness_m

  real(real64), parameter :: rest_thickness_m = 600.0_real64 !< of the active layer
  real(real64), parameter :: layer_thickness_m = 75.0_real64 !< of each tracer layer

  real(real64), parameter :: missing = real(1.0e20, real64) !< tracers on land: no float rounds it away

  !> All over (0:nx+1, 0:ny+1); tracers over (0:nx+1, nz, 0:ny+1), the order in which their columns are worked on.
  type :: state_t
    integer :: step = 0
    real(real64), allocatable :: h(:, :), u(:, :), v(:, :) !< thickness in metres, velocity in m/s
    !> Tendencies of the last two steps, which the Adams-Bashforth scheme needs; which of the three places holds the
    !> newest follows from the step.
    real(real64), allocatable :: dh(:, :, :), du(:, :, :), dv(:, :, :)
    real(real64), allocatable :: temperature(:, :, :) !< degrees Celsius
    real(real64), allocatable :: age(:, :, :)         !< days since the water was at the surface
  end type state_t

contains

  !> The ocean at rest.
  subroutine new_state(g, nz, s)
    type(grid_t), intent(in) :: g
    integer, intent(in) :: nz
    type(state_t), intent(out) :: s
    integer :: j, k

    allocate (s%h(0:g%nx + 1, 0:g%ny + 1), source=rest_thickness_m)
    allocate (s%u(0:g%nx + 1, 0:g%ny + 1), s%v(0:g%nx + 1, 0:g%ny + 1), source=0.0_real64)
    allocate (s%dh(0:g%nx + 1, 0:g%ny + 1, 0:2), s%du(0:g%nx + 1, 0:g%ny + 1, 0:2), &
      s%dv(0:g%nx + 1, 0:g%ny + 1, 0:2), source=0.0_real64)
    allocate (s%temperature(0:g%nx + 1, nz, 0:g%ny + 1), s%age(0:g%nx + 1, nz, 0:g%ny + 1), source=0.0_real64)
    do j = 0, g%ny + 1
      do k = 1, nz
        s%temperature(:, k, j) = merge(climatology(g%latitude(j), layer_middle(k)), missing, g%mask_h(:, j) > 0)
        where (g%mask_h(:, j) == 0) s%age(:, k, j) = missing
      end do
    end do
  end subroutine new_state

  !> Mean temperature, in degrees Celsius: warm water lies on cold water, deeper in the subtropics.
  elemental real(real64) function climatology(latitude, depth)
    real(real64), intent(in) :: latitude, depth
    real(real64), parameter :: pi = acos(-1.0_real64)
    real(real64) :: surface, scale_m

    surface = -1.0_real64 + 29.0_real64*max(cos(latitude*pi/180*1.15_real64), 0.0_real64)**1.5_real64
    scale_m = 150.0_real64 + 250.0_real64*sin(2*latitude*pi/180)**2
    climatology = 2.0_real64 + (surface - 2.0_real64)*exp(-depth/scale_m)
  end function climatology

  !> Depth of the middle of tracer layer k, in metres.
  elemental real(real64) function layer_middle(k)
    integer, intent(in) :: k
    layer_middle = (k - 0.5_real64)*layer_thickness_m
  end function layer_middle

end module state
