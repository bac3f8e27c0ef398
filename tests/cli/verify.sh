#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# weir-verify: which files are whole, what ended runs have left in them and beside them, and that --clean takes it away.
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
expect 1 "cut.nc is not whole: .*truncated: it has $((bytes - 100)) bytes, and its header tells of 3 records" cut.nc "$whole"
head -c 50 "$whole" >header.nc
expect 1 'header.nc is not whole' header.nc
echo 'a letter' >letter.nc
expect 1 'letter.nc is not whole' letter.nc
expect 2 'none.nc cannot be judged: .*No such file' none.nc
expect 2 'folder cannot be judged' "$(mkdir folder && echo folder)"
printf '\x89HDF\r\n\x1a\n and the rest' >hdf5.nc
if compgen -G "$WEIR_BUILD_DIR/lib/libweir_netcdf4_*.so" >/dev/null; then
  expect 1 'hdf5.nc is not whole: netCDF does not open' hdf5.nc "$whole"
  nccopy -k nc4 -d 1 -c time/1 "$whole" packed.nc
  packed_bytes=$(stat -c %s packed.nc)
  expect 0 "packed.nc is whole: netCDF-4, 20 variable.s., 3 record.s., [0-9]* chunk.s., $packed_bytes bytes" packed.nc
  head -c $((packed_bytes - 100)) packed.nc >cut_packed.nc
  expect 1 'cut_packed.nc is not whole' cut_packed.nc
  printf '%s' rest >>packed.nc
  expect 0 '4 bytes after the last record' packed.nc
  expect 0 '4 bytes after the last record are removed' --clean packed.nc
  [[ $(stat -c %s packed.nc) == "$packed_bytes" ]] || fail 'packed.nc has another length once it was cleaned'
else
  expect 2 'hdf5.nc cannot be judged: it is netCDF-4' hdf5.nc "$whole"
fi
expect 2 'FILE' --nonsense
# One that cannot be looked at keeps no other from being looked at.
cp "$whole" stuck.nc
ln -s elsewhere .stuck.nc.journal.weir
expect 2 'stuck.nc cannot be judged: .*journal cannot be read' stuck.nc
expect 2 "$whole is whole" stuck.nc "$whole"
expect 1 'cut.nc is not whole' stuck.nc cut.nc

echo rest >".$whole.0123abcd.weir"
echo other >".$whole.0123abcx.weir"
expect 0 "\.$whole\.0123abcd\.weir \(5 bytes\) is an unfinished file next to it" "$whole"
[[ $("$WEIR_BUILD_DIR/bin/weir-verify" "$whole" | wc -l) == 2 ]] || fail 'another name counts'
echo part >".cut.nc.weir"
expect 1 '\.cut\.nc\.weir \(5 bytes\) is an unfinished file next to it' cut.nc

# What a kill leaves after the last record, as netCDF's own readers see it.
valid() {
  ! command -v ncvalidator >/dev/null || ncvalidator -q "$1" >/dev/null
}
command -v ncvalidator >/dev/null || echo 'verify: ncvalidator is not installed (package pnetcdf-bin), it is not asked'
{ cat "$whole" && head -c 777 /dev/zero; } >behind.nc
command -v ncvalidator >/dev/null && valid behind.nc && fail 'ncvalidator takes bytes after the last record'
echo rest >.behind.nc.0123abcd.weir
echo rest >.behind.nc.0003.weir
echo rest >.behind.nc.0003.89abcdef.weir.new
echo rest >.behind.nc.3.weir # not a name of Weir's
expect 0 '  777 bytes after the last record: .*weir-verify --clean behind.nc removes them' behind.nc
(($(stat -c %s behind.nc) == bytes + 777)) || fail 'looking at a file changes it'
expect 0 '  777 bytes after the last record are removed' --clean behind.nc
cmp behind.nc "$whole"
valid behind.nc || fail 'ncvalidator refuses the file that was cleaned'
[[ $(ls -A .behind*) == .behind.nc.3.weir ]] || fail "left: $(ls -A .behind*)"
[[ $("$WEIR_BUILD_DIR/bin/weir-verify" behind.nc | wc -l) == 1 ]] || fail 'there is more to say of a file that was cleaned'

