#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cores: 3
# LD_PRELOAD that did not reach all ranks: the others wait no longer than `timeout`, and name those without the bridge.
set -u
cd "$TMPDIR"
ldd "$WEIR_BUILD_DIR/tests/bridge_model" | grep -qE 'lib[atu]b?san' &&
  { echo "SKIPPED: a preloaded library cannot come before a sanitizer"; exit 0; }

# absent BRIDGE PROGRAM ARGUMENT...: rank 1 of three has no bridge. The program itself may or may not go on behind that: MPI
# has been asked for different things; so nobody waits for it.
absent() {
  WEIR_TIMEOUT=5 "$WEIR_SOURCE_DIR/tools/launch" -n 3 --timeout 90 -- env LD_PRELOAD= bash -c '
    [[ ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} == 1 ]] || export LD_PRELOAD=$1
    exec "${@:2}"' - "$WEIR_BUILD_DIR/lib/lib$1.so" "$WEIR_BUILD_DIR/tests/$2" "${@:3}" >said 2>&1 &
  local told="$1: .*rank(s) 1 did not come, perhaps because the bridge is not loaded there: hand LD_PRELOAD on to all nodes"
  while kill -0 $! 2>/dev/null && ! grep -q "$told" said; do sleep 0.2; done
  kill $! 2>/dev/null
  wait $!
  grep -q "$told" said || { echo "bridge_absent: $1 says: $(cat said)" >&2; exit 1; }
}
absent weir_pnetcdf bridge_model some.nc 5
absent weir_pio bridge_pio_model some.nc
echo "bridge_absent: named"
