#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The same output from C and from Fortran, on any number of ranks, is the same file to the byte.
set -eu
programs=$WEIR_BUILD_DIR/tests
launch=$WEIR_SOURCE_DIR/tools/launch

reference=
for ranks in 1 4 7; do
  "$launch" -n "$ranks" --timeout 60 -- "$programs/test_c_scenario"
  "$launch" -n "$ranks" --timeout 60 -- "$programs/test_fortran_scenario"
  cmp "$TMPDIR/scenario_c.nc" "$TMPDIR/scenario_fortran.nc"
  if [[ -z $reference ]]; then
    reference=$TMPDIR/reference.nc
    cp "$TMPDIR/scenario_c.nc" "$reference"
    ncdump -h "$reference" | grep -q 't = UNLIMITED ; // (3 currently)'
  fi
  cmp "$reference" "$TMPDIR/scenario_c.nc"
done