# A damaged file keeps what is beside it; one that was never committed loses what there is of it.
expect 1 'cut.nc is not whole' --clean cut.nc
[[ -e .cut.nc.weir ]] || fail 'cleaning a damaged file removes what may be all there is'
echo rest >.none.nc.0123abcd.weir
expect 2 '\.none\.nc\.0123abcd\.weir is removed' --clean none.nc

# As a killed run leaves it: the file, and a link that leads to it. Told once, gone together; also beside a link's target.
mkdir far && ln -s far/none.nc here.nc
echo rest >far/.none.nc.0123abcd.weir
ln -s .none.nc.0123abcd.weir far/.none.nc.weir
[[ $("$WEIR_BUILD_DIR/bin/weir-verify" far/none.nc 2>&1 | grep -o 'far/\.none[a-z0-9.]*' | sort -u) == far/.none.nc.0123abcd.weir ]] ||
  fail 'the link to an unfinished file is told as one'
expect 2 '\.none\.nc\.0123abcd\.weir is removed' --clean here.nc
[[ -z $(ls -A far) ]] || fail "left: $(ls -A far)"
ln -s .none.nc.0123abcd.weir far/.none.nc.weir # of a run that was killed between the two
expect 2 'far/\.none\.nc\.weir is removed' --clean far/none.nc
[[ -z $(ls -A far) ]] || fail "left: $(ls -A far)"

# In use: by a program that has it open.
head -c 777 /dev/zero >>behind.nc
echo rest >.behind.nc.0123abcd.weir
sleep 300 <behind.nc >/dev/null 2>&1 &
reader=$!
trap 'kill $reader' EXIT
expect 2 'behind.nc is left as it is: another program has it open' --clean behind.nc
(($(stat -c %s behind.nc) == bytes + 777)) || fail 'a file in use was cut'
[[ ! -e .behind.nc.0123abcd.weir ]] || fail 'the file in use keeps what nobody uses'
kill $reader
trap - EXIT
wait $reader || true
expect 0 'are removed' --clean behind.nc

# A whole file beside parts of a later run.
cp "$whole" old.nc
touch -d '2020-01-01' old.nc
touch -d '2019-01-01' old.nc.0000
[[ $("$WEIR_BUILD_DIR/bin/weir-verify" old.nc | wc -l) == 1 ]] || fail 'older parts are told of'
touch old.nc.0000 old.nc.0001
expect 0 'warning: 2 part.s. next to it were written after it, from old.nc.0000 on' old.nc

