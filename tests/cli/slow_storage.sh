#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cores: 1
# timeout: 240
# A slow storage (tools/slow_storage): two programs that write at a time share its bandwidth, one that writes gets no more
# than its part, and what is written is the same. No way of writing is faster than it, Weir's or another's, and
# `strategy: auto` learns of it. (Asked is only that a write is not faster than it may be.)
set -eu
cd "$TMPDIR"

fail() {
  echo "slow_storage: $1" >&2
  exit 1
}

slow=$WEIR_SOURCE_DIR/tools/slow_storage
ldd "$WEIR_BUILD_DIR/bin/weir-verify" | grep -qE 'lib[atu]b?san' &&
  { echo "SKIPPED: a preloaded library cannot come before a sanitizer"; exit 0; }

# takes_ms MILLISECONDS COMMAND...: no less
takes_ms() {
  local begin least=$1 taken
  shift
  begin=$(date +%s%N)
  "$@" 2>log || fail "$* failed: $(cat log)"
  taken=$((($(date +%s%N) - begin) / 1000000))
  ((taken >= least)) || fail "$* took $taken ms"
}

head -c 1000000 /dev/urandom >input
takes_ms 990 "$slow" 2MB sh -c 'dd if=input of=one bs=100k & dd if=input of=other bs=100k; wait'
cmp input one && cmp input other || fail "other bytes were written"
takes_ms 990 "$slow" 1GB,1MB dd if=input of=one bs=100k
mkdir -p 'a build/lib'
cp "$WEIR_BUILD_DIR/lib/libslow_storage.so" 'a build/lib'
WEIR_BUILD_DIR="$PWD/a build" takes_ms 990 "$slow" 1MB dd if=input of=one bs=100k
! grep 'cannot be preloaded' log || fail "in a folder with blanks it is not preloaded"
[[ -z $(find . -name 'slow_storage.*') ]] || fail "the clock was left"
for wrong in fast 0 1MB,fast -1; do
  code=0
  "$slow" "$wrong" true 2>log || code=$?
  [[ $code == 2 ]] && grep -q 'is no bandwidth' log || fail "$wrong: $code, $(cat log)"
done
code=0
"$slow" 1MB sh -c 'exit 7' || code=$?
[[ $code == 7 ]] || fail "the code of the command is 7, not $code"
SLOW_STORAGE_BANDWIDTH=1000 LD_PRELOAD=$WEIR_BUILD_DIR/lib/libslow_storage.so dd if=input of=third bs=100k status=none ||
  fail "a program without a clock fails"
cmp input third

"$slow" 3932160 "$WEIR_SOURCE_DIR/tools/launch" -n 4 -- "$WEIR_BUILD_DIR/tests/test_advice_mpi" \
  --gtest_filter=Auto.KeepsAwayFromAWayThatHidesNothing >log 2>&1 || { cat log; fail "strategy: auto does not learn of it"; }
grep -q ' OK .*KeepsAway' log || { cat log; fail "nothing was tested"; }
