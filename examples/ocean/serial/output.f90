! SPDX-License-Identifier: Apache-2.0
!> The history file as many models write it: one rank gathers each field and writes it with netCDF, while the others wait.
!> ../records/output.f90 does the same with Weir; the bytes are the same.
module output
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  use netcdf
  use diagnostics, only: diagnose, diagnostics_t
  use dynamics, only: surface_height
  use gather, only: gather_volume, gathers
  use grid, only: grid_t
  use settings, only: settings_t
  use state, only: missing, state_t
  use variables, only: define_variables, find_variables, put_coordinates, variables_t
  implicit none
  private
  public :: writer_t, start_output, end_output, share
  public :: history_t, open_history, write_history, close_history, sends_fields

  logical, parameter :: sends_fields = .false. !< write_history takes a record

  type :: writer_t
    type(MPI_Comm) :: comm
  end type writer_t

  type :: history_t
    type(MPI_Comm) :: comm
    logical :: writes = .false.    !< this rank gathers, and has the file open
    integer :: file = -1
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

  !> Collective: gives the writing rank's error to all ranks.
  subroutine share(comm, stat, name, errmsg)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(inout) :: stat
    character(*), intent(in) :: name
    character(*), intent(inout) :: errmsg
    call MPI_Bcast(stat, 1, MPI_INTEGER, 0, comm)
    if (stat /= NF90_NOERR) errmsg = name//': '//nf90_strerror(stat)
  end subroutine share

  !> Collective.
  subroutine open_history(writer, chosen, g, day, history, stat, errmsg)
    type(writer_t), intent(in) :: writer
    type(settings_t), intent(in) :: chosen
    type(grid_t), intent(in) :: g
    real(real64), intent(in) :: day
    type(history_t), intent(out) :: history
    integer, intent(out) :: stat
    character(*), intent(inout) :: errmsg

    history%comm = g%comm
    history%records_a_commit = max(1, nint(chosen%commit_days/chosen%history_days))
    stat = NF90_NOERR
    history%writes = gathers(g%comm)
    if (history%writes) then
      if (chosen%append) then
        stat = nf90_open(trim(chosen%history), NF90_WRITE, history%file)
        if (stat == NF90_NOERR) call find_variables(history%file, history%vars, history%records, stat)
      else
        stat = nf90_create(trim(chosen%history), NF90_CLOBBER, history%file)
        if (stat == NF90_NOERR) call define_variables(history%file, g, chosen%nz, history%vars, stat)
        if (stat == NF90_NOERR) call put_coordinates(history%file, g, chosen%nz, history%vars, stat)
      end if
    end if
    call share(g%comm, stat, trim(chosen%history), errmsg)
    call MPI_Bcast(history%records, 1, MPI_INTEGER, 0, g%comm)
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
    if (history%writes) then
      if (modulo(history%records, history%records_a_commit) == 0) stat = nf90_sync(history%file)
      if (stat == NF90_NOERR) stat = nf90_put_var(history%file, history%vars%time, [day], start=[record], count=[1])
    end if
    call put_plane(history%vars%ssh, &
      merge(surface_height(s%h(1:g%nx, 1:g%ny)), missing, g%mask_h(1:g%nx, 1:g%ny) > 0))
    call put_plane(history%vars%u, s%u(1:g%nx, 1:g%ny))
    call put_plane(history%vars%v, s%v(1:g%nx, 1:g%ny))
    call put_plane(history%vars%vorticity, fields%vorticity(1:g%nx, 1:g%ny))
    call put_plane(history%vars%stress, fields%stress(1:g%nx, 1:g%ny))
    call put_volume(history%vars%temperature, s%temperature(1:g%nx, :, 1:g%ny))
    call put_volume(history%vars%age, s%age(1:g%nx, :, 1:g%ny))
    call put_volume(history%vars%u_layers, fields%u_layers(1:g%nx, :, 1:g%ny))
    call put_volume(history%vars%v_layers, fields%v_layers(1:g%nx, :, 1:g%ny))
    call share(g%comm, stat, 'record of the history', errmsg)
    history%records = record

  contains

    subroutine put_plane(var, values)
      integer, intent(in) :: var
      real(real64), intent(in) :: values(:, :)
      real(real64), allocatable :: global(:, :, :)
      call gather_volume(g, reshape(values, [g%nx, 1, g%ny]), global)
      if (history%writes .and. stat == NF90_NOERR) stat = nf90_put_var(history%file, var, global(:, :, 1), &
        start=[1, 1, record], count=[g%global_nx, g%global_ny, 1])
    end subroutine put_plane

    subroutine put_volume(var, values)
      integer, intent(in) :: var
      real(real64), intent(in) :: values(:, :, :)
      real(real64), allocatable :: global(:, :, :)
      call gather_volume(g, values, global)
      if (history%writes .and. stat == NF90_NOERR) stat = nf90_put_var(history%file, var, global, &
        start=[1, 1, 1, record], count=[shape(global), 1])
    end subroutine put_volume

  end subroutine write_history

  subroutine close_history(history, stat, errmsg)
    type(history_t), intent(inout) :: history
    integer, intent(out) :: stat
    character(*), intent(inout) :: errmsg
    stat = NF90_NOERR
    if (history%writes) stat = nf90_close(history%file)
    call share(history%comm, stat, 'close of the history', errmsg)
  end subroutine close_history

end module output
