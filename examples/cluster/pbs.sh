#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#PBS -N model
#PBS -l select=4:ncpus=32:mpiprocs=32
#PBS -l walltime=01:00:00
# An unchanged model on PnetCDF, by PBS: qsub -v MODEL=$PWD/model,ARGUMENTS="..." pbs.sh
# The variables below are yours to set, here or in the environment.
set -eu
weir=${WEIR_PREFIX:-$HOME/weir}        # where Weir was installed
model=${MODEL:?the program to start}
out=${OUT:-${SCRATCH:-$PBS_O_WORKDIR}/$PBS_JOBID} # on the parallel file system
bridge=${BRIDGE-libweir_pnetcdf.so}   # libweir_pio.so, libweir_netcdf.so; none: BRIDGE=

if [[ -n ${MODULES:-} ]]; then module load $MODULES; fi # those that Weir and the model were built with
mkdir -p "$out"
cd "$out"
if command -v lfs >/dev/null; then lfs setstripe --stripe-count "${STRIPES:-8}" --stripe-size 4M .; fi

export WEIR_STRATEGY=${WEIR_STRATEGY:-dynamic} WEIR_REPORT=$out/report.json
ranks=$(wc -l <"$PBS_NODEFILE") # a line a rank
# Launchers differ in how they hand variables on; `env` does not.
handed=(WEIR_STRATEGY="$WEIR_STRATEGY" WEIR_REPORT="$WEIR_REPORT")
if [[ -n $bridge ]]; then
  for folder in lib lib64; do [[ ! -e $weir/$folder/$bridge ]] || preload=$weir/$folder/$bridge; done
  handed+=(LD_PRELOAD="${preload:?$bridge is not in $weir}")
fi
mpiexec -n "$ranks" env "${handed[@]}" "$model" ${ARGUMENTS:-}
"$weir/bin/weir-verify" ./*.nc
