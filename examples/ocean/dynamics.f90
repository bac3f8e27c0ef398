! SPDX-License-Identifier: Apache-2.0
!> One step of the shallow-water equations on the sphere: one active layer over a resting abyss, driven by the wind, in
!> vector-invariant form. Momentum after the scheme that conserves potential enstrophy (Sadourny 1975, J. Atmos. Sci.
!> 32, 680), third-order Adams-Bashforth in time. Each cell's sums are taken in the same order on any number of ranks,
!> so that the result does not depend on the decomposition by a single bit.
module dynamics
  use, intrinsic :: iso_fortran_env, only: real64
  use grid, only: grid_t
  use halo, only: exchange_halo, plane_field
  use state, only: rest_thickness_m, state_t
  implicit none
  private
  public :: step_flow, zonal_wind_stress, vorticity, surface_height

  real(real64), parameter :: pi = acos(-1.0_real64)
  real(real64), parameter :: gravity = 9.81_real64, reduced_gravity = 0.05_real64 !< m/s2
  real(real64), parameter :: density = 1025.0_real64     !< kg/m3
  real(real64), parameter :: bottom_drag = 1.0e-7_real64 !< 1/s
  real(real64), parameter :: viscosity = 1.2e4_real64    !< m2/s
  real(real64), parameter :: year_days = 365.0_real64

  !> The terms of the tendencies.
  type :: fluxes_t
    real(real64), allocatable :: u(:, :), v(:, :)  !< volume through the faces, m2/s
    real(real64), allocatable :: q(:, :)           !< potential vorticity at the corners, 1/(m s)
    real(real64), allocatable :: bernoulli(:, :)   !< pressure and kinetic energy, m2/s2
  end type fluxes_t

