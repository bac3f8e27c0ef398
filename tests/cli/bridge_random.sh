#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 300
# Programs drawn by the seed put parts of records through the bridges of netCDF-4 and PnetCDF (tests/bridge/random.c): all codes
# are 0, and the file has what was put last. The seeds are fixed; tools/bridge-random runs as many as one likes.
set -u
cd "$TMPDIR" || exit 1
"$WEIR_SOURCE_DIR/tools/bridge-random" 1 25 || exit 1
