#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 600
# A program that writes parallel netCDF-4 by netCDF's calls, over a netCDF that has none, writes through Weir by preload of
# libweir_netcdf.so: what it is told, and values, types, attributes, chunks and filters of its file, are those of the file
# that netCDF-C makes of the same calls on one rank.
set -u
. "$WEIR_SOURCE_DIR/tests/bridge/run.bash"
bridge=$WEIR_BUILD_DIR/lib/libweir_netcdf.so

# Chunks and filters of variables with a chunk of their own; the others' chunks are Weir's, and netCDF-C keeps those in
# one piece.
stored() {
  ncdump -hs "$1" | grep -E '(field|rounded|mask):_(ChunkSizes|DeflateLevel|Shuffle|Fletcher32|Quant)' |
    grep -v 'mask:_Chunk'
}
kept() {
  ncdump -hs "$1" | grep -E '(temp|wind):_(ChunkSizes|DeflateLevel|Shuffle|Fletcher32)'
}

# Each strategy, count of ranks and kind, and not each with each.
declare -A strategies=([full1]=remap [full4]='serial collective rows columns' [full7]=dynamic [classic4]='remap dynamic')
for kind in full classic; do
  for ranks in 1 4 7; do
    [[ ${strategies[$kind$ranks]:-} ]] || continue
    launch 1 "$programs/bridge_netcdf_packed" plain.nc alone "$ranks" $kind || fail "without the bridge: $(cat printed errors)"
    mv printed wanted
    for strategy in ${strategies[$kind$ranks]}; do
      rm -f packed.nc
      WEIR_STRATEGY=$strategy bridged "$ranks" "$programs/bridge_netcdf_packed" packed.nc together $kind ||
        fail "$strategy on $ranks ranks, $kind: $(cat printed errors)"
      [[ ! -s errors ]] || fail "$strategy: the bridge is not quiet: $(cat errors)"
      diff wanted printed >differences || fail "$strategy on $ranks ranks, $kind: told $(cat differences)"
      same plain.nc packed.nc "$strategy on $ranks ranks, $kind"
      # `name` is put at each commit, its rest filled: what it was meanwhile is not left behind the file's end.
      "$WEIR_BUILD_DIR/bin/weir-verify" packed.nc >verdict && ! grep -q behind verdict || fail "$(cat verdict)"
    done
  done
done
# Fortran, by nf90 calls.
if [[ -x $programs/bridge_netcdf_fortran_packed ]]; then
  launch 1 "$programs/bridge_netcdf_fortran_packed" fortran.nc && mv printed wanted || fail "Fortran: $(cat printed errors)"
  for ranks in 1 5; do
    bridged "$ranks" "$programs/bridge_netcdf_fortran_packed" packed.nc together || fail "Fortran: $(cat printed errors)"
    [[ ! -s errors ]] || fail "Fortran: the bridge is not quiet: $(cat errors)"
    diff wanted printed || fail "Fortran on $ranks ranks"
    diff <(ncdump -k fortran.nc; shown fortran.nc) <(ncdump -k packed.nc; shown packed.nc) || fail "Fortran on $ranks ranks"
    diff <(kept fortran.nc) <(kept packed.nc) || fail "Fortran on $ranks ranks"
  done
fi
nccopy packed.nc copy.nc && same packed.nc copy.nc "nccopy"

# What netCDF refuses it refuses here, by the same codes.
launch 1 "$programs/bridge_netcdf_packed" wrong.nc wrong alone && mv printed wanted || fail "wrong calls: $(cat printed errors)"
for ranks in 1 3; do
  bridged "$ranks" "$programs/bridge_netcdf_packed" wrong_too.nc wrong together || fail "wrong calls: $(cat printed errors)"
  diff wanted printed || fail "codes of wrong calls on $ranks ranks"
done

