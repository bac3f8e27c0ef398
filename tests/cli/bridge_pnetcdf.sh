#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 800
# Programs that know nothing of Weir write through it by preload of libweir_pnetcdf.so: what they print and what is in
# their files is what it is without, byte for byte, whatever the strategy.
set -u
. "$WEIR_SOURCE_DIR/tests/bridge/run.bash"
bridge=$WEIR_BUILD_DIR/lib/libweir_pnetcdf.so
allow_for_pnetcdf

# run RANKS PROGRAM ARGUMENT...: without the bridge; bridged: with it. What is printed goes to plain or bridged.
run() {
  local ranks=$1
  shift
  "$WEIR_SOURCE_DIR/tools/launch" -n "$ranks" --timeout 60 -- "$programs/bridge_$1" "${@:2}" >plain 2>plain_errors
}
bridged() {
  local ranks=$1
  shift
  "$WEIR_SOURCE_DIR/tools/launch" -n "$ranks" --timeout 60 -- env LD_PRELOAD="$bridge${behind:+:$behind}" "$programs/bridge_$1" "${@:2}" \
    >bridged 2>bridged_errors
}

# same RANKS PROGRAM FILE ARGUMENT...: run both ways, and nothing differs.
same() {
  local ranks=$1 program=$2 file=$3
  shift 3
  if [[ ! -e plain.$file ]]; then
    run "$ranks" "$program" "plain.$file" "$@" || fail "$program $* on $ranks ranks: $(cat plain plain_errors)"
    cp plain "$file.printed"
  fi
  rm -f "bridged.$file"
  bridged "$ranks" "$program" "bridged.$file" "$@" ||
    fail "$program $* on $ranks ranks, ${WEIR_STRATEGY:-remap}: $(cat bridged bridged_errors)"
  diff "$file.printed" bridged || fail "$program $* on $ranks ranks prints something else"
  [[ ! -s bridged_errors ]] || fail "$program $*: the bridge is not quiet: $(cat bridged_errors)"
  ${compare:-cmp} "plain.$file" "bridged.$file" || fail "$program $* on $ranks ranks, ${WEIR_STRATEGY:-remap}"
}

# cmp_data FILE FILE: as cmp, which would read through 4 GB of holes.
cmp_data() {
  python3 - "$1" "$2" <<'PYTHON'
import os, sys
PIECE = 1 << 20
def data(file, size):
    place = 0
    while place < size:
        try:
            begin = os.lseek(file, place, os.SEEK_DATA)
        except OSError:  # holes only
            return
        place = os.lseek(file, begin, os.SEEK_HOLE)
        yield from range(begin, place, PIECE)
files = [os.open(path, os.O_RDONLY) for path in sys.argv[1:]]
size, other_size = (os.fstat(file).st_size for file in files)
assert size == other_size > 0, f"{size} and {other_size} bytes"
places = {place for file in files for place in data(file, size)}
assert places, "no data"
for place in places:
    one, other = (os.pread(file, PIECE, place) for file in files)
    assert one == other, f"they differ in the MiB from byte {place} on"
PYTHON
}

for strategy in serial collective rows columns remap servers dynamic auto file_per_rank file_per_domain; do
  WEIR_STRATEGY=$strategy same 4 model model4.nc 5
done
# Weir takes puts of nothing, whether the library does or not.
for strategy in remap dynamic; do ALL_RANKS_PUT='' WEIR_STRATEGY=$strategy same 4 model model4.nc 5; done
WEIR_STRATEGY=dynamic same 7 model model7_1.nc 1
WEIR_CONTROL=rank WEIR_STRATEGY=dynamic same 1 model model1_2.nc 2
# What a rank writes by itself, while another changes the file's length, is not cut off.
behind=$programs/bridge_slow_lengths.so WEIR_STRATEGY=dynamic same 7 model model7_1.nc 1
WEIR_DEBUG_FORWARD=messages same 4 model model4.nc 5
WEIR_DEBUG_RANKS_PER_HOST=2 WEIR_WRITERS_PER_HOST=2 same 4 model model4.nc 5
WEIR_BUFFER_LIMIT=64KiB same 4 model model4.nc 5
WEIR_SINK=pnetcdf same 4 model model4.nc 5

