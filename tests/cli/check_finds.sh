#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tools/check finds each kind of fault in a tree made of faults, at its line, and nothing in a sound one.
set -eu
tree=$TMPDIR/tree
check=$WEIR_SOURCE_DIR/tools/check
licence='// SPDX-License-Identifier: Apache-2.0'
mkdir -p "$tree"/src/{plan,schema,base,write,mpi,simulate} "$tree"/include/weir "$tree"/tools
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
file src/write/sink.cpp '#include <mpi.h>'
file src/plan/plan.cpp '#include <vector>' '' '#include "schema/schema.hpp"' '' 'inline constexpr int plans = 1;'
file src/schema/schema.hpp '#include <string>'
# Twenty-five methods, and what counts as none: constructors, operators, what a base asks for, types and data.
many_methods() {
  printf '%s\n' "$licence" "class $1 : public Base {" ' public:' "  $1(int n) : n_(n) { run(); }" "  ~$1();" \
    '  bool operator==(const '"$1"'&) const = default;' '  void asked(int) const override;' \
    '  void asked_here() override { run(); }' '  struct Inner {' '    int inside(int) const { return 1; }' '  };' \
    '  using Call = int (*)(int);'
  printf '  int method%d(int a = f(1)) const noexcept { return a; }\n' $(seq $(($2 - 1)))
  printf '%s\n' '  template <class T>' '  void each(const std::function<void(T)>& call);' '' ' private:' \
    '  std::function<void(int)> call_;' '  int n_ = f(2);' '};'
}
many_methods Enough 25 >"$tree/src/plan/enough.hpp"
many_methods File 26 >"$tree/include/weir/file.hpp" # which has a reason
! command -v clang-format >/dev/null || clang-format -i "$tree/src/plan/enough.hpp" "$tree/include/weir/file.hpp"
# The same in Python.
many_in_python() {
  printf '%s\n' '# SPDX-License-Identifier: Apache-2.0' "class $1:" '    def __init__(self) -> None: ...'
  printf '    def method%d(self) -> None: ...\n' $(seq "$2")
}
many_in_python Enough 25 >"$tree/tools/enough.py"

output=$("$check" "$tree") || { printf 'findings in a sound tree:\n%s\n' "$output"; exit 1; }

file include/weir/weir.h '#include <mpi.h>'
file src/plan/direct.cpp '#include <mpi.h>'
file src/plan/wrapped.cpp '#include "mpi/communicator.hpp"'
file src/plan/hidden.cpp '#include <weir/weir.h>'
mkdir "$tree/simulate" && file simulate/writes.cpp '#include "write/sink.hpp"'
file src/base/library.cpp '#include <netcdf.h>'
file src/base/binding.cpp '#include "bindings/c/weir.hpp"'
file src/base/upwards.cpp '#include "plan/plan.hpp"'
file src/plan/wide.cpp 'int wide(int a, int b, int c, int d, int e, int f) { return a + b + c + d + e + f; }'
file src/plan/badly_laid.cpp 'int  f( ){return 1;}'
file src/plan/unfinished.cpp "// TO""DO: all of it"
file src/plan/machine.cpp "const char* const path = \"/ho""me/somebody/file.nc\";"
printf 'int f();\n' >"$tree/src/plan/unlicensed.hpp"
{ printf '%s\n' "$licence" 'void long_function(int* p) {'; printf '  ++*p;\n%.0s' {1..60}; echo '}'; } >"$tree/src/plan/long.cpp"
{ printf '%s\n' "$licence"; printf 'int f%d();\n' {1..400}; } >"$tree/src/plan/many.hpp"
many_methods TooMany 26 >"$tree/src/plan/too_many.hpp"
mkdir "$tree/bridge" && many_methods File 26 >"$tree/bridge/file.hpp"
{ echo '#!/usr/bin/python3' && many_in_python TooMany 26; } >"$tree/tools/too-many"
mkdir "$tree/src/newcomer" && file src/newcomer/x.cpp 'int x;'

output=$("$check" "$tree") && { echo 'faults, and exit code 0'; exit 1; }
finds src/plan/direct.cpp:2 'raw MPI'
finds src/plan/wrapped.cpp:2 'against the direction'
finds src/plan/hidden.cpp:2 'and by it mpi.h'
finds simulate/writes.cpp:2 'against the direction'
finds src/base/library.cpp:2 'src/hdf5 alone knows netCDF-C'
finds src/base/binding.cpp:2 'nothing in src/ includes a binding'
finds src/base/upwards.cpp:2 'against the direction'
finds src/plan/wide.cpp:2 '6 parameters'
finds src/plan/unfinished.cpp:2 'unfinished'
finds src/plan/machine.cpp:2 'a path of one machine'
finds src/plan/unlicensed.hpp:1 'licence line'
finds src/plan/long.cpp:2 '62 lines'
finds src/plan/many.hpp:1 '401 lines'
finds src/plan/too_many.hpp:2 'TooMany has 26 methods'
finds bridge/file.hpp:2 'File has 26 methods'
finds tools/too-many:3 'TooMany has 26 methods'
finds src/newcomer/x.cpp:1 'no place in the path'
if clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
  finds src/plan/badly_laid.cpp:2 'clang-format'
fi
