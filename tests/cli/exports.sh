#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cores: 1
# Every library shows its documented names and no others; those that programs are linked with bear a version, which belongs to the
# soname. The bridges' names have none, as those that they stand for.
set -eu
cd "$WEIR_BUILD_DIR/lib"

fail() {
  echo "exports: $1" >&2
  exit 1
}

# shows LIBRARY NAMES [VERSION]: NAMES is a regular expression.
shows() {
  [[ -e $1 ]] || return 0
  local version=${3:+@@$3} shown others
  shown=$(nm --dynamic --defined-only --with-symbol-versions "$1" | awk '{ print $3 }')
  [[ ${3:-} ]] && shown=$(grep -vx "$3.*" <<<"$shown") # the version itself
  others=$(grep -vxE "($2)$version" <<<"$shown" || true)
  [[ $shown ]] || fail "$1 shows nothing"
  [[ -z $others ]] || fail "$1 shows what it should not: $(head -n 5 <<<"$others")"
}

soname=$(objdump -p libweir.so | awk '$1 == "SONAME" { print $2 }')
version=WEIR_${soname#libweir.so.}
[[ $version =~ ^WEIR_[0-9]+\.[0-9]+$ ]] || fail "the soname of libweir.so, '$soname', has no version of two numbers"
shows libweir.so 'weir_\w+' "$version"
shows libweirf.so '(__)?weir_\w+' "$version"
shows libweir_cfio2.so 'cfio2_\w+' "$version"
shows libweir_cfio2f.so '(__)?cfio2_\w+' "$version"
shows libweir_pnetcdf.so '(__wrap_)?ncmpi_\w+'
shows libweir_netcdf.so '(__wrap_)?nc_\w+'
shows libweir_pio.so '(__wrap_)?PIOc_\w+'
for mpi in serial mpi; do shows libweir_netcdf4_$mpi.so 'weir_netcdf4_(border|define|reopen|read|redefine)'; done

# fmt's code is compiled in: a libfmt of the program, of another version perhaps, is not called.
for library in libweir*.so; do
  ! nm --dynamic --undefined-only "$library" | grep -E '3fmt' || fail "$library wants names of fmt"
done

# MPI's former C++ bindings are not linked: an MPI without them, Open MPI 5, could not run what was built over one that has them.
! objdump -p libweir.so | grep -E 'NEEDED +libmpi_?cxx' || fail "libweir.so wants MPI's C++ bindings"

# A static library shows what the shared one does.
names_of() {
  nm --defined-only --extern-only --no-sort "$@" | awk 'NF == 3 { sub(/@.*/, "", $3); print $3 }' | sort
}
for library in weir weirf; do
  [[ -e lib$library.a ]] || continue
  differing=$(diff <(names_of --dynamic lib$library.so | grep -vx "$version") <(names_of lib$library.a)) ||
    fail "lib$library.a shows other names than lib$library.so: $differing"
done
