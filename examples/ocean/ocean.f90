! SPDX-License-Identifier: Apache-2.0
!> A small ocean: the main program. See settings.f90 for what can be set, output.f90 for how it sends its fields to Weir, and
!> records/output.f90 and netcdf/output.f90 for how it writes the same by calls for files, of Weir and of netCDF: the only
!> part of the model that differs.
program ocean
  use, intrinsic :: iso_fortran_env, only: error_unit, output_unit, real64
  use mpi_f08
  use dynamics, only: step_flow, surface_height
  use grid, only: grid_t, new_grid
  use output, only: close_history, end_output, history_t, open_history, sends_fields, start_output, write_history, &
    writer_t
  use restart, only: read_restart, write_restart
  use settings, only: read_settings, settings_t
  use state, only: new_state, state_t
  use tracers, only: step_tracers
  implicit none

  integer, parameter :: tracer_every = 4 !< steps of the flow
  type(settings_t) :: chosen
  type(writer_t) :: writer
  type(MPI_Comm) :: model_comm
  character(1000) :: message
  integer :: stat

  call MPI_Init()
  call read_settings(chosen, stat, message)
  call check(stat)
  call start_output(MPI_COMM_WORLD, model_comm, writer, stat, message)
  call check(stat)
  if (model_comm /= MPI_COMM_NULL) then
    call run(model_comm)
    call end_output(writer, stat, message)
    call check(stat)
    call MPI_Comm_free(model_comm)
  end if
  call MPI_Finalize()

contains

  subroutine run(comm)
    type(MPI_Comm), intent(in) :: comm
    type(grid_t) :: g
    type(state_t), target :: s
    type(history_t) :: history
    integer :: smallest, last_step, steps_of_history
    logical :: writes, is_due

    call new_grid(comm, chosen%nx, chosen%ny, g)
    call MPI_Allreduce(min(g%nx, g%ny), smallest, 1, MPI_INTEGER, MPI_MIN, g%comm)
    if (smallest < 1) then
      message = 'the grid is too small for so many ranks; take a larger nx and ny, or fewer ranks'
      call check(1)
    end if
    call new_state(g, chosen%nz, s)
    if (chosen%restart_in /= '') then
      call read_restart(writer, chosen%restart_in, g, s, stat, message)
      call check(stat)
    end if
    writes = sends_fields .or. chosen%history /= ''
    if (writes) then
      call open_history(writer, chosen, g, day(s), history, stat, message)
      call check(stat)
    end if

    last_step = s%step + nint(chosen%days*86400/chosen%dt_seconds)
    steps_of_history = max(1, nint(chosen%history_days*86400/chosen%dt_seconds))
    do while (s%step < last_step)
      call step_flow(g, chosen%dt_seconds, s)
      if (modulo(s%step, tracer_every) == 0) call step_tracers(g, tracer_every*chosen%dt_seconds, s)
      is_due = modulo(s%step, steps_of_history) == 0
      if (is_due) call show(g, s)
      if (writes .and. (sends_fields .or. is_due)) then
        call write_history(history, g, s, day(s), stat, message)
        call check(stat)
      end if
    end do

    if (writes) then
      call close_history(history, stat, message)
      call check(stat)
    end if
    if (chosen%restart_out /= '') then
      call write_restart(writer, chosen%restart_out, g, s, stat, message)
      call check(stat)
    end if
  end subroutine run

  !> How far the state is.
  real(real64) function day(s)
    type(state_t), intent(in) :: s
    day = s%step*chosen%dt_seconds/86400
  end function day

  !> A line on the screen.
  subroutine show(g, s)
    type(grid_t), intent(in) :: g
    type(state_t), intent(in) :: s
    real(real64) :: here(2), largest(2)
    integer :: rank

    here = [maxval(abs(surface_height(s%h))), sqrt(max(maxval(s%u**2), maxval(s%v**2)))]
    call MPI_Allreduce(here, largest, 2, MPI_DOUBLE_PRECISION, MPI_MAX, g%comm)
    call MPI_Comm_rank(g%comm, rank)
    if (rank == 0) write (output_unit, '(a, f8.2, a, f6.3, a, f6.3, a)') &
      'day ', day(s), ': highest or lowest surface ', largest(1), ' m, fastest current ', largest(2), ' m/s'
    if (.not. largest(1) < 100) then
      message = 'the flow has become unstable; take a smaller dt_seconds'
      call check(1)
    end if
  end subroutine show

  !> Weir reports an error to all ranks, and the model decides what to do. This model ends.
  subroutine check(stat)
    integer, intent(in) :: stat
    integer :: rank

    if (stat == 0) return
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    if (rank == 0) write (error_unit, '(2a)') 'ocean: ', trim(message)
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine check

end program ocean
