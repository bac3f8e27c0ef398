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
