! SPDX-License-Identifier: Apache-2.0
!> The history file, made and filled by the model itself with Weir's calls for files: ../output.f90 sends fields instead.
!>
!> Each history: open_history defines the file and the parts that this rank holds (three layouts).
!> Each record: write_history hands the model's own arrays over, one weir_put a variable. Each returns when Weir has its
!> copy, and the model computes on while Weir writes. Every so many records weir_sync commits them: not right after their
!> puts, where the model would wait for the file, but before the puts of the next record, when they are written already.
module output
  use, intrinsic :: iso_fortran_env, only: real32, real64
  use weir
  use diagnostics, only: diagnose, diagnostics_t
  use dynamics, only: surface_height
  use grid, only: grid_t
  use on_weir, only: end_output, layouts_t, new_layouts, start_output, writer_t
  use settings, only: settings_t
  use state, only: layer_middle, missing, state_t
  implicit none
  private
  public :: writer_t, start_output, end_output
  public :: history_t, open_history, write_history, close_history, sends_fields

  logical, parameter :: sends_fields = .false. !< write_history takes a record

  type :: history_t
    type(weir_file) :: file
    type(layouts_t) :: layouts
    integer :: time, ssh, u, v, vorticity, stress, temperature, age, u_layers, v_layers
    integer :: records = 0, records_a_commit = 1
  end type history_t

