#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tools/check finds each kind of fault in a tree made of faults, at its line, and nothing in a sound one.
set -eu
tree=$TMPDIR/tree
check=$WEIR_SOURCE_DIR/tools/check
licence='// SPDX-License-Identifier: Apache-2.0'
mkdir -p "$tree"/src/{plan,schema,base,storage,mpi,formats/netcdf4/hdf5} "$tree"/include/weir "$tree"/tools
cp "$WEIR_SOURCE_DIR/.clang-format" "$tree/"

# file NAME LINE...: makes a file of the tree under the licence line.
file() {
  local name=$1
  shift
  printf '%s\n' "$licence" "$@" >"$tree/$name"
}

# finds NAME:LINE TEXT: a finding of that place and with those words is among the output.
finds() {
  grep -F -- "$1: " <<<"$output" | grep -qF -- "$2" || {
    printf 'no finding "%s: ... %s ..." in:\n%s\n' "$1" "$2" "$output"
    exit 1
  }
}

file src/mpi/communicator.hpp '#include <mpi.h>'
file src/storage/sink.cpp '#include <mpi.h>'
file src/plan/plan.cpp '#include <vector>' '' '#include "schema/schema.hpp"' '' '// "a b" + c' 'inline std::vector<int> plans;'
file src/schema/schema.hpp '#include <string>'
file src/formats/netcdf4/hdf5/module.cpp '#include <netcdf.h>'
{ printf '%s\n' "$licence" 'void long_function(int* p) {'; printf '  ++*p;\n%.0s' {1..60}; echo '}'; } >"$tree/src/plan/long.cpp"
{ printf '%s\n' "$licence"; printf 'int f%d();\n' {1..600}; } >"$tree/src/plan/many.hpp"

output=$("$check" "$tree") || { printf 'findings in a sound tree:\n%s\n' "$output"; exit 1; }
# Long files and functions are advice.
finds 'advice: src/plan/long.cpp:2' 'long_function has 62 lines'
finds 'advice: src/plan/many.hpp:1' '601 lines'

file include/weir/weir.h '#include <mpi.h>'
file src/plan/direct.cpp '#include <mpi.h>'
file src/plan/wrapped.cpp '#include "mpi/communicator.hpp"'
file src/plan/hidden.cpp '#include <weir/weir.h>'
mkdir "$tree/simulate" && file simulate/writes.cpp '#include "storage/sink.hpp"'
file src/base/library.cpp '#include <netcdf.h>'
file src/base/binding.cpp '#include "bindings/c/weir.hpp"'
file src/base/upwards.cpp '#include "plan/plan.hpp"'
file src/plan/badly_laid.cpp 'int  f( ){return 1;}'
file src/plan/unfinished.cpp "// TO""DO: all of it"
file src/plan/machine.cpp "const char* const path = \"/ho""me/somebody/file.nc\";"
printf 'int f();\n' >"$tree/src/plan/unlicensed.hpp"
file src/plan/in_pieces.cpp 'auto of(auto x) {' '  return "put into " + x + ".nc";' '}'
mkdir "$tree/src/newcomer" && file src/newcomer/x.cpp 'int x;'

output=$("$check" "$tree") && { echo 'faults, and exit code 0'; exit 1; }
finds src/plan/direct.cpp:2 'raw MPI'
finds src/plan/wrapped.cpp:2 'against the direction'
finds src/plan/hidden.cpp:2 'and by it mpi.h'
finds simulate/writes.cpp:2 'against the direction'
finds src/base/library.cpp:2 'src/formats/netcdf4/hdf5/ alone knows netCDF-C'
finds src/base/binding.cpp:2 'nothing in src/ includes a binding'
finds src/base/upwards.cpp:2 'against the direction'
finds src/plan/unfinished.cpp:2 'unfinished'
finds src/plan/machine.cpp:2 'a path of one machine'
finds src/plan/unlicensed.hpp:1 'licence line'
finds src/plan/in_pieces.cpp:3 'a sentence in pieces'
finds src/newcomer/x.cpp:1 'no place in the path'
if clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
  finds src/plan/badly_laid.cpp:2 'clang-format'
fi
