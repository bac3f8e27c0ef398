#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tools/launch starts the ranks asked for, passes the exit code on, keeps the time limit, and leaves nothing behind.
set -eu
launch=$WEIR_SOURCE_DIR/tools/launch

fail() {
  echo "$1"
  exit 1
}

# code_of COMMAND...: its exit code, in $code.
code_of() {
  code=0
  "$@" >"$TMPDIR/out" 2>&1 || code=$?
}

# runs FILE: the process whose id FILE holds has not ended (one that only waits to be reaped has).
runs() {
  local state
  state=$(sed 's/.*) //; s/ .*//' "/proc/$(<"$1")/stat" 2>/dev/null) && [[ $state != Z ]]
}

# Where OpenMPI puts what it makes: directories of this job's own, there while it runs. Other MPIs: none.
note_directories='for d in $OMPI_MCA_orte_tmpdir_base $OMPI_MCA_btl_vader_backing_directory; do [ -d $d ] && echo $d; done'

code_of "$launch" -n 3 -- sh -c 'echo started'
[[ $code == 0 && $(grep -c started "$TMPDIR/out") == 3 ]] || fail "three ranks were not started: $(<"$TMPDIR/out")"

code_of "$launch" -n 2 sh -c 'exit 7'
[[ $code == 7 ]] || fail "exit code 7 became $code"

# The ranks pay no heed to SIGTERM and have children; all have to end.
code_of "$launch" -n 2 --timeout 1 bash -c "trap '' TERM; echo \$\$ >$TMPDIR/pid.\${OMPI_COMM_WORLD_RANK:-\$PMI_RANK}; sleep 77 & sleep 77; sleep 77"
[[ $code == 124 ]] || fail "a run beyond its time limit ended with $code: $(<"$TMPDIR/out")"
[[ -s $TMPDIR/pid.0 && -s $TMPDIR/pid.1 ]] || fail "the ranks were not started"
for file in "$TMPDIR"/pid.*; do
  ! runs "$file" || fail "process $(<"$file") outlived the time limit"
done

"$launch" -n 2 bash -c "($note_directories) >$TMPDIR/directories; echo \$\$ >$TMPDIR/pid.interrupted; exec sleep 77" >/dev/null 2>&1 &
job=$!
until [[ -s $TMPDIR/pid.interrupted ]]; do sleep 0.1; done
kill -TERM "$job"
code=0
wait "$job" || code=$?
[[ $code == 143 ]] || fail "a run ended by SIGTERM exits with $code"
! runs "$TMPDIR/pid.interrupted" || fail "a rank outlived SIGTERM to its launcher"
if "${MPIRUN:-mpirun}" --version | grep -qE 'Open MPI|OpenRTE'; then
  [[ -s $TMPDIR/directories ]] || fail "the job had no directories of its own"
fi
while read -r directory; do
  [[ ! -e $directory ]] || fail "left behind: $directory"
done <"$TMPDIR/directories"

for wrong in "-n 0 true" "-n many true" "-n 2" "-n 2 --io nothing true" "--what -n 2 true" "-n 2 --timeout soon true"; do
  code_of "$launch" $wrong
  [[ $code == 2 ]] || fail "'launch $wrong' ended with $code, not 2"
done
