#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cores: 3
# timeout: 1200
# Twenty runs of the model in which something goes wrong: ranks are killed, stop or are late, calls of the system fail,
# disks are small, inputs are damaged (docs/results/reliability.md). The seed is fixed; a run that fails says how to replay it.
# Beside them what so few do not draw: ranks that die while communicators are made, full disks, damaged parts, a soak.
set -u
ldd "$WEIR_BUILD_DIR/lib/libweir.so" | grep -qE 'lib[atu]b?san' &&
  { echo "SKIPPED: a preloaded library cannot come before a sanitizer"; exit 0; }
"${MPIRUN:-mpirun}" --version 2>/dev/null | grep -qE 'Open MPI|OpenRTE' || { echo "SKIPPED: only OpenMPI's mpirun lets the others live"; exit 0; }
faults=$WEIR_SOURCE_DIR/tools/faults
"$faults" suite --seed 1 --streams 3 || exit 1
# Where another thread may call MPI, a call that makes communicators is left, and the model gets an error.
said=$("$faults" --replay 'table/1:0/killed while communicators are made/remap' --threads multiple) ||
  { echo "$said" >&2; exit 1; }
[[ $said == *'rank '?' was told: '*'creation of a communicator: a rank has ended meanwhile'* ]] ||
  { echo "nobody was told of a rank that died while communicators were made: $said" >&2; exit 1; }
