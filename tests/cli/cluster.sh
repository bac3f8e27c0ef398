#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cores: 3
# The scripts of examples/cluster, with stand-ins for what a cluster has: the model's file is the plain one's, the report
# says that the bridge took it, stripes were set in the folder of the run, and the file was verified.
set -u
cd "$TMPDIR"
model=$WEIR_BUILD_DIR/tests/bridge_model
ldd "$model" | grep -qE 'lib[atu]b?san' && { echo "SKIPPED: a preloaded library cannot come before a sanitizer"; exit 0; }

fail() {
  echo "cluster: $1" >&2
  exit 1
}

mkdir bin
cat >bin/srun <<'S'
#!/bin/bash
ranks=${1#--ntasks=} handed=${2#--export=ALL}
exec "$WEIR_SOURCE_DIR/tools/launch" -n "$ranks" --timeout 60 -- env ${handed#,} "${@:3}"
S
cat >bin/mpiexec <<'S'
#!/bin/bash
PATH=$REAL_PATH exec "$WEIR_SOURCE_DIR/tools/launch" -n "$2" --timeout 60 -- "${@:3}"
S
printf '#!/bin/bash\necho "$PWD: $*" >>"%s/lfs"\n' "$TMPDIR" >bin/lfs
printf '#!/bin/bash\necho "$*" >>"%s/module"\n' "$TMPDIR" >bin/module
chmod +x bin/*
export REAL_PATH=$PATH
"$WEIR_SOURCE_DIR/tools/launch" -n 3 --timeout 60 -- "$model" plain.nc 5 >said 2>&1 || fail "the model: $(cat said)"

# run SCRIPT VARIABLE=VALUE... [-- ARGUMENT...]
run() {
  local script=$WEIR_SOURCE_DIR/examples/cluster/$1 settings=()
  shift
  while (($#)) && [[ $1 != -- ]]; do settings+=("$1") && shift; done
  env PATH="$TMPDIR/bin:$PATH" WEIR_PREFIX="$WEIR_BUILD_DIR" MODEL="$model" MODULES='mpi pnetcdf' SCRATCH="$TMPDIR" "${settings[@]}" \
    bash "$script" "${@:2}" >said 2>&1
}

judge() {
  cmp plain.nc "$1/model.nc" || fail "$1: another file"
  grep -q '"taken_over": *[1-9]' "$1/report.json" || fail "$1: the bridge took nothing: $(cat "$1/report.json")"
  grep -q 'model.nc is whole' said || fail "$1: not verified: $(cat said)"
  grep -q "/$1: setstripe --stripe-count 8 --stripe-size 4M" lfs || fail "$1: no stripes: $(cat lfs)"
  grep -q '^load mpi pnetcdf' module || fail "$1: no modules"
}

run slurm.sh SLURM_JOB_ID=17 SLURM_NTASKS=3 -- model.nc 5 || fail "slurm.sh: $(cat said)"
judge 17
rm lfs module
printf 'node\nnode\nnode\n' >nodes
run pbs.sh PBS_JOBID=18.queue PBS_NODEFILE="$TMPDIR/nodes" PBS_O_WORKDIR="$TMPDIR" ARGUMENTS='model.nc 5' || fail "pbs.sh: $(cat said)"
judge 18.queue
run slurm.sh SLURM_JOB_ID=19 SLURM_NTASKS=3 BRIDGE=libweir_none.so -- model.nc 5 && fail "a bridge that is not there is taken"
grep -q "libweir_none.so is not in $WEIR_BUILD_DIR" said || fail "of a missing bridge: $(cat said)"
echo "cluster: both scripts"
