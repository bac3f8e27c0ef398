#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 800
# Programs that know netCDF and nothing of Weir write through it by preload of libweir_netcdf.so: what they print and what
# is in their files is what it is without, byte for byte, on one rank or many.
set -u
cd "$TMPDIR"
bridge=$WEIR_BUILD_DIR/lib/libweir_netcdf.so
programs=$WEIR_BUILD_DIR/tests

fail() {
  echo "bridge_netcdf: $1" >&2
  exit 1
}

# run RANKS PROGRAM ARGUMENT...: without the bridge; bridged: with it, and a report.
run() {
  "$WEIR_SOURCE_DIR/tools/launch" -n "$1" --timeout 60 -- "$programs/bridge_netcdf_$2" "${@:3}"
}
bridged() {
  rm -f report.json
  "$WEIR_SOURCE_DIR/tools/launch" -n "$1" --timeout 60 -- env LD_PRELOAD="$bridge" WEIR_REPORT=report.json \
    "$programs/bridge_netcdf_$2" "${@:3}" || fail "$* through the bridge"
}
# told WORD FILE: a number of the report, or the reasons why calls of the file passed through.
told() {
  python3 - "$1" "$2" <<'END'
import json, sys
files = [file for file in json.load(open("report.json"))["bridge"]["files"] if file["path"] == sys.argv[2]]
print(sum(file["taken_over"] for file in files) if sys.argv[1] == "taken_over" else
      "; ".join(sorted({reason for file in files for reason in file["passed_through"]})))
END
}
same() {
  cmp "$1" "$2" || fail "$3"
}

# A file that every rank creates for itself is one file where the configuration says so.
export WEIR_CONFIG=$TMPDIR/weir.yaml
printf 'files:\n  "*.own": off\n  "*_one.nc": {collective: yes}\n' >weir.yaml
declare -A counts=([1]=4 [2]=7 [5]='1 4')
for format in 1 2 5; do
  run 1 calls "calls$format.nc" "$format" plain >"calls$format.txt" || fail "calls: $(tail -n 3 "calls$format.txt")"
  for ranks in ${counts[$format]}; do
    bridged "$ranks" calls calls_one.nc "$format" plain >calls.txt
    diff "calls$format.txt" calls.txt || fail "calls of format $format on $ranks ranks"
    same "calls$format.nc" calls_one.nc "calls of format $format on $ranks ranks"
    (($(told taken_over calls_one.nc) > 200)) || fail "calls: $(told taken_over calls_one.nc) were taken over"
  done
done
strategies='remap dynamic collective'
if [[ -x $programs/bridge_netcdf_fortran ]]; then
  run 1 fortran fortran.nc >fortran.txt || fail "fortran without the bridge"
else
  echo "not tried: Fortran, which this build has not" && strategies=''
fi
for strategy in $strategies; do
  WEIR_STRATEGY=$strategy bridged 3 fortran fortran_one.nc >bridged.txt
  diff fortran.txt bridged.txt && cmp fortran.nc fortran_one.nc || fail "fortran, $strategy"
done
for ranks in 2 5; do
  run 1 parts "parts$ranks.nc" alone "$ranks" || fail "parts, alone"
  bridged "$ranks" parts parts_one.nc plain
  same "parts$ranks.nc" parts_one.nc "parts on $ranks ranks"
  bridged 1 parts parts_one.nc alone "$ranks"
  same "parts$ranks.nc" parts_one.nc "parts by one rank"
done

# A program that was linked with the bridge first.
WEIR_REPORT=report.json run 2 linked linked_one.nc plain || fail "linked with the bridge"
same parts2.nc linked_one.nc "linked with the bridge"
(($(told taken_over linked_one.nc) > 0)) || fail "linked with the bridge: nothing was taken over"

