# SPDX-License-Identifier: Apache-2.0
# What tests of Python under MPI share.

# mpi4py_fits PYTHON: its mpi4py runs on the MPI of this build, whose launcher makes one job of the ranks then.
mpi4py_fits() {
  local sizes
  sizes=$("$WEIR_SOURCE_DIR/tools/launch" -n 2 --timeout 60 -- "$1" -c 'from mpi4py import MPI; print(MPI.COMM_WORLD.size)' 2>/dev/null)
  [[ $(sort -u <<<"$sizes") == 2 ]] || { echo "not tried: Python under MPI; mpi4py of $1 runs on another MPI" && return 1; }
}
