#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The examples of streams in C, Fortran and Python send the same fields, and make the same files to the byte.
set -eu
launch=$WEIR_SOURCE_DIR/tools/launch
python=$WEIR_SOURCE_DIR/.venv/bin/python
files=(daily_1990-01.nc daily_1990-02.nc half_days.nc)
export WEIR_CONFIG=$WEIR_SOURCE_DIR/examples/streams.yaml
# run LANGUAGE PROGRAM...: in a folder of its own.
run() {
  mkdir "$TMPDIR/$1" && cd "$TMPDIR/$1"
  "$launch" -n 4 --timeout 60 -- "${@:2}"
}
run c "$WEIR_BUILD_DIR/bin/streams_c"
ncdump -v sst half_days.nc | grep -q 'time = UNLIMITED ; // (6 currently)'
[[ ! -x $WEIR_BUILD_DIR/bin/streams_f90 ]] || run f90 "$WEIR_BUILD_DIR/bin/streams_f90"
if [[ -x $python ]] && "$python" -c 'import weir' 2>/dev/null; then
  run python "$python" "$WEIR_SOURCE_DIR/examples/python/streams.py"
fi
for language in f90 python; do
  [[ ! -d $TMPDIR/$language ]] || for file in "${files[@]}"; do cmp "$TMPDIR"/{c,$language}/"$file"; done
done
