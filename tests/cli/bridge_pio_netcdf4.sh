#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 600
# A program that writes compressed netCDF-4 by PIO's calls writes through Weir by preload of libweir_pio.so: what it is told,
# and values, attributes, chunks and filters of its file, are those of the file that PIO makes. In PIO's place is a stand-in,
# and PIO itself too where there is one over a parallel netCDF (-DWEIR_PIO=FOLDER, or PIO_FOLDER in the environment).
set -u
cd "$TMPDIR"
bridge=$WEIR_BUILD_DIR/lib/libweir_pio.so
programs=$WEIR_BUILD_DIR/tests
pio=''

fail() {
  echo "bridge_pio_netcdf4: $1" >&2
  exit 1
}
if ! ls "$WEIR_BUILD_DIR"/lib/libweir_netcdf4_*.so >/dev/null 2>&1; then
  echo "bridge_pio_netcdf4: skipped: this Weir was built without netCDF-4"
  exit 0
fi

# run NAME RANKS PRELOADED PROGRAM ARGUMENT...: what is printed goes to NAME.out and NAME.err, the report to NAME.json.
run() {
  local name=$1 ranks=$2 preloaded=$3 program=$4
  shift 4
  rm -f "$name.json"
  WEIR_REPORT=$name.json "$WEIR_SOURCE_DIR/tools/launch" -n "$ranks" --timeout 60 -- env LD_PRELOAD="$preloaded" \
    "$programs/bridge_pio_$program" "$@" >"$name.out" 2>"$name.err"
}
taken_over() {
  python3 -c 'import json, sys; print(sum(f["taken_over"] for f in json.load(open(sys.argv[1]))["bridge"]["files"]))' "$1"
}
# Without the first line, which names the file; and how variables are kept of which the program says so.
shown() {
  ncdump -k "$1"
  ncdump -p 9,17 "$1" | tail -n +2
}
stored() {
  ncdump -hs "$1" | grep -E 'mask:_ChunkSizes|:_(DeflateLevel|Shuffle|Filter|Quantize)'
}
made=
# alike RANKS PROGRAM TAKEN IOTYPE ARGUMENT...: run without the bridge and with it, and nothing differs; Weir has TAKEN calls.
alike() {
  local ranks=$1 program=$2 taken=$3 what
  shift 3
  what="$program $* on $ranks ranks, ${WEIR_STRATEGY:-remap}${pio:+, with $pio}"
  rm -f bridged.nc
  # Made once for so many ranks and these arguments.
  if [[ $made != "$ranks $program $*" ]]; then
    rm -f plain.nc
    run plain "$ranks" "$pio" "$program" plain.nc "$@" || fail "$what: $(cat plain.out plain.err)"
    made="$ranks $program $*"
  fi
  run bridged "$ranks" "$bridge:$pio" "$program" bridged.nc "$@" || fail "$what: $(cat bridged.out bridged.err)"
  diff plain.out bridged.out || fail "$what: other words"
  diff <(shown plain.nc) <(shown bridged.nc) || fail "$what: another file"
  diff <(stored plain.nc) <(stored bridged.nc) || fail "$what: kept otherwise"
  [[ $(taken_over bridged.json) == "$taken" && ! -s bridged.err ]] || fail "$what: $(cat bridged.json bridged.err)"
}
# 11 arrays and 7 calls that put values; 5 arrays are read again.
same() { alike "$1" packed 23 "$2"; }

for ranks in 1 4 7; do same "$ranks" 3; done
for strategy in serial collective rows columns dynamic auto; do WEIR_STRATEGY=$strategy same 4 4; done
WEIR_DEBUG_RANKS_PER_HOST=2 WEIR_WRITERS_PER_HOST=2 WEIR_STRATEGY=dynamic same 4 3
"$WEIR_BUILD_DIR/bin/weir-verify" bridged.nc >verified || fail "weir-verify: $(cat verified)"
nccopy bridged.nc copy.nc && diff <(shown bridged.nc) <(shown copy.nc) || fail "nccopy"

