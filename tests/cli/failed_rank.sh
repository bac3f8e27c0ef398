#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cores: 1
# An MPI test that fails on one rank ends soon and with an error, says on which rank, and the tests after it run where they can.
set -u
export GTEST_COLOR=no
program=$WEIR_BUILD_DIR/tests/test_failed_rank
fail() {
  echo "failed_rank: $1: $(cat "$TMPDIR/log")" >&2
  exit 1
}
# run RANKS TESTS
run() {
  "$WEIR_SOURCE_DIR/tools/launch" -n "$1" --timeout 60 -- "$program" --gtest_filter="$2" >"$TMPDIR/log" 2>&1
}

run 3 '*Passes' || fail "a test that passes"
run 3 '*Expects:*Passes' && fail "an expectation fails nothing"
for words in '\[rank 2\] .*Failure in FailedRank.Expects' 'an expectation' 'it has failed on rank 2' \
  '\[  FAILED  \] FailedRank.Expects' '\[       OK \] FailedRank.Passes'; do
  grep -q "$words" "$TMPDIR/log" || fail "an expectation: nothing says $words"
done
begun=$SECONDS
run 3 '*Leaves'
code=$?
((code != 0 && SECONDS - begun < 50)) || fail "an assertion: exit code $code after $((SECONDS - begun)) s"
for words in '\[rank 2\] .*Failure in FailedRank.Leaves' 'an assertion' 'FailedRank.Leaves has failed, and did not end within 20 s'; do
  grep -q "$words" "$TMPDIR/log" || fail "an assertion: nothing says $words"
done
echo "failed_rank: told and ended"
