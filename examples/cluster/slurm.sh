#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#SBATCH --job-name=model
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=32
#SBATCH --time=01:00:00
# An unchanged model on PnetCDF, by Slurm: sbatch --export=ALL,MODEL=$PWD/model slurm.sh ARGUMENT...
# The variables below are yours to set, here or in the environment.
set -eu
weir=${WEIR_PREFIX:-$HOME/weir}        # where Weir was installed
model=${MODEL:?the program to start}
out=${OUT:-${SCRATCH:-$PWD}/$SLURM_JOB_ID} # on the parallel file system
bridge=${BRIDGE-libweir_pnetcdf.so}   # libweir_pio.so, libweir_netcdf.so; none: BRIDGE=

if [[ -n ${MODULES:-} ]]; then module load $MODULES; fi # those that Weir and the model were built with
mkdir -p "$out"
cd "$out"
if command -v lfs >/dev/null; then lfs setstripe --stripe-count "${STRIPES:-8}" --stripe-size 4M .; fi

export WEIR_STRATEGY=${WEIR_STRATEGY:-dynamic} WEIR_REPORT=$out/report.json
if [[ -n $bridge ]]; then
  for folder in lib lib64; do [[ ! -e $weir/$folder/$bridge ]] || preload=$weir/$folder/$bridge; done
  srun --ntasks="$SLURM_NTASKS" --export=ALL,LD_PRELOAD="${preload:?$bridge is not in $weir}" "$model" "$@"
else
  srun --ntasks="$SLURM_NTASKS" --export=ALL "$model" "$@"
fi
"$weir/bin/weir-verify" ./*.nc
