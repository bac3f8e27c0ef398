#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cores: 3
# timeout: 120
# A parallel netCDF-4 file that a program opens again while it has it open, and access that changes from call to call.
set -u
. "$WEIR_SOURCE_DIR/tests/bridge/run.bash"
bridge=$WEIR_BUILD_DIR/lib/libweir_netcdf.so program=$programs/bridge_twice
[[ -x $program ]] || { echo "SKIPPED: this build has no netCDF bridge, or no parallel netCDF-4 to try it with"; exit 0; }
export WEIR_TIMEOUT=20

# Where netCDF itself can do it, calls and values are as without the bridge.
for case in access reader; do
  launch 3 "$program" plain.nc $case && mv printed wanted || fail "$case without the bridge: $(cat printed errors)"
  bridged 3 "$program" bridged.nc $case || fail "$case: $(cat printed errors)"
  diff wanted printed && diff <(shown plain.nc) <(shown bridged.nc) || fail "$case"
  [[ ! -s errors ]] || fail "$case: told $(cat errors)"
done

# refused CASE RANKS LINE: one sentence, one code, and the first file has all that was put. The new communicator numbers its RANKS.
refused() {
  bridged 3 "$program" bridged.nc "$1" || fail "$1: $(cat printed errors)"
  diff - <(cat printed) <<<"$3"$'\n''nc_close(file): 0' || fail "$1"
  diff <(shown plain.nc) <(shown bridged.nc) || fail "$1"
  [[ $(<errors) == "weir_netcdf: bridged.nc: already open for writing on rank(s) $2; close it there before it is opened again" ]] ||
    fail "$1: told $(cat errors)"
}
refused created '0, 1, 2' 'nc_create_par(path, NC_CLOBBER | NC_NETCDF4, MPI_COMM_WORLD, MPI_INFO_NULL, &again): 13'
refused halves '0, 1' 'half of the ranks open it: 13'

# Another hand has changed the file: Weir writes nothing more, and says so.
bridged 3 "$program" bridged.nc writer || fail "writer: $(cat printed errors)"
grep -qF 'nc_close(file): -206' printed || fail "writer: $(cat printed)"
(($(wc -l <errors) == 1)) && grep -q 'another program has changed the file; nothing more is written' errors ||
  fail "writer: told $(cat errors)"
echo "bridge_netcdf4_twice: refused, or as netCDF does it"
