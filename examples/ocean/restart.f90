! SPDX-License-Identifier: Apache-2.0
!> The restart file: the whole state in double precision, so that a run continues to the bit, on any number of ranks.
module restart
  use, intrinsic :: iso_fortran_env, only: real64
  use weir
  use grid, only: grid_t
  use halo, only: exchange_halo, plane_field, volume_field
  use output, only: layouts_t, new_layouts
  use state, only: state_t
  implicit none
  private
  public :: write_restart, read_restart

  !> A part of the state and its name in the file.
  type :: plane_t
    character(9) :: name
    real(real64), pointer, contiguous :: values(:, :)
  end type plane_t
  type :: volume_t
    character(11) :: name
    real(real64), pointer, contiguous :: values(:, :, :)
  end type volume_t

contains

  function planes_of(s) result(planes)
    type(state_t), intent(in), target :: s
    type(plane_t) :: planes(9)
    integer :: last, before

    last = modulo(s%step - 1, 3)
    before = modulo(s%step - 2, 3)
    planes = [plane_t('h', s%h), plane_t('u', s%u), plane_t('v', s%v), &
      plane_t('dh_last', s%dh(:, :, last)), plane_t('dh_before', s%dh(:, :, before)), &
      plane_t('du_last', s%du(:, :, last)), plane_t('du_before', s%du(:, :, before)), &
      plane_t('dv_last', s%dv(:, :, last)), plane_t('dv_before', s%dv(:, :, before))]
  end function planes_of

  function volumes_of(s) result(volumes)
    type(state_t), intent(in), target :: s
    type(volume_t) :: volumes(2)
    volumes = [volume_t('temperature', s%temperature), volume_t('age', s%age)]
  end function volumes_of

  !> Collective.
  subroutine write_restart(writer, path, g, s, stat, errmsg)
    type(weir_t), intent(in) :: writer
    character(*), intent(in) :: path
    type(grid_t), intent(in) :: g
    type(state_t), intent(in), target :: s
    integer, intent(out) :: stat
    character(*), intent(inout) :: errmsg
    type(weir_file) :: file
    type(layouts_t) :: layouts
    type(plane_t) :: planes(9)
    type(volume_t) :: volumes(2)
    integer :: dims(3), step_var, plane_vars(9), volume_vars(2), k

    planes = planes_of(s)
    volumes = volumes_of(s)
    call new_layouts(writer, g, size(s%age, 2), layouts)
    call weir_create(writer, path, WEIR_CLOBBER, file, stat, errmsg)
    if (stat /= WEIR_OK) return
    call weir_def_dim(file, 'x', g%global_nx, dims(1))
    call weir_def_dim(file, 'y', g%global_ny, dims(2))
    call weir_def_dim(file, 'z', size(s%age, 2), dims(3))
    call weir_def_var(file, 'step', WEIR_INT, [integer ::], step_var)
    do k = 1, size(planes)
      call weir_def_var(file, planes(k)%name, WEIR_DOUBLE, dims(:2), plane_vars(k))
    end do
    do k = 1, size(volumes)
      call weir_def_var(file, volumes(k)%name, WEIR_DOUBLE, dims, volume_vars(k))
    end do
    call weir_enddef(file)

    call weir_put_var(file, step_var, s%step)
    do k = 1, size(planes)
      call weir_put(file, plane_vars(k), layouts%plane, planes(k)%values)
    end do
    do k = 1, size(volumes)
      call weir_put(file, volume_vars(k), layouts%volume, volumes(k)%values)
    end do
    call weir_close(file, stat, errmsg)
    call free_layouts(writer, layouts)
  end subroutine write_restart

  !> Collective. The file may come from any number of ranks; its grid must be this run's.
  subroutine read_restart(writer, path, g, s, stat, errmsg)
    type(weir_t), intent(in) :: writer
    character(*), intent(in) :: path
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout), target :: s
    integer, intent(out) :: stat
    character(*), intent(inout) :: errmsg
    type(weir_file) :: file
    type(layouts_t) :: layouts
    type(plane_t) :: planes(9)
    type(volume_t) :: volumes(2)
    integer :: var, k

    call weir_open(writer, path, WEIR_NOWRITE, file, stat, errmsg)
    if (stat /= WEIR_OK) return
    call new_layouts(writer, g, size(s%age, 2), layouts)
    call get_step(file, s%step, stat, errmsg)
    planes = planes_of(s)
    do k = 1, size(planes)
      if (stat == WEIR_OK) call weir_inq_varid(file, planes(k)%name, var, stat, errmsg)
      if (stat == WEIR_OK) call weir_get(file, var, layouts%plane, planes(k)%values, stat=stat, errmsg=errmsg)
    end do
    volumes = volumes_of(s)
    do k = 1, size(volumes)
      if (stat == WEIR_OK) call weir_inq_varid(file, volumes(k)%name, var, stat, errmsg)
      if (stat == WEIR_OK) call weir_get(file, var, layouts%volume, volumes(k)%values, stat=stat, errmsg=errmsg)
    end do
    if (stat == WEIR_OK) call weir_close(file, stat, errmsg)
    call free_layouts(writer, layouts)
    call exchange_halo(g, [plane_field(s%h), plane_field(s%u), plane_field(s%v)])
    call exchange_halo(g, [volume_field(s%temperature), volume_field(s%age)])
  end subroutine read_restart

  subroutine get_step(file, step, stat, errmsg)
    type(weir_file), intent(in) :: file
    integer, intent(inout) :: step, stat
    character(*), intent(inout) :: errmsg
    integer :: var
    if (stat == WEIR_OK) call weir_inq_varid(file, 'step', var, stat, errmsg)
    if (stat == WEIR_OK) call weir_get_vara(file, var, [integer ::], [integer ::], step, stat, errmsg)
  end subroutine get_step

  subroutine free_layouts(writer, layouts)
    type(weir_t), intent(in) :: writer
    type(layouts_t), intent(in) :: layouts
    call weir_free_layout(writer, layouts%plane)
    call weir_free_layout(writer, layouts%volume)
    call weir_free_layout(writer, layouts%sea)
  end subroutine free_layouts

end module restart
