! SPDX-License-Identifier: Apache-2.0
!> The model's output on Weir's streams: everything it has to do for its files, but for the restart file, is here. It sends
!> fields and names no file; the key `streams` of the configuration (weir.yaml) says what becomes of them.
!> records/output.f90 does it the other way: it makes a file, and counts its records.
!>
!> Once: start_output starts Weir, which says on which ranks the model runs; end_output ends it.
!> Each run: open_history defines the fields, their coordinates and the parts that this rank holds (three layouts).
!> Each step: write_history hands the model's own arrays over, one weir_send a field. A step that ends no interval folds
!> them into the means and extremes that are asked for, and meets no other rank.
module output
  use, intrinsic :: iso_fortran_env, only: real32, real64
  use mpi_f08
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

  logical, parameter :: sends_fields = .true. !< write_history takes the fields of each step

  !> The fields.
  type :: history_t
    type(weir_t) :: weir
    integer :: ssh, u, v, vorticity, stress, temperature, age, u_layers, v_layers
  end type history_t

contains

  !> Collective. `day`: when this run begins. What the definitions have refused is an error of the last call.
  subroutine open_history(writer, chosen, g, day, history, stat, errmsg)
    type(writer_t), intent(in) :: writer
    type(settings_t), intent(in) :: chosen
    type(grid_t), intent(in) :: g
    real(real64), intent(in) :: day
    type(history_t), intent(out) :: history
    integer, intent(out) :: stat
    character(*), intent(inout) :: errmsg

    if (chosen%history /= '' .or. chosen%append) then
      stat = WEIR_EARGUMENT
      errmsg = 'history and append are settings of the oceans that make their file themselves; this one sends fields: '// &
        'name its files under streams in the file of WEIR_CONFIG, as examples/ocean/weir.yaml does'
      return
    end if
    history%weir = writer%weir
    call set_coordinates(writer%weir, g, chosen%nz)
    call define_fields(writer, g, chosen%nz, history)
    call weir_put_field_att(writer%weir, WEIR_GLOBAL, 'title', 'Wind-driven shallow-water ocean with idealised continents')
    call weir_put_field_att(writer%weir, WEIR_GLOBAL, 'source', 'examples/ocean of Weir')
    call weir_start_streams(writer%weir, 'days since 2000-01-01 00:00:00', day, 'noleap', stat, errmsg)
  end subroutine open_history

  !> Fixed fields, which rank 0 holds: a file has those of its dimensions.
  subroutine set_coordinates(weir, g, nz)
    type(weir_t), intent(in) :: weir
    type(grid_t), intent(in) :: g
    integer, intent(in) :: nz
    integer :: depth, rank, line, k

    call MPI_Comm_rank(g%comm, rank)
    call set('lon', g%all_lon, 'longitude of cell centres', 'degrees_east', 'longitude')
    call set('lat', g%all_lat, 'latitude of cell centres', 'degrees_north', 'latitude')
    call set('lon_u', g%all_lon_u, 'longitude of eastern faces', 'degrees_east', 'longitude')
    call set('lat_v', g%all_lat_v, 'latitude of northern faces', 'degrees_north', 'latitude')
    call set('depth', layer_middle([(k, k=1, nz)]), 'depth of layer centres', 'm', 'depth', depth)
    call weir_put_field_att(weir, depth, 'positive', 'down')

  contains

    subroutine set(name, values, long_name, units, standard_name, field)
      character(*), intent(in) :: name, long_name, units, standard_name
      real(real64), intent(in) :: values(:)
      integer, intent(out), optional :: field
      integer :: new

      call weir_def_layout(weir, [size(values)], [1], [merge(size(values), 0, rank == 0)], line)
      call weir_def_field(weir, name, WEIR_DOUBLE, [name], line, new)
      call describe(weir, new, long_name, units, standard_name)
      call weir_set_field(weir, new, values(:merge(size(values), 0, rank == 0)))
      if (present(field)) field = new
    end subroutine set

  end subroutine set_coordinates

  subroutine define_fields(writer, g, nz, history)
    type(writer_t), intent(in) :: writer
    type(grid_t), intent(in) :: g
    integer, intent(in) :: nz
    type(history_t), intent(inout) :: history
    type(layouts_t) :: layouts

    call new_layouts(writer, g, nz, layouts)
    history%ssh = new_field('ssh', [character(5) :: 'lon', 'lat'], layouts%sea, 'sea surface height above rest', 'm', &
      'sea_surface_height_above_geoid')
    history%u = new_field('u', [character(5) :: 'lon_u', 'lat'], layouts%plane, 'eastward velocity of the upper ocean', &
      'm s-1')
    history%v = new_field('v', [character(5) :: 'lon', 'lat_v'], layouts%plane, 'northward velocity of the upper ocean', &
      'm s-1')
    history%vorticity = new_field('vorticity', [character(5) :: 'lon_u', 'lat_v'], layouts%plane, 'relative vorticity', &
      's-1')
    history%stress = new_field('tau_x', [character(5) :: 'lon_u', 'lat'], layouts%plane, 'eastward wind stress', 'Pa', &
      'surface_downward_eastward_stress')
    history%temperature = new_field('temperature', [character(5) :: 'lon', 'lat', 'depth'], layouts%volume, &
      'sea water temperature', 'degC', 'sea_water_temperature')
    history%age = new_field('age', [character(5) :: 'lon', 'lat', 'depth'], layouts%volume, 'time since the surface', &
      'days')
    history%u_layers = new_field('u_layers', [character(5) :: 'lon_u', 'lat', 'depth'], layouts%volume, &
      'eastward velocity', 'm s-1', 'eastward_sea_water_velocity')
    history%v_layers = new_field('v_layers', [character(5) :: 'lon', 'lat_v', 'depth'], layouts%volume, &
      'northward velocity', 'm s-1', 'northward_sea_water_velocity')
    call weir_put_field_att(writer%weir, history%ssh, '_FillValue', real(missing, real32))
    call weir_put_field_att(writer%weir, history%temperature, '_FillValue', real(missing, real32))
    call weir_put_field_att(writer%weir, history%age, '_FillValue', real(missing, real32))

  contains

    integer function new_field(name, dims, layout, long_name, units, standard_name) result(field)
      character(*), intent(in) :: name, dims(:), long_name, units
      integer, intent(in) :: layout
      character(*), intent(in), optional :: standard_name

      call weir_def_field(writer%weir, name, WEIR_FLOAT, dims, layout, field)
      call describe(writer%weir, field, long_name, units, standard_name)
    end function new_field

  end subroutine define_fields

  !> The attributes that all fields have.
  subroutine describe(weir, field, long_name, units, standard_name)
    type(weir_t), intent(in) :: weir
    integer, intent(in) :: field
    character(*), intent(in) :: long_name, units
    character(*), intent(in), optional :: standard_name

    call weir_put_field_att(weir, field, 'long_name', long_name)
    call weir_put_field_att(weir, field, 'units', units)
    if (present(standard_name)) call weir_put_field_att(weir, field, 'standard_name', standard_name)
  end subroutine describe

  !> Collective: sends the fields as they are on this day. Those that the state does not have are computed where a stream
  !> wants them.
  subroutine write_history(history, g, s, day, stat, errmsg)
    type(history_t), intent(inout) :: history
    type(grid_t), intent(in) :: g
    type(state_t), intent(in) :: s
    real(real64), intent(in) :: day
    integer, intent(out) :: stat
    character(*), intent(inout) :: errmsg
    type(diagnostics_t) :: fields

    associate (weir => history%weir)
      call weir_send(weir, history%ssh, day, surface_height(s%h), stat, errmsg)
      if (stat == WEIR_OK) call weir_send(weir, history%u, day, s%u, stat, errmsg)
      if (stat == WEIR_OK) call weir_send(weir, history%v, day, s%v, stat, errmsg)
      if (stat == WEIR_OK) call weir_send(weir, history%temperature, day, s%temperature, stat, errmsg)
      if (stat == WEIR_OK) call weir_send(weir, history%age, day, s%age, stat, errmsg)
      if (.not. (wanted(history%vorticity) .or. wanted(history%stress) .or. wanted(history%u_layers) .or. &
        wanted(history%v_layers))) return

      call diagnose(g, s, day, fields)
      if (stat == WEIR_OK) call weir_send(weir, history%vorticity, day, fields%vorticity, stat, errmsg)
      if (stat == WEIR_OK) call weir_send(weir, history%stress, day, fields%stress, stat, errmsg)
      if (stat == WEIR_OK) call weir_send(weir, history%u_layers, day, fields%u_layers, stat, errmsg)
      if (stat == WEIR_OK) call weir_send(weir, history%v_layers, day, fields%v_layers, stat, errmsg)
    end associate

  contains

    logical function wanted(field)
      integer, intent(in) :: field
      wanted = weir_field_wanted(history%weir, field, day)
    end function wanted

  end subroutine write_history

  !> end_output ends all files.
  subroutine close_history(history, stat, errmsg)
    type(history_t), intent(inout) :: history
    integer, intent(out) :: stat
    character(*), intent(inout) :: errmsg
    stat = WEIR_OK
  end subroutine close_history

end module output
