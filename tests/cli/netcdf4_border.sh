#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cores: 1
# By their border a program and its netCDF-4 module tell that they are of one build: it is another one where a header that
# the module sees is, or the compiler; not where a source by itself is, or what the module does not see.
set -u
cd "$TMPDIR"

fail() {
  echo "netcdf4_border: $1" >&2
  exit 1
}

mkdir -p text/include && cp -r "$WEIR_SOURCE_DIR/src" text/ && cp -r "$WEIR_SOURCE_DIR/include/weir" text/include/
# border [COMPILER]: the mark of what is in text/.
border() {
  cmake -D SOURCE="$PWD/text" -D "BUILD=${1:-GNU 12}" -D OUTPUT="$PWD/border" -P "$WEIR_SOURCE_DIR/cmake/Netcdf4Border.cmake" &&
    grep -oE '"[0-9a-f]{64}"' border
}
plain=$(border) || fail "no border"
[[ $(border "GNU 14") != "$plain" ]] || fail "another compiler makes the same border"
for crosses in src/schema/storage.hpp src/formats/netcdf4/metadata.hpp include/weir/types.h; do
  cp "text/$crosses" kept && echo "struct Another { int of_the_test; };" >>"text/$crosses"
  [[ $(border) != "$plain" ]] || fail "$crosses may change, and the border stays"
  cp kept "text/$crosses"
done
echo "// more" >>text/src/formats/netcdf4/hdf5/image.cpp
echo "struct Another { int of_the_test; };" >>text/src/flow/flow.hpp
[[ $(border) == "$plain" ]] || fail "the border changes with what does not cross it"
