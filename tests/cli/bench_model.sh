#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 240
# cores: 1
# weir-bench with a model around the output: what is computed, how uneven it is and who waits for whom, a storage of a
# given bandwidth, and ranks that are not the model's.
set -eu
bench=$WEIR_BUILD_DIR/bin/weir-bench
launch=$WEIR_SOURCE_DIR/tools/launch
mkdir "$TMPDIR/files"

# [storage=BANDWIDTH] run RANKS ARGUMENT...: the results in $TMPDIR/run.json; fails where the exit code is not 0.
run() {
  local ranks=$1
  shift
  ${storage:+"$WEIR_SOURCE_DIR/tools/slow_storage" "$storage"} "$launch" -n "$ranks" --timeout 100 -- \
    "$bench" --dir "${directory:-$TMPDIR/files}" --warm-up 0 --repeat 1 \
    --json "$TMPDIR/run.json" "$@" >"$TMPDIR/out" 2>&1 || {
    echo "exit code $? of $ranks ranks with $*:"
    cat "$TMPDIR/out"
    exit 1
  }
}

# holds CONDITION: of `runs` (by mode) and of `old`, what the last `keep` kept.
keep() { cp "$TMPDIR/run.json" "$TMPDIR/old.json"; }
holds() {
  python3 - "$TMPDIR/run.json" "$TMPDIR/old.json" "$1" <<'END'
import json, os, sys
def load(path):
    return {run["mode"]: run for run in json.load(open(path))["runs"]} if os.path.exists(path) else {}
runs, old = load(sys.argv[1]), load(sys.argv[2])
if not eval(sys.argv[3]):
    sys.exit(f"does not hold: {sys.argv[3]}\n{json.dumps(runs, indent=1)}")
END
}

# One domain on one rank or on eight: the sweeps change it alike, whatever is written meanwhile.
run 1 --workload jacobi --scale 0.064 --records 3 --steps 5 --modes none,remap,peer:raw
keep
run 8 --workload jacobi --scale 0.008 --records 3 --steps 5 --modes none,remap,peer:raw
holds 'len({run["residual"] for run in [*runs.values(), *old.values()]}) == 1 and runs["none"]["residual"] > 0'
holds 'runs["none"]["bytes"] == 0 and runs["none"]["verified"] is None and runs["remap"]["verified"]'
holds 'runs["remap"]["bytes"] == old["remap"]["bytes"] == 3 * 28 * 24 * 20 * 4'
run 8 --workload jacobi --scale 0.008 --records 3 --steps 4 --modes none
holds 'runs["none"]["residual"] != old["none"]["residual"]'
run 2 --workload jacobi --scale 0.001 --steps 0 --modes none,remap
holds '"compute" not in runs["none"] and runs["remap"]["records"] == 10'

# 3600 x 2302 x 55, ten variables.
run 6 --workload licom --scale 0.0001 --modes remap,peer:pnetcdf
holds 'runs["remap"]["verified"] and runs["remap"]["bytes"] == 10 * 36 * 23 * 55 * 4'

# The slowest of four ranks takes 1 + 0.3 * 0.708 of the time; where all wait for all, the others wait for it.
model=(--workload weak --scale 0.001 --records 3 --compute 0.4 --compute-kind sleep --imbalance 0.3 --modes none)
run 4 "${model[@]}" --halo all
holds '1.2 * 1.21 <= runs["none"]["seconds"][0]'
holds 'runs["none"]["slack_seconds"][0] > 0.1 and runs["none"]["compute"]["halo"] == "all"'
run 4 "${model[@]}" --halo none
holds '1.2 * 1.21 <= runs["none"]["seconds"][0] and runs["none"]["slack_seconds"] == [0.0]'
# Another rank is slow each time: where nobody waits, what a rank needs in all is more even.
run 4 "${model[@]}" --halo none --imbalance-kind drifting
holds 'runs["none"]["seconds"][0] >= 1.2 and runs["none"]["compute"]["imbalance_kind"] == "drifting"'

