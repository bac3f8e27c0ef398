#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 800
# The ocean on plain parallel netCDF, through its bridge under every strategy, and on plain PnetCDF (whose bridge
# bridge_pnetcdf.sh tries under every strategy), each restarted on another number of ranks, leaves the bytes that it leaves
# without the bridge; and what the ocean on Weir's calls for files leaves. The one that sends fields has the same values.
set -u
cd "$TMPDIR"
[[ -x $WEIR_BUILD_DIR/bin/ocean ]] || { echo "SKIPPED: this build has no ocean, which is in Fortran"; exit 0; }
settings="nx=60 ny=30 nz=3 dt_seconds=3600 days=8 history_days=1 commit_days=3"

fail() {
  echo "bridge_ocean: $1" >&2
  exit 1
}
launch() {
  "$WEIR_SOURCE_DIR/tools/launch" -n "$1" --timeout 60 -- "${@:2}" >printed 2>&1 || fail "$*: $(tail -n 5 printed)"
}
bridged() {
  launch "$1" env LD_PRELOAD="$WEIR_BUILD_DIR/lib/libweir_$library.so" "$WEIR_BUILD_DIR/bin/ocean_$library" $settings \
    "${@:2}"
}
same() {
  cmp plain.nc history.nc && cmp plain_restart.nc restart.nc || fail "$library: $1"
  rm -f history.nc restart.nc
}
shown() {
  ncdump "$1" | tail -n +2 # the first line names the file
}
# The fields: PnetCDF's own files have another header than Weir's.
same_fields() {
  diff <(shown plain.nc) <(shown history.nc) >/dev/null || fail "$library: $1 has other fields"
  diff <(shown plain_restart.nc) <(shown restart.nc) >/dev/null || fail "$library: $1 has another restart file"
  rm -f history.nc restart.nc
}

# ocean LIBRARY RANKS COMPARE STRATEGY...: without the bridge on so many ranks.
ocean() {
  local strategy
  library=$1
  launch "$2" "$WEIR_BUILD_DIR/bin/ocean_$library" $settings history=plain.nc restart_out=plain_restart.nc
  launch 3 "$WEIR_BUILD_DIR/bin/ocean_records" $settings history=history.nc restart_out=restart.nc
  "$3" "the ocean on Weir"
  for strategy in "${@:4}"; do
    WEIR_STRATEGY=$strategy bridged 4 history=history.nc restart_out=restart.nc
    same "strategy $strategy"
  done
  bridged 7 history=history.nc restart_out=restart.nc
  same "7 ranks"
  WEIR_STRATEGY=dynamic bridged 3 days=5 history=history.nc restart_out=between.nc
  WEIR_STRATEGY=dynamic bridged 2 days=3 restart_in=between.nc append=.true. history=history.nc restart_out=restart.nc
  same "restarted on 2 ranks"
}
# The values alone, as ncdump prints them: in a stream's file time comes first, and attributes differ.
values() {
  local variable
  for variable in time ssh u v vorticity tau_x temperature age u_layers v_layers lon lat lon_u lat_v depth; do
    ncdump -p 9,17 -v $variable "$1" | sed -n "/^ $variable =/,\$p" || fail "$1 has no $variable"
  done
}
launch 3 "$WEIR_BUILD_DIR/bin/ocean_records" $settings history=plain.nc restart_out=plain_restart.nc
export WEIR_STREAMS='{history: {file: history.nc, every: 1 day, fields: ["*"]}}'
launch 4 "$WEIR_BUILD_DIR/bin/ocean" $settings restart_out=restart.nc
unset WEIR_STREAMS
(($(values plain.nc | wc -l) > 1000)) && diff <(values plain.nc) <(values history.nc) >/dev/null || fail "the ocean that sends fields has other values"
cmp plain_restart.nc restart.nc || fail "the ocean that sends fields has another restart file"
# Gathered on one rank: the same bytes too.
launch 4 "$WEIR_BUILD_DIR/bin/ocean_serial" $settings days=5 history=history.nc restart_out=between.nc
launch 2 "$WEIR_BUILD_DIR/bin/ocean_serial" $settings days=3 restart_in=between.nc append=.true. history=history.nc \
  restart_out=restart.nc
library=serial
same "gathered on one rank"
# Debian's netCDF writes classic files on one rank only.
ocean netcdf 1 same serial collective rows columns remap servers dynamic auto file_per_rank file_per_domain
ocean pnetcdf 4 same_fields collective dynamic
echo "bridge_ocean: all the same"
