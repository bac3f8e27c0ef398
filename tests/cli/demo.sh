#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 300
# What `make demo` runs, for fewer days: the ocean leaves classic files, among them means and extremes, and continues on other
# ranks to the bit, which the demo itself makes sure of; it stops in the middle of a month. Then under a configuration of one
# key: the unchanged ocean leaves compressed netCDF-4, smaller than its values.
set -u
cd "$TMPDIR"

fail() {
  echo "demo: $1" >&2
  exit 1
}

# demo FOLDER: its lines are in FOLDER.said.
demo() {
  DEMO_FOLDER=$TMPDIR/$1 DEMO_DAYS=20 DEMO_WAYS=no "$WEIR_SOURCE_DIR/examples/demo/demo" >"$1.said" 2>&1 ||
    fail "$1 ends with code $?: $(tail -n 5 "$1.said")"
  grep -q "to the bit as without a stop in 11 fields of the state, 9 of the history, 4 of the daily means, 3 of the monthly" \
    "$1.said" || fail "$1 compares other fields: $(cat "$1.said")"
  grep -q "it stopped in the middle of a month" "$1.said" || fail "$1 has no means that go on"
  [[ $(tail -n 1 "$1.said") == "report and trace: "* ]] && ! grep -q "output took" "$1.said" || fail "$1 ends with $(tail -n 9 "$1.said")"
  [[ $(ncdump -v time "$1/monthly.nc" | sed -n 's/^ time = //p') == "15.5 ;" ]] || fail "$1/monthly.nc has another time"
}

# holds FOLDER FILE KIND: of that kind; and its size beside that of its values.
sizes=
holds() {
  [[ $(ncdump -k "$1/$2") == "$3" ]] || fail "$1/$2 is $(ncdump -k "$1/$2")"
  sizes=$(sed -nE "s|^$TMPDIR/$1/$2: .*, ([0-9]+) bytes for ([0-9]+) bytes of values$|\1 \2|p" "$1.said")
  [[ ${sizes% *} == "$(stat -c %s "$1/$2")" ]] || fail "$1/$2: the size is not told"
}

if [[ ! -x $WEIR_SOURCE_DIR/.venv/bin/python || ! -x $WEIR_BUILD_DIR/bin/ocean ]]; then
  echo "demo: skipped: it wants .venv and the ocean"
  exit 0
fi
demo classic
holds classic history.nc classic
grep -q "byte for byte" classic.said || fail "the classic files are not compared byte for byte"
if (echo 'streams: {}' >weir.yaml && WEIR_CONFIG=weir.yaml demo refused) 2>said || ! grep -q 'leave the keys streams and restart out' said; then
  fail "streams of another configuration are not refused: $(cat said)"
fi

ls "$WEIR_BUILD_DIR"/lib/libweir_netcdf4_*.so >/dev/null 2>&1 || exit 0
echo 'files: {"*.nc": {format: netcdf4, compression: zlib}}' >weir.yaml
WEIR_CONFIG=weir.yaml demo packed
for file in history.nc restart.nc; do
  holds packed $file netCDF-4
  ((${sizes% *} < ${sizes#* })) || fail "packed/$file has ${sizes% *} bytes for ${sizes#* } of values"
done