# Who sleeps leaves the processors alone. Who is busy has the same work in all modes, and no processor sweeps a plane of
# 16,384 elements in a microsecond.
run 2 --workload weak --scale 0.001 --compute 1 --compute-kind sleep --modes none
holds 'runs["none"]["compute"]["kind"] == "sleep" and "planes_per_step" not in runs["none"]["compute"]'
holds 'runs["none"]["processor_seconds"][0] < 0.5 and runs["none"]["computing_seconds"][0] >= 1'
run 2 --workload weak --scale 0.02 --records 3 --steps 2 --compute 0.4 --modes none,limit,remap
holds 'all(run["compute"]["kind"] == "busy" for run in runs.values())'
holds 'len({run["compute"]["planes_per_step"] for run in runs.values()}) == 1'
holds 'all(run["processor_seconds"][0] > 2 * 3 * 2 * 1e-6 * run["compute"]["planes_per_step"] for run in runs.values())'
holds 'all(run["seconds"][0] >= run["computing_seconds"][0] > 0 for run in runs.values())'
holds '[runs["none"][key] for key in ("added_seconds", "added_processor_seconds", "computing_slow_down")] == [0, 0, 1]'
holds 'abs(runs["remap"]["added_seconds"] - runs["remap"]["seconds"][0] + runs["none"]["seconds"][0]) < 1e-9'
grep -q 'processor s added' "$TMPDIR/out" || { echo 'not in the table'; cat "$TMPDIR/out"; exit 1; }

# The limit's files hold what was put, of any type, in more records than its memory holds; and it says where it cannot
# write past the cache.
run 3 --workload cmaq-ca --scale 0.01 --modes limit
holds 'runs["limit"]["verified"] and runs["limit"]["bytes"] > 0'
run 2 --workload weak --scale 3 --records 5 --modes limit
holds 'runs["limit"]["verified"]'
memory=$(mktemp -d /dev/shm/weir-limit.XXXXXX)
trap 'rm -rf "$memory"' EXIT
directory=$memory run 2 --workload weak --scale 0.02 --modes limit
holds 'runs["limit"]["verified"] and "through it" in runs["limit"]["remark"]'

# Ranks beyond the model's take no part, and do not hang the job when the others go.
run 5 --workload weak --scale 0.01 --modes remap,peer:pnetcdf --model-ranks 4
holds 'all(run["ranks"] == 4 and run["verified"] for run in runs.values())'

# A mode that reserves a rank has one beyond them: the model is as large as without it.
run 5 --workload weak --scale 0.01 --records 2 --modes remap,dynamic:control=rank,dynamic
holds 'all(run["ranks"] == 4 and run["verified"] for run in runs.values())'
holds '[run.get("reserved_ranks") for run in runs.values()] == [None, 1, None]'

# A preloaded library cannot come before a sanitizer.
ldd "$bench" | grep -qE 'lib[atu]b?san' && exit 0

# No way of writing is faster than the storage; and where one writer gets a quarter, one writer needs four times as long.
storage=8MB run 4 --workload weak --scale 0.02 --modes limit,serial,collective,remap,file_per_rank,peer:serial,peer:pnetcdf,peer:pnetcdf-nb,peer:pnetcdf:romio_cb_write=disable,peer:netcdf4,peer:raw,remap:sink=null --no-verify
holds 'all(run["seconds"][0] >= run["bytes"] / 8e6 for mode, run in runs.items() if "null" not in mode)'
holds 'all(run["bandwidth"] == 8e6 and "writer_bandwidth" not in run for run in runs.values())'
holds 'runs["remap:sink=null"]["seconds"][0] < runs["remap"]["bytes"] / 8e6'
storage=32MB,8MB run 4 --workload weak --scale 0.02 --modes remap:writers=1,peer:serial,peer:pnetcdf,collective,peer:raw
holds 'all(run["writer_bandwidth"] == 8e6 for run in runs.values())'
holds 'all(run["seconds"][0] >= run["bytes"] / (32e6 if mode == "peer:raw" else 8e6) for mode, run in runs.items())'
