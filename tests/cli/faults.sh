#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cores: 2
# timeout: 1200
# Sixty runs of the model in which something goes wrong: ranks are killed, stop or are late, calls of the system fail,
# disks are small, inputs are damaged (docs/reliability.md). The seed is fixed; a run that fails says how to replay it.
set -u
ldd "$WEIR_BUILD_DIR/lib/libweir.so" | grep -qE 'lib[atu]b?san' &&
  { echo "SKIPPED: a preloaded library cannot come before a sanitizer"; exit 0; }
mpirun --version 2>/dev/null | grep -q 'Open MPI' || { echo "SKIPPED: only OpenMPI's mpirun lets the others live"; exit 0; }
exec "$WEIR_SOURCE_DIR/tools/faults" mix --runs 60 --seed 1 --streams 3