# Markers: made for a file of any tool, and by a run; what they tell of is compared with what is there. flip FILE PLACE: one bit.
flip() {
  python3 -c 'import sys; f = open(sys.argv[1], "r+b"); f.seek(int(sys.argv[2])); b = f.read(1)[0]; f.seek(-1, 1); f.write(bytes([b ^ 1]))' \
    "$1" "$2"
}
cp "$whole" marked.nc
expect 0 '  marked.nc.done is made: 20 variable.s., 3 record.s., '"$bytes bytes" --mark marked.nc
expect 0 '  marked.nc agrees with marked.nc.done: 20 variable.s., 3 record.s., '"$bytes bytes" marked.nc
flip marked.nc $((bytes - 3))
expect 1 '  marked.nc does not agree with marked.nc.done: "[a-z0-9]*" has other values$' marked.nc
flip marked.nc $((bytes - 3))
mkdir elsewhere && cp marked.nc elsewhere/copy.nc && cp marked.nc.done elsewhere/copy.nc.done
expect 0 '  elsewhere/copy.nc agrees with elsewhere/copy.nc.done' elsewhere/copy.nc
ln -s marked.nc link.nc
expect 0 '  link.nc agrees with .*/marked.nc.done' link.nc
head -c 200 marked.nc.done >elsewhere/copy.nc.done
expect 2 'elsewhere/copy.nc cannot be judged: .*copy.nc.done" is damaged' elsewhere/copy.nc
echo "another program's" >elsewhere/copy.nc.done
[[ $("$WEIR_BUILD_DIR/bin/weir-verify" elsewhere/copy.nc | wc -l) == 1 ]] || fail 'what another program has written is taken for a marker'
sed 's/"weir_marker": 1/"weir_marker": 2/' marked.nc.done >elsewhere/copy.nc.done
expect 2 'copy.nc.done" is of a newer Weir' elsewhere/copy.nc
head -c 777 /dev/zero >>elsewhere/copy.nc
expect 2 'it gets no marker before weir-verify --clean' --mark elsewhere/copy.nc
expect 0 'elsewhere/copy.nc.done is made' --clean --mark elsewhere/copy.nc
cmp elsewhere/copy.nc marked.nc
expect 1 'cut.nc is not whole' --mark cut.nc
[[ ! -e cut.nc.done ]] || fail 'a damaged file gets a marker'

# The same values by other ranks, strategies and formats have the same sums.
sums() {
  python3 -c 'import json, sys; print({k: v["sum"] for k, v in json.load(open(sys.argv[1]))["variables"].items()})' "$1"
}
compare_formats() {
  local name
  for name in "$@"; do
    expect 0 "agrees with $name.done" "$name"
    [[ $(sums "$name.done") == "$(sums marked.nc.done)" ]] || fail "$name.done has other sums than marked.nc.done"
  done
}
for ranks in 1 2 4; do
  "$launch" -n $ranks --timeout 60 -- "$WEIR_BUILD_DIR/bin/weir-convert" --format zarr --config 'done_marker: yes' marked.nc \
    "by$ranks.zarr" >/dev/null
  compare_formats "by$ranks.zarr"
done
chunk=$(find by4.zarr -type f ! -name zarr.json | head -1)
flip "$chunk" 40
expect 1 'by4.zarr (is not whole|does not agree with by4.zarr.done: "[a-z0-9]*" has other values)' by4.zarr
flip "$chunk" 40
if compgen -G "$WEIR_BUILD_DIR/lib/libweir_netcdf4_*.so" >/dev/null; then
  "$launch" -n 3 --timeout 60 -- "$WEIR_BUILD_DIR/bin/weir-convert" --format netcdf4 --zstd 1 --shuffle --config 'done_marker: yes' \
    marked.nc by3.nc >/dev/null
  compare_formats by3.nc
  nccopy -k nc4 -d 0 "$whole" plain.nc
  expect 0 'plain.nc.done is made' --mark plain.nc
  compare_formats plain.nc
  # Where it has the last four floats of the classic file, in the other order of bytes.
  place=$(python3 -c 'import array, sys; f = array.array("i", open(sys.argv[1], "rb").read()[-16:]); f.byteswap()
print(open(sys.argv[2], "rb").read().index(f.tobytes()))' "$whole" plain.nc)
  flip plain.nc "$place"
  expect 1 '  plain.nc does not agree with plain.nc.done: "[a-z0-9]*" has other values$' plain.nc
fi

weir=$WEIR_SOURCE_DIR/.venv/bin/weir
if [[ -x $weir ]]; then
  head -c 5 /dev/zero >>behind.nc
  "$weir" verify --clean behind.nc | grep -q ' 5 bytes after the last record are removed' || fail 'weir verify --clean'
  "$weir" verify --mark behind.nc | grep -q ' behind.nc.done is made' || fail 'weir verify --mark'
  code=0
  "$weir" verify none.nc >/dev/null || code=$?
  ((code == 2)) || fail "weir verify ends with $code"
fi
