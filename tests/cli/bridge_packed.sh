#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 600
# Programs that know nothing of Weir write compressed netCDF-4 by a rule of the configuration: dimensions, types,
# attributes and values are those of the classic file that they write without it, as netCDF-C reads them. What cannot be
# done in such a file is refused, with one sentence.
set -u
. "$WEIR_SOURCE_DIR/tests/bridge/run.bash"
export WEIR_FILES
same() {
  diff <(shown "$1") <(shown "$2") >differences || fail "$3: $(head -n 4 differences)"
}

bridge=$WEIR_BUILD_DIR/lib/libweir_pnetcdf.so
allow_for_pnetcdf
WEIR_FILES="{'*.nc': {format: netcdf4, compression: zlib}}"
# Each strategy on each count of ranks and in each format, and each of these together.
for ranks in 1 4 7; do
  for format in 1 5; do
    launch "$ranks" "$programs/bridge_packed" plain.nc "$format" || fail "without the bridge: $(cat printed errors)"
    strategies='serial remap'
    ((ranks == 4 ? format == 1 : format == 5)) && strategies='rows dynamic'
    for strategy in $strategies; do
      rm -f packed.nc
      WEIR_STRATEGY=$strategy bridged "$ranks" "$programs/bridge_packed" packed.nc "$format" ||
        fail "$strategy on $ranks ranks: $(cat printed errors)"
      [[ ! -s errors ]] || fail "$strategy: the bridge is not quiet: $(cat errors)"
      [[ $(ncdump -k packed.nc) == netCDF-4* ]] || fail "$strategy: packed.nc is $(ncdump -k packed.nc)"
      same plain.nc packed.nc "$strategy on $ranks ranks, format $format"
    done
  done
done
ncdump -hs packed.nc | grep -q 'levels:_DeflateLevel = 1' || fail "nothing is compressed: $(ncdump -hs packed.nc)"
[[ ! -e .packed.nc.definitions.weir ]] || fail "the stand-in is left"

# What is refused is told once, and nothing of what was put is lost.
bridged 4 "$programs/bridge_packed" refused.nc 5 refusals || fail "refusals: $(cat printed errors)"
diff - printed <<'WANTED' || fail "refusals say something else"
get: NC_ENOTSUPPORT
rename_var: NC_ENOTSUPPORT
rename_dim: NC_ENOTSUPPORT
rename_att: NC_ENOTSUPPORT
del_att: NC_ENOTSUPPORT
a fill value: NC_ELATEFILL
a part again: NC_EWRITE
7 records in refused.nc
beyond the end: NC_EINVALCOORDS
WANTED
[[ $(wc -l <errors) == 2 ]] || fail "refusals are told so: $(cat errors)"
grep -q 'refused.nc: Weir writes this file in a format that PnetCDF cannot read' errors || fail "reading: $(cat errors)"
grep -q 'a part of record 0 of "field" is put again' errors || fail "a part put again: $(cat errors)"
WEIR_REPORT=report.json bridged 2 "$programs/bridge_packed" counted.nc 5 refusals || fail "a run with a report"
grep -q 'refused: the file is made in another format' report.json || fail "the report is $(cat report.json)"
# A strategy of part files keeps to the library; a folder that cannot be written to is the library's own answer.
WEIR_STRATEGY=file_per_rank bridged 2 "$programs/bridge_packed" parts.nc 5 || fail "part files: $(cat printed errors)"
[[ $(ncdump -k parts.nc) == cdf5 ]] || fail "part files: $(ncdump -k parts.nc)"
if [[ $pnetcdf == 1.15.0 ]]; then
  echo "PnetCDF $pnetcdf crashes where it makes a file in no folder: not tried"
else
  bridged 2 "$programs/bridge_packed" nowhere/x.nc 5 && fail "a file in no folder"
  grep -q 'ncmpi_create' printed || fail "a file in no folder: $(cat printed errors)"
fi

# Zarr, by the same rule.
WEIR_FILES="{'*.zarr': {format: zarr}}"
bridged 4 "$programs/bridge_packed" packed.zarr 5 || fail "Zarr: $(cat printed errors)"
"$WEIR_BUILD_DIR/bin/weir-verify" packed.zarr >printed || fail "Zarr: $(cat printed)"

# The ocean, over PnetCDF and over netCDF's classic calls.
WEIR_FILES="{'*.nc': {format: netcdf4, compression: zlib}}"
settings="nx=60 ny=30 nz=3 dt_seconds=3600 days=4 history_days=1 commit_days=2"
for library in pnetcdf netcdf; do
  [[ -x $WEIR_BUILD_DIR/bin/ocean_$library ]] || { echo "not tried: ocean_$library, which this build has not" && continue; }
  bridge=$WEIR_BUILD_DIR/lib/libweir_$library.so
  ranks=4
  [[ $library == pnetcdf ]] || ranks=1 # Debian's netCDF writes classic files on one rank only
  launch $ranks "$WEIR_BUILD_DIR/bin/ocean_$library" $settings history=plain.nc restart_out=plain_restart.nc ||
    fail "ocean_$library: $(cat printed errors)"
  rm -f history.nc restart.nc
  bridged 4 "$WEIR_BUILD_DIR/bin/ocean_$library" $settings history=history.nc restart_out=restart.nc ||
    fail "ocean_$library, packed: $(cat printed errors)"
  [[ $(ncdump -k history.nc) == netCDF-4* ]] || fail "ocean_$library: history.nc is $(ncdump -k history.nc)"
  same plain.nc history.nc "ocean_$library"
  same plain_restart.nc restart.nc "ocean_$library, the restart"
done
echo "bridge_packed: all the same"