# This bridge alone is preloaded, and brings the other one: before a program of PnetCDF, of both, and by its link line.
bridged 4 both both_pnetcdf.nc both_netcdf.nc
same both_pnetcdf.nc both_netcdf.nc "a file of each library"
for file in both_pnetcdf.nc both_netcdf.nc; do
  [[ $(told taken_over "$file") == 1 ]] || fail "$file: $(told taken_over "$file") calls were taken over"
done
WEIR_REPORT=report.json "$WEIR_SOURCE_DIR/tools/launch" -n 2 --timeout 60 -- env LD_PRELOAD="$bridge" \
  "$programs/bridge_model" pnetcdf.nc 5 >/dev/null || fail "a program of PnetCDF"
[[ $(told taken_over pnetcdf.nc) == 35 ]] || fail "a program of PnetCDF: $(told taken_over pnetcdf.nc) were taken over"

# Data go to storage where the library behind brings them there: PnetCDF's nc_sync, and not that of the classic layer.
run 1 syncs syncs.nc >plain.txt
for ranks in 1 3; do
  bridged "$ranks" syncs syncs_one.nc >bridged.txt
  diff plain.txt bridged.txt || fail "what stores, on $ranks ranks"
done
bridged 3 syncs syncs.nc par >bridged.txt
[[ $(grep -c ' stores' bridged.txt) == 1 ]] && grep -q 'nc_sync stores' bridged.txt || fail "nc_create_par: $(cat bridged.txt)"
WEIR_DURABILITY=storage bridged 3 syncs syncs_one.nc >bridged.txt
[[ $(grep -c ' stores' bridged.txt) == 2 ]] || fail "storage asked for: $(cat bridged.txt)"

# Filled by several calls, as many on every rank or one more.
run 1 large large.nc
for ranks in 1 3; do
  bridged "$ranks" large large_one.nc
  same large.nc large_one.nc "100 MB of fill values on $ranks ranks"
done
rm large.nc large_one.nc

# A file that is created for a communicator is the bridge's, collective access or not. PnetCDF fills no records and no
# variables by itself, so that the files are compared by what was put.
shown() {
  ncdump -v time,x "$1" | sed '1d; s/_,/0,/g'
  python3 - "$1" <<'END'
import sys
data = open(sys.argv[1], "rb").read()
print(sum(data.count(bytes.fromhex(word)) for word in ("44fa0000", "457a0000", "44fa1000")))
END
}
run 1 parts parts.nc alone 4
shown parts.nc >parts.txt
for way in collective independent; do
  bridged 4 parts parts_together.nc "$way"
  diff parts.txt <(shown parts_together.nc) || fail "parts, $way"
  reasons=$(told passed_through parts_together.nc) taken=$(told taken_over parts_together.nc)
  [[ $way-$reasons == collective- || $way-$reasons == independent-independent* ]] || fail "parts, $way: $reasons"
  [[ $way == independent || $taken == 7 ]] || fail "parts, $way: $taken calls were taken over"
done
# The configuration says that independent access is none: all ranks put in the same order.
bridged 4 parts together_one.nc independent all
diff parts.txt <(shown together_one.nc) || fail "parts, collective by configuration"
[[ $(told taken_over together_one.nc) == 7 ]] || fail "collective by configuration: $(told taken_over together_one.nc)"
# Switched off, and not said to be collective: netCDF's own answer, and the reason in the report.
bridged 2 parts parts.own collective >bridged.txt
run 2 parts parts.own collective >plain.txt
diff plain.txt bridged.txt || fail "switched off: $(cat bridged.txt)"
[[ $(told passed_through parts.own) == "switched off"* ]] || fail "switched off: $(told passed_through parts.own)"
bridged 1 parts parts_alone.nc alone 4
same parts.nc parts_alone.nc "one rank's own file"
[[ $(told passed_through parts_alone.nc) == "one rank's own file"* ]] || fail "own: $(told passed_through parts_alone.nc)"
echo "bridge_netcdf: all the same"
