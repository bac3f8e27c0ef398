#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 300
# What models' own output layers call (tests/bridge/layers), through the bridges and past them, on the same ranks: the same
# files, values and answers, and which calls Weir took over.
set -u
. "$WEIR_SOURCE_DIR/tests/bridge/run.bash"

# What is said of storage: of variables whose chunks the program names, and which variables are attached to scales.
stored() {
  [[ $(ncdump -k "$1") == netCDF-4* ]] || return 0
  ncdump -hs "$1" | grep -E "\b($named):_(ChunkSizes|DeflateLevel|Shuffle|Fletcher32|Quant)"
  h5dump -A "$1" | grep -oE 'DATASET "[a-zA-Z]|ATTRIBUTE "(DIMENSION_LIST|REFERENCE_LIST)"'
}
# through LAYER RANKS STRATEGY KIND CALLS ENDING...: FILE and its endings of both runs; rank 0's puts that Weir took over.
through() {
  local layer=$1 ranks=$2 strategy=$3 kind=$4 calls=$5 ending
  shift 5
  rm -rf plain bridged
  mkdir plain bridged
  (cd plain && launch "$ranks" "$program" "$layer" "$layer.nc" $kind) || fail "$layer without the bridge: $(cat plain/*)"
  (cd bridged && WEIR_REPORT=1 WEIR_STRATEGY=$strategy bridged "$ranks" "$program" "$layer" "$layer.nc" $kind) ||
    fail "$layer: $(cat bridged/printed bridged/errors)"
  diff plain/printed bridged/printed >differences || fail "$layer $kind: told $(cat differences)"
  for ending in "$@"; do
    same "plain/$layer.nc$ending" "bridged/$layer.nc$ending" "$layer$ending $kind, $strategy on $ranks ranks"
  done
  taken=$(sed -n 's/^weir: .*: \([0-9]*\) call(s) taken over.*/\1/p' bridged/errors | paste -sd+)
  (($taken == calls)) || fail "$layer $kind: $taken calls were taken over: $(grep call bridged/errors)"
}

program=$programs/bridge_layers_pnetcdf bridge=$WEIR_BUILD_DIR/lib/libweir_pnetcdf.so
through wrf 4 dynamic '' 12 ''
through smiol 5 remap '' 4 ''
through e3sm 4 dynamic '' 7 ''

program=$programs/bridge_layers_netcdf bridge=$WEIR_BUILD_DIR/lib/libweir_netcdf.so
if [[ -e $program ]]; then
  named='temp|ps'
  through fms 4 dynamic '' 18 ''
  through fms 6 remap compressed 18 ''
  named='tmp|pressfc'
  through ufs 4 dynamic compressed 27 '' .1 .2
  named='U|T|PSFC|T2'
  through wrf 5 collective compressed 15 ''
  named=temp
  through fesom 4 dynamic compressed 7 ''
  named='nav_lat|sst|deptht'
  through xios 4 dynamic '' 30 .atm .oce .alone
  through xios 5 remap compressed 30 .atm .oce .alone
  # Each rank's runs of cells wait until the file is closed.
  named='T|U|time'
  through e3sm 4 dynamic '' 2112 ''
  through e3sm 3 remap '' 2812 ''
  # One report of the job has the files of both groups of ranks; the second replaces that of the first job.
  for ranks in 4 5; do
    WEIR_REPORT=$PWD/report.json bridged "$ranks" "$program" xios one.nc || fail "a report: $(cat printed errors)"
    python3 - "$ranks" <<'PYTHON' || fail "the report of $ranks ranks is $(cat report.json)"
import json, os, sys
report = json.load(open("report.json"))
written = {tuple(each["per_rank"]["job_rank"]): {os.path.basename(file["path"]) for file in each["files"]} for each in report["instances"]}
assert sorted(rank for ranks in written for rank in ranks) == list(range(int(sys.argv[1]))), written
assert sorted(map(sorted, written.values())) == [["one.nc.atm"], ["one.nc.oce"]], written
assert sum(file["taken_over"] for file in report["bridge"]["files"]) == 30, report["bridge"]
PYTHON
  done
fi
echo "bridge_layers: the same files"
