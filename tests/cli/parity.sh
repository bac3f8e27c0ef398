#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Symbol parity: every function of weir.h is a public procedure of the Fortran module weir and the other way round, and
# so are the constants, with the same values. The module is asked by compiling against it, not by reading its source.
set -eu
cd "$TMPDIR"
header=$WEIR_SOURCE_DIR/include/weir/weir.h
types=$WEIR_SOURCE_DIR/include/weir/types.h
modules=$WEIR_BUILD_DIR/include
fortran_compiler=${FC:-mpifort}
c_compiler=${CC:-cc}

# Counting from 1 asks for other values of these.
differ_on_purpose='WEIR_GLOBAL|WEIR_UNLIMITED|WEIR_ABSENT'

fail() {
  echo "parity: $1" >&2
  exit 1
}

# Declarations without their comments, a statement a line: the names that are followed by an argument list.
sed 's://.*::' "$header" | tr '\n' ' ' | sed 's:/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/: :g' |
  grep -oE '\bweir_[a-z_0-9]+ *\(' | tr -d ' (' | sort -u >c_functions
(($(wc -l <c_functions) > 30)) || fail "only $(wc -l <c_functions) functions were found in $header"

# What the module has: a name that it lacks is an error of this program's compilation, which names it.
{
  echo 'program twins'
  while read -r name; do echo "  use weir, only: $name"; done <c_functions
  echo 'end program twins'
} >twins.f90
"$fortran_compiler" -fsyntax-only -I "$modules" twins.f90 2>errors ||
  fail "the Fortran module lacks functions of weir.h: $(grep -oE 'weir_[a-z_0-9]+.? .*not found' errors | tr '\n' ';')"

# And what it has besides: its public names, as the modules it is made of list them.
sed -n 's/^ *public :: *//p' "$WEIR_SOURCE_DIR"/bindings/fortran/weir_{files,layouts,data,inquiry}.f90 |
  tr ',' '\n' | tr -d ' ' | sort -u >fortran_procedures
diff c_functions fortran_procedures >difference ||
  fail "weir.h (<) and the Fortran module (>) differ: $(grep '^[<>]' difference | tr '\n' ' ')"

{ grep -oE '^ +WEIR_[A-Z_0-9]+' "$types" "$header"; grep -oE '^#define WEIR_[A-Z_0-9]+ ' "$types" "$header"; } |
  grep -oE 'WEIR_[A-Z_0-9]+' |
  grep -vE "^($differ_on_purpose|WEIR_VERSION|WEIR_TYPES_H|WEIR_WEIR_H)$" | sort -u >constants
(($(wc -l <constants) > 30)) || fail "only $(wc -l <constants) constants were found"

{
  printf '#include <stdio.h>\n#include <weir/types.h>\nint main(void) {\n'
  while read -r name; do echo "  printf(\"$name %d\\n\", (int)$name);"; done <constants
  echo '}'
} >values.c
{
  printf 'program values\n  use weir\n  implicit none\n'
  while read -r name; do echo "  print '(a, i0)', '$name ', $name"; done <constants
  echo 'end program values'
} >values.f90
"$c_compiler" -I "$WEIR_SOURCE_DIR/include" values.c -o values_c
"$fortran_compiler" -I "$modules" values.f90 -o values_fortran
diff <(./values_c) <(./values_fortran) || fail "constants differ, C above and Fortran below"

c_version=$(sed -n 's/^#define WEIR_VERSION "\(.*\)"/\1/p' "$header")
grep -q "WEIR_VERSION = '$c_version'" "$WEIR_SOURCE_DIR/bindings/fortran/weir_types.f90" ||
  fail "the Fortran module's WEIR_VERSION is not $c_version"
echo "$(wc -l <c_functions) functions and $(wc -l <constants) constants have their twins"