contains

  !> Collective. Errors stay with the file, so that one check at the end is enough.
  subroutine open_history(writer, chosen, g, day, history, stat, errmsg)
    type(writer_t), intent(in) :: writer
    type(settings_t), intent(in) :: chosen
    type(grid_t), intent(in) :: g
    real(real64), intent(in) :: day
    type(history_t), intent(out) :: history
    integer, intent(out) :: stat
    character(*), intent(inout) :: errmsg

    history%records_a_commit = max(1, nint(chosen%commit_days/chosen%history_days))
    call new_layouts(writer, g, chosen%nz, history%layouts)
    if (chosen%append) then
      call weir_open(writer%weir, chosen%history, WEIR_WRITE, history%file, stat, errmsg)
      if (stat == WEIR_OK) call find_variables(history, stat, errmsg)
    else
      call weir_create(writer%weir, chosen%history, WEIR_CLOBBER, history%file, stat, errmsg)
      if (stat == WEIR_OK) call define_variables(g, chosen%nz, history, stat, errmsg)
    end if
  end subroutine open_history

  subroutine define_variables(g, nz, history, stat, errmsg)
    type(grid_t), intent(in) :: g
    integer, intent(in) :: nz
    type(history_t), intent(inout) :: history
    integer, intent(out) :: stat
    character(*), intent(inout) :: errmsg
    type(weir_file) :: file
    integer :: lon, lat, lon_u, lat_v, depth, time, ids(5), k

    file = history%file
    call weir_put_att(file, WEIR_GLOBAL, 'Conventions', 'CF-1.10')
    call weir_put_att(file, WEIR_GLOBAL, 'title', 'Wind-driven shallow-water ocean with idealised continents')
    call weir_put_att(file, WEIR_GLOBAL, 'source', 'examples/ocean of Weir')

    call weir_def_dim(file, 'lon', g%global_nx, lon)
    call weir_def_dim(file, 'lat', g%global_ny, lat)
    call weir_def_dim(file, 'lon_u', g%global_nx, lon_u)
    call weir_def_dim(file, 'lat_v', g%global_ny, lat_v)
    call weir_def_dim(file, 'depth', nz, depth)
    call weir_def_dim(file, 'time', WEIR_UNLIMITED, time)

    ids(1) = new_variable(file, 'lon', WEIR_DOUBLE, [lon], 'longitude of cell centres', 'degrees_east', 'longitude')
    ids(2) = new_variable(file, 'lat', WEIR_DOUBLE, [lat], 'latitude of cell centres', 'degrees_north', 'latitude')
    ids(3) = new_variable(file, 'lon_u', WEIR_DOUBLE, [lon_u], 'longitude of eastern faces', 'degrees_east', &
      'longitude')
    ids(4) = new_variable(file, 'lat_v', WEIR_DOUBLE, [lat_v], 'latitude of northern faces', 'degrees_north', &
      'latitude')
    ids(5) = new_variable(file, 'depth', WEIR_DOUBLE, [depth], 'depth of layer centres', 'm', 'depth')
    call weir_put_att(file, ids(5), 'positive', 'down')
    history%time = new_variable(file, 'time', WEIR_DOUBLE, [time], 'time', 'days since 2000-01-01 00:00:00', 'time')
    call weir_put_att(file, history%time, 'calendar', 'noleap')

    history%ssh = new_variable(file, 'ssh', WEIR_FLOAT, [lon, lat, time], 'sea surface height above rest', 'm', &
      'sea_surface_height_above_geoid')
    call weir_put_att(file, history%ssh, '_FillValue', real(missing, real32))
    history%u = new_variable(file, 'u', WEIR_FLOAT, [lon_u, lat, time], 'eastward velocity of the upper ocean', &
      'm s-1')
    history%v = new_variable(file, 'v', WEIR_FLOAT, [lon, lat_v, time], 'northward velocity of the upper ocean', &
      'm s-1')
    history%vorticity = new_variable(file, 'vorticity', WEIR_FLOAT, [lon_u, lat_v, time], 'relative vorticity', 's-1')
    history%stress = new_variable(file, 'tau_x', WEIR_FLOAT, [lon_u, lat, time], 'eastward wind stress', 'Pa', &
      'surface_downward_eastward_stress')
    history%temperature = new_variable(file, 'temperature', WEIR_FLOAT, [lon, lat, depth, time], &
      'sea water temperature', 'degC', 'sea_water_temperature')
    call weir_put_att(file, history%temperature, '_FillValue', real(missing, real32))
    history%age = new_variable(file, 'age', WEIR_FLOAT, [lon, lat, depth, time], 'time since the surface', 'days')
    call weir_put_att(file, history%age, '_FillValue', real(missing, real32))
    history%u_layers = new_variable(file, 'u_layers', WEIR_FLOAT, [lon_u, lat, depth, time], 'eastward velocity', &
      'm s-1', 'eastward_sea_water_velocity')
    history%v_layers = new_variable(file, 'v_layers', WEIR_FLOAT, [lon, lat_v, depth, time], 'northward velocity', &
      'm s-1', 'northward_sea_water_velocity')
    call weir_enddef(file)

    call weir_put_var(file, ids(1), g%all_lon)
    call weir_put_var(file, ids(2), g%all_lat)
    call weir_put_var(file, ids(3), g%all_lon_u)
    call weir_put_var(file, ids(4), g%all_lat_v)
    call weir_put_var(file, ids(5), layer_middle([(k, k=1, nz)]), stat=stat, errmsg=errmsg)
  end subroutine define_variables

  !> Defines a variable with the attributes that all have.
  integer function new_variable(file, name, type, dims, long_name, units, standard_name) result(var)
    type(weir_file), intent(in) :: file
    character(*), intent(in) :: name, long_name, units
    integer, intent(in) :: type, dims(:)
    character(*), intent(in), optional :: standard_name

    call weir_def_var(file, name, type, dims, var)
    call weir_put_att(file, var, 'long_name', long_name)
    call weir_put_att(file, var, 'units', units)
    if (present(standard_name)) call weir_put_att(file, var, 'standard_name', standard_name)
  end function new_variable

  subroutine find_variables(history, stat, errmsg)
    type(history_t), intent(inout) :: history
    integer, intent(out) :: stat
    character(*), intent(inout) :: errmsg

    call find('time', history%time)
    call find('ssh', history%ssh)
    call find('u', history%u)
    call find('v', history%v)
    call find('vorticity', history%vorticity)
    call find('tau_x', history%stress)
    call find('temperature', history%temperature)
    call find('age', history%age)
    call find('u_layers', history%u_layers)
    call find('v_layers', history%v_layers)
    if (stat == WEIR_OK) call weir_inq_nrecords(history%file, history%records, stat, errmsg)

  contains

    subroutine find(name, var)
      character(*), intent(in) :: name
      integer, intent(out) :: var
      if (stat == WEIR_OK) call weir_inq_varid(history%file, name, var, stat, errmsg)
    end subroutine find

  end subroutine find_variables

  !> Collective: commits the records so far where it is time, and appends one.
  subroutine write_history(history, g, s, day, stat, errmsg)
    type(history_t), intent(inout) :: history
    type(grid_t), intent(in) :: g
    type(state_t), intent(in) :: s
    real(real64), intent(in) :: day
    integer, intent(out) :: stat
    character(*), intent(inout) :: errmsg
    type(diagnostics_t) :: fields
    integer :: record

    call diagnose(g, s, day, fields)

    record = history%records + 1
    associate (file => history%file, layouts => history%layouts)
      if (modulo(history%records, history%records_a_commit) == 0) call weir_sync(file)
      call weir_put_var(file, history%time, day, record)
      call weir_put(file, history%ssh, layouts%sea, surface_height(s%h), record)
      call weir_put(file, history%u, layouts%plane, s%u, record)
      call weir_put(file, history%v, layouts%plane, s%v, record)
      call weir_put(file, history%vorticity, layouts%plane, fields%vorticity, record)
      call weir_put(file, history%stress, layouts%plane, fields%stress, record)
      call weir_put(file, history%temperature, layouts%volume, s%temperature, record)
      call weir_put(file, history%age, layouts%volume, s%age, record)
      call weir_put(file, history%u_layers, layouts%volume, fields%u_layers, record)
      call weir_put(file, history%v_layers, layouts%volume, fields%v_layers, record, stat, errmsg)
    end associate
    history%records = record
  end subroutine write_history

  subroutine close_history(history, stat, errmsg)
    type(history_t), intent(inout) :: history
    integer, intent(out) :: stat
    character(*), intent(inout) :: errmsg
    call weir_close(history%file, stat, errmsg)
  end subroutine close_history

end module output
