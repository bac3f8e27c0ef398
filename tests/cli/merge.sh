#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# weir-merge on the command line: what it refuses, how it ends, and that `weir merge` hands its options on. A model's own
# setting of a way that keeps ranks for itself is no hindrance.
set -eu
cd "$TMPDIR"
bin=$WEIR_BUILD_DIR/bin

fail() {
  echo "merge: $1" >&2
  exit 1
}

# expect CODE WORDS COMMAND...: how it ends, and what it says.
expect() {
  local code=0 said
  said=$("${@:3}" 2>&1) || code=$?
  [[ $code == "$1" ]] || fail "exit code $code, not $1, of ${*:3}: $said"
  [[ $said =~ $2 ]] || fail "not '$2' but '$said' of ${*:3}"
}

WEIR_STRATEGY=file_per_rank "$WEIR_SOURCE_DIR/tools/launch" -n 3 --timeout 60 -- "$bin/hello_c"
expect 0 '^$' "$bin/weir-merge" hello.nc
cp hello.nc first.nc
expect 1 '^weir-merge: hello.nc exists already: .*--overwrite' "$bin/weir-merge" hello.nc
expect 0 '^$' env WEIR_STRATEGY=servers "$bin/weir-merge" --overwrite hello.nc
cmp hello.nc first.nc
expect 0 '^$' env WEIR_STRATEGY=dynamic WEIR_CONTROL=rank "$bin/weir-merge" --overwrite hello.nc
cmp hello.nc first.nc
expect 1 'give it a strategy that does' env WEIR_STRATEGY=file_per_rank "$bin/weir-merge" --overwrite hello.nc
expect 1 'hello.nc.0000 is a part itself' "$bin/weir-merge" --overwrite hello.nc.0000 hello.nc.000[0-2]
expect 1 'written in 3 parts, but there are 2' "$bin/weir-merge" other.nc hello.nc.000[02]
expect 1 'no part file none.nc.0000' "$bin/weir-merge" none.nc
expect 2 '--overwritten' "$bin/weir-merge" --overwritten hello.nc
expect 2 'OUT' "$bin/weir-merge"
expect 2 '--records needs a whole number from 0 on, not "-1"' "$bin/weir-merge" --records -1 other.nc
expect 2 '--records needs a value' "$bin/weir-merge" other.nc --records
expect 2 'unknown option --overwrite=yes' "$bin/weir-merge" --overwrite=yes other.nc
expect 1 'no part file --help.0000' "$bin/weir-merge" -- --help
expect 0 'Makes one netCDF file' "$bin/weir-merge" --help
if [[ -x $WEIR_SOURCE_DIR/.venv/bin/weir ]]; then
  weir=$WEIR_SOURCE_DIR/.venv/bin/weir
  expect 1 '--overwrite' "$weir" merge -n 2 hello.nc
  expect 0 '^$' "$weir" merge -n 2 hello.nc --overwrite --records 0 --remove
  cmp hello.nc first.nc
  [[ -z $(ls hello.nc.* 2>/dev/null) ]] || fail 'weir merge --remove leaves parts'
fi
