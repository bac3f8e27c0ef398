#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cores: 3
# timeout: 600
# What goes wrong beneath PIO's calls reaches all ranks, as a sentence and a code, or ends the program, as PIO's error handling has
# it. A rank may not come to a call, wherever the ranks first meet there: the others wait as long as `timeout` says.
set -u
. "$WEIR_SOURCE_DIR/tests/bridge/run.bash"
bridge=$WEIR_BUILD_DIR/lib/libweir_pio.so
program=$programs/bridge_pio_troubles
. "$WEIR_SOURCE_DIR/tests/bridge/troubles.bash"

# RANK CALL FORMAT
late_ends() {
  late "$@" ends
  [[ ! -s printed ]] || fail "$*: the program went on: $(cat printed)"
}
late_ends 2 first pnetcdf
late_returns 0 first pnetcdf returns
late_returns 2 first pnetcdf returns
late_returns 0 second pnetcdf returns
late_ends 2 second pnetcdf
late_returns 0 read pnetcdf returns
late_returns 2 read pnetcdf returns
if ls "$WEIR_BUILD_DIR"/lib/libweir_netcdf4_*.so >/dev/null 2>&1; then
  late_returns 0 create netcdf4 returns
  late_ends 1 create netcdf4
  late_returns 2 second netcdf4 returns
fi

# The record count cannot be written, which only PIO's I/O task finds: all ranks get its code, and one says so.
launch 3 env LD_PRELOAD="$bridge:$programs/bridge_no_counts.so" "$program" late.nc 1 sync pnetcdf returns
[[ $(grep -c '^rank .: -206 -206$' printed) == 3 ]] || fail "a record count that was not written: $(cat printed errors)"
[[ $(grep -c '^weir_pio: .*the record count of .*late.nc: ' errors) == 1 ]] || fail "it was not said once: $(cat errors)"
echo "bridge_pio_troubles: all ranks are told"
