#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cores: 2
# Where the program's calls go to another MPI than Weir was built with, weir_init says so and touches nothing, and the
# bridges leave all to the library behind: one line, and the files are what they are without.
set -u
cd "$TMPDIR"
lib=$WEIR_BUILD_DIR/lib
programs=$WEIR_BUILD_DIR/tests
other=$programs/bridge_another_mpi.so
ldd "$programs/bridge_model" | grep -qE 'lib[atu]b?san' &&
  { echo "SKIPPED: a preloaded library cannot come before a sanitizer"; exit 0; }

fail() {
  echo "two_mpis: $1" >&2
  exit 1
}

# run NAME PRELOADED PROGRAM ARGUMENT...: on two ranks; what is printed goes to NAME.out and NAME.err.
run() {
  local name=$1 preloaded=$2
  shift 2
  "$WEIR_SOURCE_DIR/tools/launch" -n 2 --timeout 60 -- env LD_PRELOAD="$preloaded" "$@" >"$name.out" 2>"$name.err"
}

sentence='this Weir was built with .*, and the calls of this program go to .* v\?9\.8\.7 (loaded: libmpi.*); load the modules of one MPI only, or build Weir with the MPI of the program'

if run hello "$other" "$WEIR_BUILD_DIR/bin/hello_c"; then fail "a program starts Weir on another MPI"; fi
[[ $(grep -c "$sentence" hello.out) == 2 && ! -e hello.nc ]] || fail "the program says: $(cat hello.out hello.err)"

# quiet BRIDGE PROGRAM ARGUMENT...: as without the bridge, but for one line.
quiet() {
  local bridge=$1
  shift
  rm -f plain.nc bridged.nc
  run plain "$other" "$programs/$1" plain.nc "${@:2}" || fail "$1: $(cat plain.out plain.err)"
  run bridged "$other $lib/lib$bridge.so" "$programs/$1" bridged.nc "${@:2}" || fail "$1: $(cat bridged.out bridged.err)"
  cmp plain.nc bridged.nc || fail "$bridge"
  diff <(sed s/plain/bridged/ plain.out) bridged.out || fail "$bridge: the program prints something else"
  [[ $(wc -l <bridged.err) == 1 ]] && grep -q "^$bridge: $sentence; until then" bridged.err ||
    fail "$bridge says: $(cat bridged.err)"
}
quiet weir_pnetcdf bridge_model 5
quiet weir_pio bridge_pio_model

# An MPI that has the standard interface of MPI 5 beside its own, as MPICH 5 does, has a compiler wrapper for each.
if command -v "$MPICC"_abi >/dev/null; then
  "$MPICC"_abi -o hello "$WEIR_SOURCE_DIR/examples/hello.c" -I"$WEIR_SOURCE_DIR/include" -L"$lib" -Wl,-rpath,"$lib" -lweir ||
    fail "a program of the standard interface is not compiled"
  if run standard "" ./hello; then fail "a program starts Weir on the standard interface"; fi
  sentence="this Weir was built with .*, and the calls of this program go to .* by MPI's standard ABI (loaded: libmpi_abi.*)"
  [[ $(grep -c "$sentence" standard.out) == 2 && ! -e hello.nc ]] || fail "the program says: $(cat standard.out standard.err)"
fi
echo "two_mpis: told"
