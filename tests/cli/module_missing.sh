#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cores: 3
# netCDF-4 is made by a module that is loaded when it is wanted. Where it is not there, or a library that it wants is not
# (a module of the machine that was not loaded), or it is of another build than what loads it, all ranks get one sentence
# that says what to do.
set -u
cd "$TMPDIR"
lib=$WEIR_BUILD_DIR/lib
module=$(basename "$(compgen -G "$lib/libweir_netcdf4_*.so" | head -n 1)")
[[ -n $module ]] || { echo "SKIPPED: this Weir was built without netCDF-4"; exit 0; }
ldd "$WEIR_BUILD_DIR/bin/hello_c" | grep -qE 'lib[atu]b?san' &&
  { echo "SKIPPED: a library made here cannot come before a sanitizer"; exit 0; }

fail() {
  echo "module_missing: $1" >&2
  exit 1
}

# The libraries as they would be installed, in a folder of their own: hello_c finds them there by LD_LIBRARY_PATH.
mkdir there
cp -L "$lib"/libweir.so* there/
cat >packed.yaml <<'YAML'
files:
  "*.nc": {format: netcdf4}
YAML

# says WHAT SENTENCE: hello_c fails on both ranks, and leaves nothing.
says() {
  if "$WEIR_SOURCE_DIR/tools/launch" -n 2 --timeout 60 -- env LD_LIBRARY_PATH="$PWD/there" WEIR_CONFIG="$PWD/packed.yaml" \
    WEIR_TIMEOUT=30 "$WEIR_BUILD_DIR/bin/hello_c" >said 2>&1; then
    fail "$1, and a file is made: $(cat said)"
  fi
  grep -qE "$2" said || fail "$1: $(cat said)"
  [[ ! -e hello.nc ]] || fail "$1, and there is a file"
}

says "the module is missing" 'hello.nc" cannot be made: libweir_netcdf4_[a-z]*.so does not load .*; put it back next to libweir.so'

echo 'int gone(void) { return 0; }' >gone.c
echo 'int gone(void); int weir_netcdf4_define(void) { return gone(); }' >module.c
cc -shared -fPIC -Wl,-soname,libgone.so.1 -o there/libgone.so.1 gone.c
for each in "$lib"/libweir_netcdf4_*.so; do
  cc -shared -fPIC -o "there/$(basename "$each")" module.c there/libgone.so.1
done
rm there/libgone.so.1
says "a library is missing" 'does not load \(libgone.so.1: cannot open shared object file.*\); load the modules of the netCDF and HDF5 that Weir was built with'

# Under a bridge the library behind makes such files then; where a part of the nodes lacks it, the ranks are named.
cp -L "$lib"/libweir_{pio,netcdf,pnetcdf}.so* there/
# under BRIDGE LIBRARY PROGRAM ARGUMENT...: three ranks, of which 1 has a module that is $lacks. What is printed goes to printed, errors to said.
under() {
  "$WEIR_SOURCE_DIR/tools/launch" -n 3 --timeout 60 -- env LD_PRELOAD= bash -c '
    libraries=$1
    if [[ ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} == 1 ]]; then
      libraries=$2
      export LD_LIBRARY_PATH=$2
    fi
    LD_PRELOAD=$libraries/lib$3.so exec "${@:4}"' - "$lib" "$PWD/there" "$1" "$WEIR_BUILD_DIR/tests/$3" "${@:4}" \
    >printed 2>said || fail "$1: $(cat printed said)"
  local wanted="$1: rank(s) 1: .*$lacks.*on all nodes.*; until then $2 makes such files"
  [[ $(wc -l <said) == 1 ]] && grep -q "$wanted" said || fail "$1 says: $(cat said)"
}
lacks="load the modules of the netCDF and HDF5 that Weir was built with"
under weir_pio PIO bridge_pio_packed pio.nc 3
"$WEIR_SOURCE_DIR/tools/launch" -n 3 --timeout 60 -- "$WEIR_BUILD_DIR/tests/bridge_pio_packed" plain.nc 3 >wanted
diff wanted printed || fail "PIO's file"
if [[ -e $lib/libweir_netcdf.so ]]; then
  under weir_netcdf netCDF bridge_netcdf_packed some.nc wrong together
  grep -q 'create: -114' printed || fail "netCDF says: $(cat printed)"
fi

# of_another_build MARK: modules which would end the program if anything of them were called. MARK: a line of C.
of_another_build() {
  printf '%s\n' "$1" 'void abort(void);' >module.c
  for each in define reopen read redefine; do echo "void weir_netcdf4_$each(void) { abort(); }"; done >>module.c
  for each in "$lib"/libweir_netcdf4_*.so; do cc -shared -fPIC -o "there/$(basename "$each")" module.c; done
}
another="$PWD/there/libweir_netcdf4_[a-z]*.so is of another build of Weir than .*/libweir.so[0-9.]*; install both of one build"
of_another_build 'extern int none;'
says "a module of an old build" "hello.nc\" cannot be made: $another"
of_another_build 'const char weir_netcdf4_border[] = "0123";'
says "a module of another build" "hello.nc\" cannot be made: $another"
WEIR_CONFIG=$PWD/packed.yaml "$WEIR_SOURCE_DIR/tools/launch" -n 1 --timeout 60 -- "$WEIR_BUILD_DIR/bin/hello_c" >said 2>&1 ||
  fail "hello_c: $(cat said)"
cp "$WEIR_BUILD_DIR/bin/weir-verify" there/
there/weir-verify hello.nc >said 2>&1 && fail "weir-verify reads by a module of another build: $(cat said)"
grep -qE "is of another build of Weir than .*weir-verify; install both" said || fail "weir-verify says: $(cat said)"
rm hello.nc
lacks="is of another build of Weir than .*libweir_pio.so"
under weir_pio PIO bridge_pio_packed pio.nc 3

echo "module_missing: told"
