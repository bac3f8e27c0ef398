#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cores: 1
# timeout: 400
# A call of the system that takes longer than ranks wait for each other, wherever in a file's life: all goes well, and
# the report names the rank that was in it.
set -u
program=$WEIR_BUILD_DIR/tests/test_faults_left_alone
layer=$WEIR_BUILD_DIR/tests/harness_layer.so
for file in "$program" "$layer"; do [[ -e $file ]] || { echo "$file was not built" >&2; exit 1; }; done
ldd "$program" | grep -qE 'lib[atu]b?san' &&
  { echo "SKIPPED: a preloaded library cannot come before a sanitizer"; exit 0; }
"${MPIRUN:-mpirun}" --version 2>/dev/null | grep -qE 'Open MPI|OpenRTE' || { echo "SKIPPED: only OpenMPI's mpirun hands on an environment by -x"; exit 0; }

# slow RANK PHASE CALL [CONFIGURATION [LIBRARY]]: that rank's first such call in the phase (by that library) takes twice
# the ranks' patience.
slow() {
  local rank=$1 phase=$2 call=$3 notes=$TMPDIR/notes
  rm -rf "$notes" && mkdir "$notes" || exit 1
  export SLOW_CALL_RANK=$rank SLOW_CALL_CONFIG=${4:-strategy: remap} FAULT_NOTES=$notes FAULT_FILES=$TMPDIR/left_alone/weir_
  export FAULT_RULE="rank=$rank phase=$phase:1 call=$call n=1 action=sleep argument=5000000${5:+ by=$5}"
  "$WEIR_SOURCE_DIR/tools/launch" -n 4 --timeout 60 -- -x "LD_PRELOAD=$layer" "$program" \
    --gtest_filter=SlowCall.IsWaitedFor >"$TMPDIR/log" 2>&1 ||
    { echo "$phase, $call on rank $rank, $SLOW_CALL_CONFIG:" >&2; cat "$TMPDIR/log" >&2; failed=1; }
  # The layer lets a rank sleep at the end of a phase in which it makes no such call.
  grep -qv leaving "$notes/fired.$rank" || { echo "rank $rank makes no $call in $phase" >&2; failed=1; }
}

failed=0
slow 2 create stat
slow 0 create stat
slow 0 enddef open
slow 0 enddef pwrite
slow 0 enddef open "strategy: file_per_rank"
slow 2 sync open "strategy: file_per_rank"
slow 0 sync fdatasync
WEIR_REPORT=- slow 0 sync rename
grep -q "^weir: the storage is slow: rank(s) 0 have been in one storage call for" "$TMPDIR/log" ||
  { echo "nothing said at once that the storage is slow:" >&2; cat "$TMPDIR/log" >&2; failed=1; }
slow 0 close close "durability: cache"
slow 0 open open
slow 0 open pread
slow 2 get pread
# While HDF5 reads the tables of a file rank 0 answers, too.
if compgen -G "$WEIR_BUILD_DIR/lib/libweir_netcdf4_*.so" >/dev/null; then
  packed=$'strategy: remap\nfiles: {"*.nc": {format: netcdf4}}'
  for call in open pread; do slow 0 open $call "$packed" libhdf5; done
fi
# MPI-IO is left to a thread where any thread may call MPI.
SLOW_CALL_THREADS=multiple slow 0 sync write $'strategy: collective\nsink: pnetcdf'
exit "$failed"
