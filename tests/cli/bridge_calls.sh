#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The bridge's table of calls is true: the library exports the functions that it names, no others, all of them PnetCDF's,
# and docs/bridge.md shows the table as it is made from the sources.
set -eu
cd "$WEIR_SOURCE_DIR"
header=$(pkg-config --variable=includedir pnetcdf || echo "${PNETCDF_DIR:?}/include")/pnetcdf.h
library=$WEIR_BUILD_DIR/lib/libweir_pnetcdf.so
tools/bridge-calls "$library" "$header" docs/bridge.md

# What must go through the bridge lest Weir's data be missed: every call that writes or reads data, or ends a mode.
names=$(nm -D --defined-only "$library" | awk '{ print $3 }')
for name in $(grep -oE '^ncmpi_\w+' "$header" | sort -u); do
  case $name in
    *_att | *_att_*) continue ;;
    ncmpi_*put_var* | ncmpi_*get_var* | ncmpi_wait* | ncmpi_cancel | ncmpi_create | ncmpi_open | ncmpi_*enddef | \
      ncmpi_redef | ncmpi_close | ncmpi_abort | ncmpi_sync* | ncmpi_*_indep_data | ncmpi_fill_var_rec)
      grep -qx "$name" <<<"$names" || { echo "bridge_calls: $name does not go through the bridge" >&2; exit 1; }
      ;;
  esac
done
