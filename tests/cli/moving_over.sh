#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 240
# The routines of docs/moving_over.md: each is compiled into a program and run, and all leave the same values; those that define the
# dimensions in one order leave the same header too.
set -eu
cd "$TMPDIR"
page=$WEIR_SOURCE_DIR/docs/moving_over.md

fail() {
  echo "moving_over: $1" >&2
  exit 1
}

# cached NAME: what CMake found.
cached() {
  sed -n "s/^$1:[A-Z]*=//p" "$WEIR_BUILD_DIR/CMakeCache.txt"
}
pnetcdf_modules=$(cached PNETCDF_MODULES)
netcdf_modules=$(pkg-config --variable=fmoddir netcdf-fortran)
[[ -e $WEIR_BUILD_DIR/lib/libweirf.so && -d $pnetcdf_modules && -d $netcdf_modules ]] ||
  { echo "SKIPPED: PnetCDF's or netCDF's Fortran module is not there"; exit 0; }

# routine SECTION: the Fortran block below that heading.
routine() {
  awk -v heading="## $1" '/^## / { here = $0 == heading } here && /^```$/ { exit } inside && here; /^```fortran$/ { inside = 1 } /^```$/ { inside = 0 }' "$page"
}

# program NAME SECTION MODULE RESERVED: a model around that routine. RESERVED: ranks before those of the model.
program() {
  local body start=':' end=':' declared=':'
  body=$(routine "$2")
  [[ $body == subroutine* ]] || fail "no routine below '## $2'"
  if [[ $3 == weir ]]; then
    declared='type(weir_t) :: writer'
    start='call weir_init(MPI_COMM_WORLD, comm, writer)'
    end='call weir_finalize(writer)'
  fi
  {
    echo "program $1"
    echo "  use mpi_f08"
    echo "  use $3"
    echo "  implicit none"
    echo "  integer, parameter :: nx = 10, rows = 12, records = 3"
    echo "  type(MPI_Comm) :: comm = MPI_COMM_WORLD"
    [[ $declared == : ]] || echo "  $declared"
    echo "  integer :: world_rank, rank, ranks, first_row"
    echo "  real, allocatable :: sst(:, :)"
    echo "  call MPI_Init()"
    [[ $start == : ]] || echo "  $start"
    echo "  call MPI_Comm_rank(comm, world_rank)"
    echo "  call MPI_Comm_size(comm, ranks)"
    echo "  rank = world_rank - $4"
    echo "  ranks = ranks - $4"
    echo "  first_row = rank*(rows/ranks) + 1"
    echo "  allocate (sst(nx, rows/ranks))"
    echo "  call write_history()"
    [[ $end == : ]] || echo "  $end"
    echo "  call MPI_Finalize()"
    echo "contains"
    echo "$body"
    echo "  subroutine compute(record)"
    echo "    integer, intent(in) :: record"
    echo "    integer :: j"
    echo "    do j = 1, size(sst, 2)"
    echo "      sst(:, j) = 100*record + first_row + j - 1"
    echo "    end do"
    echo "  end subroutine compute"
    echo "end program $1"
  } >"$1.f90"
}

# build_and_run NAME RANKS FLAG...: its file stays as NAME.nc.
build_and_run() {
  local name=$1 ranks=$2
  shift 2
  mpifort -o "$name" "$name.f90" -I"$modules" -I"$pnetcdf_modules" -I"$netcdf_modules" -L"$WEIR_BUILD_DIR/lib" "$@" >printed 2>&1 ||
    fail "$name does not compile: $(head -n 20 printed)"
  LD_LIBRARY_PATH=$WEIR_BUILD_DIR/lib "$WEIR_SOURCE_DIR/tools/launch" -n "$ranks" --timeout 60 -- "./$name" >printed 2>&1 ||
    fail "$name ends with code $?: $(tail -n 5 printed)"
  [[ -s history.nc ]] || fail "$name leaves no history.nc: $(tail -n 5 printed)"
  mv history.nc "$name.nc"
  ncdump "$name.nc" | tail -n +2 >"$name.cdl"
}

modules=$(dirname "$(find "$WEIR_BUILD_DIR" -name weir.mod | head -n 1)")
program through_weir 'To Weir' weir 0
program by_gather 'From a gather on one rank, and serial netCDF' netcdf 0
program by_pnetcdf 'From PnetCDF' pnetcdf 0
program by_cfio2 'From CFIO2' cfio2 1
build_and_run through_weir 3 -lweirf -lweir
build_and_run by_gather 3 -lnetcdff -lnetcdf
build_and_run by_pnetcdf 3 -lpnetcdf
build_and_run by_cfio2 4 -I"$(dirname "$(find "$WEIR_BUILD_DIR" -name cfio2.mod | head -n 1)")" -lweir_cfio2f -lweir_cfio2 -lweir

for name in by_gather by_pnetcdf; do diff through_weir.cdl "$name.cdl" || fail "$name writes another file"; done
values() { sed -n '/^data:/,$p' "$1"; }
diff <(values through_weir.cdl) <(values by_cfio2.cdl) || fail 'by_cfio2 writes other values'
[[ $(grep -c ', ' through_weir.cdl) -ge 36 ]] && grep -q '  312, 312' through_weir.cdl || fail "through_weir writes $(<through_weir.cdl)"
