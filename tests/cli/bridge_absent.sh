#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cores: 3
# LD_PRELOAD that did not reach all ranks: the others wait no longer than `timeout`, and name those without the bridge.
set -u
cd "$TMPDIR"
ldd "$WEIR_BUILD_DIR/tests/bridge_model" | grep -qE 'lib[atu]b?san' &&
  { echo "SKIPPED: a preloaded library cannot come before a sanitizer"; exit 0; }
# The program itself may or may not go on behind that: MPI has been asked for different things.
WEIR_TIMEOUT=5 "$WEIR_SOURCE_DIR/tools/launch" -n 3 --timeout 30 -- env LD_PRELOAD= bash -c '
  [[ ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} == 1 ]] || export LD_PRELOAD=$1
  exec "$2" some.nc 5' - "$WEIR_BUILD_DIR/lib/libweir_pnetcdf.so" "$WEIR_BUILD_DIR/tests/bridge_model" >said 2>&1
grep -q 'rank(s) 1 did not come, perhaps because the bridge is not loaded there: hand LD_PRELOAD on to all nodes' said ||
  { echo "bridge_absent: it says: $(cat said)" >&2; exit 1; }
echo "bridge_absent: named"
