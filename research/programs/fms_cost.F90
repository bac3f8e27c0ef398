! SPDX-License-Identifier: Apache-2.0
! What the output of a model costs that writes through FMS (fms2_io) from every rank, or gathered by FMS: fields of
! (x, y, z, time), each rank a block of x and y, chunks of a quarter of a level. Before each record each rank computes.
! Prints the seconds of the slowest rank from the first record's computing to the end of close_file.
!     fms_cost FILE NX NY NZ FIELDS RECORDS WORK collective|gathered|none     WORK: passes over 64 KiB a record
program fms_cost
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  use fms_mod, only: fms_init, fms_end
  use fms2_io_mod, only: FmsNetcdfDomainFile_t, open_file, close_file, register_axis, register_field, write_data, unlimited
  use mpp_domains_mod, only: domain2d, mpp_define_domains, mpp_define_io_domain, mpp_define_layout, &
    mpp_get_compute_domain
  use mpp_mod, only: mpp_npes, mpp_pe
  implicit none
  character(256) :: path, way
  integer :: nx, ny, nz, fields, records, work, layout(2), first_x, last_x, first_y, last_y, f, record, ierr
  type(domain2d) :: domain
  type(FmsNetcdfDomainFile_t) :: file
  real(real64), allocatable :: values(:, :, :)
  real(real64) :: busy(8192), began, took, slowest
  logical :: writes, opened
  character(8) :: name

  call get_command_argument(1, path)
  nx = argument(2); ny = argument(3); nz = argument(4); fields = argument(5); records = argument(6); work = argument(7)
  call get_command_argument(8, way)
  writes = way /= 'none'
  call fms_init()
  call mpp_define_layout([1, nx, 1, ny], mpp_npes(), layout)
  call mpp_define_domains([1, nx, 1, ny], layout, domain)
  call mpp_define_io_domain(domain, [1, 1])
  call mpp_get_compute_domain(domain, first_x, last_x, first_y, last_y)
  allocate (values(first_x:last_x, first_y:last_y, nz))
  busy = 1

  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  began = MPI_Wtime()
  do record = 1, records
    call compute()
    if (writes) then
      if (record == 1) call define()
      do f = 1, fields
        write (name, '(a,i0)') 'f', f
        call write_data(file, trim(name), values, unlim_dim_level=record)
      end do
    end if
  end do
  if (writes) call close_file(file)
  took = MPI_Wtime() - began
  call MPI_Allreduce(took, slowest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
  if (mpp_pe() == 0) print '(a,f8.3)', 'seconds ', slowest
  call fms_end()

contains
  include 'argument.inc'

  ! Fixed work, and a smooth field in double precision, whose last bits do not compress.
  subroutine compute()
    real(real64) :: sum, all
    integer :: i, j, k
    do i = 1, work
      busy = 0.999_real64 * busy + 0.001_real64
    end do
    sum = busy(1)
    call MPI_Allreduce(sum, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    do k = 1, nz
      do j = first_y, last_y
        do i = first_x, last_x
          values(i, j, k) = 280 + 20 * sin(0.01_real64 * i + record) * cos(0.02_real64 * j) - k + 1e-9_real64 * all
        end do
      end do
    end do
  end subroutine

  subroutine define()
    logical :: all_ranks
    all_ranks = way == 'collective'
    opened = open_file(file, trim(path), 'overwrite', domain, nc_format='netcdf4', use_netcdf_mpi=all_ranks, &
                       use_collective=all_ranks)
    if (.not. opened) error stop 'open_file failed'
    call register_axis(file, 'x', 'x')
    call register_axis(file, 'y', 'y')
    call register_axis(file, 'z', nz)
    call register_axis(file, 'time', unlimited)
    do f = 1, fields
      write (name, '(a,i0)') 'f', f
      call register_field(file, trim(name), 'double', [character(4) :: 'x', 'y', 'z', 'time'], &
                          chunksizes=[(nx + 1) / 2, (ny + 1) / 2, 1, 1])
    end do
  end subroutine
end program
