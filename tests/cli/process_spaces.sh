#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cores: 2
# Ranks of one machine whose processes are kept apart, as in containers of their own, cannot open each other's memory: each such
# container is a host to Weir, and the file is the same.
set -u
cd "$TMPDIR"
unshare --pid --fork --kill-child --mount-proc true 2>/dev/null || { echo "SKIPPED: making a space of process numbers wants root"; exit 0; }

fail() {
  echo "process_spaces: $1" >&2
  exit 1
}

# run NAME STRATEGY WORDS HOSTS: a small model on four ranks, WORDS said by the shell of each before it begins.
# Open MPI's own shared memory goes by numbers of processes too, so its messages go by the loopback.
run() {
  WEIR_STRATEGY=$2 WEIR_REPORT=$PWD/$1.json OMPI_MCA_btl=tcp,self OMPI_MCA_btl_tcp_if_include=lo \
    "$WEIR_SOURCE_DIR/tools/launch" -n 4 --timeout 60 -- sh -c "$3 exec \"\$@\"" sh "$WEIR_BUILD_DIR/bin/hello_c" \
    >"$1.out" 2>&1 || fail "$1: $(cat "$1.out")"
  mv hello.nc "$1.nc"
  grep -q "\"hosts\": $4," "$1.json" || fail "$1: $(grep '"hosts"' "$1.json") where $4 are apart"
}

rank='${OMPI_COMM_WORLD_RANK:-$PMI_RANK}'
apart='unshare --pid --fork --kill-child --mount-proc'
for strategy in remap dynamic; do
  run together "$strategy" '' 1
  run each "$strategy" "exec $apart \"\$@\";" 4
  run some "$strategy" "test $rank -lt 2 || exec $apart \"\$@\";" 3
  cmp together.nc each.nc && cmp together.nc some.nc || fail "$strategy: files differ"
done
echo "process_spaces: told"
