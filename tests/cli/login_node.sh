#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cores: 2
# On a node where MPI_Init ends a program, weir-verify, weir-merge and weir-convert of one process do all that they do
# under a launcher, to the same bytes.
set -eu
cd "$TMPDIR"
bin=$WEIR_BUILD_DIR/bin
layer=$WEIR_BUILD_DIR/tests/no_mpi.so
for file in "$layer" "$bin/hello_c" "$bin"/weir-{merge,verify,convert}; do
  [[ -e $file ]] || { echo "$file was not built" >&2; exit 1; }
done
ldd "$bin/weir-merge" | grep -qE 'lib[atu]b?san' &&
  { echo "SKIPPED: a preloaded library cannot come before a sanitizer"; exit 0; }

fail() {
  echo "login_node: $1" >&2
  exit 1
}

# here COMMAND...: on such a node, without a launcher.
here() {
  env LD_PRELOAD="$layer" "$@"
}

ranks() {
  "$WEIR_SOURCE_DIR/tools/launch" -n "$1" --timeout 60 -- "${@:2}"
}

code=0
said=$(here "$bin/hello_c" 2>&1) || code=$?
[[ $code == 86 && $said == *'cannot be initialised'* ]] || fail "the layer does not end a program that calls MPI_Init: $code $said"

WEIR_STRATEGY=file_per_rank ranks 3 "$bin/hello_c"
here "$bin/weir-merge" hello.nc
ranks 2 "$bin/weir-merge" --overwrite by_ranks.nc hello.nc.000[0-2]
cmp hello.nc by_ranks.nc || fail "weir-merge makes another file without MPI"
said=$(here "$bin/weir-verify" hello.nc hello.nc.0001) || fail "weir-verify: $said"
[[ $said == *'hello.nc is whole: CDF-1, 1 variable(s), 0 record(s)'* ]] || fail "weir-verify says: $said"
for strategy in remap dynamic rows servers; do
  WEIR_STRATEGY=$strategy here "$bin/weir-merge" --overwrite again.nc hello.nc.000[0-2]
  cmp hello.nc again.nc || fail "weir-merge makes another file by $strategy"
done

# To and fro, through each format that is built here.
for format in cdf1 cdf2 cdf5 zarr; do
  here "$bin/weir-convert" --format "$format" hello.nc "as_$format"
  here "$bin/weir-verify" "as_$format" >said || fail "weir-verify of $format: $(<said)"
  here "$bin/weir-convert" --format cdf1 "as_$format" back.nc --overwrite
  ranks 2 "$bin/weir-convert" --format cdf1 "as_$format" back_by_ranks.nc --overwrite
  cmp back.nc back_by_ranks.nc || fail "weir-convert from $format makes another file without MPI"
done
if compgen -G "$WEIR_BUILD_DIR/lib/*netcdf4*" >none; then
  here "$bin/weir-convert" hello.nc as_netcdf4.nc --deflate 1
  here "$bin/weir-convert" --format cdf1 as_netcdf4.nc back.nc --overwrite
  cmp back.nc back_by_ranks.nc || fail "weir-convert from netCDF-4 makes another file without MPI"
fi

# What does want MPI says so.
code=0
said=$(WEIR_SINK=pnetcdf here "$bin/weir-merge" --overwrite again.nc hello.nc.000[0-2] 2>&1) || code=$?
[[ $code == 1 && $said == *'sink: pnetcdf writes by MPI-IO, and MPI is not initialised'* ]] || fail "$code $said"
