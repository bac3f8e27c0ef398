#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 300
# Programs that know nothing of streams: the ocean on Weir, on PnetCDF and on netCDF, and a program on PIO, get means and
# extremes of their history file by configuration alone, those that the file gives, whatever its format; with keep: no
# the file has no records.
set -u
cd "$TMPDIR"
fail() {
  echo "bridge_streams: $1" >&2
  exit 1
}
settings="nx=60 ny=30 nz=3 dt_seconds=3600 days=8 history_days=1 commit_days=3 history=history.nc restart_out=restart.nc"

# configure KEEP FILES: the streams, and rules for files.
configure() {
  cat >weir.yaml <<YAML
files: $2
streams:
  means: {of: history.nc, keep: $1, file: means.nc, every: 4 days, as: mean, fields: ["*"]}
  warmest: {of: history.nc, keep: $1, file: warmest.nc, every: 8 days, as: maximum, fields: [temperature]}
YAML
}
# ocean RANKS LIBRARY: leaves history.nc and the files of the streams; LIBRARY is empty for the ocean on Weir.
ocean() {
  rm -f ./*.nc
  local preload=()
  [[ -z $2 ]] || preload=(env LD_PRELOAD="$WEIR_BUILD_DIR/lib/libweir_$2.so")
  WEIR_CONFIG=$PWD/weir.yaml "$WEIR_SOURCE_DIR/tools/launch" -n "$1" --timeout 90 -- \
    "${preload[@]}" "$WEIR_BUILD_DIR/bin/ocean_${2:-records}" $settings >printed 2>&1 || fail "$2: $(tail -n 5 printed)"
  ! grep -q 'no record has come' printed || fail "$2: $(cat printed)"
}

[[ -e $WEIR_BUILD_DIR/lib/libweir_netcdf4_serial.so || -e $WEIR_BUILD_DIR/lib/libweir_netcdf4_mpi.so ]] ||
  { echo "SKIPPED: this build has no netCDF-4"; exit 0; }
/usr/bin/python3 -c 'import netCDF4' 2>/dev/null || { echo "SKIPPED: it wants netCDF4-python"; exit 0; }
libraries=('')
[[ -x $WEIR_BUILD_DIR/bin/ocean_records ]] || { echo "not tried: the ocean, which this build has not" && libraries=(); }
[[ ${#libraries[@]} -gt 0 ]] && ! ldd "$WEIR_BUILD_DIR/bin/ocean_records" | grep -qE 'lib[atu]b?san' &&
  for library in pnetcdf netcdf; do
    [[ -e $WEIR_BUILD_DIR/lib/libweir_$library.so && -x $WEIR_BUILD_DIR/bin/ocean_$library ]] && libraries+=("$library")
  done

# The means and extremes of the ocean's files are those of its history file.
compare_means() {
  /usr/bin/python3 - <<'END'
import netCDF4, numpy
history, means, warmest = (netCDF4.Dataset(name) for name in ("history.nc", "means.nc", "warmest.nc"))
for file in (history, means, warmest):
    file.set_auto_mask(False)
times, compared = history["time"][:], 0
assert means["time_bnds"][:].tolist() == [[0, 4], [4, 8]], means["time_bnds"][:]
for name, variable in means.variables.items():
    if name in ("time", "time_bnds") or variable.dimensions[:1] != ("time",):
        continue
    fill = history[name]._FillValue if "_FillValue" in history[name].ncattrs() else None
    for record, (begin, end) in enumerate(means["time_bnds"][:]):
        total = 0
        samples = [history[name][i] for i, time in enumerate(times) if begin < time <= end]
        assert len(samples) == 4
        for sample in samples:
            total = total + sample.astype("f8")
        # The program puts doubles, of which the file has floats: means may differ by the rounding of one.
        wanted = (total / 4).astype("f4")
        land = samples[0] == fill
        near = numpy.abs(wanted - variable[record]) <= numpy.spacing(numpy.abs(samples).max(axis=0))
        assert (near | land).all(), name
        assert (variable[record][land] == variable._FillValue).all(), name
        compared += wanted.size
assert compared > 10000, compared
assert len(times) == 8 and numpy.array_equal(warmest["temperature"][0], history["temperature"][:].max(axis=0))
END
}

for library in "${libraries[@]}"; do
  for files in '{}' '{history.nc: {format: netcdf4}}'; do
    configure yes "$files"
    ocean 3 "$library"
    compare_means || fail "the ocean on ${library:-Weir} has other means, files $files"
    for name in means warmest; do
      ncdump $name.nc | tail -n +2 >"$name.${library:-weir}"
      cmp "$name.weir" "$name.${library:-weir}" || fail "the ocean on $library has another $name.nc, files $files"
    done
    configure no "$files"
    ocean 2 "$library"
    ncdump means.nc | tail -n +2 | cmp - means.weir || fail "keep: no: the ocean on $library has other means, files $files"
    ncdump -h history.nc | grep -q 'time = UNLIMITED ; // (0 currently)' || fail "keep: no: $(ncdump -h history.nc | head -n 4)"
  done
done

# What a rule leaves to the library feeds nothing, and Weir says so.
if [[ ${#libraries[@]} -gt 1 ]]; then
  configure yes '{history.nc: off}'
  (ocean 2 "${libraries[1]}") 2>said && fail "a file that a rule leaves to the library has fed a stream"
  grep -q 'stream means: no record has come from a file that of: history.nc names; the program has to create' said ||
    fail "told $(cat said)"
fi

# A program on PIO: its means are those of its hourly file, classic (1: by PnetCDF, 2: by netCDF) and netCDF-4 (4).
pio() {
  rm -f ./*.nc
  printf 'streams: {daily: {of: "hist*", keep: %s, file: daily.nc, every: 1 day, as: mean, type: double, fields: ["*"]}}\n' \
    "$2" >pio.yaml
  WEIR_CONFIG=$PWD/pio.yaml "$WEIR_SOURCE_DIR/tools/launch" -n 4 --timeout 90 -- env LD_PRELOAD="$bridge" \
    "$WEIR_BUILD_DIR/tests/bridge_pio_history" hist.nc "$1" 48 >printed 2>&1 || fail "PIO: $(cat printed)"
  [[ ! -s printed ]] || fail "PIO, iotype $1: $(cat printed)"
}
bridge=$WEIR_BUILD_DIR/lib/libweir_pio.so
if [[ -e $bridge && -x $WEIR_BUILD_DIR/tests/bridge_pio_history ]]; then
  "$WEIR_SOURCE_DIR/tools/launch" -n 4 --timeout 90 -- "$WEIR_BUILD_DIR/tests/bridge_pio_history" plain.nc 1 48
  ncdump plain.nc | tail -n +2 >plain.cdl
  for iotype in 1 2 4; do
    pio "$iotype" yes
    ncdump hist.nc | tail -n +2 | cmp - plain.cdl || fail "PIO, iotype $iotype: another file"
    /usr/bin/python3 - <<'END' || fail "PIO, iotype $iotype: other means"
import netCDF4, numpy
hourly, daily = netCDF4.Dataset("hist.nc"), netCDF4.Dataset("daily.nc")
assert daily["time_bnds"][:].tolist() == [[0, 24], [24, 48]] and daily["row"][:].tolist() == hourly["row"][:].tolist()
for record, (begin, end) in enumerate(daily["time_bnds"][:]):
    total, valid = 0, 0
    for sample in hourly["field"][int(begin) : int(end)]:
        total, valid = total + sample.filled(0).astype("f8"), valid + ~numpy.ma.getmaskarray(sample)
    assert (valid < 24).any() and (daily["field"][record] == total / valid).all()
END
    ncdump daily.nc >daily.cdl
    pio "$iotype" no
    ncdump daily.nc | cmp - daily.cdl || fail "PIO, iotype $iotype, keep: no: other means"
    ncdump -h hist.nc | grep -q 'time = UNLIMITED ; // (0 currently)' || fail "PIO, keep: no: $(ncdump -h hist.nc | head -n 4)"
  done
fi
