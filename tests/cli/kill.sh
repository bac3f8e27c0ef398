#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cores: 1
# timeout: 240
# All ranks of a model that appends records are killed at random moments, again and again. After each kill the file under
# its final name holds exactly the committed records, for PnetCDF and for netCDF's own reader, and the model goes on.
set -u
program=$WEIR_BUILD_DIR/tests/test_faults_committed
[[ -x $program ]] || { echo "$program was not built" >&2; exit 1; }
kills=${KILLS:-6} ranks=3  # kills of each strategy
seed=${KILL_SEED:-$RANDOM}
RANDOM=$seed
failed=0
say() { echo "kill.sh, KILL_SEED=$seed: $*" >&2; }

# This process and all that it started, leaves first.
family() {
  local child
  for child in $(ps -o pid= --ppid "$1"); do
    family "$child"
  done
  echo "$1"
}

for strategy in $'strategy: remap\nsink: direct\n' $'strategy: collective\nsink: pnetcdf\n' \
  $'strategy: dynamic\noverlap: background\n' $'strategy: servers\n'; do
  export STRATEGY=$strategy
  export APPEND_FILE=$TMPDIR/file.nc
  rm -f "$APPEND_FILE" "$TMPDIR/log"
  touch "$TMPDIR/log"
  for ((k = 0; k < kills; ++k)); do
    before=$(wc -l <"$TMPDIR/log")
    APPEND_LOG=$TMPDIR/log "$WEIR_SOURCE_DIR/tools/launch" -n "$ranks" --timeout 100 -- \
      "$program" --gtest_filter='*AppendsUntilKilled' >"$TMPDIR/out" 2>&1 &
    job=$!
    # The first kills hit the beginning: before, at and after the first commit.
    if ((k > 1)); then
      for ((wait = 0; wait < 300 && $(wc -l <"$TMPDIR/log") == before; ++wait)); do sleep 0.1; done
      (($(wc -l <"$TMPDIR/log") > before)) || { say "nothing was committed in 30 s:"; cat "$TMPDIR/out" >&2; exit 1; }
    fi
    sleep "0.$(printf %03d $((RANDOM % 500)))"
    ranks_running=$(family "$job" | while read -r pid; do
      [[ $(readlink "/proc/$pid/exe" 2>/dev/null) == "$(readlink -f "$program")" ]] && echo "$pid"
    done)
    [[ -n $ranks_running ]] && kill -KILL $ranks_running 2>/dev/null
    [[ -z $ranks_running ]] && kill -TERM "$job" 2>/dev/null
    wait "$job" 2>/dev/null
    committed=$(tail -n 1 "$TMPDIR/log")
    COMMITTED=${committed:-0} "$WEIR_SOURCE_DIR/tools/launch" -n 1 --timeout 60 -- \
      "$program" --gtest_filter='*IsWhatTheLogSays' >"$TMPDIR/check" 2>&1 || {
      say "kill $k, ${committed:-0} records committed under ${strategy//$'\n'/, }:"
      cat "$TMPDIR/check" >&2
      failed=1
    }
    if [[ -e $APPEND_FILE ]] && ! ncdump -h "$APPEND_FILE" >/dev/null; then
      say "kill $k: ncdump does not read the file"
      failed=1
    fi
  done
  [[ -s $TMPDIR/log ]] || { say "no record was ever committed"; failed=1; }
  echo "${strategy//$'\n'/, }$(tail -n 1 "$TMPDIR/log") records after $kills kills"
done
exit "$failed"
