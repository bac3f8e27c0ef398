#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A disk that is full: a small file system in a mount namespace of this script's own, so that it goes with the script. Then one
# on a file, which takes writes past the page cache.
set -u
program=$WEIR_BUILD_DIR/tests/test_faults_mpi
[[ -x $program ]] || { echo "$program was not built" >&2; exit 1; }
mkdir "$TMPDIR/disk" || exit 1
export FULL_DISK=$TMPDIR/disk
unshare --mount true 2>/dev/null || { echo "SKIPPED: mount namespaces are not permitted here"; exit 0; }
unshare --mount bash -c '
  mount -t tmpfs -o size=300k tmpfs "$FULL_DISK" 2>/dev/null || { echo "SKIPPED: mounting a tmpfs is not permitted here"; exit 0; }
  for ranks in 1 4; do
    "$WEIR_SOURCE_DIR/tools/launch" -n "$ranks" --timeout 60 -- "$0" --gtest_filter="*DiskThatIsFull" || exit 1
  done' "$program"

truncate -s 16M "$TMPDIR/image" && mkfs.ext4 -q "$TMPDIR/image" 2>/dev/null || { echo "SKIPPED past the page cache: no mkfs.ext4 here"; exit 0; }
unshare --mount bash -c '
  mount -o loop "$TMPDIR/image" "$FULL_DISK" 2>/dev/null ||
    { echo "SKIPPED past the page cache: mounting a file is not permitted here"; exit 0; }
  rmdir "$FULL_DISK/lost+found"
  for ranks in 1 4; do
    "$WEIR_SOURCE_DIR/tools/launch" -n "$ranks" --timeout 60 -- "$0" --gtest_filter="*DiskThatIsFullPastThePageCache" || exit 1
  done' "$program"
