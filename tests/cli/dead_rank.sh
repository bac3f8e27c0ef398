#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cores: 1
# timeout: 400
# A rank that is killed while the others wait for it: all others are told within the time, and end.
set -u
program=$WEIR_BUILD_DIR/tests/test_faults_dynamic
[[ -x $program ]] || { echo "$program was not built" >&2; exit 1; }
"${MPIRUN:-mpirun}" --version 2>/dev/null | grep -qE 'Open MPI|OpenRTE' || { echo "SKIPPED: only OpenMPI's mpirun lets the others live"; exit 0; }
for way in HostedSlack HostsThread RankBackground Paper; do
  export LAST_WORDS=$TMPDIR/$way
  mkdir "$LAST_WORDS" || exit 1
  "$WEIR_SOURCE_DIR/tools/launch" -n 5 --timeout 60 -- --enable-recovery "$program" \
    --gtest_filter="*RankThatIsKilled/$way" >"$TMPDIR/log" 2>&1
  code=$?
  ((code != 124)) || { echo "$way: the ranks that live hang" >&2; cat "$TMPDIR/log" >&2; exit 1; }
  for rank in 0 1 2 4; do
    [[ -s $LAST_WORDS/$rank ]] || { echo "$way: rank $rank was told nothing" >&2; cat "$TMPDIR/log" >&2; exit 1; }
  done
  for rank in 0 1 2; do
    grep -q 'put of "temp" record .*file.nc: .* within ' "$LAST_WORDS/$rank" ||
      { echo "$way: rank $rank was told: $(<"$LAST_WORDS/$rank")" >&2; exit 1; }
  done
  # Rank 3 is named by those of its host, and by whom rank 0 has answered.
  grep -q 'rank(s) 3' "$LAST_WORDS"/[012] || { echo "$way: nobody names rank 3:" >&2; cat "$LAST_WORDS"/* >&2; exit 1; }
  echo "$way: $(<"$LAST_WORDS/0")"
done
