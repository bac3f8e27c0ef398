! SPDX-License-Identifier: Apache-2.0
! ranks: 2 4 8
!> Listing 1 of Wang & Huang (2025) in Fortran, statement for statement, with declarations around it; `not Control Process`
!> is rank > 0, as in the programs of CFIO2. Once as those write it, with integer communicators and c_loc of the data, once
!> with the arrays themselves. The files are those of tests/cfio2/listing.c.
program listing_fortran
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi
  use cfio2
  use expect
  implicit none
  integer, parameter :: nz = 5, ny = 11, nx = 7
  integer :: rank, ranks, ierr

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call listing(0, [nz, ny, nx], [nz + 1, ny + 2, 2*nx])
  call listing_of_arrays([nz, ny, nx])
  if (rank == 0) then
    call unset('WEIR_STRATEGY') ! the reader is this rank alone
    call check_file('listing_fortran.nc', [nz + 1, ny + 2, 2*nx])
    call check_file('listing_arrays.nc', [nz, ny, nx])
  end if
  call conclude()

contains

  subroutine listing(append, global_1, global_2)
    integer, intent(in) :: append, global_1(3), global_2(3)
    integer :: IO_process_per_node = 10, IO_process_per_var = 2
    character(len=4096) :: filename_1
    character(len=128) :: varname_1, dim_name_1(3), dim_name_2(3)
    integer :: start_1(3), count_1(3), start_2(3), count_2(3)
    real(real64), allocatable, target :: data_1(:, :, :), data_2(:, :, :)

    filename_1 = test_path('listing_fortran.nc')
    varname_1 = 'temperature'
    dim_name_1 = [character(128) :: 'Z', 'Y', 'X']
    dim_name_2 = dim_name_1
    call cut(global_1, 2, start_1, count_1)
    call cut(global_2, 3, start_2, count_2)
    call fill(1, start_1, count_1, data_1)
    call fill(2, start_2, count_2, data_2)

    call cfio2_init(MPI_COMM_WORLD, IO_process_per_node, IO_process_per_var)
    if (rank > 0) then
      ! Compute
      call cfio2_put_vara(MPI_COMM_WORLD, filename_1, varname_1, &
                          cfio2_data_type_double, dim_name_1, &
                          global_1, start_1, count_1, c_loc(data_1), append)
      call expect_true(cfio2_error() == '', 'the first put: '//cfio2_error())

      ! Compute
      call cfio2_put_vara(MPI_COMM_WORLD, filename_1, varname_1, &
                          cfio2_double, dim_name_2, &
                          global_2, start_2, count_2, c_loc(data_2), append)
      call expect_true(cfio2_error() == '', 'the second put: '//cfio2_error())

      call cfio2_wait_output(MPI_COMM_WORLD)
      call expect_true(cfio2_error() == '', 'cfio2_wait_output: '//cfio2_error())
    end if
    call cfio2_finalize(MPI_COMM_WORLD)
    call expect_true(cfio2_error() == '', 'cfio2_finalize: '//cfio2_error())
  end subroutine listing

  !> The same, with what Fortran knows of its arrays, and the variable written over.
  subroutine listing_of_arrays(global_1)
    integer, intent(in) :: global_1(3)
    integer :: start_1(3), count_1(3), put
    real(real64), allocatable, target :: data_1(:, :, :)
    logical :: append

    call cut(global_1, 2, start_1, count_1)
    call cfio2_init(MPI_COMM_WORLD, 10, 2)
    if (.not. cfio2_control_process(MPI_COMM_WORLD)) then
      do put = 1, 2
        append = put > 1
        call fill(put, start_1, count_1, data_1)
        call cfio2_put_vara(MPI_COMM_WORLD, test_path('listing_arrays.nc'), 'temperature', cfio2_data_type_double, &
                            ['Z', 'Y', 'X'], global_1, start_1, count_1, data_1, append)
        call expect_true(cfio2_error() == '', 'a put: '//cfio2_error())
      end do
      call cfio2_wait_output(MPI_COMM_WORLD)
    end if
    call cfio2_finalize(MPI_COMM_WORLD)
    call expect_true(cfio2_error() == '', 'cfio2_finalize: '//cfio2_error())
  end subroutine listing_of_arrays

  !> This rank's share along dimension `along`; positions from 1.
  subroutine cut(global, along, start, count)
    integer, intent(in) :: global(3), along
    integer, intent(out) :: start(3), count(3)

    start = 1
    count = global
    start(along) = global(along)*(rank - 1)/max(1, ranks - 1) + 1
    count(along) = global(along)*rank/max(1, ranks - 1) + 1 - start(along)
    if (rank == 0) count = 0
  end subroutine cut

  !> What the listing's data hold: the file's last dimension, X, is Fortran's first.
  subroutine fill(put, start, count, data)
    integer, intent(in) :: put, start(3), count(3)
    real(real64), allocatable, intent(out) :: data(:, :, :)
    integer :: x, y, z

    allocate (data(count(3), count(2), count(1)))
    do z = 1, count(1)
      do y = 1, count(2)
        do x = 1, count(3)
          data(x, y, z) = 1000*put + 100*(start(1) + z - 2) + (start(2) + y - 2) + (start(3) + x - 2)/16.0_real64
        end do
      end do
    end do
  end subroutine fill

  !> By another way: Weir's own reading, on this rank alone.
  subroutine check_file(name, global)
    use mpi_f08, only: MPI_Comm, comm_self => MPI_COMM_SELF
    use weir
    character(*), intent(in) :: name
    integer, intent(in) :: global(3)
    type(weir_t) :: reader
    type(weir_file) :: file
    type(MPI_Comm) :: alone
    integer :: var, stat, variables
    character(400) :: message
    real(real64), allocatable :: read(:, :, :), wanted(:, :, :)

    call weir_init(comm_self, alone, reader, 'strategy: serial'//new_line('a'), stat, message)
    call expect_ok(stat, message, 'weir_init')
    call weir_open(reader, test_path(name), WEIR_NOWRITE, file, stat, message)
    call expect_ok(stat, message, 'weir_open')
    call weir_inq(file, nvars=variables)
    call expect_true(variables == 1, 'one variable')
    call weir_inq_varid(file, 'temperature', var, stat, message)
    call expect_ok(stat, message, 'weir_inq_varid')
    call fill(2, [1, 1, 1], global, wanted)
    allocate (read, mold=wanted)
    read = 0
    call weir_get_vara(file, var, [1, 1, 1], [global(3), global(2), global(1)], read, stat, message)
    call expect_ok(stat, message, 'weir_get_vara')
    call expect_true(all(abs(read - wanted) <= 0), 'what was put last is in the file')
    call weir_close(file)
    call weir_finalize(reader)
  end subroutine check_file

end program listing_fortran