WEIR_STRATEGY=dynamic same 1 refusals refusals1.nc 5
WEIR_STRATEGY=dynamic same 4 refusals refusals4.nc 1
for format in 1 2; do
  compare=cmp_data WEIR_STRATEGY=dynamic same 2 far "far$format.nc" "$format"
  rm plain.far* bridged.far* # 4 GB each, with holes
done
if [[ $vard ]]; then
  run 1 vard tried.nc 5 || fail "vard: $(cat plain plain_errors)"
  if grep -q "Fortran's order  *NC_EUNSPTETYPE" plain; then
    echo "This PnetCDF was built without Fortran and refuses its datatypes, which Weir takes: C's are tried"
    export ONLY_C_TYPES=yes
  fi
fi
for format in ${vard:+1 2 5}; do
  WEIR_STRATEGY=remap same 4 vard "vard4_$format.nc" "$format"
  WEIR_STRATEGY=dynamic same 4 vard "vard4_$format.nc" "$format"
done
for ranks in 1 7; do
  [[ ! $vard ]] || WEIR_STRATEGY=dynamic same "$ranks" vard "vard$ranks.nc" 5
  WEIR_STRATEGY=dynamic same "$ranks" gets "gets$ranks.nc"
done
[[ ! -x $programs/bridge_fortran ]] || WEIR_STRATEGY=dynamic same 4 fortran fortran.nc

for life in finalize fork reader; do
  WEIR_STRATEGY=dynamic same 4 lives "$life.nc" "$life"
done
if [[ $pnetcdf == 1.15.0 ]]; then
  echo "PnetCDF $pnetcdf loses data of a program that goes to another folder: Weir's file is compared with that of one that stays"
  WEIR_STRATEGY=dynamic bridged 4 lives elsewhere.nc elsewhere || fail "elsewhere: $(cat bridged bridged_errors)"
  cmp plain.finalize.nc elsewhere.nc || fail "elsewhere"
else
  WEIR_STRATEGY=dynamic same 4 lives elsewhere.nc elsewhere
fi
# A file that has lost its name is the library's, and the other one of that name nobody's.
run 4 lives plain.moved.nc moved && bridged 4 lives moved.nc moved || fail "a moved file: $(cat bridged bridged_errors)"
cmp plain.moved.nc.moved moved.nc.moved && cmp plain.moved.nc moved.nc || fail "a moved file"
[[ $(cat bridged_errors) == *'another file has replaced it'*'falling back to the underlying library'* ]] ||
  fail "a moved file says $(cat bridged_errors)"
# Whenever a program ends, a reader finds all that the header tells of. PnetCDF's file is truncated.
for end in defined put counted added; do
  bridged 3 cut cut.nc "$end"
  "$WEIR_BUILD_DIR/bin/weir-verify" cut.nc >verified || fail "cut off when $end: $(cat verified)"
done
run 3 cut cut.nc put
if "$WEIR_BUILD_DIR/bin/weir-verify" cut.nc >verified; then fail "PnetCDF's own file is not cut off"; fi
# Data go to storage where PnetCDF brings them there, and at the end where the user wants that.
same 3 syncs syncs.nc
# By NC_SHARE puts are stored at once. A later sync stores nothing more in MPICH's MPI-IO, and may under the bridge.
run 3 syncs plain.shared.nc share && mv plain shared.printed || fail "NC_SHARE without the bridge: $(cat plain plain_errors)"
bridged 3 syncs bridged.shared.nc share || fail "NC_SHARE: $(cat bridged bridged_errors)"
cmp plain.shared.nc bridged.shared.nc || fail "NC_SHARE"
diff shared.printed bridged | grep '^< .* stores$' && fail "NC_SHARE: the bridge does not store that"
OTHER_VERSION=1.99.0 behind=$programs/bridge_other_version.so bridged 3 syncs later.nc share || fail "NC_SHARE, over a later version"
grep -q 'put_vara_float_all stores' bridged && fail "puts by NC_SHARE are stored over a later version, which does not heed it"
grep -q 'ncmpi_close does not store' syncs.nc.printed || fail "PnetCDF stores what it closes: $(cat syncs.nc.printed)"
WEIR_DURABILITY=storage bridged 3 syncs stored.nc || fail "storage asked for"
grep -q 'ncmpi_close stores' bridged || fail "storage asked for: $(cat bridged)"
# What was committed is there, and counted; the rest may be.
WEIR_STRATEGY=dynamic bridged 4 lives exit.nc exit
records=$(ncdump -h exit.nc | sed -n 's/.*UNLIMITED ; \/\/ (\([0-9]*\) currently)/\1/p')
((records >= 2)) || fail "an early end left $records records of the 2 that were synced"
[[ $(ncdump -v v exit.nc | grep -c '10[0-9][0-9]') -gt 1 ]] || fail "an early end lost what was synced"
WEIR_STRATEGY=dynamic bridged 4 lives split_bridged split || fail "split: $(cat bridged bridged_errors)"
run 4 lives split_plain split || fail "split without the bridge"
for part in 0 1 rank0 rank3; do
  cmp "split_plain.$part" "split_bridged.$part" || fail "a file of a part of the ranks"
