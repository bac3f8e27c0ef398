#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cores: 1
# timeout: 120
# weir-bench: a wrong file is found and gives exit code 1 while the other modes go on; a wrong command line gives exit
# code 2 and one clear line.
set -eu
bench=$WEIR_BUILD_DIR/bin/weir-bench
launch=$WEIR_SOURCE_DIR/tools/launch
mkdir "$TMPDIR/files"
small=(--scale 0.001 --warm-up 0)

# code_is CODE ARGUMENT...: runs two ranks; the output is in $TMPDIR/out.
code_is() {
  local wanted=$1 code=0
  shift
  "$launch" -n 2 --timeout 60 -- "$bench" "${small[@]}" --dir "${directory:-$TMPDIR/files}" "$@" >"$TMPDIR/out" 2>&1 || code=$?
  [[ $code == "$wanted" ]] || { echo "exit code $code, not $wanted, for $*:"; cat "$TMPDIR/out"; exit 1; }
}

says() {
  grep -qF -- "$1" "$TMPDIR/out" || { echo "not said: $1"; cat "$TMPDIR/out"; exit 1; }
}

# The null sink leaves no file.
code_is 1 --modes remap:sink=null,peer:raw,remap --json "$TMPDIR/null.json"
says 'remap:sink=null: '
python3 - "$TMPDIR/null.json" <<'END'
import json, sys
runs = json.load(open(sys.argv[1]))["runs"]
assert [run["verified"] for run in runs] == [False, True, True], runs
END

# A key that Weir does not know ends that mode alone.
code_is 1 --modes remap:no_such_key=1,peer:raw
says 'no_such_key'
says 'failed'

code_is 2 --modes remapp
says 'mode "remapp" is not known'
code_is 2 --modes peer:raw:cb_nodes=2
says 'peer:raw has no setting "cb_nodes"'
code_is 2 --modes peer:pnetcdf:sync=yes
says 'sync=yes: give 0 or 1'
code_is 2 --modes writers=2
says 'has no mode before it'
code_is 2 --workload weaker --modes peer:raw
says 'workload "weaker" is not known'
code_is 2 --modes none:writers=2
says 'none has no settings'
code_is 2 --modes limit:writers=2
says 'limit has no setting writers=2'
code_is 2 --modes limit:compression=lzma
says 'compression=lzma is none of'
code_is 2 --modes peer:serial-netcdf4:chunks=round
says 'chunks=round: give one of'
code_is 2 --modes none --compute 1 --compute-kind idle
code_is 2 --modes peer:raw --card fast
says '--card "fast" is no bandwidth'
code_is 2 --modes peer:raw --model-ranks 3
says 'start 3 ranks or more, not 2'
code_is 2 --modes remap,servers:servers=2
says 'reserve 2 ranks in addition to the model'
code_is 2 --modes peer:raw --halo somebody
code_is 2 --repeat 0 --modes peer:raw
code_is 2 --seconds 0 --modes peer:raw
code_is 2 --no-such-option --modes peer:raw
directory=$TMPDIR/nowhere code_is 2 --modes peer:raw
code_is 2 --modes peer:raw --json "$TMPDIR/nowhere/a.json"
says 'cannot be written'
WEIR_STRATEGY=serial code_is 2 --modes remap
says 'WEIR_STRATEGY is set'
code_is 0 --keys
says 'strategy'
