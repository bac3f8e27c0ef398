#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 300
# Ranks define a file in different ways under the bridge of PnetCDF. Codes and classic files are PnetCDF's, with and without
# PNETCDF_SAFE_MODE, and what Weir leaves to it for that is named: the definition, two ranks, both values. In compressed
# netCDF-4 by a rule rank 0's attributes are written, and other differences refused where definitions end. By another rule a
# file goes back to fewer records.
set -u
. "$WEIR_SOURCE_DIR/tests/bridge/run.bash"
bridge=$WEIR_BUILD_DIR/lib/libweir_pnetcdf.so
program=$programs/bridge_own

# as_pnetcdf KIND RANKS: the same codes, and the same file.
as_pnetcdf() {
  rm -f plain.nc own.nc
  launch "$2" "$program" plain.nc "$1" && mv printed wanted || fail "$1: $(cat printed errors)"
  bridged "$2" "$program" own.nc "$1" || fail "$1: $(cat printed errors)"
  diff wanted printed >differences || fail "$1 on $2 ranks: $(cat differences)"
  diff <(shown plain.nc) <(shown own.nc) >differences || fail "$1 on $2 ranks: $(head -n 4 differences)"
}
export WEIR_REPORT=- WEIR_FILES PNETCDF_SAFE_MODE=0
for ranks in 1 2 4 7; do
  for kind in attributes alike; do
    as_pnetcdf $kind $ranks
    grep -q 'own.nc: 2 call(s) taken over' errors || fail "$kind on $ranks ranks: $(cat errors)"
    ! grep -q 'rank 0' errors || fail "$kind on $ranks ranks: told $(cat errors)"
  done
done

# What PnetCDF takes and Weir does not is left to it, and said.
named() {
  grep -q "^weir_pnetcdf: own.nc: rank 1: $1; PnetCDF alone writes the file" errors || fail "told $(cat errors)"
  grep -q 'ranks define it differently' errors || fail "the report has $(cat errors)"
}
as_pnetcdf fill 4
named 'attribute "_FillValue" of variable "v" is -2 here and -1 on rank 0'
as_pnetcdf length 4
named 'dimension "z" has length 8 here and 7 on rank 0'
bridged 3 "$program" own.nc long || fail "long: $(cat printed errors)"
named 'variable "v" begins at byte 1[0-9]* here and at byte [0-9]* on rank 0, because the lengths of attributes differ'

# In safe mode PnetCDF refuses the attribute, on all ranks, and Weir carries the rest.
PNETCDF_SAFE_MODE=1 as_pnetcdf attributes 4
grep -q 'put_att_text(.*: -26[78]$' printed || fail "safe mode: $(cat printed)"
grep -q 'own.nc: 2 call(s) taken over' errors || fail "safe mode: $(cat errors)"

# A rule lets a file go back before the library opens it; a file that the run itself makes keeps its records.
launch 4 "$program" wanted.nc once && launch 4 "$program" wanted.nc again || fail "once, again: $(cat printed errors)"
cp printed wanted
launch 4 "$program" own.nc alike || fail "alike: $(cat printed errors)"
WEIR_FILES="{own.nc: {records: 1}}" bridged 4 "$program" own.nc again || fail "going back: $(cat printed errors)"
diff wanted printed >differences || fail "going back: $(cat differences)"
diff <(shown wanted.nc) <(shown own.nc) >differences || fail "going back: $(head -n 4 differences)"
WEIR_FILES="{own.nc: {records: 1}}" bridged 4 "$program" own.nc alike || fail "made anew: $(cat printed errors)"
[[ $(ncdump -h own.nc) == *'(2 currently)'* ]] || fail "made anew: $(ncdump -h own.nc)"

WEIR_FILES="{'*.nc': {format: netcdf4, compression: zlib}}"
launch 4 "$program" alike.nc alike || fail "alike: $(cat printed errors)"
for kind in attributes fill long; do
  rm -f own.nc
  bridged 4 "$program" own.nc $kind || fail "packed, $kind: $(cat printed errors)"
  grep -qv ': 0$' printed && fail "packed, $kind: $(cat printed)"
  diff <(shown alike.nc) <(shown own.nc) >differences || fail "packed, $kind: $(head -n 4 differences)"
  [[ $(grep -c 'own.nc: rank 1: attribute .* on rank 0: the attributes of rank 0 are written' errors) == 1 ]] ||
    fail "packed, $kind: told $(cat errors)"
done
rm -f own.nc
bridged 4 "$program" own.nc length || fail "packed, length: $(cat printed errors)"
[[ $(sed 's/.*: //' printed | tr '\n' ' ') == '0 0 -250 -250 -250 -250 ' ]] || fail "packed, length: $(cat printed)"
grep -q '^weir_pnetcdf: own.nc: rank 1: dimension "z" has length 8 here and 7 on rank 0; all ranks must' errors ||
  fail "packed, length: told $(cat errors)"
[[ ! -e own.nc ]] || fail "packed, length: there is a file"
echo "bridge_own: as PnetCDF has it"
