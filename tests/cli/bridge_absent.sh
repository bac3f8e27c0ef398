#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cores: 4
# timeout: 240
# LD_PRELOAD that did not reach all ranks: the others wait no longer than `timeout`, and name those without the bridge.
set -u
cd "$TMPDIR"
ldd "$WEIR_BUILD_DIR/tests/bridge_model" | grep -qE 'lib[atu]b?san' &&
  { echo "SKIPPED: a preloaded library cannot come before a sanitizer"; exit 0; }

# absent RANKS FIRST LAST BRIDGE PROGRAM ARGUMENT...: of so many, those from FIRST to LAST have no bridge. The program itself may or
# may not go on behind that: MPI has been asked for different things; so nobody waits for it.
absent() {
  WEIR_TIMEOUT=5 "$WEIR_SOURCE_DIR/tools/launch" -n "$1" --timeout 90 -- env LD_PRELOAD= bash -c '
    rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
    ((rank >= $1 && rank <= $2)) || export LD_PRELOAD=$3
    exec "${@:4}"' - "$2" "$3" "$WEIR_BUILD_DIR/lib/lib$4.so" "$WEIR_BUILD_DIR/tests/$5" "${@:6}" >said 2>&1 &
  local names told
  names=$(seq -s ', ' "$2" "$3")
  told="$4: .*rank(s) $names did not reach this call, perhaps because the bridge is not loaded there: pass LD_PRELOAD to all nodes"
  while kill -0 $! 2>/dev/null && ! grep -q "$told" said; do sleep 0.2; done
  kill $! 2>/dev/null
  wait $!
  grep -q "$told" said || { echo "bridge_absent: $4 says: $(cat said)" >&2; exit 1; }
}
absent 3 1 1 weir_pnetcdf bridge_model some.nc 5
absent 3 1 1 weir_pio bridge_pio_model some.nc
# A whole node, and the first one.
absent 18 0 15 weir_pnetcdf bridge_model some.nc 5
echo "bridge_absent: named"
