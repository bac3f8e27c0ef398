#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cores: 1
# The demo's slow storage: two programs that write at a time share its bandwidth, a program without it is left alone, and
# what is written is the same. (Asked is only that a write is not faster than it may be.)
set -eu
cd "$TMPDIR"

fail() {
  echo "slow_storage: $1" >&2
  exit 1
}

slowly() {
  env LD_PRELOAD="$WEIR_BUILD_DIR/lib/libslow_storage.so" SLOW_STORAGE_BANDWIDTH=2000000 SLOW_STORAGE_CLOCK="$TMPDIR/clock" \
    "$@" 2>/dev/null
}

truncate -s 8 clock
head -c 1000000 /dev/urandom >input
begin=$(date +%s%N)
slowly dd if=input of=one bs=100k &
slowly dd if=input of=other bs=100k
wait $!
taken_ms=$((($(date +%s%N) - begin) / 1000000))
((taken_ms >= 990)) || fail "2 MB at 2 MB/s took $taken_ms ms"
cmp input one && cmp input other || fail "other bytes were written"

rm clock # nothing to share: the program runs as it is
slowly dd if=input of=third bs=100k status=none || fail "a program without a clock fails"
cmp input third
