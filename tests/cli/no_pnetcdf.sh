#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 1800
# cores: 2
# MPI, a C++ compiler and the small libraries are enough: where PnetCDF is not found the configuration names what is left out, the
# library is built and installed, and an example that is built on it writes its file. It is compiled without optimisation, to take less.
set -eu
cd "$TMPDIR"

fail() {
  echo "no_pnetcdf: $1" >&2
  exit 1
}

# All that pkg-config knows here but PnetCDF.
mkdir known
for folder in $(pkg-config --variable pc_path pkg-config | tr : ' ') $(tr : ' ' <<<"${PKG_CONFIG_PATH:-}"); do
  for file in "$folder"/*.pc; do
    [[ ! -e $file || $file == */pnetcdf.pc ]] || ln -sf "$file" known/
  done
done
export CCACHE_DIR=${CCACHE_DIR:-$WEIR_BUILD_DIR/wheel-cache} CCACHE_BASEDIR=$TMPDIR CCACHE_NOHASHDIR=1
PKG_CONFIG_LIBDIR=$PWD/known PKG_CONFIG_PATH='' cmake -S "$WEIR_SOURCE_DIR" -B build -DCMAKE_INSTALL_PREFIX="$PWD/prefix" \
  -DPNETCDF_INCLUDE_DIR= -DPNETCDF_LIBRARY= -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS=-O0 -DWEIR_PROGRAMS=OFF -DWEIR_TESTS=OFF -DWEIR_FORTRAN=OFF \
  -DWEIR_NETCDF4=OFF -DWEIR_PYTHON_MODULE=OFF -DWEIR_STATIC=OFF --log-level=NOTICE >log 2>&1 || fail "not configured: $(<log)"
line='weir: not built: libweir_pnetcdf.so, libweir_netcdf.so, libweir_pio.so and weir-bench: they want PnetCDF: load its module or'
[[ $(tr -s ' \n' ' ' <log) == *"$line"* ]] || fail "the configuration does not name what is left out: $(<log)"
cmake --build build --parallel 2 >log 2>&1 || fail "not built: $(tail -n 20 log)"
cmake --install build >log 2>&1 || fail "not installed: $(<log)"
! compgen -G 'prefix/lib*/**/libweir_p*' || fail "a bridge is installed"

library=$(find prefix -name libweir.so)
unset LD_LIBRARY_PATH
"${MPICC:-mpicc}" -o hello "$WEIR_SOURCE_DIR/examples/hello.c" \
  $(PKG_CONFIG_PATH=${library%/*}/pkgconfig pkg-config --cflags --libs weir) || fail "hello.c is not built on what is installed"
! ldd hello "$library" | grep pnetcdf || fail "PnetCDF is loaded"
! nm -D --undefined-only "$library" | grep ncmpi_ || fail "PnetCDF is wanted"
"$WEIR_SOURCE_DIR/tools/launch" -n 2 --timeout 60 ./hello
"$WEIR_BUILD_DIR/bin/weir-verify" hello.nc | grep -q 'hello.nc is whole' || fail "hello.nc is not whole"
