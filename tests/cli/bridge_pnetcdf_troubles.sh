#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cores: 3
# timeout: 600
# A rank that does not come to a call of PnetCDF's, wherever the ranks meet there within Weir, also of a file that Weir makes.
set -u
. "$WEIR_SOURCE_DIR/tests/bridge/run.bash"
bridge=$WEIR_BUILD_DIR/lib/libweir_pnetcdf.so
program=$programs/bridge_troubles
. "$WEIR_SOURCE_DIR/tests/bridge/troubles.bash"

late_returns 0 first
late_returns 2 first
late_returns 2 second
late_returns 0 sync
late_returns 1 wait
late_returns 2 redef
late_returns 0 get
if ls "$WEIR_BUILD_DIR"/lib/libweir_netcdf4_*.so >/dev/null 2>&1; then
  export WEIR_FORMAT=netcdf4
  late_returns 2 first
  late_returns 0 sync
fi
echo "bridge_pnetcdf_troubles: all ranks are told"
