#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cores: 1
# weir-streams: what it says of a right configuration and of a wrong one, and its exit codes.
set -eu
cd "$TMPDIR"

fail() {
  echo "streams: $1" >&2
  exit 1
}

# expect CODE WORDS ARGUMENT...: how it ends, and what it says.
expect() {
  local code=0 said
  said=$("$WEIR_BUILD_DIR/bin/weir-streams" "${@:3}" 2>&1) || code=$?
  [[ $code == "$1" ]] || fail "exit code $code, not $1, for ${*:3}: $said"
  grep -qE -- "$2" <<<"$said" || fail "not '$2': $said"
}

cat >weir.yaml <<'YAML'
streams:
  daily: {file: "ocean_{time:%Y-%m}.nc", every: 1 day, split: 1 month, as: mean, fields: [sst, "ice_*"]}
  snapshots: {file: snap.nc, every: 6 hours, fields: [sst], box: {lat: {from: 0, to: 90}}}
YAML
cat >fields.yaml <<'YAML'
time: {units: "hours since 1990-01-01", calendar: 360_day, start: 1990-01-11}
sst: {type: float, dimensions: {lat: 180, lon: 360}, attributes: {units: K, _FillValue: 1e20}}
ice_area: {type: float, dimensions: {lat: 180, lon: 360}}
lat: {dimensions: {lat: 180}, values: {from: -89.5, to: 89.5}}
lon: {dimensions: {lon: 360}, fixed: yes}
YAML

expect 0 '^daily +ocean_\{time:%Y-%m\}.nc +1 day$' weir.yaml
expect 0 '^daily +ocean_\{time:%Y-%m\}.nc +1 day +506.3 KiB +2.0 MiB$' weir.yaml --fields fields.yaml
run=(weir.yaml --fields fields.yaml --days 30 --ranks 2)
expect 0 '^daily +2 file\(s\) +30 +14.8 MiB +1.0 MiB$' "${run[@]}"
expect 0 '^ +ocean_1990-01.nc +20 ' "${run[@]}"
expect 0 '^snapshots +1 file\(s\) +121 ' "${run[@]}"
expect 0 '^all +3 file\(s\) ' "${run[@]}"
expect 0 '"name": "ocean_1990-02.nc",' "${run[@]}" --json
expect 0 '^ +ocean_1990-02.nc +5 ' weir.yaml --fields fields.yaml --until 1990-02-06
expect 0 '\.\.\. 9 more' weir.yaml --fields fields.yaml --days 360 --start 1990-01-01

sed 's/every: 1 day,/every: 1 day, expected: 30 records,/' weir.yaml >expected.yaml
expect 0 '^daily +2 file\(s\) +30 ' expected.yaml "${run[@]:1}"
expect 1 'stream daily: the run makes 31 record\(s\), and expected says 30; correct expected' expected.yaml "${run[@]:1:2}" --days 31
sed 's/{time:%Y-%m}/{time:%Y%m}-{end:%Y%m}/; s/1 month/6 months/' weir.yaml >ends.yaml
expect 0 '^ +ocean_199001-199006.nc +30 ' ends.yaml "${run[@]:1}"

# The sentences are those of the library (tests/streams); these are the program's own.
expect 1 'stream daily: no sample meets 1990-01-12 00:00:00, where an interval of 1 day ends: samples come every 7 hours' \
  "${run[@]}" --step '7 hours'
expect 1 'fields: sst: the model has no field "sst": did you mean "sss"\? \(weir.yaml, line 2\)' weir.yaml --fields <(
  sed 's/^sst/sss/' fields.yaml
)
sed 's/every: 6/evry: 6/' weir.yaml >wrong.yaml
expect 1 'weir-streams: stream snapshots: unknown key "evry": did you mean "every"\? \(wrong.yaml, line 3\)' wrong.yaml
expect 1 'the values of lat are needed for a box in its values' weir.yaml --fields <(sed 's/values: .*}}/fixed: yes}/' fields.yaml)
expect 1 'unknown key "tipe": did you mean "type"\?' weir.yaml --fields <(sed 's/type/tipe/' fields.yaml)
expect 1 'not a calendar' "${run[@]}" --calendar lunar
expect 1 'cannot read .*none.yaml' none.yaml
expect 1 'has no streams' <(echo 'strategy: rows')
expect 2 'give CONFIG' --json
expect 2 'unknown option --dais' weir.yaml --dais 3
expect 2 '--days needs --fields' weir.yaml --days 3
expect 2 'leave one out' "${run[@]}" --until 1991-01-01
expect 2 'give a later end' weir.yaml --fields fields.yaml --until 1990-01-01
expect 2 '--days needs a number above 0' weir.yaml --fields fields.yaml --days some
expect 0 'Checks the streams' --help
