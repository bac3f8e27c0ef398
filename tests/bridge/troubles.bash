# SPDX-License-Identifier: Apache-2.0
# What tests of troubles beneath a library's calls share, after run.bash: `bridge` is the bridge, `program` one whose arguments are a
# file, the rank that does not come, and to which call. The others wait as long as `timeout` says.
export WEIR_TIMEOUT=3
ldd "$program" | grep -qE 'lib[atu]b?san' &&
  { echo "SKIPPED: a preloaded library cannot come before a sanitizer"; exit 0; }

# late RANK CALL ARGUMENT...: each of the others says that it did not reach.
late() {
  bridged 3 "$program" late.nc "$@"
  grep -q 'terminate called' errors && fail "$*: an exception left the bridge: $(cat errors)"
  grep -q "^$(basename "$bridge" .so | sed s/^lib//): .* did not reach" errors || fail "$*: nothing was said: $(cat printed errors)"
}
# The same, and they get NC_EWRITE, at this call and at the next.
late_returns() {
  late "$@"
  for rank in 0 1 2; do
    [[ $rank == "$1" ]] || grep -q "^rank $rank: -206 -206$" printed || fail "$*: $(cat printed errors)"
  done
}
