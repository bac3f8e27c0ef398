#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 240
# The commands of the documents do what the documents say: those that take seconds are taken from there and run, in a folder
# that looks like the tree's. (The listings of README are the files under examples/, which tests/cli/examples.sh runs; what
# measures for minutes, wants a lab or builds the tree anew is left out.)
set -u
mkdir "$TMPDIR/tree" "$TMPDIR/tree/build"
cd "$TMPDIR/tree"
for name in docs examples tools include .venv; do
  [[ -e $WEIR_SOURCE_DIR/$name ]] && ln -s "$WEIR_SOURCE_DIR/$name" "$name"
done
for name in bin lib tests; do ln -s "$WEIR_BUILD_DIR/$name" "build/$name"; done
export WEIR_DURABILITY=cache

fail() {
  echo "snippets: $1" >&2
  exit 1
}

# line_of DOCUMENT WORDS: the one command in DOCUMENT that is these words, or else begins with them; continued lines joined, its
# comment left out.
line_of() {
  local commands found
  commands=$(sed -e ':join' -e '/\\$/{N;s/ *\\\n */ /;b join' -e '}' "$WEIR_SOURCE_DIR/$1" | sed -n 's/^    \([^ ].*\)/\1/p' |
    sed 's/  *#.*//')
  found=$(grep -xF "$2" <<<"$commands" || grep -F "$2" <<<"$commands")
  [[ -n $found && $(wc -l <<<"$found") == 1 ]] || fail "$1 has not one command that begins with '$2': '$found'"
  echo "$found"
}

# take DOCUMENT WORDS: does what that command says, here. run: the same, and keeps what it prints.
take() {
  local line
  line=$(line_of "$1" "$2") || exit 1
  eval "$line"
}
run() {
  take "$1" "$2" >printed 2>&1 || fail "'$2' of $1 ends with code $?: $(tail -n 5 printed)"
}

# said WORDS: what the last command printed has them.
said() {
  grep -qE "$1" printed || fail "not '$1' but: $(tail -n 5 printed)"
}

# What "Try it" of a bridge's page says.
try_bridge() {
  local page=docs/$1.md library=$2
  [[ -e build/lib/libweir_$library.so && -x build/bin/ocean_$library ]] || return 0
  (
    take "$page" 'export WEIR_STRATEGY=dynamic'
    take "$page" 'bridge='
    run "$page" "tools/launch -n 4 -- env LD_PRELOAD=\$bridge build/bin/ocean_$library"
    said 'weir: history.nc: [0-9]+ call\(s\) taken over by weir_'
    run "$page" 'ncdump -h history.nc'
    said 'time = UNLIMITED ; // \(6 currently\)'
  ) || exit 1
  rm history.nc
}
try_bridge bridge pnetcdf
try_bridge bridge_netcdf netcdf

# README's file of configuration, of which the environment wins; the report and the trace of docs/observing.md, drawn.
sed -n 's/^    export WEIR_CONFIG=weir.yaml *# //p; s/^                                      # //p' "$WEIR_SOURCE_DIR/README.md" \
  >weir.yaml
(($(wc -l <weir.yaml) == 4)) || fail "README's weir.yaml is $(<weir.yaml)"
(
  take README.md 'export WEIR_CONFIG='
  take README.md 'export WEIR_STRATEGY='
  tools/launch -n 2 -- build/bin/hello_c >printed 2>&1 || exit 1
  said 'rows'
) || fail "README's configuration: $(tail -n 5 printed)"
(
  take docs/observing.md 'export WEIR_REPORT=report.json'
  take docs/observing.md 'export WEIR_TRACE=trace.json'
  tools/launch -n 2 -- build/bin/hello_c >printed 2>&1 || exit 1
) || fail "docs/observing.md: $(tail -n 5 printed)"
if [[ -x .venv/bin/weir ]]; then
  run docs/observing.md '.venv/bin/weir report report.json trace.json --png timeline.png'
  [[ -s timeline.png ]] || fail 'docs/observing.md draws no timeline.png'
fi

# Part files, their merging and what is told of files.
parts() {
  WEIR_STRATEGY=file_per_rank tools/launch -n 3 -- build/bin/hello_c >printed 2>&1 || fail "parts: $(tail -n 5 printed)"
  mv hello.nc.0000 history.nc.0000 && mv hello.nc.0001 history.nc.0001 && mv hello.nc.0002 history.nc.0002
}
# A page tells it in a sentence: `COMMAND`.
run_told() {
  local page=$WEIR_SOURCE_DIR/docs/$1
  shift
  grep -qF "\`$1\`" "$page" || fail "$page does not tell of '$1'"
  PATH=$PWD/build/bin:$PATH eval "$1" >printed 2>&1 || fail "'$1' of $page ends with code $?: $(tail -n 5 printed)"
}
parts
run_told strategies.md 'weir-merge history.nc'
run_told reliability.md 'weir-verify history.nc'
said 'history.nc is whole'
if [[ -x .venv/bin/weir ]]; then
  rm history.nc
  run_told strategies.md '.venv/bin/weir merge -n 4 history.nc'
  run_told reliability.md '.venv/bin/weir verify history.nc'
  said 'history.nc is whole'
fi

# The simulator and what stands on it.
if [[ -x .venv/bin/weir ]]; then
  run docs/results/one_machine.md '.venv/bin/weir simulate --machine earthlab --ranks 64'
  grep -q control_messages simulated.json || fail "its simulated.json counts no control_messages"
  run docs/studies.md '.venv/bin/weir estimate --bandwidth'
fi

# The lines that compile a model.
(
  cmake --install "$WEIR_BUILD_DIR" --prefix "$PWD/installed" >printed 2>&1 || exit 1
  libraries=$(dirname "$(find "$PWD/installed" -name libweir.so)")
  export PKG_CONFIG_PATH=$libraries/pkgconfig LD_LIBRARY_PATH=$libraries
  cp examples/hello.c model.c && cp examples/hello.f90 model.f90
  run README.md 'mpicc  model.c'
  tools/launch -n 2 -- ./a.out && [[ -s hello.nc ]] || exit 1
  run README.md 'mpifort model.f90'
  tools/launch -n 2 -- ./a.out || exit 1
) || fail "a program that README compiles: $(tail -n 5 printed)"
