#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# weir-verify: which files are whole, and what a killed run has left beside them.
set -eu
cd "$TMPDIR"
launch=$WEIR_SOURCE_DIR/tools/launch

fail() {
  echo "verify: $1" >&2
  exit 1
}

# expect CODE WORDS FILE...: what it says of them, and how it ends.
expect() {
  local code=0 said
  said=$("$WEIR_BUILD_DIR/bin/weir-verify" "${@:3}" 2>&1) || code=$?
  [[ $code == "$1" ]] || fail "exit code $code, not $1, for ${*:3}: $said"
  grep -qE "$2" <<<"$said" || fail "not '$2': $said"
}

"$launch" -n 2 --timeout 60 -- "$WEIR_BUILD_DIR/bin/weir-bench" --workload weak --scale 0.0001 --records 3 --modes remap \
  --repeat 1 --warm-up 0 --keep --dir . >/dev/null
whole=$(ls -- *.nc)
[[ -s $whole ]] || fail "weir-bench has left no file"
bytes=$(stat -c %s "$whole")

expect 0 "$whole is whole: CDF-[125], 20 variable.s., 3 record.s., $bytes bytes" "$whole"
head -c $((bytes - 100)) "$whole" >cut.nc
expect 1 "cut.nc is not whole: .*cut off: it has $((bytes - 100)) bytes, and its header tells of 3 records" cut.nc "$whole"
head -c 50 "$whole" >header.nc
expect 1 'header.nc is not whole' header.nc
echo 'a letter' >letter.nc
expect 1 'letter.nc is not whole' letter.nc
expect 1 'none.nc is not whole: .*No such file' none.nc
expect 2 'FILE' --nonsense

echo rest >".$whole.0123abcd.weir"
echo other >".$whole.0123abcx.weir"
expect 0 "\.$whole\.0123abcd\.weir \(5 bytes\) is beside it" "$whole"
[[ $("$WEIR_BUILD_DIR/bin/weir-verify" "$whole" | wc -l) == 2 ]] || fail 'another name counts'
echo part >".cut.nc.weir"
expect 1 '\.cut\.nc\.weir \(5 bytes\) is beside it' cut.nc
