! SPDX-License-Identifier: Apache-2.0
!> The history file, written with PnetCDF: as ../records/output.f90 does with Weir, but without any call of Weir.
module output
  use, intrinsic :: iso_fortran_env, only: real32, real64
  use mpi_f08
  use pnetcdf
  use diagnostics, only: diagnose, diagnostics_t
  use dynamics, only: surface_height
  use grid, only: grid_t
  use settings, only: settings_t
  use state, only: layer_middle, missing, state_t
  implicit none
  private
  public :: writer_t, start_output, end_output, create_file, offset
  public :: history_t, open_history, write_history, close_history, sends_fields

  logical, parameter :: sends_fields = .false. !< write_history takes a record

  !> The ranks that open a file together.
  type :: writer_t
    type(MPI_Comm) :: comm
  end type writer_t

  type :: history_t
    integer :: file
    integer :: time, ssh, u, v, vorticity, stress, temperature, age, u_layers, v_layers
    integer :: records = 0, records_a_commit = 1
  end type history_t

contains

  !> A length or index, as PnetCDF takes it.
  elemental integer(MPI_OFFSET_KIND) function offset(number)
    integer, intent(in) :: number
    offset = int(number, MPI_OFFSET_KIND)
  end function offset

  subroutine start_output(world, comm, writer, stat, errmsg)
    type(MPI_Comm), intent(in) :: world
    type(MPI_Comm), intent(out) :: comm
    type(writer_t), intent(out) :: writer
    integer, intent(out) :: stat
    character(*), intent(inout) :: errmsg
    call MPI_Comm_dup(world, comm)
    writer%comm = comm
    stat = NF90_NOERR
  end subroutine start_output

  subroutine end_output(writer, stat, errmsg)
    type(writer_t), intent(inout) :: writer
    integer, intent(out) :: stat
    character(*), intent(inout) :: errmsg
    stat = NF90_NOERR
  end subroutine end_output

  subroutine create_file(writer, path, file, stat)
    type(writer_t), intent(in) :: writer
    character(*), intent(in) :: path
    integer, intent(out) :: file, stat
    stat = nf90mpi_create(writer%comm%mpi_val, path, NF90_CLOBBER, MPI_INFO_NULL%mpi_val, file)
  end subroutine create_file

  !> Collective.
  subroutine open_history(writer, chosen, g, day, history, stat, errmsg)
    type(writer_t), intent(in) :: writer
    type(settings_t), intent(in) :: chosen
    type(grid_t), intent(in) :: g
    real(real64), intent(in) :: day
    type(history_t), intent(out) :: history
    integer, intent(out) :: stat
    character(*), intent(inout) :: errmsg

    history%records_a_commit = max(1, nint(chosen%commit_days/chosen%history_days))
    if (chosen%append) then
      stat = nf90mpi_open(writer%comm%mpi_val, trim(chosen%history), NF90_WRITE, MPI_INFO_NULL%mpi_val, history%file)
      if (stat == NF90_NOERR) call find_variables(history, stat)
    else
      call create_file(writer, trim(chosen%history), history%file, stat)
      if (stat == NF90_NOERR) call define_variables(g, chosen%nz, history, stat)
    end if
    if (stat /= NF90_NOERR) errmsg = trim(chosen%history)//': '//nf90mpi_strerror(stat)
  end subroutine open_history

  subroutine define_variables(g, nz, history, stat)
    type(grid_t), intent(in) :: g
    integer, intent(in) :: nz
    type(history_t), intent(inout) :: history
    integer, intent(out) :: stat
    integer :: file, lon, lat, lon_u, lat_v, depth, time, ids(5), k

    file = history%file
    stat = NF90_NOERR
    call keep(nf90mpi_put_att(file, NF90_GLOBAL, 'Conventions', 'CF-1.10'))
    call keep(nf90mpi_put_att(file, NF90_GLOBAL, 'title', 'Wind-driven shallow-water ocean with idealised continents'))
    call keep(nf90mpi_put_att(file, NF90_GLOBAL, 'source', 'examples/ocean of Weir'))

    call keep(nf90mpi_def_dim(file, 'lon', offset(g%global_nx), lon))
    call keep(nf90mpi_def_dim(file, 'lat', offset(g%global_ny), lat))
    call keep(nf90mpi_def_dim(file, 'lon_u', offset(g%global_nx), lon_u))
    call keep(nf90mpi_def_dim(file, 'lat_v', offset(g%global_ny), lat_v))
    call keep(nf90mpi_def_dim(file, 'depth', offset(nz), depth))
    call keep(nf90mpi_def_dim(file, 'time', offset(NF90_UNLIMITED), time))

    ids(1) = new_variable('lon', NF90_DOUBLE, [lon], 'longitude of cell centres', 'degrees_east', 'longitude')
    ids(2) = new_variable('lat', NF90_DOUBLE, [lat], 'latitude of cell centres', 'degrees_north', 'latitude')
    ids(3) = new_variable('lon_u', NF90_DOUBLE, [lon_u], 'longitude of eastern faces', 'degrees_east', 'longitude')
    ids(4) = new_variable('lat_v', NF90_DOUBLE, [lat_v], 'latitude of northern faces', 'degrees_north', 'latitude')
    ids(5) = new_variable('depth', NF90_DOUBLE, [depth], 'depth of layer centres', 'm', 'depth')
    call keep(nf90mpi_put_att(file, ids(5), 'positive', 'down'))
    history%time = new_variable('time', NF90_DOUBLE, [time], 'time', 'days since 2000-01-01 00:00:00', 'time')
    call keep(nf90mpi_put_att(file, history%time, 'calendar', 'noleap'))

    history%ssh = new_variable('ssh', NF90_FLOAT, [lon, lat, time], 'sea surface height above rest', 'm', &
      'sea_surface_height_above_geoid')
    call keep(nf90mpi_put_att(file, history%ssh, '_FillValue', real(missing, real32)))
    history%u = new_variable('u', NF90_FLOAT, [lon_u, lat, time], 'eastward velocity of the upper ocean', 'm s-1')
    history%v = new_variable('v', NF90_FLOAT, [lon, lat_v, time], 'northward velocity of the upper ocean', 'm s-1')
    history%vorticity = new_variable('vorticity', NF90_FLOAT, [lon_u, lat_v, time], 'relative vorticity', 's-1')
    history%stress = new_variable('tau_x', NF90_FLOAT, [lon_u, lat, time], 'eastward wind stress', 'Pa', &
      'surface_downward_eastward_stress')
    history%temperature = new_variable('temperature', NF90_FLOAT, [lon, lat, depth, time], 'sea water temperature', &
      'degC', 'sea_water_temperature')
    call keep(nf90mpi_put_att(file, history%temperature, '_FillValue', real(missing, real32)))
    history%age = new_variable('age', NF90_FLOAT, [lon, lat, depth, time], 'time since the surface', 'days')
    call keep(nf90mpi_put_att(file, history%age, '_FillValue', real(missing, real32)))
    history%u_layers = new_variable('u_layers', NF90_FLOAT, [lon_u, lat, depth, time], 'eastward velocity', 'm s-1', &
      'eastward_sea_water_velocity')
    history%v_layers = new_variable('v_layers', NF90_FLOAT, [lon, lat_v, depth, time], 'northward velocity', 'm s-1', &
      'northward_sea_water_velocity')
    call keep(nf90mpi_enddef(file))

    call put_line(ids(1), g%all_lon)
    call put_line(ids(2), g%all_lat)
    call put_line(ids(3), g%all_lon_u)
    call put_line(ids(4), g%all_lat_v)
    call put_line(ids(5), layer_middle([(k, k=1, nz)]))

  contains

    !> The first error stays.
    subroutine keep(code)
      integer, intent(in) :: code
      if (stat == NF90_NOERR) stat = code
    end subroutine keep

    !> All ranks make the same call. PnetCDF swaps bytes in the caller's buffer, so it gets a copy.
    subroutine put_line(var, values)
      integer, intent(in) :: var
      real(real64), intent(in) :: values(:)
      real(real64) :: line(size(values))
      line = values
      call keep(nf90mpi_put_var_all(file, var, line))
    end subroutine put_line

    !> Defines a variable with the attributes that all have.
    integer function new_variable(name, type, dims, long_name, units, standard_name) result(var)
      character(*), intent(in) :: name, long_name, units
      integer, intent(in) :: type, dims(:)
      character(*), intent(in), optional :: standard_name

      call keep(nf90mpi_def_var(file, name, type, dims, var))
      call keep(nf90mpi_put_att(file, var, 'long_name', long_name))
      call keep(nf90mpi_put_att(file, var, 'units', units))
      if (present(standard_name)) call keep(nf90mpi_put_att(file, var, 'standard_name', standard_name))
    end function new_variable

  end subroutine define_variables

  subroutine find_variables(history, stat)
    type(history_t), intent(inout) :: history
    integer, intent(inout) :: stat
    integer(MPI_OFFSET_KIND) :: records
    integer :: time

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
    if (stat == NF90_NOERR) stat = nf90mpi_inquire(history%file, unlimitedDimId=time)
    if (stat == NF90_NOERR) stat = nf90mpi_inquire_dimension(history%file, time, len=records)
    if (stat == NF90_NOERR) history%records = int(records)

  contains

    subroutine find(name, var)
      character(*), intent(in) :: name
      integer, intent(out) :: var
      if (stat == NF90_NOERR) stat = nf90mpi_inq_varid(history%file, name, var)
    end subroutine find

  end subroutine find_variables

  !> Collective: syncs the records so far where it is time, and appends one.
  subroutine write_history(history, g, s, day, stat, errmsg)
    type(history_t), intent(inout) :: history
    type(grid_t), intent(in) :: g
    type(state_t), intent(in) :: s
    real(real64), intent(in) :: day
    integer, intent(out) :: stat
    character(*), intent(inout) :: errmsg
    type(diagnostics_t) :: fields
    real(real64) :: days(1)
    integer :: record

    days = day
    call diagnose(g, s, day, fields)

    record = history%records + 1
    stat = NF90_NOERR
    if (modulo(history%records, history%records_a_commit) == 0) stat = nf90mpi_sync(history%file)
    if (stat == NF90_NOERR) stat = nf90mpi_put_var_all(history%file, history%time, days, &
      start=offset([record]), count=offset([1]))
    call put_plane(history%ssh, merge(surface_height(s%h(1:g%nx, 1:g%ny)), missing, g%mask_h(1:g%nx, 1:g%ny) > 0))
    call put_plane(history%u, s%u(1:g%nx, 1:g%ny))
    call put_plane(history%v, s%v(1:g%nx, 1:g%ny))
    call put_plane(history%vorticity, fields%vorticity(1:g%nx, 1:g%ny))
    call put_plane(history%stress, fields%stress(1:g%nx, 1:g%ny))
    call put_volume(history%temperature, s%temperature(1:g%nx, :, 1:g%ny))
    call put_volume(history%age, s%age(1:g%nx, :, 1:g%ny))
    call put_volume(history%u_layers, fields%u_layers(1:g%nx, :, 1:g%ny))
    call put_volume(history%v_layers, fields%v_layers(1:g%nx, :, 1:g%ny))
    if (stat /= NF90_NOERR) errmsg = 'record of the history: '//nf90mpi_strerror(stat)
    history%records = record

  contains

    subroutine put_plane(var, values)
      integer, intent(in) :: var
      real(real64), intent(in) :: values(:, :)
      real(real64) :: block(size(values, 1), size(values, 2))
      block = values
      if (stat == NF90_NOERR) stat = nf90mpi_put_var_all(history%file, var, block, &
        start=offset([g%offset_x + 1, g%offset_y + 1, record]), count=offset([g%nx, g%ny, 1]))
    end subroutine put_plane

    !> The model holds (x, z, y), the file (x, y, z).
    subroutine put_volume(var, values)
      integer, intent(in) :: var
      real(real64), intent(in) :: values(:, :, :)
      real(real64) :: block(size(values, 1), size(values, 2), size(values, 3))
      block = values
      associate (nz => size(values, 2))
        if (stat == NF90_NOERR) stat = nf90mpi_put_var_all(history%file, var, block, &
          start=offset([g%offset_x + 1, g%offset_y + 1, 1, record]), count=offset([g%nx, g%ny, nz, 1]), &
          map=offset([1, g%nx*nz, g%nx, size(values)]))
      end associate
    end subroutine put_volume

  end subroutine write_history

  subroutine close_history(history, stat, errmsg)
    type(history_t), intent(inout) :: history
    integer, intent(out) :: stat
    character(*), intent(inout) :: errmsg
    stat = nf90mpi_close(history%file)
    if (stat /= NF90_NOERR) errmsg = 'close of the history: '//nf90mpi_strerror(stat)
  end subroutine close_history

end module output
