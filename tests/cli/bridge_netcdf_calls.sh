#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The bridge's table of netCDF's calls is true: the library exports what it names and no more, netCDF's headers declare no
# call on an open file that it lacks, a test makes each, and docs/bridge_netcdf.md shows the table as it is made.
set -eu
cd "$WEIR_SOURCE_DIR"
library=$WEIR_BUILD_DIR/lib/libweir_netcdf.so
include=$(pkg-config --variable=prefix netcdf-mpi)/include
[[ -e $include/netcdf_par.h ]] || include=$(pkg-config --variable=includedir netcdf-mpi)
tools/bridge-netcdf-calls "$library" "$include" docs/bridge_netcdf.md