# What Weir's files have not is refused, told once, and nothing of what was put is lost.
refused() {
  WEIR_REPORT=report.json bridged 4 "$programs/bridge_netcdf_packed" refused.nc refused || fail "refusals: $(cat printed errors)"
  diff - printed <<'WANTED' || fail "refusals say something else"
create: 0
nc_def_grp(file, "group", &number): -112
nc_def_dim(file, "more", NC_UNLIMITED, &number): -54
nc_def_var(file, "words", NC_STRING, 1, dims + 1, &number): -112
nc_def_var(file, "turned", NC_FLOAT, 2, ((int[]){dims[1], dims[0]}), &number): -47
nc_put_att_string(file, NC_GLOBAL, "words", 1, (const char*[]){"a"}): 0
nc_def_enum(file, NC_BYTE, "enum", &number): -112
nc_def_var_endian(file, mapped, NC_ENDIAN_BIG): -214
nc_def_var_filter(file, mapped, 307, 1, (unsigned[]){9}): -136
chunks of 4 8 17
nc_get_var_int(file, x_var, (int[NX]){0}): -214
nc_rename_var(file, mapped, "late"): -214
nc_put_vara_int(file, mapped, (size_t[]){0, half}, (size_t[]){NY, NX - half}, (int[NY * NX]){0}): -214
nc_close(file): 0
WANTED
  grep -q 'refused: the file is made in another format' report.json || fail "the report is $(cat report.json)"
  grep -q 'refused.nc: Weir does not support groups here; a netCDF that has parallel netCDF-4 would write this file' errors || fail "refusals are told so: $(cat errors)"
  grep -q 'boxes that share an element must be identical (rank 0 puts .* and rank 1 puts ' errors || fail "overlaps are told so: $(cat errors)"
  [[ $(grep -c 'renamed or deleted after data' errors) == 1 ]] || fail "refusals are told so: $(cat errors)"
}
if netcdf_is_parallel; then
  echo "bridge_netcdf4: not tried: what is refused over a netCDF without parallel netCDF-4; this one has it"
else
  refused
fi

# Each rank reads for itself what netCDF cannot open for all.
bridged 3 "$programs/bridge_netcdf_packed" plain.nc read || fail "reading: $(cat printed errors)"
diff - printed <<'WANTED' || fail "reading"
large: sum 48671844000
nc_var_par_access(file, 99, NC_COLLECTIVE): -49
nc_put_var_float(file, var, values): -101
WANTED

# A file ends before its definitions have, after them, and not at all: MPI_Finalize then ends it.
bridged 3 "$programs/bridge_netcdf_packed" ends.nc ends || fail "ends: $(cat printed errors)"
diff - printed <<'WANTED' || fail "ends"
nc_abort(file): 0
a file: no
nc_abort(file): 0
a file: yes
nc_create_par(path, NC_NETCDF4 | NC_NOCLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &file): -35
nc_var_par_access(file, var, NC_INDEPENDENT): -36
ends.nc: sum 136, filter of 1 value(s), the first 3
WANTED
"$WEIR_BUILD_DIR/bin/weir-verify" ends.nc >printed || fail "ends: $(cat printed)"
ncdump -v w ends.nc | grep -q 'w = _, _, _, 10, 20, _' || fail "MPI_Finalize: $(ncdump -v w ends.nc)"
ncdump -hs ends.nc | grep -q '32015,3' || fail "no zstd: $(ncdump -hs ends.nc)"

bridged 3 "$programs/bridge_netcdf_packed" switched.nc switched || fail "switched: $(cat printed errors)"
values=$(ncdump -v w switched.nc | sed -n '/ w =/,$p' | tr -cd '0-9,')
[[ $values =~ ^9,9,(7,)+5$ ]] || fail "what one rank put alone before all put together: $values"

# What a rule leaves to netCDF is as without the bridge; and nobody makes a file in no folder, or in place of one that is to stay.
WEIR_FILES="{'*.nc': off}" bridged 2 "$programs/bridge_netcdf_packed" off.nc wrong together
mv printed switched
launch 2 "$programs/bridge_netcdf_packed" off.nc wrong together
diff printed switched || fail "switched off: $(cat switched errors)"
bridged 2 "$programs/bridge_netcdf_packed" nowhere/x.nc wrong together
mv printed wanted
launch 1 "$programs/bridge_netcdf_packed" nowhere/x.nc wrong alone
diff wanted printed || fail "a file in no folder"
echo "bridge_netcdf4: all the same"
