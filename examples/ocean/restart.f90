! SPDX-License-Identifier: Apache-2.0
!> The restart file: the whole state in double precision, so that a run continues to the bit, on any number of ranks.
module restart
  use weir
  use grid, only: grid_t
  use halo, only: exchange_halo, plane_field, volume_field
  use on_weir, only: layouts_t, new_layouts, writer_t
  use state, only: state_t
  use state_parts, only: part_t, parts_of
  implicit none
  private
  public :: write_restart, read_restart

contains

  !> Collective. Commits it as one with the files of the streams, and with what these keep of intervals that go on.
  subroutine write_restart(writer, path, g, s, stat, errmsg)
    type(writer_t), intent(in) :: writer
    character(*), intent(in) :: path
    type(grid_t), intent(in) :: g
    type(state_t), intent(in), target :: s
    integer, intent(out) :: stat
    character(*), intent(inout) :: errmsg
    type(weir_file) :: file
    type(layouts_t) :: layouts
    type(part_t) :: parts(11)
    integer :: dims(3), step_var, vars(11), k

    parts = parts_of(s)
    call new_layouts(writer, g, size(s%age, 2), layouts)
    call weir_create(writer%weir, path, WEIR_CLOBBER, file, stat, errmsg)
    if (stat /= WEIR_OK) return
    call weir_def_dim(file, 'x', g%global_nx, dims(1))
    call weir_def_dim(file, 'y', g%global_ny, dims(2))
    call weir_def_dim(file, 'z', size(s%age, 2), dims(3))
    call weir_def_var(file, 'step', WEIR_INT, [integer ::], step_var)
    do k = 1, size(parts)
      call weir_def_var(file, parts(k)%name, WEIR_DOUBLE, dims(:parts(k)%ndims), vars(k))
    end do
    call weir_enddef(file)

    call weir_put_var(file, step_var, s%step)
    do k = 1, size(parts)
      call weir_put(file, vars(k), layout_of(parts(k), layouts), parts(k)%values)
    end do
    call weir_sync_all(writer%weir, stat, errmsg)
    if (stat == WEIR_OK) call weir_close(file, stat, errmsg)
    call free_layouts(writer, layouts)
  end subroutine write_restart

  !> Collective. The file may come from any number of ranks; its grid must be this run's.
  subroutine read_restart(writer, path, g, s, stat, errmsg)
    type(writer_t), intent(in) :: writer
    character(*), intent(in) :: path
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout), target :: s
    integer, intent(out) :: stat
    character(*), intent(inout) :: errmsg
    type(weir_file) :: file
    type(layouts_t) :: layouts
    type(part_t) :: parts(11)
    integer :: var, k

    call weir_open(writer%weir, path, WEIR_NOWRITE, file, stat, errmsg)
    if (stat /= WEIR_OK) return
    call new_layouts(writer, g, size(s%age, 2), layouts)
    call get_step(file, s%step, stat, errmsg)
    parts = parts_of(s)
    do k = 1, size(parts)
      if (stat == WEIR_OK) call weir_inq_varid(file, parts(k)%name, var, stat, errmsg)
      if (stat == WEIR_OK) &
        call weir_get(file, var, layout_of(parts(k), layouts), parts(k)%values, stat=stat, errmsg=errmsg)
    end do
    if (stat == WEIR_OK) call weir_close(file, stat, errmsg)
    call free_layouts(writer, layouts)
    call exchange_halo(g, [plane_field(s%h), plane_field(s%u), plane_field(s%v)])
    call exchange_halo(g, [volume_field(s%temperature), volume_field(s%age)])
  end subroutine read_restart

  integer function layout_of(part, layouts)
    type(part_t), intent(in) :: part
    type(layouts_t), intent(in) :: layouts
    layout_of = merge(layouts%plane, layouts%volume, part%ndims == 2)
  end function layout_of

  subroutine get_step(file, step, stat, errmsg)
    type(weir_file), intent(in) :: file
    integer, intent(inout) :: step, stat
    character(*), intent(inout) :: errmsg
    integer :: var
    if (stat == WEIR_OK) call weir_inq_varid(file, 'step', var, stat, errmsg)
    if (stat == WEIR_OK) call weir_get_vara(file, var, [integer ::], [integer ::], step, stat, errmsg)
  end subroutine get_step

  subroutine free_layouts(writer, layouts)
    type(writer_t), intent(in) :: writer
    type(layouts_t), intent(in) :: layouts
    call weir_free_layout(writer%weir, layouts%plane)
    call weir_free_layout(writer%weir, layouts%volume)
    call weir_free_layout(writer%weir, layouts%sea)
  end subroutine free_layouts

end module restart
