#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 600
# Under the bridge of netCDF a parallel netCDF-4 file gets definitions after data, and is opened again, to append, to
# overwrite and to define more: what a program is told, and what the file then holds, is what netCDF-C alone gives on one
# rank.
set -u
. "$WEIR_SOURCE_DIR/tests/bridge/run.bash"
bridge=$WEIR_BUILD_DIR/lib/libweir_netcdf.so
program=$programs/bridge_netcdf_later

stored() {
  ncdump -hs "$1" | grep -E '(field|wind[a-z_]*):_(ChunkSizes|DeflateLevel|Shuffle|Fletcher32)'
  scales "$1"
}
# Which datasets are attached to scales, which scales know of datasets, and the numbers of their dimensions.
scales() {
  h5dump -A "$1" | grep -oE 'DATASET "[^"]*"|ATTRIBUTE "(DIMENSION_LIST|REFERENCE_LIST|_Netcdf4[A-Za-z]*|CLASS)"' | grep -v '/'
}
# together RANKS FILE WAY [classic]: through the bridge it is told what is in `wanted`.
together() {
  bridged "$1" "$program" "$2" "$3" together ${4:-} || fail "$3 on $1 ranks: $(cat printed errors)"
  [[ ! -s errors ]] || fail "$3 on $1 ranks: the bridge is not quiet: $(cat errors)"
  diff wanted printed >differences || fail "$3 on $1 ranks, $WEIR_STRATEGY: told $(cat differences)"
}

export WEIR_STRATEGY
# Each strategy, count of ranks and kind, and not each with each.
declare -A strategies=([full1]=remap [full4]='serial collective rows columns' [full7]=dynamic [classic4]='remap dynamic'
  [unattached4]=collective)
for kind in full classic unattached; do
  for ranks in 1 4 7; do
    [[ ${strategies[$kind$ranks]:-} ]] || continue
    launch 1 "$program" plain.nc define alone "$ranks" $kind && mv printed told || fail "define alone: $(cat printed errors)"
    cp plain.nc appended.nc
    launch 1 "$program" appended.nc append alone "$ranks" && mv printed told_later || fail "append alone: $(cat printed errors)"
    for WEIR_STRATEGY in ${strategies[$kind$ranks]}; do
      how="$WEIR_STRATEGY on $ranks ranks, $kind"
      rm -f packed.nc
      cp told wanted
      together "$ranks" packed.nc define $kind
      same plain.nc packed.nc "define, $how"
      # To the file of netCDF-C, and to the bridge's own.
      cat told_later told_later >wanted
      cp plain.nc theirs.nc
      together "$ranks" theirs.nc,packed.nc append
      for file in theirs.nc packed.nc; do
        same appended.nc $file "append to $file, $how"
        "$WEIR_BUILD_DIR/bin/weir-verify" $file >printed || fail "append to $file, $how: $(cat printed)"
      done
    done
  done
done

# What has data keeps names, attributes and fill values, and the file goes on.
bridged 4 "$program" kept.nc kept together || fail "kept: $(cat printed errors)"
diff - printed <<'WANTED' || fail "kept"
nc_rename_var(file, field, "other"): -214
nc_rename_dim(file, x, "other"): -214
nc_rename_att(file, field, "units", "other"): -214
nc_del_att(file, field, "units"): -214
nc_put_att_short(file, mask, "_FillValue", NC_SHORT, 1, ((short[]){1})): -122
nc_put_att_text(file, field, "units", 1, "C"): 0
WANTED
grep -q 'kept.nc: definitions cannot be renamed or deleted after data were written' errors || fail "kept: told $(cat errors)"
ncdump -h kept.nc | grep -q 'field:units = "C"' && ncdump -h kept.nc | grep -q 'currently' || fail "kept: $(ncdump -h kept.nc)"

# Rank 0 alone changes an attribute after data: rank 0's attributes are written.
WEIR_REPORT=- bridged 3 "$program" apart.nc apart together || fail "apart: $(cat printed errors)"
[[ $(grep -c ': 0$' printed) == 2 ]] || fail "apart: $(cat printed)"
grep -q 'apart.nc: rank 1: attribute "units" of variable "field" is "K" here and "C" on rank 0: ' errors ||
  fail "apart: told $(cat errors)"
ncdump -h apart.nc | grep -q '2 currently' && ncdump -h apart.nc | grep -q 'units = "C"' || fail "apart: $(ncdump -h apart.nc)"

# What a rule leaves to netCDF is as without the bridge; and nobody opens a file that is not there.
for file in off.nc theirs.nc; do cp plain.nc $file; done
WEIR_FILES="{'*.nc': off}" bridged 2 "$program" off.nc append together
mv printed wanted
launch 2 "$program" theirs.nc append together
diff printed wanted || fail "switched off: $(cat wanted errors)"
bridged 2 "$program" nowhere.nc append together
[[ $(<printed) == "open: 2" ]] || fail "no file: $(cat printed errors)"
if netcdf_is_parallel; then
  echo "bridge_netcdf4_later: not tried: a file with groups over a netCDF without parallel netCDF-4; this one has it"
  exit 0
fi
# A file that has groups is netCDF's, which cannot open it for all to write. The report has nothing of what is none of the program's.
printf 'netcdf g { dimensions: t = UNLIMITED; group: inner { variables: int v; } }' | ncgen -4 -o groups.nc -
WEIR_REPORT=1 bridged 2 "$program" groups.nc append together
[[ $(<printed) == "open: -114" ]] || fail "groups: $(cat printed errors)"
grep -q 'weir: groups.nc: handled by netCDF: it has groups' errors || fail "groups: $(cat errors)"
grep -q '/dev/' errors && fail "the report tells of $(cat errors)"
echo "bridge_netcdf4_later: all the same"