done
# Communicators of the same ranks in the same order share one instance of Weir. Where any thread may call MPI, only one that
# is freed leaves it to another. The report has all instances, and all files.
for life in each:2 threads:3; do
  run 4 lives plain "${life%:*}" || fail "$life without the bridge"
  WEIR_REPORT=$PWD/report.json bridged 4 lives bridged "${life%:*}" || fail "$life: $(cat bridged bridged_errors)"
  for part in 0 1 2 3; do cmp "plain.$part" "bridged.$part" || fail "$life: file $part"; done
  [[ $(grep -c '"began_unix_seconds"' report.json) == "${life#*:}" ]] || fail "$life: $(grep -A1 '"began' report.json)"
  [[ $(grep -c '"path": "/' report.json) == 4 ]] || fail "$life: $(grep '"path"' report.json)"
done

# Calls past the bridge are the library's own; a file that was closed that way is told of.
WEIR_STRATEGY=dynamic same 4 mixed mixed.nc
cmp plain.mixed.nc.past bridged.mixed.nc.past || fail "a file that was created past the bridge"
bridged 2 mixed lost.nc lost || fail "mixed lost: $(cat bridged bridged_errors)"
# A library that makes the next file of that name anew, instead of cutting off the old one (1.15), has replaced the file too.
grep -v "${replaced:-^$}" bridged_errors >told
[[ $(wc -l <told) == 1 && $(cat told) == *'lost.nc: closed by a call that bypassed'* ]] ||
  fail "a file closed past the bridge says $(cat bridged_errors)"

# A library of another number is left all files; a later one of this number is none, and the report says what it is.
run 2 model version.nc 5 && cp plain version.printed
of_version() {
  OTHER_VERSION="$1 of 1 Jan 2099" WEIR_REPORT=version.json behind=$programs/bridge_other_version.so \
    bridged 2 model version.nc 5 || fail "version $1 stops the program"
  diff version.printed bridged || fail "version $1 prints something else"
}
of_version 9.8.7
[[ $(wc -l <bridged_errors) == 1 && $(cat bridged_errors) == *'is version 9.8.7, but this bridge was built for'* ]] ||
  fail "another version says $(cat bridged_errors)"
[[ ! -e version.json ]] || fail "another version is taken over: $(cat version.json)"
of_version 1.99.0
[[ ! -s bridged_errors ]] || fail "a later version says $(cat bridged_errors)"
# Since PnetCDF 1.14 a put of no elements adds no record.
OTHER_VERSION=1.99.0 behind=$programs/bridge_other_version.so bridged 1 refusals empty.nc 5 || fail "puts of nothing"
grep -q '^records after refusals  *0$' bridged || fail "puts of nothing over a later version: $(grep '^records' bridged)"
python3 - <<'PYTHON' || fail "a later version is told as $(cat version.json)"
import json, sys
bridge = json.load(open("version.json"))["bridge"]
newer = [note for note in bridge["notes"] if note.startswith("PnetCDF 1.99.0 is newer than 1.")]
sys.exit(len(newer) != 1 or bridge["files"][0]["taken_over"] == 0)
PYTHON

