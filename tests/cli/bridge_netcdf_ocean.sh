#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 400
# The ocean on plain parallel netCDF, through the bridge under every strategy and restarted on another number of ranks,
# leaves the bytes that it leaves without the bridge on one rank, and those of the ocean on Weir.
set -u
cd "$TMPDIR"
settings="nx=60 ny=30 nz=3 dt_seconds=3600 days=8 history_days=1 commit_days=3"

fail() {
  echo "bridge_netcdf_ocean: $1" >&2
  exit 1
}
launch() {
  "$WEIR_SOURCE_DIR/tools/launch" -n "$1" --timeout 60 -- "${@:2}" >printed 2>&1 || fail "$*: $(tail -n 5 printed)"
}
bridged() {
  launch "$1" env LD_PRELOAD="$WEIR_BUILD_DIR/lib/libweir_netcdf.so" "$WEIR_BUILD_DIR/bin/ocean_netcdf" $settings \
    "${@:2}"
}
same() {
  cmp plain.nc history.nc && cmp plain_restart.nc restart.nc || fail "$1"
  rm -f history.nc restart.nc
}

launch 1 "$WEIR_BUILD_DIR/bin/ocean_netcdf" $settings history=plain.nc restart_out=plain_restart.nc
launch 3 "$WEIR_BUILD_DIR/bin/ocean" $settings history=history.nc restart_out=restart.nc
same "the ocean on Weir"
for strategy in serial collective rows columns remap servers dynamic auto file_per_rank file_per_domain; do
  WEIR_STRATEGY=$strategy bridged 4 history=history.nc restart_out=restart.nc
  same "strategy $strategy"
done
bridged 7 history=history.nc restart_out=restart.nc
same "7 ranks"
WEIR_STRATEGY=dynamic bridged 3 days=5 history=history.nc restart_out=between.nc
WEIR_STRATEGY=dynamic bridged 2 days=3 restart_in=between.nc append=.true. history=history.nc restart_out=restart.nc
same "restarted on 2 ranks"
echo "bridge_netcdf_ocean: all the same"
