#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cores: 3
# timeout: 600
# A rank that does not come to a call of netCDF's, wherever the ranks meet there within Weir: in netCDF-4 files, which Weir makes,
# and in those that all ranks open by nc_create, whose holes the bridge fills.
set -u
. "$WEIR_SOURCE_DIR/tests/bridge/run.bash"
bridge=$WEIR_BUILD_DIR/lib/libweir_netcdf.so
program=$programs/bridge_netcdf_troubles
[[ -x $program ]] || { echo "SKIPPED: this build has no netCDF bridge, or no netCDF library to try it with"; exit 0; }
. "$WEIR_SOURCE_DIR/tests/bridge/troubles.bash"

if ls "$WEIR_BUILD_DIR"/lib/libweir_netcdf4_*.so >/dev/null 2>&1; then
  late_returns 0 create netcdf4
  late_returns 2 first netcdf4
  late_returns 0 sync netcdf4
  late_returns 1 get netcdf4
fi
export WEIR_COLLECTIVE=yes
late_returns 0 first plain
late_returns 2 first plain
echo "bridge_netcdf_troubles: all ranks are told"
