#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 600
# Programs that write by PIO, and know nothing of Weir, write through it by libweir_pio.so, preloaded or, with a static PIO,
# linked: what they print and what is in their files is what it is without, byte for byte, whatever the strategy. In PIO's
# place is a stand-in, and PIO itself too where there is one (-DWEIR_PIO=FOLDER, or PIO_FOLDER in the environment).
set -u
cd "$TMPDIR"
bridge=$WEIR_BUILD_DIR/lib/libweir_pio.so
programs=$WEIR_BUILD_DIR/tests
pio=''

fail() {
  echo "bridge_pio: $1" >&2
  exit 1
}

# run NAME RANKS PRELOADED PROGRAM ARGUMENT...: what is printed goes to NAME.out and NAME.err, the report to NAME.json.
run() {
  local name=$1 ranks=$2 preloaded=$3 program=$4
  shift 4
  rm -f "$name.json"
  WEIR_REPORT=$name.json "$WEIR_SOURCE_DIR/tools/launch" -n "$ranks" --timeout 60 -- env LD_PRELOAD="$preloaded" \
    "$programs/bridge_pio_$program" "$@" >"$name.out" 2>"$name.err"
}

# taken_over REPORT: arrays that Weir carried, of all files.
taken_over() {
  python3 -c 'import json, sys; print(sum(f["taken_over"] for f in json.load(open(sys.argv[1]))["bridge"]["files"]))' "$1"
}

made=
# same RANKS PROGRAM ARGUMENT...: run without the bridge and with it, and nothing differs.
same() {
  local ranks=$1 program=$2 what
  shift 2
  what="$program $* on $ranks ranks, ${WEIR_STRATEGY:-remap}${pio:+, with $pio}"
  rm -f bridged.nc*
  # Made once for so many ranks and these arguments.
  if [[ $made != "$ranks $*" ]]; then
    rm -f plain.nc*
    run plain "$ranks" "$pio" model plain.nc "$@" || fail "$what: $(cat plain.out plain.err)"
    made="$ranks $*"
  fi
  run bridged "$ranks" "$([[ $program != static_model ]] && echo "$bridge:")$pio" "$program" bridged.nc "$@" ||
    fail "$what: $(cat bridged.out bridged.err)"
  diff plain.out bridged.out || fail "$what prints something else"
  for file in plain.nc*; do
    cmp "$file" "bridged${file#plain}" || fail "$what"
  done
  [[ $(taken_over bridged.json) == 48 ]] || fail "$what: Weir carried nothing: $(cat bridged.json bridged.err)"
  # Every rank is told of the array that is too short, and of nothing else.
  [[ $(grep -c 'elements is written with a decomposition of' bridged.err) == "$ranks" ]] || fail "$what: $(cat bridged.err)"
  [[ $(wc -l <bridged.err) == "$ranks" ]] || fail "$what: the bridge is not quiet: $(cat bridged.err)"
}

for ranks in 1 7 4; do same "$ranks" model; done
grep -q '"strategy": "remap"' bridged.json || fail "where no strategy is named it is not remap: $(cat bridged.json)"
for strategy in serial collective rows columns servers dynamic auto; do
  WEIR_STRATEGY=$strategy same 4 model
done
WEIR_DEBUG_RANKS_PER_HOST=2 WEIR_WRITERS_PER_HOST=2 same 4 model
WEIR_BUFFER_LIMIT=64KiB same 4 model
WEIR_SINK=pnetcdf same 4 model
same 4 static_model
same 4 scorpio_model

# Decompositions that are freed under an open file: what was written by them stands. (PIO itself hangs at the close.) A report of 9
# calls is of 6 arrays written and 3 read.
declare -A strategies=([1]=remap [4]=dynamic [7]=rows)
for ranks in 1 4 7; do
  rm -f plain.nc bridged.nc
  run plain "$ranks" '' decompositions plain.nc || fail "decompositions: $(cat plain.out plain.err)"
  for strategy in ${strategies[$ranks]}; do
    WEIR_STRATEGY=$strategy run bridged "$ranks" "$bridge" decompositions bridged.nc ||
      fail "decompositions on $ranks ranks, $strategy: $(cat bridged.out bridged.err)"
    diff plain.out bridged.out || fail "decompositions on $ranks ranks, $strategy: other words"
    cmp plain.nc bridged.nc || fail "decompositions on $ranks ranks, $strategy"
    [[ $(taken_over bridged.json) == 9 && $(wc -l <bridged.err) == 1 ]] || fail "decompositions: $(cat bridged.json bridged.err)"
    grep -q 'bridged.nc: .* which PIOc_freedecomp has freed: free it after its last array' bridged.err || fail "$(cat bridged.err)"
  done
done

# What the configuration switches off is PIO's; so is a netCDF file that is written, but where all ranks make all calls of it. Four
# arrays are read again.
cat >rules.yaml <<'RULES'
report: switched.json
files:
  "*.off": off
  "*.all": {collective: yes}
RULES
for case in off:1:0 one:2:4 all:2:8; do
  IFS=: read -r ending iotype wanted <<<"$case"
  WEIR_CONFIG=rules.yaml run switched 4 "$bridge" darrays "switched.$ending" mib=1 vars=2 frames=2 iotype="$iotype" ||
    fail "$ending: $(cat switched.err)"
  [[ $(taken_over switched.json) == "$wanted" ]] || fail "$ending: $(cat switched.json)"
done
cmp switched.off switched.all || fail "netCDF's file by PnetCDF has other bytes than PnetCDF's"

# Another library than PIO 2.5 to 2.7 is left alone, and a sentence says so.
run other 4 "$bridge" other_model other.nc || fail "another library: $(cat other.out other.err)"
[[ $(grep -c 'the underlying library is neither PIO 2.5 to 2.7' other.err) == 1 && ! -e other.json ]] || fail "another library: $(cat other.err)"

# The file that the linker reads names what the library has.
diff <(nm -D --defined-only "$bridge" | awk '{ print $3 }' | grep '^PIOc_' | sort) \
  <(sed -n 's/^-Wl,--wrap=\(.*\),-u,.*/\1/p' "$WEIR_BUILD_DIR/lib/weir_pio.link" | sort) || fail "weir_pio.link names other calls"

folder=${PIO_FOLDER:-$(cat "$WEIR_BUILD_DIR/pio")}
if [[ -z $folder ]]; then
  echo "bridge_pio: PIO itself was not tried: neither PIO_FOLDER nor -DWEIR_PIO names one"
  exit 0
fi
pio=$folder/lib/libpioc.so
made=
[[ -e $pio ]] || fail "there is no $pio"
for way in "io=1" "io=2" "io=2 rearr=subset" "io=4"; do
  # shellcheck disable=SC2086 # several arguments
  WEIR_STRATEGY=dynamic same 4 model $way
done
