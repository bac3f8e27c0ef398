! SPDX-License-Identifier: Apache-2.0
! What daily means of hourly fields cost a model that computes: by streams of Weir (-DBY_WEIR), by XIOS (-DBY_XIOS), or
! without output. Bands of latitudes; doubles are sent, floats written. Each hour ends in a sum over all ranks, as a time
! step does. Prints the seconds of the slowest rank from the first hour to the end of output. research/means-cost runs it.
!     means_cost NI NJ NK FIELDS DAYS WORK     WORK: passes over 64 KiB an hour
program means_cost
  use, intrinsic :: iso_fortran_env, only: real64, int64
  use mpi_f08
#ifdef BY_WEIR
  use weir
#endif
#ifdef BY_XIOS
  use xios
#endif
  implicit none
  integer :: rank, ranks, ierr, ni, nj, nk, fields, days, work, first, rows, step, f, j, k
  type(MPI_Comm) :: comm
  real(real64), allocatable :: values(:, :, :, :), waves(:), lon(:), lat(:), lev(:)
  real(real64) :: busy(8192), began, took, slowest
  character(16) :: name
#ifdef BY_WEIR
  type(weir_t) :: w
  integer :: layout
  integer :: number(64)
#endif
#ifdef BY_XIOS
  type(xios_duration) :: hour
  type(xios_context) :: context
#endif

  ni = argument(1); nj = argument(2); nk = argument(3); fields = argument(4); days = argument(5); work = argument(6)
#ifdef BY_XIOS
  call xios_initialize("model", return_comm=comm%MPI_VAL)
#else
  call MPI_Init(ierr)
  comm = MPI_COMM_WORLD
#endif
#ifdef BY_WEIR
  call weir_init(MPI_COMM_WORLD, comm, w)
  if (comm == MPI_COMM_NULL) then
    call MPI_Finalize(ierr)
    stop
  end if
#endif
  call MPI_Comm_rank(comm, rank, ierr)
  call MPI_Comm_size(comm, ranks, ierr)
  first = (nj * rank) / ranks
  rows = (nj * (rank + 1)) / ranks - first
  allocate (values(ni, rows, nk, fields))
  lon = [(360.0_real64 * j / ni, j = 0, ni - 1)]
  lat = [(-90 + 180.0_real64 * (j + 0.5_real64) / nj, j = first, first + rows - 1)]
  lev = [(real(k, real64), k = 1, nk)]
  waves = sin(lon)
  busy = 1

  call start()
  call MPI_Barrier(comm, ierr)
  began = MPI_Wtime()
  do step = 1, 24 * days
    call compute()
    do f = 1, fields
      call send(f)
    end do
  end do
  call finish()
  took = MPI_Wtime() - began
  call MPI_Allreduce(took, slowest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, comm, ierr)
  if (rank == 0) print '(a,f8.3)', 'seconds ', slowest
#ifdef BY_XIOS
  call xios_finalize()
#else
  call MPI_Finalize(ierr)
#endif

contains
  include 'argument.inc'

  ! Fixed work, and fields that all ranks know: each value tells its place and its hour.
  subroutine compute()
    real(real64) :: sum, all
    integer :: i
    do i = 1, work
      busy = 0.999_real64 * busy + 0.001_real64
    end do
    sum = busy(1)
    call MPI_Allreduce(sum, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, comm, ierr)
    do f = 1, fields
      do k = 1, nk
        do j = 1, rows
          values(:, j, k, f) = f + 0.01_real64 * k + waves * (first + j) + 0.1_real64 * mod(step, 24) + 1e-9_real64 * all
        end do
      end do
    end do
  end subroutine

#if defined(BY_WEIR)
  subroutine start()
    integer :: whole_x, own_y, whole_z, x, y, z
    call weir_def_layout(w, [ni, nj, nk], [1, first + 1, 1], [ni, rows, nk], layout)
    do f = 1, fields
      write (name, '(a,i0)') 'f', f
      call weir_def_field(w, trim(name), WEIR_DOUBLE, [character(3) :: 'lon', 'lat', 'lev'], layout, number(f))
    end do
    call weir_def_layout(w, [ni], [1], [merge(ni, 0, rank == 0)], whole_x)
    call weir_def_layout(w, [nj], [first + 1], [rows], own_y)
    call weir_def_layout(w, [nk], [1], [merge(nk, 0, rank == 0)], whole_z)
    call weir_def_field(w, 'lon', WEIR_DOUBLE, ['lon'], whole_x, x)
    call weir_def_field(w, 'lat', WEIR_DOUBLE, ['lat'], own_y, y)
    call weir_def_field(w, 'lev', WEIR_DOUBLE, ['lev'], whole_z, z)
    call weir_set_field(w, x, lon)
    call weir_set_field(w, y, lat)
    call weir_set_field(w, z, lev)
    call weir_start_streams(w, 'hours since 2000-01-01', 0.0_real64, calendar='noleap')
  end subroutine
  subroutine send(f)
    integer, intent(in) :: f
    call weir_send(w, number(f), real(step, real64), values(:, :, :, f))
  end subroutine
  subroutine finish()
    call weir_finalize(w)
  end subroutine
#elif defined(BY_XIOS)
  subroutine start()
    call xios_context_initialize("model", comm%MPI_VAL)
    call xios_get_handle("model", context)
    call xios_set_current_context(context)
    call xios_set_domain_attr("sphere", ni_glo=ni, nj_glo=nj, ibegin=0, ni=ni, jbegin=first, nj=rows, type="rectilinear")
    call xios_set_domain_attr("sphere", lonvalue_1d=lon, latvalue_1d=lat)
    call xios_set_axis_attr("lev", n_glo=nk, value=lev)
    hour%hour = 1
    call xios_set_timestep(hour)
    call xios_close_context_definition()
  end subroutine
  subroutine send(f)
    integer, intent(in) :: f
    if (f == 1) call xios_update_calendar(step)
    write (name, '(a,i0)') 'f', f
    call xios_send_field(trim(name), values(:, :, :, f))
  end subroutine
  subroutine finish()
    call xios_context_finalize()
  end subroutine
#else
  subroutine start()
  end subroutine
  subroutine send(f)
    integer, intent(in) :: f
  end subroutine
  subroutine finish()
  end subroutine
#endif
end program