# A library that counts no record by a put of nothing: the same bytes, and the same records between the puts.
for ranks in 1 4; do
  rm -f plain.element*.nc
  behind=$programs/bridge_counts_elements.so WEIR_STRATEGY=dynamic same "$ranks" model "element$ranks.nc" 5
done

# The report counts what was taken over and what was passed through, by reason.
counted() {
  python3 - "$1" "$2" <<'PYTHON' || fail "the report is $(cat "$1")"
import json, sys
file = json.load(open(sys.argv[1]))["bridge"]["files"][0]
reasons = {"taken over": file["taken_over"], **file["passed_through"]}
for wanted in sys.argv[2].split(";"):
    reason, calls = wanted.split("=")
    assert reasons.get(reason, 0) == int(calls), f"{reason}: {reasons.get(reason, 0)}, not {calls}"
PYTHON
}
WEIR_REPORT=report.json bridged 4 model counted.nc 5 || fail "a run with a report"
counted report.json "taken over=35;reading from a file that is written=2;filling of a record=14;a definition after data=1;\
independent mode=0;only the library knows the answer=0;ranks put the same elements=0"
# Of put_vard what may be refused, or means another place than its variable, is the library's.
if [[ $vard ]]; then
  WEIR_REPORT=vard.json bridged 4 vard counted.nc 5 || fail "a run of put_vard with a report"
  counted vard.json "taken over=17;an MPI datatype says where in the file=10;only the library knows the answer=2"
else
  WEIR_STRATEGY=dynamic bridged 4 vard vard.nc 5 || fail "put_vard over a PnetCDF without it: $(cat bridged bridged_errors)"
  for what in 'several records' "columns, Fortran's order" dealt; do
    grep -q "^$what  *ok ok ok ok " bridged || fail "put_vard over a PnetCDF without it: $(cat bridged)"
  done
fi
WEIR_STRATEGY=file_per_rank WEIR_REPORT=parts.json bridged 2 model counted.nc 5 || fail "a run of part files"
counted parts.json "taken over=0;the strategy writes part files=54"

# Of many files the report tells the first thousand one by one.
"$WEIR_SOURCE_DIR/tools/launch" -n 1 --timeout 100 -- env LD_PRELOAD="$bridge" WEIR_REPORT=many.json \
  "$programs/bridge_files" . 1010 4096 >many || fail "many files"
python3 - <<'PYTHON' || fail "the report of many files"
import json
files = json.load(open("many.json"))["bridge"]["files"]
assert len(files) == 1001 and files[-1]["path"] == "10 more file(s)" and files[-1]["taken_over"] == 40, files[-1]
PYTHON

# A rule switches the bridge off for a file, and no Weir starts; a wrong configuration is one line, and no more harm.
WEIR_FILES='{"*.rst.nc": off, "*": {strategy: dynamic}}' WEIR_REPORT=off.json bridged 2 model kept.rst.nc 5 || fail "a rule"
counted off.json "taken over=0;switched off by the configuration=54"
[[ $(cat off.json) != *sentence* ]] || fail "a Weir was started for a file that is switched off"
WEIR_FILES='{"*.nc": {strategy: dynamic}}' WEIR_REPORT=rule.json bridged 2 model ruled.nc 5 || fail "a rule with a strategy"
grep -q '"strategy": "dynamic"' rule.json || fail "a rule's strategy is not taken: $(cat rule.json)"
WEIR_STRATEGIE=dynamic bridged 2 model wrong.nc 5 || fail "a wrong configuration stops the program"
[[ $(wc -l <bridged_errors) == 1 && $(cat bridged_errors) == *'did you mean "strategy"'* ]] ||
  fail "a wrong configuration says $(cat bridged_errors)"
WEIR_STRATEGY=servers WEIR_REPORT=1 bridged 2 model servers.nc 5 || fail "servers"
grep -q 'remap is used instead' bridged_errors || fail "the report does not say what became of servers"
echo "bridge_pnetcdf: all the same"
