#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 240
# The routines of docs/moving_over.md: each is compiled into a program and run, and all leave the same values; those that define the
# dimensions in one order leave the same header too. Behind PIO's calls is the stand-in of its bridge's tests.
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

# routine SECTION [LANGUAGE [N]]: the (Nth) block in that language, Fortran, below that heading.
routine() {
  awk -v heading="## $1" -v fence="\`\`\`${2:-fortran}" -v wanted="${3:-1}" '/^## / { here = $0 == heading }
    here && /^```$/ && inside { exit } inside && here; here && $0 == fence && ++found == wanted { inside = 1 }' "$page"
}

# program NAME SECTION MODULE RESERVED [N]: a model around that (Nth) routine. RESERVED: ranks before those of the model.
program() {
  local body start=':' end=':' declared=':'
  body=$(routine "$2" fortran "${5:-1}")
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
  $compiler -o "$name" "$name".[cf]* -L"$WEIR_BUILD_DIR/lib" "$@" >printed 2>&1 ||
    fail "$name does not compile: $(head -n 20 printed)"
  LD_LIBRARY_PATH=$WEIR_BUILD_DIR/lib "$WEIR_SOURCE_DIR/tools/launch" -n "$ranks" --timeout 60 -- "./$name" >printed 2>&1 ||
    fail "$name ends with code $?: $(tail -n 5 printed)"
  [[ -s history.nc ]] || fail "$name leaves no history.nc: $(tail -n 5 printed)"
  mv history.nc "$name.nc"
  ncdump "$name.nc" | tail -n +2 >"$name.cdl"
}

# c_program NAME N HEADER [START END]: a model in C around the Nth routine below 'From PIO'.
c_program() {
  local body
  body=$(routine 'From PIO' c "$2")
  [[ $body == void* ]] || fail "no routine $2 in C below '## From PIO'"
  {
    printf '#include <%s>\n' stdio.h mpi.h "$3"
    cat <<'CODE'
enum { nx = 10, rows = 12, records = 3 };
static MPI_Comm comm = MPI_COMM_WORLD;
static int rank, ranks, first_row, own_rows;
static float sst[rows * nx];
static void compute(int record) {
  for (int i = 0; i < own_rows * nx; ++i) sst[i] = (float)(100 * (record + 1) + first_row + 1 + i / nx);
}
CODE
    [[ $3 != weir/weir.h ]] || echo 'static weir_t* writer;'
    echo "$body"
    cat <<CODE
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  ${4:-}
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  own_rows = rows / ranks;
  first_row = rank * own_rows;
  write_history();
  ${5:-}
  MPI_Finalize();
}
CODE
  } >"$1.c"
  compiler='mpicc -std=c11 -Wall -Wextra -Werror'
}

modules=$(dirname "$(find "$WEIR_BUILD_DIR" -name weir.mod | head -n 1)")
compiler="mpifort -I$modules -I$pnetcdf_modules -I$netcdf_modules"
program through_weir 'To Weir' weir 0
program by_gather 'From a gather on one rank, and serial netCDF' netcdf 0
program by_pnetcdf 'From PnetCDF' pnetcdf 0
program by_cfio2 'From CFIO2' cfio2 1
build_and_run through_weir 3 -lweirf -lweir
build_and_run by_gather 3 -lnetcdff -lnetcdf
build_and_run by_pnetcdf 3 -lpnetcdf
build_and_run by_cfio2 4 -I"$(dirname "$(find "$WEIR_BUILD_DIR" -name cfio2.mod | head -n 1)")" -lweir_cfio2f -lweir_cfio2 -lweir

mkdir include
cat >include/pio.h <<'HEADER'
#include "pio/interface.h"
enum { PIO_CLOBBER = 0, PIO_FLOAT = 5, PIO_UNLIMITED = 0 };
HEADER
c_program by_pio 1 pio.h
build_and_run by_pio 3 -Iinclude -I"$WEIR_SOURCE_DIR/bridge" -L"$WEIR_BUILD_DIR/tests" -lbridge_pio_stand_in -Wl,-rpath,"$WEIR_BUILD_DIR/tests"
c_program after_pio 2 weir/weir.h 'if (weir_init(comm, NULL, &comm, &writer) != WEIR_OK) MPI_Abort(MPI_COMM_WORLD, 1);' 'weir_finalize(&writer);'
build_and_run after_pio 3 -I"$WEIR_SOURCE_DIR/include" -lweir

for name in by_gather by_pnetcdf by_pio after_pio; do diff through_weir.cdl "$name.cdl" || fail "$name writes another file"; done
values() { sed -n '/^data:/,$p' "$1"; }
diff <(values through_weir.cdl) <(values by_cfio2.cdl) || fail 'by_cfio2 writes other values'
section='From an output layer with means'
routine "$section" yaml >streams.yaml
compiler="mpifort -I$modules"
program by_hand "$section" weir 0
program by_streams "$section" weir 0 2
build_and_run by_hand 3 -lweirf -lweir
WEIR_CONFIG=$PWD/streams.yaml build_and_run by_streams 3 -lweirf -lweir
sst() { ncdump -v sst "$1" | sed -n '/^ sst =/,$p'; }
diff <(sst by_hand.nc) <(sst by_streams.nc) || fail 'by_streams writes other means'
[[ $(sst by_hand.nc | grep -c '1251, 1251') -ge 1 ]] || fail "by_hand writes $(sst by_hand.nc)"

[[ $(grep -c ', ' through_weir.cdl) -ge 36 ]] && grep -q '  312, 312' through_weir.cdl || fail "through_weir writes $(<through_weir.cdl)"
