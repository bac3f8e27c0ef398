#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Ranks that are configured differently write through the library behind the bridge, whatever the key, and the report
# says which it is. A relative path of the report is of the folder in which the program began.
set -u
. "$WEIR_SOURCE_DIR/tests/bridge/run.bash"
allow_for_pnetcdf

# bridged VARIABLE=VALUE...: the program on 2 ranks by preload; what $odd says is in the environment of rank 1 alone.
bridged() {
  unlike weir_pnetcdf env "$@" -- "$WEIR_BUILD_DIR/tests/bridge_model" bridged.nc 5
}
# unlike BRIDGE env VARIABLE=VALUE... -- PROGRAM ARGUMENT...
unlike() {
  local library=$WEIR_BUILD_DIR/lib/lib$1.so set=()
  shift
  while [[ $1 != -- ]]; do set+=("$1"); shift; done
  "${set[@]}" "$WEIR_SOURCE_DIR/tools/launch" -n 2 --timeout 60 -- env LD_PRELOAD= bash -c '
    [[ ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} == 0 ]] || export "$1"
    LD_PRELOAD=$2 exec "${@:3}"' - "$odd" "$library" "${@:2}" >bridged 2>bridged_errors
}

"$WEIR_SOURCE_DIR/tools/launch" -n 2 --timeout 60 -- "$WEIR_BUILD_DIR/tests/bridge_model" plain.nc 5 >plain ||
  fail "the program without a bridge"
for odd in WEIR_HINTS=cb_nodes=1 WEIR_TIMEOUT=33 WEIR_STRATEGY=remap; do
  rm -f bridged.nc report.json
  bridged WEIR_REPORT=report.json WEIR_TIMEOUT=32 || fail "$odd on one rank: $(cat bridged bridged_errors)"
  cmp plain.nc bridged.nc || fail "$odd on one rank"
  key=$(tr '[:upper:]' '[:lower:]' <<<"${odd#WEIR_}")
  grep -q "handled by the underlying library: the configuration differs: ${key%%=*} is .* on rank 1 and .* on rank 0" report.json ||
    fail "$odd on one rank: the report is $(cat report.json)"
done
odd=WEIR_STRATEGIE=remap
bridged WEIR_REPORT=report.json || fail "a configuration that is wrong on one rank: $(cat bridged bridged_errors)"
cmp plain.nc bridged.nc || fail "a configuration that is wrong on one rank"
odd=WEIR_STRATEGY=remap
bridged WEIR_STRATEGY=remap WEIR_OF_ANOTHER_PROGRAM=1 || fail "an unknown variable: $(cat bridged bridged_errors)"
cmp plain.nc bridged.nc || fail "an unknown variable"
(($(grep -c "WEIR_OF_ANOTHER_PROGRAM is not a key of Weir" bridged_errors) == 1)) ||
  fail "of an unknown variable the program was told: $(cat bridged_errors)"

# Under the bridge of netCDF they leave the file to netCDF together, before any rank begins on it.
if [[ -x $programs/bridge_beyond ]]; then
  "$WEIR_SOURCE_DIR/tools/launch" -n 2 --timeout 60 -- "$programs/bridge_beyond" both.nc attributes >plain || fail "both.nc"
  mv both.nc plain.nc
  for odd in WEIR_STRATEGY=remap WEIR_STRATEGY=nonsense 'WEIR_FILES={"*.nc": off}'; do
    rm -f report.json
    unlike weir_netcdf env WEIR_REPORT=report.json WEIR_TIMEOUT=5 -- "$programs/bridge_beyond" both.nc attributes ||
      fail "netCDF, $odd on one rank: $(cat bridged bridged_errors)"
    diff plain bridged && diff <(shown plain.nc) <(shown both.nc) || fail "netCDF, $odd on one rank"
    grep -q 'both.nc: handled by the underlying library: the configuration ' report.json ||
      fail "netCDF, $odd on one rank: the report is $(cat report.json)"
    told=$(grep -c '^weir_netcdf: rank(s) 1: .*nonsense.*; until then the underlying library handles all files' bridged_errors)
    [[ $odd != *nonsense || $told == 1 ]] || fail "netCDF, $odd on one rank: told $(cat bridged_errors)"
  done
fi
echo "bridge_configuration: all the same"
