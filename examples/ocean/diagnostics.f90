! SPDX-License-Identifier: Apache-2.0
!> The fields of a history record that the model computes from its state.
module diagnostics
  use, intrinsic :: iso_fortran_env, only: real64
  use dynamics, only: vorticity, zonal_wind_stress
  use grid, only: grid_t
  use state, only: state_t
  use tracers, only: speed_profile
  implicit none
  private
  public :: diagnostics_t, diagnose

  !> Planes (0:nx+1, 0:ny+1), volumes (0:nx+1, nz, 0:ny+1), as the state has them. The halo's values mean nothing.
  type :: diagnostics_t
    real(real64), allocatable :: vorticity(:, :), stress(:, :)
    real(real64), allocatable :: u_layers(:, :, :), v_layers(:, :, :)
  end type diagnostics_t

contains

  subroutine diagnose(g, s, day, fields)
    type(grid_t), intent(in) :: g
    type(state_t), intent(in) :: s
    real(real64), intent(in) :: day
    type(diagnostics_t), intent(out) :: fields
    integer :: i, j, k

    allocate (fields%vorticity(0:g%nx + 1, 0:g%ny + 1), fields%stress(0:g%nx + 1, 0:g%ny + 1), source=0.0_real64)
    allocate (fields%u_layers(0:g%nx + 1, size(s%age, 2), 0:g%ny + 1), &
      fields%v_layers(0:g%nx + 1, size(s%age, 2), 0:g%ny + 1), source=0.0_real64)
    do j = 1, g%ny
      fields%stress(:, j) = zonal_wind_stress(g%latitude(j), day)
      fields%vorticity(1:g%nx, j) = [(vorticity(g, s, i, j), i=1, g%nx)]
      do k = 1, size(s%age, 2)
        fields%u_layers(:, k, j) = s%u(:, j)*speed_profile(k)
        fields%v_layers(:, k, j) = s%v(:, j)*speed_profile(k)
      end do
    end do
  end subroutine diagnose

end module diagnostics
