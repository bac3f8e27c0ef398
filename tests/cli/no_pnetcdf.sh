#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 600
# cores: 2
# MPI, a C++ compiler and the small libraries are enough: where PnetCDF is not found the configuration names what is left out, and
# compiles libweir.so by the very commands of this build, of the same sources. So it is this build's library that is looked at: it
# wants no PnetCDF, and a program that is built on it loads none and writes its file.
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
# What this build was configured with, but for what only tests, programs and Python want.
mapfile -t settings < <(sed -nE 's/^((CMAKE_BUILD_TYPE|CMAKE_DISABLE_PRECOMPILE_HEADERS|CMAKE_(C|CXX)_(FLAGS[A-Z_]*|COMPILER|COMPILER_LAUNCHER)|CMAKE_GENERATOR|MPI_(C|CXX)_COMPILER|WEIR_[A-Z0-9]+):[A-Z]+=.*)/-D\1/p' \
  "$WEIR_BUILD_DIR/CMakeCache.txt" | grep -vE '^-DWEIR_(PNETCDF|TESTS|PROGRAMS|PYTHON|PIO|FORTRAN|STATIC)')
generator=$(sed -n 's/^CMAKE_GENERATOR:INTERNAL=//p' "$WEIR_BUILD_DIR/CMakeCache.txt")
PKG_CONFIG_LIBDIR=$PWD/known PKG_CONFIG_PATH='' cmake -S "$WEIR_SOURCE_DIR" -B build -G "$generator" "${settings[@]}" \
  -DPNETCDF_INCLUDE_DIR= -DPNETCDF_LIBRARY= -DWEIR_PROGRAMS=OFF -DWEIR_TESTS=OFF -DWEIR_FORTRAN=OFF \
  -DWEIR_PYTHON_MODULE=OFF -DWEIR_STATIC=OFF --log-level=NOTICE >log 2>&1 || fail "not configured: $(<log)"
line='weir: not built: libweir_pnetcdf.so, libweir_netcdf.so, libweir_pio.so and weir-bench: they want PnetCDF: load its module or'
[[ $(tr -s ' \n' ' ' <log) == *"$line"* ]] || fail "the configuration does not name what is left out: $(<log)"
targets=$(cmake --build build --target help)
! grep -E 'weir_(pnetcdf|netcdf|pio)\b' <<<"$targets" || fail "a bridge is to be built"
! grep -i pnetcdf build/*.pc.template build/cmake_install.cmake || fail "something of PnetCDF is to be installed"

# commands BUILD: how the sources of libweir.so are compiled there, without the names of folders.
commands() {
  python3 - "$1" "$WEIR_SOURCE_DIR" <<'END'
import json, re, sys
build, source = sys.argv[1:]
for each in json.load(open(f"{build}/compile_commands.json")):
    words = each["command"]
    if re.search(r" -o CMakeFiles/weir(_core|_c)?[.]dir/", words):
        print(words.replace(build, "BUILD").replace(source, "SOURCE"))
END
}
commands "$WEIR_BUILD_DIR" | sort >with
commands "$PWD/build" | sort >without
(($(wc -l <with) > 5)) || fail "libweir.so is made of: $(<with)"
diff with without >differences || fail "with PnetCDF libweir.so is compiled otherwise: $(head -c 1000 differences)"

library=$WEIR_BUILD_DIR/lib/libweir.so
"${MPICC:-mpicc}" -I "$WEIR_SOURCE_DIR/include" -o hello "$WEIR_SOURCE_DIR/examples/hello.c" -L "${library%/*}" "-Wl,-rpath,${library%/*}" -lweir ||
  fail "hello.c is not built"
! ldd hello "$library" | grep pnetcdf || fail "PnetCDF is loaded"
! nm -D --undefined-only "$library" | grep ncmpi_ || fail "PnetCDF is wanted"
"$WEIR_SOURCE_DIR/tools/launch" -n 2 --timeout 60 ./hello
"$WEIR_BUILD_DIR/bin/weir-verify" hello.nc | grep -q 'hello.nc is whole' || fail "hello.nc is not whole"
