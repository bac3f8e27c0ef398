#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cores: 2
# A job whose memory a batch system limits: Weir says so where buffer_limit may take more, in the report too.
set -u
cd "$TMPDIR"
fail() {
  echo "memory_limit: $1" >&2
  exit 1
}
skip() {
  echo "SKIPPED: $1"
  exit 0
}

memory=/sys/fs/cgroup/memory limit=memory.limit_in_bytes
[[ -d $memory ]] || memory=/sys/fs/cgroup limit=memory.max
group=$memory/weir-test-$$
mkdir "$group" 2>/dev/null || skip "making a control group wants root"
trap 'rmdir "$group"' EXIT
echo 600M >"$group/$limit" 2>/dev/null || skip "control groups here do not limit memory"

# run NAME BUFFER_LIMIT: two ranks in the group.
run() {
  (echo "$BASHPID" >"$group/cgroup.procs" && WEIR_BUFFER_LIMIT=$2 WEIR_REPORT=$PWD/$1.json \
    exec "$WEIR_SOURCE_DIR/tools/launch" -n 2 --timeout 60 -- "$WEIR_BUILD_DIR/bin/hello_c") >"$1.out" 2>&1 || fail "$1: $(cat "$1.out")"
}
sentence='may take 838860800 bytes by buffer_limit, and the job may use 629145600 bytes there: lower buffer_limit'
run much 400MiB
(($(grep -c "^weir: the 2 rank(s) of host .* $sentence" much.out) == 1)) || fail "not said once: $(cat much.out)"
grep -q "$sentence" much.json || fail "the report has no note: $(cat much.json)"
run little 64MiB
grep -q 'by buffer_limit' little.out little.json && fail "said where it fits: $(cat little.out)"
told=$(echo "$BASHPID" >"$group/cgroup.procs" && "$WEIR_BUILD_DIR/bin/weir-doctor" "$TMPDIR" 2>&1)
[[ $told == *'of memory, of which the job may use 0.6 GiB'* ]] || fail "weir-doctor: $told"
echo "memory_limit: said"
