#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every function of weir.h has its twin in the C++ interface, which calls it; and the C++ headers stand on their own.
set -eu
include=$WEIR_SOURCE_DIR/include/weir

# names FILE...: the functions of weir.h that are declared or called there, comments left out.
names() {
  cat "$@" | sed 's://.*::' | tr '\n' ' ' | sed 's:/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/: :g' |
    grep -oE '\bweir_[a-z_0-9]+ *\(' | tr -d ' (' | sort -u
}

names "$include/weir.h" >"$TMPDIR/declared"
(($(wc -l <"$TMPDIR/declared") > 30)) || { echo "only $(wc -l <"$TMPDIR/declared") functions were found in weir.h"; exit 1; }
names "$include"/*.hpp >"$TMPDIR/called"
missing=$(comm -23 "$TMPDIR/declared" "$TMPDIR/called" | tr '\n' ' ')
[[ -z $missing ]] || { echo "the C++ interface has no twin of: $missing"; exit 1; }

# A method has its function's name, but for what an object or a constructor says better.
while read -r function; do
  name=${function#weir_}
  [[ $name =~ ^(init|init_error|error|file_error)$ ]] && continue
  grep -qE "\b$name\(" "$include"/*.hpp || { echo "no method is called $name, as $function is"; exit 1; }
done <"$TMPDIR/declared"

for header in "$include"/*.hpp; do
  ${MPICXX:-mpicxx} -std=c++20 -Wall -Wextra -fsyntax-only -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX -x c++ -I "$WEIR_SOURCE_DIR/include" - <<<"#include <weir/$(basename "$header")>" ||
    { echo "$header does not stand on its own"; exit 1; }
done
