#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cores: 3
# timeout: 600
# What goes wrong beneath PIO's calls reaches all ranks, as a sentence and a code, or ends the program, as PIO's error handling has
# it. A rank may not come to a call, wherever the ranks first meet there: the others wait as long as `timeout` says.
set -u
. "$WEIR_SOURCE_DIR/tests/bridge/run.bash"
bridge=$WEIR_BUILD_DIR/lib/libweir_pio.so
export WEIR_TIMEOUT=3
ldd "$programs/bridge_pio_troubles" | grep -qE 'lib[atu]b?san' &&
  { echo "SKIPPED: a preloaded library cannot come before a sanitizer"; exit 0; }

# late RANK CALL FORMAT ends|returns
late() {
  bridged 3 "$programs/bridge_pio_troubles" late.nc "$@"
  grep -q 'terminate called' errors && fail "$*: an exception left the bridge: $(cat errors)"
  grep -q '^weir_pio: .* did not come' errors || fail "$*: nothing was said: $(cat printed errors)"
  [[ $4 == ends ]] && { [[ ! -s printed ]] || fail "$*: the program went on: $(cat printed)"; return; }
  # NC_EWRITE, at this call and at the next.
  for rank in 0 1 2; do
    [[ $rank == "$1" ]] || grep -q "^rank $rank: -206 -206$" printed || fail "$*: $(cat printed errors)"
  done
}
late 2 first pnetcdf ends
late 0 first pnetcdf returns
late 2 first pnetcdf returns
late 0 second pnetcdf returns
late 2 second pnetcdf ends
if ls "$WEIR_BUILD_DIR"/lib/libweir_netcdf4_*.so >/dev/null 2>&1; then
  late 0 create netcdf4 returns
  late 1 create netcdf4 ends
  late 2 second netcdf4 returns
fi

# The record count cannot be written, which only PIO's I/O task finds: all ranks get its code, and one says so.
launch 3 env LD_PRELOAD="$bridge:$programs/bridge_no_counts.so" "$programs/bridge_pio_troubles" late.nc 1 sync pnetcdf returns
[[ $(grep -c '^rank .: -206 -206$' printed) == 3 ]] || fail "a record count that was not written: $(cat printed errors)"
[[ $(grep -c '^weir_pio: .*the record count of .*late.nc: ' errors) == 1 ]] || fail "it was not said once: $(cat errors)"
echo "bridge_pio_troubles: all ranks are told"
