#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 300
# Collective gets from a file that a program opened to read: values, types and codes are PnetCDF's, whether Weir reads or
# PnetCDF; the report counts what Weir read.
set -u
cd "$TMPDIR"
bridge=$WEIR_BUILD_DIR/lib/libweir_pnetcdf.so

fail() {
  echo "bridge_reads: $1" >&2
  exit 1
}
launch() {
  "$WEIR_SOURCE_DIR/tools/launch" -n "$1" --timeout 60 -- "${@:2}" 2>errors
}

declare -A strategies=([1]=remap [4]='remap dynamic' [7]=dynamic)
for ranks in 1 4 7; do
  launch "$ranks" "$WEIR_BUILD_DIR/tests/bridge_reads" plain.nc 300 >plain || fail "without the bridge: $(cat plain errors)"
  for strategy in ${strategies[$ranks]}; do
    WEIR_REPORT=$strategy$ranks.json WEIR_STRATEGY=$strategy launch "$ranks" env LD_PRELOAD="$bridge" \
      "$WEIR_BUILD_DIR/tests/bridge_reads" read.nc 300 >bridged || fail "$strategy on $ranks ranks: $(cat bridged errors)"
    diff plain bridged || fail "$strategy on $ranks ranks got something else"
    [[ ! -s errors ]] || fail "the bridge is not quiet: $(cat errors)"
  done
done
python3 - <<'PYTHON' || fail "the report is $(cat remap4.json)"
import json
files = json.load(open("remap4.json"))["bridge"]["files"]
read = [file for file in files if file["taken_over"] == 6]
assert len(files) == 2 and len(read) == 1, files
assert read[0]["passed_through"]["a get of less than 1 MiB a rank"] >= 1, read
PYTHON
# A rule leaves such files to PnetCDF.
WEIR_FILES='{"*.nc": off}' WEIR_REPORT=off.json launch 4 env LD_PRELOAD="$bridge" "$WEIR_BUILD_DIR/tests/bridge_reads" \
  read.nc 300 >bridged || fail "a rule"
[[ $(cat off.json) != *'"taken_over": 6'* ]] || fail "a rule is not kept: $(cat off.json)"
echo "bridge_reads: all the same"
