#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cores: 2
# weir-doctor: what it says of a machine where all is well, and of each thing that is in Weir's way; its exit codes.
set -eu
cd "$TMPDIR"
bin=$WEIR_BUILD_DIR/bin

fail() {
  echo "doctor: $1" >&2
  exit 1
}

# expect CODE WORDS COMMAND...: how it ends, and what it says.
expect() {
  local code=0
  "${@:3}" >said 2>&1 || code=$?
  [[ $code == "$1" ]] || fail "exit code $code, not $1, for ${*:3}: $(<said)"
  grep -qE -- "$2" said || fail "not '$2' for ${*:3}: $(<said)"
}

# ranks N ARGUMENT...: the doctor on N ranks.
ranks() {
  "$WEIR_SOURCE_DIR/tools/launch" -n "$1" --timeout 60 -- "$bin/weir-doctor" "${@:2}"
}

mkdir folder
expect 0 'no launcher has started this process' "$bin/weir-doctor" folder
expect 0 '^  folder +ranks see one another.s files$' ranks 4 folder
grep -qE "^  folder +$PWD/folder: [a-z0-9.]+, [0-9]+ GiB free, " said || fail "no line on the folder: $(<said)"
grep -qE '^  host +.*: 4 ranks, [0-9]+ cores, ' said || fail "no line on the host: $(<said)"
grep -qE '^  MPI +[A-Z]' said || fail "no line on MPI: $(<said)"
[[ -z $(ls -A folder) ]] || fail "it left $(ls -A folder)"

expect 1 '^! folder .*"[^"]*/nowhere" does not exist' ranks 2 nowhere
grep -q 'name a folder that is there on all hosts' said || fail "no advice on the folder: $(<said)"
expect 1 '^! configuration +unknown key "stratgy": did you mean "strategy"' env WEIR_STRATGY=auto "$bin/weir-doctor"
expect 1 '1 of these is in Weir.s way' env WEIR_CONFIG=no_such.yaml "$bin/weir-doctor"
expect 1 '^! ranks +the launcher started 4 processes, and each is a job of one rank' \
  env SLURM_STEP_NUM_TASKS=4 "$bin/weir-doctor"
expect 2 'more than one folder' "$bin/weir-doctor" folder folder
expect 2 'unknown option --jsn' "$bin/weir-doctor" --jsn

"$bin/weir-doctor" --json folder | python3 -c '
import json, sys
answer = json.load(sys.stdin)
topics = {each["topic"] for each in answer["findings"]}
assert answer["ranks"] == 1 and {"Weir", "MPI", "folder", "configuration"} <= topics, answer'

if [[ -e $WEIR_BUILD_DIR/lib/libweir_pnetcdf.so ]] && ! ldd "$bin/weir-doctor" | grep -qE 'lib[atu]b?san'; then
  expect 0 '^  bridges +libweir_pnetcdf is loaded' env LD_PRELOAD="$WEIR_BUILD_DIR/lib/libweir_pnetcdf.so" "$bin/weir-doctor"
  expect 1 '^! bridges +LD_PRELOAD names libweir_pnetcdf, which is not loaded' \
    env LD_PRELOAD=/nowhere/libweir_pnetcdf.so "$bin/weir-doctor"
fi
