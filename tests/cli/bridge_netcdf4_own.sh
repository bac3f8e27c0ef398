#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 300
# Under the bridge of netCDF ranks define a netCDF-4 file in different ways. Where attributes alone differ rank 0's are
# written, and the report says so once a file; what else differs is refused where definitions end, or at the first put of
# all ranks, in a sentence that names the definition, two ranks and both values.
set -u
. "$WEIR_SOURCE_DIR/tests/bridge/run.bash"
bridge=$WEIR_BUILD_DIR/lib/libweir_netcdf.so
program=$programs/bridge_netcdf_own
stored() { :; }

export WEIR_REPORT WEIR_FILES WEIR_STRATEGY
# Each two of elements, ranks and strategy together.
declare -A ways=([60]='1:dynamic 2:remap 4:dynamic 7:remap' [200000]='1:remap 2:dynamic 4:remap 7:dynamic')
for elements in 60 200000; do
  WEIR_REPORT= launch 1 "$program" alone.nc alone $elements || fail "alone: $(cat printed errors)"
  # netCDF-C 4.10 keeps no order of the attributes of variables that a file gets after it was opened again.
  ncdump -hs alone.nc | grep -q '_NCProperties = .*netcdf=4[.]10' && shown() { ncdump -p 9,17 "$1" | tail -n +2 | sort; }
  for way in ${ways[$elements]}; do
    ranks=${way%:*} WEIR_STRATEGY=${way#*:}
    how="$elements elements, $WEIR_STRATEGY on $ranks ranks"
    rm -f own.nc
    WEIR_REPORT=- bridged $ranks "$program" own.nc attributes $elements || fail "$how: $(cat printed errors)"
    [[ $(<printed) == "rank 0 gets of-000" ]] || fail "$how: $(cat printed)"
    same alone.nc own.nc "$how"
    told=$(grep -c 'the attributes of rank 0 are written' errors)
    ((ranks == 1 ? told == 0 : told > 0)) || fail "$how: told $(cat errors)"
    [[ $(sort errors | uniq -d | grep 'of attributes') == "" ]] || fail "$how: told twice: $(cat errors)"
  done
done
grep -q 'own.nc: rank 1: attribute "uuid" of the file is "of-001" here and "of-000" on rank 0: ' errors ||
  fail "which attribute: $(cat errors)"

# The same in compressed netCDF-4 by a rule; and nothing is told where all ranks define alike.
WEIR_FILES="{'*.nc': {compression: zlib}}" bridged 4 "$program" packed.nc attributes 200000 || fail "packed: $(cat printed errors)"
same alone.nc packed.nc "packed by a rule"
(($(stat -c %s packed.nc) < $(stat -c %s own.nc) * 3 / 4)) || fail "nothing is packed"
WEIR_REPORT=- bridged 4 "$program" alike.nc alike 60 || fail "alike: $(cat printed errors)"
grep -q 'rank 0 are written' errors && fail "alike: told $(cat errors)"

# told KIND WHEN CODE: the calls' codes, on all ranks.
told() {
  WEIR_REPORT=${report-} WEIR_TIMEOUT=30 bridged 4 "$program" refused.nc "$1" $2 || fail "$1 $2: $(cat printed errors)"
  printf '%s\n' "nc_enddef(file): $3" "put(coordinate, -1, 6): $3" "nc_close(file): $3" >wanted
  [[ $2 == '' || $2 == later ]] || sed -i 1d wanted
  [[ $2 != synced ]] || sed -i 's/^put.*)/nc_sync(file)/' wanted
  diff wanted printed >differences || fail "$1 $2: $(cat differences)"
}
# refused KIND WHEN WORDS: the calls' codes and the sentence.
refused() {
  told "$1" "$2" -250
  [[ $(<errors) == "weir_netcdf: refused.nc: $3; all ranks must define "* && $(wc -l <errors) == 1 ]] ||
    fail "$1 $2: told $(cat errors)"
}
# What is refused: every kind of it where definitions end, and some of the kinds where they end by themselves, and later.
declare -A sentences=(
  [length]='rank 2: dimension "z" has length 8 here and 7 on rank 0'
  [name]='rank 2: variable number 1 is "other" here and "field" on rank 0'
  [type]='rank 2: variable "field" has type int here and float on rank 0'
  [chunk]='rank 2: variable "field" is stored as chunks 1 5, shuffle, deflate 1 here and chunks 1 6, shuffle, deflate 1 on rank 0'
  [filter]='rank 2: variable "field" is stored as chunks 1 6, shuffle, deflate 2 here and chunks 1 6, shuffle, deflate 1 on rank 0'
  [missing]='rank 2: variable "field" is not defined here but on rank 0'
  ["another's"]='rank 2: variable "alone" is defined here but not on rank 0'
  [first]='rank 1: variable "alone" is not defined here but on rank 0'
  [dimension]='rank 2: dimension "alone" is defined here but not on rank 0'
)
declare -A kinds=([ended]="length name type chunk filter missing another's first dimension" [implicit]='length type filter first'
  [later]="name chunk missing another's" [unended]='first dimension missing' [synced]="first another's")
for when in '' implicit later unended synced; do
  for kind in ${kinds[${when:-ended}]}; do
    rm -f refused.nc
    refused $kind "$when" "${sentences[$kind]}"
    if [[ $when == '' || $when == implicit ]]; then
      [[ ! -e refused.nc ]] || fail "$kind $when: there is a file"
      continue
    fi
    # What was committed before is there, and nothing of what was refused.
    "$WEIR_BUILD_DIR/bin/weir-verify" refused.nc >verdict || fail "$kind $when: $(cat verdict)"
    ncdump refused.nc | grep -q ' x = 5, 5.33333' || fail "$kind $when: $(ncdump refused.nc)"
    ncdump -h refused.nc | grep -qE 'field|alone' && fail "$kind $when: $(ncdump -h refused.nc)"
  done
done
# An attribute of one rank alone that is not rank 0 is left out, and the report says so.
for when in '' later unended synced; do
  rm -f refused.nc
  report=- told attribute "$when" 0
  grep -q 'rank 2: attribute "alone" is defined here but not on rank 0 (attributes of variable "field")' errors ||
    fail "attribute $when: told $(cat errors)"
  ncdump -h refused.nc | grep -q 'alone' && fail "attribute $when: $(ncdump -h refused.nc)"
done
echo "bridge_netcdf4_own: rank 0's attributes are written, and other differences named"
