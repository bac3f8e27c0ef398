#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 200
# Past the page cache or through it: the same bytes, whatever the strategy, the sizes and the places in the file, on a disk
# and in memory; and the report says which way it was.
set -eu
launch=$WEIR_SOURCE_DIR/tools/launch
disk=$(mktemp -d "$WEIR_BUILD_DIR/page-cache.XXXXXX")
trap 'rm -rf "$disk"' EXIT
past=page_cache=past
modes=remap:page_cache=through,serial:$past,remap:$past,remap:overlap=background,dynamic,dynamic:$past,servers:$past
modes+=,rows:$past,collective:sink=direct,$past,remap:$past,buffer_limit=1MiB,dynamic:$past,debug.ranks_per_host=2

# same FOLDER ARGUMENT...: all modes leave one file's bytes there.
same() {
  local folder=$1
  shift
  "$launch" -n 5 --timeout 100 -- "$WEIR_BUILD_DIR/bin/weir-bench" --dir "$folder" --warm-up 0 --repeat 1 --keep \
    --model-ranks 3 --modes "$modes" "$@" >"$TMPDIR/out" 2>&1 || { cat "$TMPDIR/out"; exit 1; }
  for number in 1 2 3 4 5 6 7 8 9 10; do
    cmp "$folder/weir-bench-0.nc" "$folder/weir-bench-$number.nc" || { cat "$TMPDIR/out"; exit 1; }
  done
  rm "$folder"/*
}
same "$disk" --workload weak --scale 0.7 --records 2
same "$disk" --workload cam-fvb --scale 0.5 --records 2
mkdir "$TMPDIR/files"
same "$TMPDIR/files" --workload weak --scale 0.7

# says FOLDER WORDS CONFIGURATION: of the sink, in the report.
says() {
  "$launch" -n 2 --timeout 60 -- "$WEIR_BUILD_DIR/bin/weir-bench" --dir "$1" --workload weak --scale 0.7 --warm-up 0 \
    --repeat 1 --modes "$3" --set "report=$TMPDIR/report.json" >"$TMPDIR/out" 2>&1 || { cat "$TMPDIR/out"; exit 1; }
  grep -q "$2" "$TMPDIR/report.json" || { echo "not said of $3 in $1: $2"; grep -i sink "$TMPDIR/report.json"; exit 1; }
}
case $(stat -f -c %T "$disk") in
  ext2/ext3 | xfs)
    says "$disk" 'large tiles past the page cache' dynamic
    says "$disk" 'large tiles past the page cache' remap:$past
    ;;
esac
memory=$(mktemp -d /dev/shm/page-cache.XXXXXX)
trap 'rm -rf "$disk" "$memory"' EXIT
says "$memory" 'through the page cache: the file system has no other way' remap:$past
