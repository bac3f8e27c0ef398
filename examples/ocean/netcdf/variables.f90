! SPDX-License-Identifier: Apache-2.0
!> The contents of the history file, in netCDF's calls, for the parallel history (output.f90) and the gathered one
!> (../serial/output.f90).
module variables
  use, intrinsic :: iso_fortran_env, only: real32
  use netcdf
  use grid, only: grid_t
  use state, only: layer_middle, missing
  implicit none
  private
  public :: variables_t, define_variables, put_coordinates, find_variables

  type :: variables_t
    integer :: lon, lat, lon_u, lat_v, depth
    integer :: time, ssh, u, v, vorticity, stress, temperature, age, u_layers, v_layers
  end type variables_t

contains

  !> Ends with nf90_enddef.
  subroutine define_variables(file, g, nz, vars, stat)
    integer, intent(in) :: file, nz
    type(grid_t), intent(in) :: g
    type(variables_t), intent(out) :: vars
    integer, intent(out) :: stat
    integer :: lon, lat, lon_u, lat_v, depth, time

    stat = NF90_NOERR
    call keep(nf90_put_att(file, NF90_GLOBAL, 'Conventions', 'CF-1.10'))
    call keep(nf90_put_att(file, NF90_GLOBAL, 'title', 'Wind-driven shallow-water ocean with idealised continents'))
    call keep(nf90_put_att(file, NF90_GLOBAL, 'source', 'examples/ocean of Weir'))

    call keep(nf90_def_dim(file, 'lon', g%global_nx, lon))
    call keep(nf90_def_dim(file, 'lat', g%global_ny, lat))
    call keep(nf90_def_dim(file, 'lon_u', g%global_nx, lon_u))
    call keep(nf90_def_dim(file, 'lat_v', g%global_ny, lat_v))
    call keep(nf90_def_dim(file, 'depth', nz, depth))
    call keep(nf90_def_dim(file, 'time', NF90_UNLIMITED, time))

    vars%lon = new_variable('lon', NF90_DOUBLE, [lon], 'longitude of cell centres', 'degrees_east', 'longitude')
    vars%lat = new_variable('lat', NF90_DOUBLE, [lat], 'latitude of cell centres', 'degrees_north', 'latitude')
    vars%lon_u = new_variable('lon_u', NF90_DOUBLE, [lon_u], 'longitude of eastern faces', 'degrees_east', 'longitude')
    vars%lat_v = new_variable('lat_v', NF90_DOUBLE, [lat_v], 'latitude of northern faces', 'degrees_north', 'latitude')
    vars%depth = new_variable('depth', NF90_DOUBLE, [depth], 'depth of layer centres', 'm', 'depth')
    call keep(nf90_put_att(file, vars%depth, 'positive', 'down'))
    vars%time = new_variable('time', NF90_DOUBLE, [time], 'time', 'days since 2000-01-01 00:00:00', 'time')
    call keep(nf90_put_att(file, vars%time, 'calendar', 'noleap'))

    vars%ssh = new_variable('ssh', NF90_FLOAT, [lon, lat, time], 'sea surface height above rest', 'm', &
      'sea_surface_height_above_geoid')
    call keep(nf90_put_att(file, vars%ssh, '_FillValue', real(missing, real32)))
    vars%u = new_variable('u', NF90_FLOAT, [lon_u, lat, time], 'eastward velocity of the upper ocean', 'm s-1')
    vars%v = new_variable('v', NF90_FLOAT, [lon, lat_v, time], 'northward velocity of the upper ocean', 'm s-1')
    vars%vorticity = new_variable('vorticity', NF90_FLOAT, [lon_u, lat_v, time], 'relative vorticity', 's-1')
    vars%stress = new_variable('tau_x', NF90_FLOAT, [lon_u, lat, time], 'eastward wind stress', 'Pa', &
      'surface_downward_eastward_stress')
    vars%temperature = new_variable('temperature', NF90_FLOAT, [lon, lat, depth, time], 'sea water temperature', &
      'degC', 'sea_water_temperature')
    call keep(nf90_put_att(file, vars%temperature, '_FillValue', real(missing, real32)))
    vars%age = new_variable('age', NF90_FLOAT, [lon, lat, depth, time], 'time since the surface', 'days')
    call keep(nf90_put_att(file, vars%age, '_FillValue', real(missing, real32)))
    vars%u_layers = new_variable('u_layers', NF90_FLOAT, [lon_u, lat, depth, time], 'eastward velocity', 'm s-1', &
      'eastward_sea_water_velocity')
    vars%v_layers = new_variable('v_layers', NF90_FLOAT, [lon, lat_v, depth, time], 'northward velocity', 'm s-1', &
      'northward_sea_water_velocity')
    call keep(nf90_enddef(file))

  contains

    !> The first error stays.
    subroutine keep(code)
      integer, intent(in) :: code
      if (stat == NF90_NOERR) stat = code
    end subroutine keep

    !> Defines a variable with the attributes that all have.
    integer function new_variable(name, type, dims, long_name, units, standard_name) result(var)
      character(*), intent(in) :: name, long_name, units
      integer, intent(in) :: type, dims(:)
      character(*), intent(in), optional :: standard_name

      call keep(nf90_def_var(file, name, type, dims, var))
      call keep(nf90_put_att(file, var, 'long_name', long_name))
      call keep(nf90_put_att(file, var, 'units', units))
      if (present(standard_name)) call keep(nf90_put_att(file, var, 'standard_name', standard_name))
    end function new_variable

  end subroutine define_variables

  subroutine put_coordinates(file, g, nz, vars, stat)
    integer, intent(in) :: file, nz
    type(grid_t), intent(in) :: g
    type(variables_t), intent(in) :: vars
    integer, intent(out) :: stat
    integer :: k

    stat = nf90_put_var(file, vars%lon, g%all_lon)
    if (stat == NF90_NOERR) stat = nf90_put_var(file, vars%lat, g%all_lat)
    if (stat == NF90_NOERR) stat = nf90_put_var(file, vars%lon_u, g%all_lon_u)
    if (stat == NF90_NOERR) stat = nf90_put_var(file, vars%lat_v, g%all_lat_v)
    if (stat == NF90_NOERR) stat = nf90_put_var(file, vars%depth, layer_middle([(k, k=1, nz)]))
  end subroutine put_coordinates

  !> For an existing history; also returns its number of records.
  subroutine find_variables(file, vars, records, stat)
    integer, intent(in) :: file
    type(variables_t), intent(out) :: vars
    integer, intent(out) :: records, stat
    integer :: time

    stat = NF90_NOERR
    records = 0

    call find('time', vars%time)
    call find('ssh', vars%ssh)
    call find('u', vars%u)
    call find('v', vars%v)
    call find('vorticity', vars%vorticity)
    call find('tau_x', vars%stress)
    call find('temperature', vars%temperature)
    call find('age', vars%age)
    call find('u_layers', vars%u_layers)
    call find('v_layers', vars%v_layers)
    if (stat == NF90_NOERR) stat = nf90_inquire(file, unlimitedDimId=time)
    if (stat == NF90_NOERR) stat = nf90_inquire_dimension(file, time, len=records)

  contains

    subroutine find(name, var)
      character(*), intent(in) :: name
      integer, intent(out) :: var
      if (stat == NF90_NOERR) stat = nf90_inq_varid(file, name, var)
    end subroutine find

  end subroutine find_variables

end module variables
