#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Of a fault put into the library the simulated machine finds a small case by itself, which fails in the same way and
# which the library without the fault passes. No case has steps that are none.
set -eu
root=$1

fail() {
  echo "smaller: $1" >&2
  exit 1
}

told=$("$root/tools/sim-mutations" --seeds 20 --smaller --only 'what nobody put is not filled')
echo "$told"
drawn=$(grep -o '| 12 | [a-z]*:' <<<"$told") || fail "the fault is not found where it was"
made=$(grep -A2 '^made smaller' <<<"$told") || fail "no smaller case is told"
[[ $drawn == *" $(sed -n '2s/^ *\([a-z]*:\).*/\1/p' <<<"$made")" ]] || fail "it fails in another way"
read -r ranks files puts < <(sed -n '1s/^made smaller: \([0-9]*\) ranks* on 1 host, \([0-9]*\) files*, \([0-9]*\) puts*.*/\1 \2 \3/p' <<<"$made")
((ranks == 2 && files == 1 && puts <= 3)) || fail "it is not as small as it could be"

replay=$(sed -n '3s/^ *//p' <<<"$made")
[[ $replay == "tools/sim --story 12 --smaller '"* ]] || fail "no command replays it: $replay"
story=$(cd "$root" && eval "$replay") || fail "the library without the fault does not pass it"
grep -q "^seed 12: 2 ranks on 1 host, 1 file, $puts put" <<<"$story" || fail "the command replays another case"
grep -qx 'as promised' <<<"$story" || fail "the library without the fault does not pass it"

code=0
"$root/tools/sim" --story 12 --smaller 'ranks 99' 2>/dev/null >&2 || code=$?
((code == 2)) || fail "a step that is none is taken for one: exit code $code"
