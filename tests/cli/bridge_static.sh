#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 300
# Programs in C and Fortran that have PnetCDF or netCDF as a static library, linked as docs/bridge.md says: their calls go through the
# bridge, and their files are those of the programs with shared libraries. What the linker says of a wrong line is what the page says.
# (A static PIO: bridge_pio.sh.)
set -u
. "$WEIR_SOURCE_DIR/tests/bridge/run.bash"
sources=$WEIR_SOURCE_DIR/tests/bridge libraries=$WEIR_BUILD_DIR/lib
mpicc=${MPICC:-mpicc} mpifort=${MPIFC:-mpifort}
cached() {
  sed -n "s/^$1:[A-Z]*=//p" "$WEIR_BUILD_DIR/CMakeCache.txt"
}
export WEIR_REPORT=1

# linked COMPILER PROGRAM BRIDGE ARGUMENT...: static libraries come before the bridge.
linked() {
  "$1" -w -o "$2" "${@:4}" -L"$libraries" -Wl,-rpath,"$libraries" "-l$3" >printed 2>&1 || fail "$2 is not linked: $(head -n 5 printed)"
}
# through RANKS PROGRAM FILE WANTED ARGUMENT...: all calls of the program go to the bridge, which has the static library behind it.
through() {
  launch "$1" "./$2" "$3" "${@:5}" || fail "$2: $(cat printed errors)"
  grep -q "^weir: $3: [1-9][0-9]* call(s) taken over" errors || fail "$2: nothing was taken over: $(cat errors)"
  ! grep '^weir_' errors || fail "$2: the bridge is not quiet"
  diff <(shown "$4") <(shown "$3") >differences || fail "$2: another file: $(head -n 4 differences)"
}

static=$(pkg-config --variable=libdir pnetcdf)/libpnetcdf.a
if [[ -e $static ]]; then
  launch 3 "$programs/bridge_model" wanted.nc 2 || fail "model: $(cat printed errors)"
  linked "$mpicc" model_c weir_pnetcdf "$sources/programs/model.c" @"$libraries/weir_pnetcdf.link" "$static" $(pkg-config --cflags pnetcdf) -lm
  through 3 model_c model_c.nc wanted.nc 2
  # The page's words for what goes wrong: no bridge on the line; no word to send the calls there, which nobody notices but by the report.
  ! "$mpicc" -w -o wrong "$sources/programs/model.c" @"$libraries/weir_pnetcdf.link" "$static" $(pkg-config --cflags pnetcdf) -lm 2>errors ||
    fail "a program is linked without the bridge"
  grep -q 'undefined reference to .__wrap_ncmpi_' errors || fail "without the bridge: $(cat errors)"
  linked "$mpicc" silent weir_pnetcdf "$sources/programs/model.c" "$static" $(pkg-config --cflags pnetcdf) -lm
  launch 3 ./silent silent.nc 2 || fail "silent: $(cat printed errors)"
  ! grep 'taken over' errors || fail "calls of a static library go through the bridge without its list"
  ! "$mpicc" -w -static -o wrong "$sources/programs/model.c" "$static" $(pkg-config --cflags pnetcdf) "$libraries/libweir_pnetcdf.so" -lm 2>errors ||
    fail "a program without shared libraries is linked with the bridge"
  grep -q 'attempted static link of dynamic object' errors || fail "-static: $(cat errors)"
  if [[ -e $programs/bridge_fortran ]]; then
    launch 3 "$programs/bridge_fortran" wanted.nc || fail "Fortran: $(cat printed errors)"
    linked "$mpifort" model_f weir_pnetcdf "$sources/programs/fortran.f90" -I"$(cached PNETCDF_MODULES)" @"$libraries/weir_pnetcdf.link" "$static"
    through 3 model_f model_f.nc wanted.nc
  fi
fi

# A static netCDF: where a system has none, one that consists of jumps into the shared library, which the program alone knows.
if [[ -e $programs/bridge_netcdf_packed && $(uname -m) == x86_64 ]]; then
  shared=$(ldd "$programs/bridge_netcdf_packed" | awk '$1 ~ /^libnetcdf[.]so/ { print $3 }')
  nm -D --defined-only "$shared" | awk '$2 == "T" && $3 ~ /^nc/ { print $3 }' >names
  {
    echo '#include <dlfcn.h>'
    echo "__attribute__((visibility(\"hidden\"))) void* places[$(wc -l <names)];"
    echo "static const char* const names[] = {$(sed 's/.*/"&",/' names)};"
    echo "__attribute__((constructor)) static void find(void) { void* library = dlopen(\"$shared\", RTLD_NOW | RTLD_LOCAL);"
    echo 'for (unsigned i = 0; i < sizeof names / sizeof *names; ++i) places[i] = dlsym(library, names[i]); }'
    awk '{ print "__asm__(\".text\\n.globl " $1 "\\n.type " $1 ", @function\\n" $1 ": jmp *places+" 8 * (NR - 1) "(%rip)\\n.size " $1 ", .-" $1 "\");" }' names
  } >static.c
  "$mpicc" -c static.c && ar rcs libnetcdf.a static.o || fail "no static netCDF was made"
  headers=$(cached NETCDF_MPI_INCLUDE_DIR)
  launch 1 "$programs/bridge_netcdf_packed" wanted.nc alone 3 || fail "packed: $(cat printed errors)"
  linked "$mpicc" packed_c weir_netcdf "$sources/netcdf/packed.c" -I"$headers" @"$libraries/weir_netcdf.link" libnetcdf.a
  through 3 packed_c packed_c.nc wanted.nc together
  bridge=$libraries/libweir_netcdf.so # a netCDF without PnetCDF makes no such file
  bridged 3 "$programs/bridge_netcdf_parts" wanted.nc collective || fail "parts: $(cat printed errors)"
  linked "$mpicc" parts_c weir_netcdf "$sources/netcdf/parts.c" -I"$headers" @"$libraries/weir_netcdf.link" libnetcdf.a
  through 3 parts_c parts_c.nc wanted.nc collective
  fortran=$(pkg-config --variable=libdir netcdf-fortran)/libnetcdff.a
  if [[ -e $programs/bridge_netcdf_fortran_packed && -e $fortran ]]; then
    launch 1 "$programs/bridge_netcdf_fortran_packed" wanted.nc || fail "Fortran: $(cat printed errors)"
    linked "$mpifort" packed_f weir_netcdf "$sources/netcdf/fortran_packed.f90" -I"$(pkg-config --variable=fmoddir netcdf-fortran)" \
      @"$libraries/weir_netcdf.link" "$fortran" libnetcdf.a
    through 3 packed_f packed_f.nc wanted.nc together
  fi
fi
echo "bridge_static: the same files"
