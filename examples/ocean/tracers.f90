! SPDX-License-Identifier: Apache-2.0
!> Two passive tracers in layers of fixed depth: temperature, held to its climatology at the surface, and the age of the
!> water since it was there. They are carried by the flow, whose speed falls off with depth, and mixed. Carried by
!> upwind differences in advective form, which keeps them within their bounds but does not conserve their sum: they show
!> the currents, they do not drive them.
module tracers
  use, intrinsic :: iso_fortran_env, only: real64
  use grid, only: grid_t
  use halo, only: exchange_halo, volume_field
  use state, only: climatology, layer_middle, layer_thickness_m, state_t
  implicit none
  private
  public :: step_tracers, speed_profile

  real(real64), parameter :: day_seconds = 86400.0_real64
  real(real64), parameter :: mixing_along = 500.0_real64, mixing_down = 1.0e-4_real64 !< m2/s
  real(real64), parameter :: relaxation_seconds = 30*day_seconds

contains

  !> Advances temperature and age by dt, with the flow as it is. Collective: ends with the halo exchange.
  subroutine step_tracers(g, dt, s)
    type(grid_t), intent(in) :: g
    real(real64), intent(in) :: dt
    type(state_t), intent(inout), target :: s

    call carry_and_mix(g, dt, s, s%temperature)
    call carry_and_mix(g, dt, s, s%age)
    call force_at_surface(g, dt, s)
    call exchange_halo(g, [volume_field(s%temperature), volume_field(s%age)])
  end subroutine step_tracers

  !> The layer's speed as a part of the flow's.
  elemental real(real64) function speed_profile(k)
    integer, intent(in) :: k
    speed_profile = exp(-layer_middle(k)/500.0_real64)
  end function speed_profile

  subroutine carry_and_mix(g, dt, s, tracer)
    type(grid_t), intent(in) :: g
    real(real64), intent(in) :: dt
    type(state_t), intent(in) :: s
    real(real64), intent(inout) :: tracer(0:, :, 0:)
    real(real64), allocatable :: old(:, :, :)
    real(real64) :: part
    integer :: i, j, k, n, above, below

    allocate (old(0:g%nx + 1, size(tracer, 2), 0:g%ny + 1))
    old(:, :, :) = tracer
    do n = 1, size(g%sea)
      j = g%sea(n)%j
      do k = 1, size(tracer, 2)
        part = speed_profile(k)
        above = max(k - 1, 1)
        below = min(k + 1, size(tracer, 2))
        do i = g%sea(n)%first, g%sea(n)%last
          tracer(i, k, j) = old(i, k, j) + dt*( &
            mixing_down*(old(i, above, j) - 2*old(i, k, j) + old(i, below, j))/layer_thickness_m**2 &
            + inflow(part*s%u(i - 1, j), g%mask_u(i - 1, j), old(i - 1, k, j) - old(i, k, j), g%dx(j)) &
            + inflow(-part*s%u(i, j), g%mask_u(i, j), old(i + 1, k, j) - old(i, k, j), g%dx(j)) &
            + inflow(part*s%v(i, j - 1), g%mask_v(i, j - 1), old(i, k, j - 1) - old(i, k, j), g%dy) &
            + inflow(-part*s%v(i, j), g%mask_v(i, j), old(i, k, j + 1) - old(i, k, j), g%dy))
        end do
      end do
    end do
  end subroutine carry_and_mix

  !> The flux through one face, by the flow if it comes from there, and by mixing.
  elemental real(real64) function inflow(speed, mask, difference, distance)
    real(real64), intent(in) :: speed, mask, difference, distance
    inflow = mask*difference*(max(speed, 0.0_real64) + mixing_along/distance)/distance
  end function inflow

  subroutine force_at_surface(g, dt, s)
    type(grid_t), intent(in) :: g
    real(real64), intent(in) :: dt
    type(state_t), intent(inout), target :: s
    real(real64) :: target_temperature
    integer :: i, j, n

    do n = 1, size(g%sea)
      j = g%sea(n)%j
      target_temperature = climatology(g%latitude(j), layer_middle(1))
      do i = g%sea(n)%first, g%sea(n)%last
        s%temperature(i, 1, j) = s%temperature(i, 1, j) &
          + dt/relaxation_seconds*(target_temperature - s%temperature(i, 1, j))
        s%age(i, 1, j) = 0
        s%age(i, 2:, j) = s%age(i, 2:, j) + dt/day_seconds
      end do
    end do
  end subroutine force_at_surface

end module tracers
