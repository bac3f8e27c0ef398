# SPDX-License-Identifier: Apache-2.0
# What tests of bridges share. `bridge` is the library that bridged() puts before the program's own.
cd "$TMPDIR" || exit 1
programs=$WEIR_BUILD_DIR/tests

fail() {
  echo "$(basename "$0" .sh): $1" >&2
  exit 1
}
launch() {
  "$WEIR_SOURCE_DIR/tools/launch" -n "$1" --timeout 60 -- "${@:2}" >printed 2>errors
}
bridged() {
  launch "$1" env LD_PRELOAD="$bridge" "${@:2}"
}
# What no test asks of this PnetCDF, which fails at that without a bridge too; each is told in a sentence. `vard`: it has those calls.
allow_for_pnetcdf() {
  pnetcdf=$("$programs/bridge_version") vard=yes replaced=''
  if [[ $(printf '%s\n' 1.15.0 "$pnetcdf" | sort -V | head -n 1) == 1.15.0 ]]; then
    echo "PnetCDF $pnetcdf refuses put_vard: only what Weir writes of it is tried"
    vard='' replaced='lost.nc" is no longer the file that this run has open'
  fi
  [[ $pnetcdf == 1.15.0 ]] || return 0
  echo "PnetCDF $pnetcdf waits for ever where some ranks put nothing into a record: without a bridge all ranks put there"
  export ALL_RANKS_PUT=yes
}
# Whether the netCDF of plain programs has parallel netCDF-4: then it makes files of all ranks, and gets from Weir what Weir's files
# have not (bridge_netcdf4_beyond.sh). Debian's has not.
netcdf_is_parallel() {
  launch 1 "$programs/bridge_netcdf_packed" asked.nc wrong together
  rm -f asked.nc
  grep -qE 'create: (0|-114)' printed || fail "no answer from nc_create_par: $(cat printed)"
  ! grep -q 'create: -114' printed
}
# A file as netCDF-C reads it, without the line that names it.
shown() {
  ncdump -p 9,17 "$1" | tail -n +2
}
# same WANTED FOUND WAY: kind, values, and what `stored FILE`, the script's own, says of chunks and filters.
same() {
  [[ $(ncdump -k "$1") == "$(ncdump -k "$2")" ]] || fail "$3: $(ncdump -k "$2")"
  diff <(shown "$1") <(shown "$2") >differences || fail "$3: $(head -n 4 differences)"
  diff <(stored "$1") <(stored "$2") >differences || fail "$3: $(head -n 4 differences)"
}