# What Weir's files have not is refused, told by a sentence, and nothing of what was put is lost.
run refused 4 "$bridge" packed refused.nc 3 refused || fail "refusals: $(cat refused.out refused.err)"
diff - refused.out <<'WANTED' || fail "refusals: other words"
PIOc_write_darray(file, var[mask], parts->whole, parts->count, numbers, NULL): 0
PIOc_write_darray(file, var[temp], parts->dealt, parts->count, values, NULL) != 0: 1
PIOc_write_darray(file, 4711, parts->dealt, parts->count, values, NULL) != 0: 1
PIOc_write_darray(file, var[mask], 4711, parts->count, values, NULL) != 0: 1
PIOc_put_vara_double(file, 4711, (MPI_Offset[]){0}, (MPI_Offset[]){1}, values) != 0: 1
by PIO -1: 3.0 8.0, 0.0 0.0
PIOc_put_vara_int(file, var[mask], (MPI_Offset[]){0, 0}, (MPI_Offset[]){1, 1}, numbers): -206
PIOc_closefile(file): 0
mask -1: 358.0 21659.0, 6.0 1.0
PIOc_createfile(system, &file, &iotype, name, keeping): -35
WANTED
grep -q 'a file that Weir makes here needs the whole record' refused.err || fail "refusals are told so: $(cat refused.err)"

# Ranks that want a variable stored in different ways are named at the first data, and no later call goes further.
run differs 4 "$bridge" packed differs.nc 3 differs || fail "differs: $(cat differs.out differs.err)"
[[ $(sed 's/.*: //' differs.out | sort -u) == -250 && $(wc -l <differs.out) == 5 && ! -e differs.nc ]] ||
  fail "differs: $(cat differs.out)"
grep -q '^weir_pio: differs.nc: rank 1: variable "temp" is stored as chunks by default, shuffle, deflate 5 here and .*deflate 4 on rank 0; all ranks must' \
  differs.err || fail "differs: told $(cat differs.err)"

# What the configuration switches off is PIO's.
printf 'report: switched.json\nfiles: {"*.off": off}\n' >rules.yaml
WEIR_CONFIG=rules.yaml run switched 4 "$bridge" packed switched.off 3 || fail "off: $(cat switched.out switched.err)"
diff plain.out switched.out || fail "off: other words"
[[ $(taken_over switched.json) == 0 ]] || fail "off: $(cat switched.json)"

# Rounded values, packed by zstd where netCDF finds HDF5's plugin for it (without the bridge; Weir brings the filter along): 11
# arrays and a call that puts values; 5 arrays are read again.
plugins=$("$WEIR_SOURCE_DIR/.venv/bin/python" -c 'import hdf5plugin; print(hdf5plugin.PLUGIN_PATH)' 2>/dev/null)
[[ -n $plugins ]] && export HDF5_PLUGIN_PATH=$plugins
kept() { alike "$1" kept 17 "$2" ${plugins:+zstd}; }
for ranks in 1 4 7; do kept "$ranks" 3; done
for strategy in collective rows dynamic; do WEIR_STRATEGY=$strategy kept 4 4; done

folder=${PIO_FOLDER:-$(cat "$WEIR_BUILD_DIR/pio")}
if [[ -z $folder ]]; then
  echo "bridge_pio_netcdf4: PIO itself was not tried: neither PIO_FOLDER nor -DWEIR_PIO names one"
  exit 0
fi
pio=$folder/lib/libpioc.so
made=
[[ -e $pio ]] || fail "there is no $pio"
netcdf=$(ldd "$pio" | sed -n 's/.*=> \(.*libnetcdf[^ ]*\) .*/\1/p' | head -n 1)
if ! nm -D "$netcdf" | grep -q H5Pset_fapl_mpio; then
  echo "bridge_pio_netcdf4: PIO itself was not tried: $pio has no parallel netCDF"
  exit 0
fi
# In the stand-in's place, which would bring a second netCDF along.
mkdir real && ln -s "$pio" real/libbridge_pio_stand_in.so
export LD_LIBRARY_PATH=$PWD/real${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
# Of bridge_pio_packed it would take the bits of arrays for those of their variables' type.
for iotype in 3 4; do kept 4 $iotype; done
