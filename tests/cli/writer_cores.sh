#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Where a launcher binds ranks and leaves cores to nobody, threads that write run there; the report says so. Cores that
# are told are taken, and refused where the job has them not.
set -u
cd "$TMPDIR"
fail() {
  echo "writer_cores: $1" >&2
  exit 1
}
cores=$(python3 -c 'import os; print(*sorted(os.sched_getaffinity(0)))')
read -r first second _ <<<"$cores"
[[ -n ${second:-} ]] || { echo "SKIPPED: a machine of one core has none to spare"; exit 0; }

# bench CORES VARIABLE=VALUE...: two ranks bound to these cores; what the report notes.
bench() {
  env "${@:2}" WEIR_REPORT="$PWD/report.json" "$WEIR_SOURCE_DIR/tools/launch" -n 2 --timeout 60 -- taskset -c "$1" \
    "$WEIR_BUILD_DIR/bin/weir-bench" --workload weak --scale 0.01 --records 2 --repeat 1 --warm-up 0 --no-verify \
    --modes dynamic --dir . >printed 2>errors || return
  python3 -c 'import json; print(*json.load(open("report.json")).get("notes", []), sep="\n")'
}
notes=$(bench "$first") || fail "bound ranks: $(cat errors)"
[[ $notes =~ 'threads that write run on core(s) '(.*)', to which no rank is bound' ]] || fail "nothing is noted: $notes"
[[ ${BASH_REMATCH[1]} != "$first" ]] || fail "threads run on the rank's own core $first"
notes=$(bench "$first" WEIR_WRITER_CORES=none) && [[ $notes != *'threads that write'* ]] || fail "none: $notes"
notes=$(bench "$first" OMP_PROC_BIND=true) && [[ $notes != *'threads that write'* ]] || fail "OpenMP binds: $notes"
notes=$(bench "${cores// /,}") && [[ $notes != *'threads that write'* ]] || fail "ranks that are not bound: $notes"
notes=$(bench "$first" WEIR_WRITER_CORES="$second") || fail "told cores: $(cat errors)"
[[ $notes == *"run on core(s) $second, as writer_cores says"* ]] || fail "told cores: $notes"
if bench "$first" WEIR_WRITER_CORES=4000; then fail "cores that are not there"; fi
grep -q "writer_cores: 4000 has none of this host's cores that the job may use" printed errors ||
  fail "cores that are not there: $(cat printed errors)"
if bench "$first" WEIR_WRITER_CORES=many; then fail "no list"; fi
grep -q "'many' is not auto, none, or a list of cores such as 0-3,8" printed errors || fail "no list: $(cat errors)"