contains

  !> Advances h, u and v by dt. Collective: ends with the halo exchange.
  subroutine step_flow(g, dt, s)
    type(grid_t), intent(in) :: g
    real(real64), intent(in) :: dt
    type(state_t), intent(inout), target :: s
    type(fluxes_t) :: f
    integer :: now

    now = modulo(s%step, 3)
    call set_fluxes(g, s, f)
    call set_tendency_h(g, f, s%dh(:, :, now))
    call set_tendency_u(g, s, f, s%step*dt/86400, s%du(:, :, now))
    call set_tendency_v(g, s, f, s%dv(:, :, now))
    call advance(g, s%step, dt, s%dh, s%h)
    call advance(g, s%step, dt, s%du, s%u)
    call advance(g, s%step, dt, s%dv, s%v)
    s%step = s%step + 1
    call exchange_halo(g, [plane_field(s%h), plane_field(s%u), plane_field(s%v)])
  end subroutine step_flow

  subroutine set_fluxes(g, s, f)
    type(grid_t), intent(in) :: g
    type(state_t), intent(in) :: s
    type(fluxes_t), intent(out) :: f
    integer :: i, j, k

    allocate (f%u(0:g%nx + 1, 0:g%ny + 1), f%v(0:g%nx + 1, 0:g%ny + 1), f%q(0:g%nx + 1, 0:g%ny + 1), &
      f%bernoulli(0:g%nx + 1, 0:g%ny + 1))
    do k = 1, size(g%near)
      j = g%near(k)%j
      do i = g%near(k)%first, min(g%near(k)%last, g%nx)
        f%u(i, j) = 0.5_real64*(s%h(i, j) + s%h(i + 1, j))*s%u(i, j)
      end do
      if (j <= g%ny) then
        do i = g%near(k)%first, g%near(k)%last
          f%v(i, j) = 0.5_real64*(s%h(i, j) + s%h(i, j + 1))*s%v(i, j)
        end do
        do i = g%near(k)%first, min(g%near(k)%last, g%nx)
          f%q(i, j) = (g%coriolis_v(j) + vorticity(g, s, i, j)) &
            /(0.25_real64*(s%h(i, j) + s%h(i + 1, j) + s%h(i, j + 1) + s%h(i + 1, j + 1)))
        end do
      end if
      if (j == 0) cycle
      do i = max(g%near(k)%first, 1), g%near(k)%last
        f%bernoulli(i, j) = reduced_gravity*(s%h(i, j) - rest_thickness_m) &
          + 0.25_real64*(s%u(i - 1, j)**2 + s%u(i, j)**2 + s%v(i, j - 1)**2 + s%v(i, j)**2)
      end do
    end do
  end subroutine set_fluxes

  subroutine set_tendency_h(g, f, dh)
    type(grid_t), intent(in) :: g
    type(fluxes_t), intent(in) :: f
    real(real64), intent(inout) :: dh(0:, 0:)
    integer :: i, j, k

    do k = 1, size(g%sea)
      j = g%sea(k)%j
      do i = g%sea(k)%first, g%sea(k)%last
        dh(i, j) = -(f%u(i, j) - f%u(i - 1, j))/g%dx(j) &
          - (f%v(i, j)*g%cos_v(j) - f%v(i, j - 1)*g%cos_v(j - 1))/(g%cos_h(j)*g%dy)
      end do
    end do
  end subroutine set_tendency_h

  subroutine set_tendency_u(g, s, f, day, du)
    type(grid_t), intent(in) :: g
    type(state_t), intent(in) :: s
    type(fluxes_t), intent(in) :: f
    real(real64), intent(in) :: day
    real(real64), intent(inout) :: du(0:, 0:)
    real(real64) :: stress
    integer :: i, j, k

    do k = 1, size(g%sea)
      j = g%sea(k)%j
      stress = zonal_wind_stress(g%latitude(j), day)/density
      do i = g%sea(k)%first, g%sea(k)%last
        du(i, j) = g%mask_u(i, j)*(0.125_real64*(f%q(i, j) + f%q(i, j - 1)) &
          *(f%v(i, j) + f%v(i + 1, j) + f%v(i, j - 1) + f%v(i + 1, j - 1)) &
          - (f%bernoulli(i + 1, j) - f%bernoulli(i, j))/g%dx(j) &
          + 2*stress/(s%h(i, j) + s%h(i + 1, j)) - bottom_drag*s%u(i, j) &
          + viscosity*((s%u(i + 1, j) - 2*s%u(i, j) + s%u(i - 1, j))/g%dx(j)**2 &
          + (s%u(i, j + 1) - 2*s%u(i, j) + s%u(i, j - 1))/g%dy**2))
      end do
    end do
  end subroutine set_tendency_u

  subroutine set_tendency_v(g, s, f, dv)
    type(grid_t), intent(in) :: g
    type(state_t), intent(in) :: s
    type(fluxes_t), intent(in) :: f
    real(real64), intent(inout) :: dv(0:, 0:)
    integer :: i, j, k

    do k = 1, size(g%sea)
      j = g%sea(k)%j
      do i = g%sea(k)%first, g%sea(k)%last
        dv(i, j) = g%mask_v(i, j)*(-0.125_real64*(f%q(i, j) + f%q(i - 1, j)) &
          *(f%u(i, j) + f%u(i - 1, j) + f%u(i, j + 1) + f%u(i - 1, j + 1)) &
          - (f%bernoulli(i, j + 1) - f%bernoulli(i, j))/g%dy - bottom_drag*s%v(i, j) &
          + viscosity*((s%v(i + 1, j) - 2*s%v(i, j) + s%v(i - 1, j))/g%dx_v(j)**2 &
          + (s%v(i, j + 1) - 2*s%v(i, j) + s%v(i, j - 1))/g%dy**2))
      end do
    end do
  end subroutine set_tendency_v

  !> Third-order Adams-Bashforth; of lower order in the first two steps, which have no past.
  subroutine advance(g, step, dt, tendency, field)
    type(grid_t), intent(in) :: g
    integer, intent(in) :: step
    real(real64), intent(in) :: dt, tendency(0:, 0:, 0:)
    real(real64), intent(inout) :: field(0:, 0:)
    real(real64) :: weights(3)
    integer :: i, j, k, now, last, before

    select case (step)
    case (0)
      weights = [1.0_real64, 0.0_real64, 0.0_real64]
    case (1)
      weights = [1.5_real64, -0.5_real64, 0.0_real64]
    case default
      weights = [23.0_real64, -16.0_real64, 5.0_real64]/12
    end select
    now = modulo(step, 3)
    last = modulo(step - 1, 3)
    before = modulo(step - 2, 3)
    do k = 1, size(g%sea)
      j = g%sea(k)%j
      do i = g%sea(k)%first, g%sea(k)%last
        field(i, j) = field(i, j) + dt*(weights(1)*tendency(i, j, now) + weights(2)*tendency(i, j, last) &
          + weights(3)*tendency(i, j, before))
      end do
    end do
  end subroutine advance

  !> Relative vorticity at the corner (i, j), 1/s; 0 at coasts, where water slips freely.
  pure real(real64) function vorticity(g, s, i, j)
    type(grid_t), intent(in) :: g
    type(state_t), intent(in) :: s
    integer, intent(in) :: i, j
    vorticity = g%mask_q(i, j)*((s%v(i + 1, j) - s%v(i, j))/g%dx_v(j) &
      - (s%u(i, j + 1)*g%cos_h(j + 1) - s%u(i, j)*g%cos_h(j))/(g%cos_v(j)*g%dy))
  end function vorticity

  !> Height of the sea surface above its height at rest, in metres, from the thickness of the layer.
  elemental real(real64) function surface_height(h)
    real(real64), intent(in) :: h
    surface_height = reduced_gravity/gravity*(h - rest_thickness_m)
  end function surface_height

  !> Trade winds, westerlies and polar easterlies, which move north and south with the seasons; N/m2, eastward.
  elemental real(real64) function zonal_wind_stress(latitude, day)
    real(real64), intent(in) :: latitude, day
    real(real64) :: lat

    lat = latitude - 4*sin(2*pi*(day - 110)/year_days)
    zonal_wind_stress = -0.08_real64*exp(-((abs(lat) - 15)/10)**2) + 0.10_real64*exp(-((lat - 44)/11)**2) &
      + 0.16_real64*exp(-((lat + 50)/11)**2) - 0.02_real64*exp(-((abs(lat) - 72)/8)**2)
  end function zonal_wind_stress

end module dynamics
