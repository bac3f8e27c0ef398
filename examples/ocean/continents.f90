! SPDX-License-Identifier: Apache-2.0
!> Idealised continents: for each, its western and eastern coast at a few latitudes, joined by straight lines.
module continents
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: is_land

  integer, parameter :: south_america = 1, north_america = 2, africa = 3, eurasia = 4, arabia = 5, india = 6, &
    indochina = 7, australia = 8, new_guinea = 9, borneo = 10, greenland = 11, new_zealand = 12, madagascar = 13, &
    japan = 14

  ! Continent, latitude, longitudes of the western and of the eastern coast, in degrees, from south to north.
  integer, parameter :: coasts(4, 67) = reshape([ &
    south_america, -56, 289, 293, south_america, -45, 286, 294, south_america, -34, 287, 306, &
    south_america, -22, 289, 319, south_america, -8, 281, 325, south_america, -2, 279, 316, &
    south_america, 5, 282, 308, south_america, 10, 284, 298, south_america, 13, 287, 289, &
    north_america, 5, 281, 284, north_america, 9, 275, 283, north_america, 15, 262, 277, north_america, 18, 256, 271, &
    north_america, 22, 252, 263, north_america, 29, 246, 264, north_america, 31, 243, 279, &
    north_america, 36, 238, 284, north_america, 46, 235, 300, north_america, 58, 221, 304, &
    north_america, 66, 194, 298, north_america, 78, 200, 290, &
    africa, -36, 378, 385, africa, -28, 375, 393, africa, -15, 372, 401, africa, 0, 369, 404, africa, 5, 352, 408, &
    africa, 12, 343, 411, africa, 22, 343, 397, africa, 31, 350, 394, africa, 37, 353, 394, &
    eurasia, 28, 32, 121, eurasia, 36, 34, 121, eurasia, 37, -9, 120, eurasia, 42, -9, 130, eurasia, 46, -2, 137, &
    eurasia, 52, 4, 142, eurasia, 58, 5, 160, eurasia, 66, 10, 183, eurasia, 78, 14, 183, &
    arabia, 12, 43, 47, arabia, 18, 40, 58, arabia, 24, 36, 58, arabia, 31, 32, 50, &
    india, 7, 77, 79, india, 15, 73, 81, india, 22, 68, 90, india, 30, 58, 100, &
    indochina, 0, 102, 105, indochina, 10, 98, 108, indochina, 20, 92, 110, indochina, 30, 88, 122, &
    australia, -39, 143, 147, australia, -33, 115, 152, australia, -24, 113, 153, australia, -11, 131, 143, &
    new_guinea, -9, 142, 150, new_guinea, 0, 131, 135, borneo, -4, 112, 116, borneo, 7, 116, 118, &
    greenland, 59, 314, 318, greenland, 66, 306, 324, greenland, 78, 296, 342, &
    new_zealand, -47, 166, 169, new_zealand, -34, 172, 175, madagascar, -26, 43, 47, madagascar, -12, 48, 50, &
    japan, 31, 129, 132, japan, 45, 141, 145], [4, 67])

contains

  !> Whether a place is land; longitude and latitude in degrees.
  elemental logical function is_land(longitude, latitude)
    real(real64), intent(in) :: longitude, latitude
    real(real64), parameter :: pi = acos(-1.0_real64)
    integer :: k

    is_land = latitude < -70 + 3*cos((longitude - 30)*pi/90) ! Antarctica
    do k = 1, size(coasts, 2) - 1
      if (coasts(1, k) == coasts(1, k + 1)) is_land = is_land .or. is_within(k, longitude, latitude)
    end do
  end function is_land

  !> Whether a place is between rows k and k + 1 of a continent.
  pure logical function is_within(k, longitude, latitude)
    integer, intent(in) :: k
    real(real64), intent(in) :: longitude, latitude
    real(real64) :: part, west, east

    part = (latitude - coasts(2, k))/(coasts(2, k + 1) - coasts(2, k))
    west = coasts(3, k) + part*(coasts(3, k + 1) - coasts(3, k))
    east = coasts(4, k) + part*(coasts(4, k + 1) - coasts(4, k))
    is_within = part >= 0 .and. part < 1 .and. modulo(longitude - west, 360.0_real64) <= east - west
  end function is_within

end module continents
