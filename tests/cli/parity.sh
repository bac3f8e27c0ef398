#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The interfaces agree. What follows from weir.h in the others is what tools/interfaces makes of it, and each of them has all of its
# functions. The constants of the Fortran module have the values that C's compiler gives them; cfio2.h and the module cfio2 likewise. A
# module is asked by compiling against it, not by reading its source. The C++ headers stand on their own.
set -eu
cd "$TMPDIR"
header=$WEIR_SOURCE_DIR/include/weir/weir.h
types=$WEIR_SOURCE_DIR/include/weir/types.h
modules=$WEIR_BUILD_DIR/include
fortran_compiler=${MPIFC:-mpifort}
c_compiler=${CC:-cc}

# Counting from 1 asks for other values of these.
differ_on_purpose='WEIR_GLOBAL|WEIR_UNLIMITED|WEIR_ABSENT'

fail() {
  echo "parity: $1" >&2
  exit 1
}

interfaces=$WEIR_SOURCE_DIR/tools/interfaces
"$interfaces" --check || fail "the interfaces differ from weir.h, as said above"

# A function that weir.h alone has is missed in each language, by name.
sed 's:^int weir_enddef(:int weir_new_call(weir_file* file, int var, float value);\n&:' "$header" >new.h
! "$interfaces" --check --header new.h >unknown || fail "a type that tools/interfaces does not know passes"
grep -q 'weir_new_call.*float value' unknown || fail "a type that tools/interfaces does not know is not named: $(<unknown)"
sed -i 's:, float value::' new.h
! "$interfaces" --check --header new.h >missing || fail "a function that no other language has passes"
for lack in 'C: .* defines weir_new_call' 'Fortran: .* has weir_new_call' 'weir_c.f90 is not' 'plain_calls.cpp is not' \
  'C++: .* calls weir_new_call' 'Python: .* have no new_call'; do
  grep -q "$lack" missing || fail "no sentence '$lack' about a function that weir.h alone has: $(<missing)"
done

for each in "$WEIR_SOURCE_DIR"/include/weir/*.hpp; do
  ${MPICXX:-mpicxx} -std=c++20 -Wall -Wextra -fsyntax-only -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX -x c++ -I "$WEIR_SOURCE_DIR/include" - \
    <<<"#include <weir/$(basename "$each")>" || fail "$each does not stand on its own"
done
[[ -e $modules/weir.mod ]] || { echo "not tried: the Fortran modules, which this build has not"; exit 0; }

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

{ grep -oE '^ +WEIR_[A-Z_0-9]+' "$types" "$header"; grep -oE '^#define WEIR_[A-Z_0-9]+ ' "$types" "$header"; } |
  grep -oE 'WEIR_[A-Z_0-9]+' |
  grep -vE "^($differ_on_purpose|WEIR_ANY_INT|WEIR_VERSION|WEIR_TYPES_H|WEIR_WEIR_H)$" | sort -u >constants
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

echo "$(wc -l <c_functions) functions and $(wc -l <constants) constants have their twins"

# cfio2.h. Fortran's arrays know their lengths, so that one name serves all numbers of dimensions.
header=$WEIR_SOURCE_DIR/include/cfio2.h
sed '/^#ifdef __cplusplus/,/^#endif/d' "$header" | grep -oE '^(int|const char\*) cfio2_[a-z_]+\(' | grep -oE 'cfio2_[a-z_]+' |
  grep -vE '^cfio2_put_vara_(nd|sized)$' | sort -u >cfio2_functions
(($(wc -l <cfio2_functions) == 8)) || fail "$(wc -l <cfio2_functions) functions were found in $header, not 8"
sed -n 's/^ *public :: *//p' "$WEIR_SOURCE_DIR/bindings/cfio2/fortran/cfio2.f90" | tr ',' '\n' | tr -d ' ' | sort -u >cfio2_procedures
diff cfio2_functions cfio2_procedures >difference ||
  fail "cfio2.h (<) and the module cfio2 (>) differ: $(grep '^[<>]' difference | tr '\n' ' ')"
grep -oE '^ +cfio2_data_type_[a-z_0-9]+' "$header" | tr -d ' ' >cfio2_constants
(($(wc -l <cfio2_constants) == 11)) || fail "$(wc -l <cfio2_constants) constants were found in $header, not 11"
{
  printf '#include <stdio.h>\n#include <cfio2.h>\nint main(void) {\n'
  while read -r name; do echo "  printf(\"$name %d\\n\", $name);"; done <cfio2_constants
  while read -r name; do echo "  printf(\"${name/data_type_/} %d\\n\", $name);"; done <cfio2_constants
  echo '}'
} >cfio2.c
{
  echo 'program twins'
  while read -r name; do echo "  use cfio2, only: $name"; done <cfio2_functions
  printf '  use cfio2\n  implicit none\n'
  while read -r name; do echo "  print '(a, i0)', '$name ', $name"; done <cfio2_constants
  while read -r name; do echo "  print '(a, i0)', '${name/data_type_/} ', ${name/data_type_/}"; done <cfio2_constants
  echo 'end program twins'
} >cfio2.f90
"${MPICC:-mpicc}" -I "$WEIR_SOURCE_DIR/include" cfio2.c -o cfio2_in_c
"$fortran_compiler" -I "$modules" cfio2.f90 -o cfio2_in_fortran
diff <(./cfio2_in_c) <(./cfio2_in_fortran) || fail "constants of cfio2 differ, C above and Fortran below"
echo "$(wc -l <cfio2_functions) functions and $(wc -l <cfio2_constants) constants of cfio2 have their twins"
