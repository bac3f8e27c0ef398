#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 600
# cores: 2
# The configuration leaves out what only programs and tests want, where it is missing, with one line each; what the libraries
# want and cannot have is a sentence that says what to do.
set -eu
build=$TMPDIR/build

fail() {
  echo "configure: $1"
  exit 1
}

# configured [NAME=VALUE...] OPTION...: the configuration with these options; what it printed is one line in $printed.
configured() {
  code=0
  printed=$(env PIP_NO_INDEX=1 PIP_FIND_LINKS= "${@:2}" \
    cmake --log-level=NOTICE -S "$WEIR_SOURCE_DIR" -B "$build" $1 2>&1) || code=$?
  printed=$(tr -s ' \n' ' ' <<<"$printed")
}
says() {
  [[ $printed == *"$1"* ]] || fail "not '$1' but: $printed"
}
refused() {
  configured "$@"
  ((code != 0)) || fail "configured with: $*"
}

refused -DUTF8PROC_INCLUDE_DIR=
says 'utf8proc is missing: load its module or install it (on Debian libutf8proc-dev), and say where it is by PKG_CONFIG_PATH'
rm -r "$build"

# No MPI; and one without headers, as Debian's openmpi-bin alone.
printf '%s\n' '#!/bin/sh' 'echo "${3:-x.c}:1:10: fatal error: mpi.h: No such file or directory" >&2' 'exit 1' >"$TMPDIR/mpicc"
chmod +x "$TMPDIR/mpicc"
for missing in -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON -DMPI_C_COMPILER="$TMPDIR/mpicc"; do
  refused "$missing"
  says 'MPI, or its headers, are missing: load its module or install it (on Debian libopenmpi-dev), and say which it is by PATH'
  rm -r "$build"
done

# A Python that has the system's headers, and no package.
bare=$TMPDIR/bare
python3 -m venv --without-pip "$bare"
without='-DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON -DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON -DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON'
configured "$without -DCMAKE_IGNORE_PATH= -DPython_EXECUTABLE=$bare/bin/python"
((code == 0)) || fail "not configured without what only programs and tests want: $printed"
says 'weir: not built: weir-bench, weir-profile and weir-simulate: they want CLI11'
says 'weir: not built: weir-profile and weir-simulate: they want Boost.Context'
says 'weir: not built: the tests: they want GoogleTest'
targets=$(cmake --build "$build" --target help)
says "weir: not built: the Python module: it wants nanobind: $bare/bin/python -m pip install nanobind"
grep -qw weir-merge <<<"$targets" || fail "weir-merge is not to be built: $targets"
! grep -qwE 'weir-profile|weir_simulate|weir_mpi_main|lab_hosts' <<<"$targets" || fail "built all the same: $targets"

no_yaml="$without -DCMAKE_DISABLE_FIND_PACKAGE_yaml-cpp=ON"
refused "$no_yaml -DWEIR_FETCH=OFF"
says 'yaml-cpp is missing: install it (on Debian libyaml-cpp-dev)'
refused "$no_yaml -DWEIR_FETCH=ON"
says 'weir: yaml-cpp is not installed: fetching it'
reason='ERROR: No matching distribution found for cmeel-yaml-cpp==0.8.0'
[[ $printed != *'No module named pip'* ]] || reason='/usr/bin/python3: No module named pip' # as on a Debian without python3-pip
says "yaml-cpp is missing, and pip does not fetch it ($reason): install it"

rm -r "$build"
refused "$without -DWEIR_FETCH=OFF -DFMT_INCLUDE_DIR="
says 'fmt is missing: install it (on Debian libfmt-dev)'

# A PnetCDF that wants another MPI's library: both would be in one program. What wants it is left out. It is found through a linker script.
mkdir "$TMPDIR/other"
cd "$TMPDIR/other"
echo 'int other_mpi(void) { return 0; }' >mpi.c
echo 'int other_mpi(void); int pnetcdf(void) { return other_mpi(); }' >pnetcdf.c
cc -shared -fPIC -Wl,-soname,libmpi.so.999 -o libmpi.so.999 mpi.c
cc -shared -fPIC -o libpnetcdf.so.9 pnetcdf.c ./libmpi.so.999
echo 'INPUT(libpnetcdf.so.9)' >libpnetcdf.so
printf '%s\n' 'Name: pnetcdf' 'Description: of another MPI' 'Version: 1' "Libs: -L$PWD -lpnetcdf" >pnetcdf.pc
rm -r "$build"
configured "$without" PKG_CONFIG_PATH="$PWD"
((code == 0)) || fail "not configured where PnetCDF is of another MPI: $printed"
says "weir: not built: libweir_pnetcdf.so, libweir_netcdf.so, libweir_pio.so and weir-bench: PnetCDF, $PWD/libpnetcdf.so, is linked to another MPI (libmpi.so.999) than Weir would be ("
targets=$(cmake --build "$build" --target help)
grep -qw weir-merge <<<"$targets" || fail "weir-merge is not to be built without PnetCDF: $targets"
! grep -qwE 'weir_pnetcdf|weir_netcdf|weir_pio|weir-bench' <<<"$targets" || fail "of another MPI, and built all the same: $targets"

# A parallel netCDF that is called "netcdf", with its HDF5: what is built stands on these, and on no other one.
mkdir "$TMPDIR/parallel"
cd "$TMPDIR/parallel"
echo '#define NC_HAS_PARALLEL4 1' >netcdf_meta.h
touch netcdf.h netcdf_par.h hdf5.h
for name in netcdf hdf5; do
  cc -shared -fPIC -o lib$name.so -xc - <<<"int $name(void) { return 0; }"
  printf '%s\n' "libdir=$PWD" "includedir=$PWD" "Name: $name" 'Description: parallel' 'Version: 1' \
    "Libs: -L$PWD -l$name" "Cflags: -I$PWD" >$name.pc
done
rm -r "$build"
configured "$without" PKG_CONFIG_PATH="$PWD"
((code == 0)) || fail "not configured with a parallel netCDF: $printed"
targets=$(cmake --build "$build" --target help)
grep -qw weir_netcdf4_mpi <<<"$targets" || fail "a parallel netCDF is not used: $targets"
! grep -qw weir_netcdf4_serial <<<"$targets" || fail "a parallel netCDF is taken for a serial one: $targets"
grep -q "^hdf5_mpi_file:FILEPATH=$PWD/libhdf5.so" "$build/CMakeCache.txt" ||
  fail "a parallel netCDF's HDF5 is not used: $(grep hdf5_mpi_file "$build/CMakeCache.txt")"

# Without Fortran, and a PnetCDF that is not wanted, the rest is there. (A PnetCDF that is not found: no_pnetcdf.sh.)
rm -r "$build"
configured "$without -DWEIR_PNETCDF=OFF" FC="$TMPDIR/none"
((code == 0)) || fail "not configured without a Fortran compiler: $printed"
says 'weir: not built: the Fortran modules and the ocean: there is no Fortran compiler'
says 'weir: not built: libweir_pnetcdf.so, libweir_netcdf.so, libweir_pio.so and weir-bench: WEIR_PNETCDF is off'
targets=$(cmake --build "$build" --target help)
grep -qw hello_c <<<"$targets" || fail "hello_c is not to be built: $targets"
! grep -qwE 'weirf|ocean|hello_f90' <<<"$targets" || fail "in Fortran, and built all the same: $targets"
