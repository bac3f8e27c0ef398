! SPDX-License-Identifier: Apache-2.0
!> The history file, written with netCDF's parallel calls: as ../records/output.f90 does with Weir, but without any call of
!> Weir. The bytes are the same.
!>
!> A netCDF library without parallel I/O serves a run on one rank; on several ranks it returns an error.
module output
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  use netcdf
  use diagnostics, only: diagnose, diagnostics_t
  use dynamics, only: surface_height
  use grid, only: grid_t
  use settings, only: settings_t
  use state, only: missing, state_t
  use variables, only: define_variables, find_variables, put_coordinates, variables_t
  implicit none
  private
  public :: writer_t, start_output, end_output, create_file, take_all_together
  public :: history_t, open_history, write_history, close_history, sends_fields

  logical, parameter :: sends_fields = .false. !< write_history takes a record

  !> The ranks that open a file together.
  type :: writer_t
    type(MPI_Comm) :: comm
  end type writer_t

  type :: history_t
    integer :: file
    type(variables_t) :: vars
    integer :: records = 0, records_a_commit = 1
  end type history_t

contains

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
    integer :: ranks

    stat = nf90_create(path, NF90_CLOBBER, file, comm=writer%comm%mpi_val, info=MPI_INFO_NULL%mpi_val)
    call MPI_Comm_size(writer%comm, ranks)
    if (is_serial(stat) .and. ranks == 1) stat = nf90_create(path, NF90_CLOBBER, file)
  end subroutine create_file

  !> For writing.
  subroutine open_file(writer, path, file, stat)
    type(writer_t), intent(in) :: writer
    character(*), intent(in) :: path
    integer, intent(out) :: file, stat
    integer :: ranks

    stat = nf90_open(path, NF90_WRITE, file, comm=writer%comm%mpi_val, info=MPI_INFO_NULL%mpi_val)
    call MPI_Comm_size(writer%comm, ranks)
    if (is_serial(stat) .and. ranks == 1) stat = nf90_open(path, NF90_WRITE, file)
    if (stat == NF90_NOERR) call take_all_together(file, stat)
  end subroutine open_file

  !> A netCDF without parallel I/O says NF90_ENOPAR, one without PnetCDF (for files other than HDF5) "not built".
  logical function is_serial(stat)
    integer, intent(in) :: stat
    integer, parameter :: not_built = -128
    is_serial = stat == NF90_ENOPAR .or. stat == not_built
  end function is_serial

  !> Puts are collective from now on.
  subroutine take_all_together(file, stat)
    integer, intent(in) :: file
    integer, intent(out) :: stat
    stat = nf90_var_par_access(file, NF90_GLOBAL, NF90_COLLECTIVE)
    if (is_serial(stat)) stat = NF90_NOERR
  end subroutine take_all_together

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
      call open_file(writer, trim(chosen%history), history%file, stat)
      if (stat == NF90_NOERR) call find_variables(history%file, history%vars, history%records, stat)
    else
      call create_file(writer, trim(chosen%history), history%file, stat)
      if (stat == NF90_NOERR) call define_variables(history%file, g, chosen%nz, history%vars, stat)
      if (stat == NF90_NOERR) call take_all_together(history%file, stat)
      if (stat == NF90_NOERR) call put_coordinates(history%file, g, chosen%nz, history%vars, stat)
    end if
    if (stat /= NF90_NOERR) errmsg = trim(chosen%history)//': '//nf90_strerror(stat)
  end subroutine open_history

  !> Collective: syncs the records so far where it is time, and appends one.
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
    stat = NF90_NOERR
    if (modulo(history%records, history%records_a_commit) == 0) stat = nf90_sync(history%file)
    if (stat == NF90_NOERR) stat = nf90_put_var(history%file, history%vars%time, [day], start=[record], count=[1])
    call put_plane(history%vars%ssh, merge(surface_height(s%h(1:g%nx, 1:g%ny)), missing, g%mask_h(1:g%nx, 1:g%ny) > 0))
    call put_plane(history%vars%u, s%u(1:g%nx, 1:g%ny))
    call put_plane(history%vars%v, s%v(1:g%nx, 1:g%ny))
    call put_plane(history%vars%vorticity, fields%vorticity(1:g%nx, 1:g%ny))
    call put_plane(history%vars%stress, fields%stress(1:g%nx, 1:g%ny))
    call put_volume(history%vars%temperature, s%temperature(1:g%nx, :, 1:g%ny))
    call put_volume(history%vars%age, s%age(1:g%nx, :, 1:g%ny))
    call put_volume(history%vars%u_layers, fields%u_layers(1:g%nx, :, 1:g%ny))
    call put_volume(history%vars%v_layers, fields%v_layers(1:g%nx, :, 1:g%ny))
    if (stat /= NF90_NOERR) errmsg = 'record of the history: '//nf90_strerror(stat)
    history%records = record

  contains

    subroutine put_plane(var, values)
      integer, intent(in) :: var
      real(real64), intent(in) :: values(:, :)
      if (stat == NF90_NOERR) stat = nf90_put_var(history%file, var, values, &
        start=[g%offset_x + 1, g%offset_y + 1, record], count=[g%nx, g%ny, 1])
    end subroutine put_plane

    !> The model holds (x, z, y), the file (x, y, z).
    subroutine put_volume(var, values)
      integer, intent(in) :: var
      real(real64), intent(in) :: values(:, :, :)
      associate (nz => size(values, 2))
        if (stat == NF90_NOERR) stat = nf90_put_var(history%file, var, values, &
          start=[g%offset_x + 1, g%offset_y + 1, 1, record], count=[g%nx, g%ny, nz, 1], &
          map=[1, g%nx*nz, g%nx, size(values)])
      end associate
    end subroutine put_volume

  end subroutine write_history

  subroutine close_history(history, stat, errmsg)
    type(history_t), intent(inout) :: history
    integer, intent(out) :: stat
    character(*), intent(inout) :: errmsg
    stat = nf90_close(history%file)
    if (stat /= NF90_NOERR) errmsg = 'close of the history: '//nf90_strerror(stat)
  end subroutine close_history

end module output
