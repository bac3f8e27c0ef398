! SPDX-License-Identifier: Apache-2.0
!> The settings of a user: the namelist `ocean` in a file, and single settings on the command line, which override it:
!>   ocean settings.nml nx=360 ny=144 days=30 history=out/history.nc
module settings
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: settings_t, read_settings

  type :: settings_t
    integer :: nx = 240                       !< cells round the globe
    integer :: ny = 96                        !< cells from the southern to the northern edge
    integer :: nz = 8                         !< layers of the tracers
    real(real64) :: dt_seconds = 1800.0_real64
    real(real64) :: days = 30.0_real64        !< how long this run is
    real(real64) :: history_days = 5.0_real64 !< days between two lines on the screen, and two records of the history file
    ! Of the oceans that make this file themselves; what one on streams writes, Weir's configuration says.
    character(256) :: history = ''            !< '' for none
    real(real64) :: commit_days = 30.0_real64 !< days between two commits of it: what a crash can cost
    logical :: append = .false.               !< continue the history file that is there
    character(256) :: restart_in = ''         !< '': start from rest
    character(256) :: restart_out = ''        !< '': write none
  end type settings_t

contains

  !> stat is 0, or the sentence in `errmsg` names the invalid setting.
  subroutine read_settings(chosen, stat, errmsg)
    type(settings_t), intent(out) :: chosen
    integer, intent(out) :: stat
    character(*), intent(inout) :: errmsg
    character(512) :: argument
    integer :: i

    stat = 0
    do i = 1, command_argument_count()
      call get_command_argument(i, argument)
      if (index(argument, '=') > 0) then
        call read_text(as_namelist(trim(argument)), chosen, stat)
      else
        call read_file(trim(argument), chosen, stat)
      end if
      if (stat /= 0) then
        errmsg = 'cannot understand the setting '//trim(argument)//'; examples/ocean/settings.f90 lists them all'
        return
      end if
    end do
    if (min(chosen%nx, chosen%ny, chosen%nz) < 2 .or. min(chosen%dt_seconds, chosen%history_days, chosen%commit_days) <= 0) then
      stat = 1
      errmsg = 'nx, ny and nz must be 2 or more, dt_seconds, history_days and commit_days above 0'
    end if
  end subroutine read_settings

  !> key=value as a namelist; a value that is neither a number nor a logical gets quotes.
  function as_namelist(setting) result(text)
    character(*), intent(in) :: setting
    character(:), allocatable :: text
    character(:), allocatable :: key
    integer :: equals

    equals = index(setting, '=')
    key = setting(:equals - 1)
    select case (key)
    case ('history', 'restart_in', 'restart_out')
      text = '&ocean '//key//"='"//setting(equals + 1:)//"' /"
    case default
      text = '&ocean '//setting//' /'
    end select
  end function as_namelist

  subroutine read_text(text, chosen, stat)
    character(*), intent(in) :: text
    type(settings_t), intent(inout) :: chosen
    integer, intent(out) :: stat
    integer :: unit

    open (newunit=unit, status='scratch', action='readwrite', iostat=stat)
    if (stat /= 0) return
    write (unit, '(a)') text
    rewind (unit)
    call read_unit(unit, chosen, stat)
    close (unit)
  end subroutine read_text

  subroutine read_file(path, chosen, stat)
    character(*), intent(in) :: path
    type(settings_t), intent(inout) :: chosen
    integer, intent(out) :: stat
    integer :: unit

    open (newunit=unit, file=path, status='old', action='read', iostat=stat)
    if (stat /= 0) return
    call read_unit(unit, chosen, stat)
    close (unit)
  end subroutine read_file

  subroutine read_unit(unit, chosen, stat)
    integer, intent(in) :: unit
    type(settings_t), intent(inout) :: chosen
    integer, intent(out) :: stat
    integer :: nx, ny, nz
    real(real64) :: dt_seconds, days, history_days, commit_days
    character(256) :: history, restart_in, restart_out
    logical :: append
    namelist /ocean/ nx, ny, nz, dt_seconds, days, history_days, commit_days, history, append, restart_in, &
      restart_out

    nx = chosen%nx
    ny = chosen%ny
    nz = chosen%nz
    dt_seconds = chosen%dt_seconds
    days = chosen%days
    history_days = chosen%history_days
    commit_days = chosen%commit_days
    history = chosen%history
    append = chosen%append
    restart_in = chosen%restart_in
    restart_out = chosen%restart_out
    read (unit, nml=ocean, iostat=stat)
    chosen = settings_t(nx, ny, nz, dt_seconds, days, history_days, history, commit_days, append, restart_in, &
      restart_out)
  end subroutine read_unit

end module settings
