#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cores: 5
# timeout: 300
# A model with servers of output, whose parts are started by commands of their own: the preload line reaches the servers and not the
# clients, or the reverse, or some servers.
set -u
. "$WEIR_SOURCE_DIR/tests/bridge/run.bash"
bridge=$WEIR_BUILD_DIR/lib/libweir_netcdf.so program=$programs/bridge_coupled
[[ -x $program ]] || { echo "SKIPPED: this build has no netCDF bridge, or no parallel netCDF-4 to try it with"; exit 0; }
ldd "$program" | grep -qE 'lib[atu]b?san' &&
  { echo "SKIPPED: a preloaded library cannot come before a sanitizer"; exit 0; }
export WEIR_TIMEOUT=5

# coupled WHICH FILE [classic]: two clients and three servers, of which WHICH ranks have the bridge.
coupled() {
  rm -f "$2"
  launch 5 env LD_PRELOAD= bash -c '
    [[ $1 != *${OMPI_COMM_WORLD_RANK:-$PMI_RANK}* ]] || export LD_PRELOAD=$2
    exec "${@:3}"' - "$1" "$bridge" "$program" 2 "${@:2}"
}
# right WHICH FILE [classic]: they do, and nothing is said.
right() {
  coupled "$@" || fail "on ranks $1, $2: $(cat printed errors)"
  [[ $(<printed) == 'all values are right' ]] || fail "on ranks $1, $2: $(cat printed errors)"
  grep -q 'weir' errors && fail "on ranks $1, $2: told $(cat errors)"
}
taken() {
  grep -q '"taken_over": [1-9]' report.json
}

export WEIR_REPORT=$PWD/report.json
right none plain.nc
for which in 234 01234; do
  for format in '' classic; do
    right $which some.nc $format
    taken || fail "on ranks $which $format: the report is $(cat report.json)"
    [[ $format ]] || diff <(shown plain.nc) <(shown some.nc) || fail "on ranks $which"
    rm report.json
  done
done
right 01 some.nc
[[ ! -e report.json ]] || ! taken || fail "on the clients: the report is $(cat report.json)"
diff <(shown plain.nc) <(shown some.nc) || fail "on the clients"
unset WEIR_REPORT

# A configuration that is wrong is told by a rank that has the bridge, and netCDF writes.
export WEIR_STRATEGY=nonsense
for which in 234 01234; do
  coupled $which some.nc || fail "wrong, on ranks $which: $(cat printed errors)"
  (($(grep -c '^weir_netcdf: .*nonsense.*; until then the underlying library handles all files' errors) == 1)) ||
    fail "wrong, on ranks $which: told $(cat errors)"
done
unset WEIR_STRATEGY

# A server without it: the others wait no longer than `timeout`, name it, and get an error.
coupled 24 some.nc && fail "on some servers: $(cat printed errors)"
grep -q 'weir_netcdf: .*rank(s) 1 did not reach this call, perhaps because the bridge is not loaded there' errors ||
  fail "on some servers: told $(cat errors)"
echo "bridge_coupled: each part for itself"
