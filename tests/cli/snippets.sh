#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 600
# The commands of README and docs/*.md do what the pages say: they are taken from there and run, in a folder that looks like the
# tree's. One that cannot run here, or takes longer than the suite has, is in the table `not_run` with its reason; its words are
# then parsed by the command itself, so that an option or a name that has gone fails too. Every command of every page is one or
# the other: the end of this file sees to that. (The listings of README are the files under examples/, tests/cli/examples.sh;
# commands of research/ are parsed by its own tests.)
set -u
mkdir -p "$TMPDIR/tree/build" "$TMPDIR/tree/docs/images"
cd "$TMPDIR/tree"
for name in examples tools include .venv; do
  [[ -e $WEIR_SOURCE_DIR/$name ]] && ln -s "$WEIR_SOURCE_DIR/$name" "$name"
done
for name in bin lib tests; do ln -s "$WEIR_BUILD_DIR/$name" "build/$name"; done
export WEIR_DURABILITY=cache
with_python=
[[ -x .venv/bin/weir ]] && with_python=yes

fail() {
  echo "snippets: $1" >&2
  exit 1
}

# commands_of DOCUMENT: its indented lines, continued ones joined, without comments and what stands beside them in words.
commands_of() {
  sed -e ':join' -e '/\\$/{N;s/ *\\\n */ /;b join' -e '}' "$WEIR_SOURCE_DIR/$1" | awk '/^```/ { fenced = !fenced } !fenced' |
    sed -n 's/^    \([^ ].*\)/\1/p' | sed -E 's/ +#.*//; /^(make|tools\/faults) /s/ {4}.*//'
}

# line_of DOCUMENT WORDS: the one command in DOCUMENT that is these words, or else begins with them.
line_of() {
  local commands found
  commands=$(commands_of "$1")
  found=$(grep -xF -e "$2" <<<"$commands" || grep -F -e "$2" <<<"$commands")
  [[ -n $found && $(wc -l <<<"$found") == 1 ]] || fail "$1 has not one command that begins with '$2': '$found'"
  done_with "$1" "$found"
  echo "$found"
}

# done_with DOCUMENT LINE...: of these the end of this file need not ask.
done_with() {
  printf "$1: %s\n" "${@:2}" >>"$TMPDIR/done"
}

# settings_of DOCUMENT WORDS: the indented lines around the one that begins with these words, as the file they stand for.
settings_of() {
  local block
  block=$(awk -v words="    $2" 'BEGIN { RS = "" } index("\n" $0, "\n" words)' "$WEIR_SOURCE_DIR/$1" | sed 's/^    //')
  [[ -n $block ]] || fail "$1 has no lines with '$2'"
  while read -r line; do done_with "$1" "$line"; done < <(grep '^[^ ]' <<<"$block" | sed 's/  *#.*//')
  echo "$block"
}

# take DOCUMENT WORDS: does what that command says, here. run: the same, and keeps what it prints; with MORE words behind it,
# as a page leaves them to the reader, or as they keep a long command short.
take() {
  local line
  line=$(line_of "$1" "$2") || exit 1
  eval "$line"
}
run() {
  local line
  line=$(line_of "$1" "$2") || exit 1
  eval "$line ${*:3}" >printed 2>&1 || fail "'$line ${*:3}' of $1 ends with code $?: $(tail -n 5 printed)"
}

# said WORDS: what the last command printed has them.
said() {
  grep -qE "$1" printed || fail "not '$1' but: $(tail -n 5 printed)"
}

# "Try it" of a bridge's page. The ocean under the other strategies, and what is said of them: bridge_ocean.sh, bridge_pnetcdf.sh.
try_bridge() {
  local page=docs/$1.md library=$2
  (
    take "$page" 'export WEIR_STRATEGY=dynamic'
    take "$page" 'bridge='
    run "$page" "tools/launch -n 4 -- env LD_PRELOAD=\$bridge build/bin/ocean_$library history"
    said '^weir: history.nc: 65 call\(s\) taken over by weir_pnetcdf$'
    run "$page" 'ncdump -h history.nc'
    said 'time = UNLIMITED ; // \(6 currently\)'
  ) || exit 1
  rm history.nc
}

# The rules of a bridge's page.
small_ocean='nx=60 ny=30 nz=3 dt_seconds=3600 days=2 history_days=1'
ruled() {
  local page=docs/$1.md library=$2
  settings_of "$page" "$3" >rules.yaml
  WEIR_CONFIG=rules.yaml WEIR_REPORT=- tools/launch -n 2 -- env LD_PRELOAD="$PWD/build/lib/libweir_$library.so" \
    "build/bin/ocean_$library" $small_ocean history=a.hist.nc "${@:4}" \
    >printed 2>&1 || fail "under the rules of $page: $(tail -n 5 printed)"
  said '^weir: strategy dynamic'
  said '^weir: a.hist.nc: [1-9][0-9]* call\(s\) taken over by weir_pnetcdf$'
}

if [[ -e build/lib/libweir_pnetcdf.so ]]; then
  try_bridge bridge pnetcdf
  done_with docs/bridge.md 'weir: history.nc: 65 call(s) taken over by weir_pnetcdf'
  ruled bridge pnetcdf 'strategy: remap' restart_out=a.rst.nc
  said '^weir: a.rst.nc: 0 call\(s\) taken over by weir_pnetcdf; [0-9]+ passed through: switched off by the configuration$'
  run docs/results/bridges.md 'tools/launch -n 4 -- build/bin/weir-bench --workload weak'
  said '^peer:pnetcdf-nb .* yes$'
  run docs/results/bridges.md "tools/launch -n 1 -- env LD_PRELOAD=\$PWD/build/lib/libweir_pnetcdf.so WEIR_DURABILITY=cache build/tests/bridge_b"
  run docs/results/bridges.md "tools/launch -n 4 -- env LD_PRELOAD=\$PWD/build/lib/libweir_pnetcdf.so build/tests/bridge_files"
fi
if [[ -e build/lib/libweir_netcdf.so ]]; then
  try_bridge bridge_netcdf netcdf
  ruled bridge_netcdf netcdf 'files:'
  # As the second row of its table has it: the first wants a netCDF that was built with PnetCDF.
  before='env LD_PRELOAD=$bridge WEIR_STRATEGY=dynamic WEIR_DURABILITY=cache'
  grep -qF "\`$before\` before the program" "$WEIR_SOURCE_DIR/docs/results/bridges.md" || fail "no '$before' in docs/results/bridges.md"
  line=$(line_of docs/results/bridges.md 'tools/launch -n 4 -- build/bin/ocean_netcdf') || exit 1
  bridge=$PWD/build/lib/libweir_netcdf.so
  eval "${line/-- /-- $before }" >printed 2>&1 || fail "'$line': $(tail -n 5 printed)"
  rm ./*.nc
fi

# README's file of configuration, of which the environment wins; the report and the trace of docs/observing.md, drawn.
sed -n '/^```yaml$/,/^```$/{/^```/!p}' "$WEIR_SOURCE_DIR/README.md" >weir.yaml
(($(wc -l <weir.yaml) == 5)) || fail "README's weir.yaml is $(<weir.yaml)"
(
  take README.md 'export WEIR_CONFIG='
  take README.md 'export WEIR_STRATEGY='
  tools/launch -n 2 -- build/bin/hello_c >printed 2>&1 || exit 1
  said 'rows'
) || fail "README's configuration: $(tail -n 5 printed)"
settings_of docs/configuration.md 'strategy: remap' >weir.yaml
(
  take docs/cluster.md 'export WEIR_CONFIG='
  tools/launch -n 2 -- build/bin/hello_c >printed 2>&1
) || fail "docs/configuration.md: $(tail -n 5 printed)"
said 'strategy remap'
# What a page calls MODEL or names as it pleases is hello here.
(
  take docs/observing.md 'export WEIR_REPORT=report.json'
  take docs/observing.md 'export WEIR_TRACE=trace.json'
  line=$(line_of docs/observing.md 'tools/launch -n 8 -- MODEL') || exit 1
  eval "${line/MODEL/build/bin/hello_c}" >printed 2>&1 || exit 1
) || fail "docs/observing.md: $(tail -n 5 printed)"
if [[ $with_python ]]; then
  run docs/observing.md '.venv/bin/weir report report.json trace.json --png timeline.png'
  [[ -s timeline.png ]] || fail 'docs/observing.md draws no timeline.png'
  run docs/observing.md '.venv/bin/weir watch report.json'
  said 'The run has ended well'
  run docs/observing.md '.venv/bin/weir watch --once --json report.json'
fi
(
  take docs/observing.md 'export WEIR_TRACE=trace.json WEIR_REPORT=report.json'
  run docs/observing.md 'tools/slow_storage 400MB tools/launch -n 8 -- build/bin/weir-bench'
) || exit 1
if [[ $with_python ]]; then
  run docs/observing.md '.venv/bin/weir report report.json trace.json --to'
  [[ -s docs/images/timeline.png ]] || fail 'docs/observing.md draws no docs/images/timeline.png'
fi

# A run with a kill, made again. Its folder is kept below the folder of the build: here, the one of this test.
WEIR_BUILD_DIR=$PWD/build run docs/results/reliability.md 'tools/faults --replay'
said 'kept in .*/build/faults/replay'

# The first programs. The calls of their page stand in a routine that tests/cli/moving_over.sh compiles and runs.
for name in c f90; do
  run docs/first_program.md "tools/launch -n 4 -- build/bin/hello_$name"
  ncdump -h hello.nc >printed && said 'y = 16 ;'
  rm hello.nc
done
while read -r line; do
  grep -qF -e "$line" "$WEIR_SOURCE_DIR/docs/moving_over.md" || fail "docs/moving_over.md has not '$line' of docs/first_program.md"
  done_with docs/first_program.md "$line"
done < <(commands_of docs/first_program.md | grep '^call ')

# Python's examples; docs/python.md shows the first one, and has a sentence of Weir's.
if [[ $with_python && -n $(ls build/lib/_output.*.so 2>/dev/null) ]]; then
  run docs/python.md 'tools/launch -n 4 -- .venv/bin/python examples/python/hello.py'
  [[ -s hello.nc ]] || fail 'docs/python.md writes no hello.nc'
  run docs/python.md 'tools/launch -n 4 -- .venv/bin/python examples/python/ocean.py'
  ncdump -h ocean.nc >printed && said 'time = UNLIMITED ; // \(9 currently\)'
  rm hello.nc ocean.nc
else
  done_with docs/python.md 'tools/launch -n 4 -- .venv/bin/python examples/python/'{hello,ocean}.py
fi
done_with docs/python.md 'rank 2: ocean.nc: put of "sst": the block has shape (6, 4), the selection has (4, 6): give block.T'

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
if [[ $with_python ]]; then
  rm history.nc
  run_told strategies.md '.venv/bin/weir merge -n 4 history.nc'
  run_told reliability.md '.venv/bin/weir verify history.nc'
  said 'history.nc is whole'
fi

# The simulator and what stands on it.
if [[ $with_python ]]; then
  run docs/results/one_machine.md '.venv/bin/weir simulate --machine earthlab --ranks 64'
  grep -q control_messages simulated.json || fail "its simulated.json counts no control_messages"
  run docs/machines.md '.venv/bin/weir simulate' --ranks 64 # 9,000 take half a minute
  run docs/simulating.md '.venv/bin/weir simulate --machine earthlab --workload weak' --ranks 900
  said '^dynamic:writers_per_variable=32,buffer_limit=2GiB '
  run docs/simulating.md '.venv/bin/weir simulate --machine earthlab --workload restart'
  said '^alone '
  line=$(line_of docs/simulating.md '.venv/bin/weir simulate --machine edison') || exit 1
  eval "${line/--ranks 512/--ranks 96}" >printed 2>&1 || fail "'$line' of docs/simulating.md: $(tail -n 5 printed)" # 512 take seconds
  [[ -s timeline.html ]] || fail 'docs/simulating.md draws no timeline.html'
  # In the place of a profile that takes a minute and a half.
  sed "s/^  cores: 60 /  cores: $(nproc) /" "$WEIR_SOURCE_DIR/python/weir/machines/earthlab.yaml" >here.yaml
  tools/launch -n 2 -- build/bin/weir-bench --scale 0.001 --modes remap,serial --repeat 1 --json results.json >printed 2>&1
  run docs/simulating.md '.venv/bin/weir simulate --machine here.yaml'
  run docs/tuning.md '.venv/bin/weir estimate --bandwidth'
  run docs/tuning.md '.venv/bin/weir estimate --from'
fi

# Listings are what is tested; the table that docs/tuning.md shows is one that a run can read, on the machine of its name.
block() {
  awk -v fence="\`\`\`$2" '$0 == fence { inside = 1; next } inside && /^```/ { exit } inside' "$WEIR_SOURCE_DIR/$1"
}
lines_of() { # PAGE LANGUAGE FILE: all lines of the page's listing are lines of that file, which a test runs
  while read -r line; do grep -qF -e "$line" "$WEIR_SOURCE_DIR/$3" || fail "$3 has not '$line' of $1"; done < <(block "$1" "$2")
}
lines_of docs/cfio2.md c tests/cfio2/listing.c && lines_of docs/bridge_netcdf.md fortran tests/bridge/netcdf/fortran_packed.f90
block docs/tuning.md yaml >tuned.yaml
env -u SLURM_CLUSTER_NAME LMOD_SYSHOST=node WEIR_TUNED=tuned.yaml WEIR_STRATEGY=auto WEIR_REPORT=- tools/launch -n 2 -- \
  build/bin/ocean_records $small_ocean history=auto.nc >printed 2>&1 || fail "the table of docs/tuning.md: $(tail -n 5 printed)"
said 'no tuned table has a similar output'

# The table of a page becomes its configuration (test_streams_from.py), which is right.
if [[ $with_python ]]; then
  block docs/streams_from.md xml >iodef.xml
  take docs/streams_from.md '.venv/bin/weir streams --from iodef.xml' 2>printed || fail "docs/streams_from.md: $(tail -n 5 printed)"
  said 'streams: 2, variables: 3, left out: 1$'
  run docs/streams_from.md '.venv/bin/weir streams weir.yaml'
  said '^daily '
fi

# Without the tests nothing else is wanted.
line=$(line_of docs/cluster.md 'cmake -S . -B') || exit 1
eval "${line/-S ./-S \"\$WEIR_SOURCE_DIR\"}" >printed 2>&1 || fail "'$line' of docs/cluster.md: $(tail -n 5 printed)"
[[ $(cmake --build build-cluster --target help) == *weir-verify* ]] || fail "'$line' of docs/cluster.md: jobs there end in weir-verify"

# The lines that compile a model.
(
  export HOME=$PWD/home
  cmake --install "$WEIR_BUILD_DIR" --prefix "$HOME/weir" >printed 2>&1 || exit 1
  take README.md 'export PKG_CONFIG_PATH='
  cp examples/hello.c model.c && cp examples/hello.f90 model.f90
  for compiler in mpicc mpifort; do
    run README.md "$compiler -o model"
    run README.md '$HOME/weir/bin/weir-launch -n 4'
    ncdump -h hello.nc >printed && said 'y = 16 ;'
    rm model hello.nc
  done
  run docs/installing.md 'mpicc model.c'
  tools/launch -n 2 -- ./a.out || exit 1
  run docs/installing.md 'mpifort model.f90'
  tools/launch -n 2 -- ./a.out || exit 1
  cp "$WEIR_SOURCE_DIR/tests/cfio2/listing.c" model.c && cp "$WEIR_SOURCE_DIR/tests/cfio2/listing_fortran.f90" model.f90
  run docs/cfio2.md 'mpicc   model.c' -lpnetcdf
  tools/launch -n 4 -- ./a.out || exit 1
  mpifort -I "$(dirname "$(find "$HOME/weir" -name weir.mod)")" -c "$WEIR_SOURCE_DIR/tests/fortran/support/expect.f90" || exit 1
  run docs/cfio2.md 'mpifort model.f90' 'expect.o $(pkg-config --libs weirf)'
  tools/launch -n 4 -- ./a.out || exit 1
) || fail "a program that a page compiles: $(tail -n 5 printed)"

# What is not run: page | words | why. Its words are parsed (below), where a command of this tree parses them.
not_run='
README.md | make demo | builds the tree
README.md | make build | builds the tree
README.md | make test | builds the tree, and runs this test
README.md | make install PREFIX=$HOME/weir | builds the tree; cmake --install, above, is what it does then
README.md | mpirun -n 64 | a model of the reader; the pages of the bridges have the same for an ocean
docs/formats.md | .venv/bin/weir convert | a file of the reader; tests/python/test_convert.py runs the same
docs/cluster.md | cmake --build build-cluster | builds the tree
docs/cluster.md | cmake --install build-cluster | wants that; cmake --install, above, is what it does then
docs/cluster.md | srun -n 512 | a model of the reader, on a cluster
docs/cluster.md | venv/bin/weir doctor | wants srun; cli.doctor runs the program
docs/cluster.md | venv/bin/weir profile | 90 s, and wants srun
docs/cluster.md | venv/bin/weir tune | minutes
docs/bridge.md | make build | builds the tree
docs/bridge.md | mpicc   model.o @$lib/weir_pnetcdf.link | a model of the reader; tests/cli/bridge_static.sh links one so
docs/bridge.md | mpifort model.o @$lib/weir_netcdf.link | the same
docs/bridge.md | mpifort model.o @$lib/weir_pio.link | a model of the reader on PIO; tests/cli/bridge_pio.sh links one to a stand-in
docs/bridge_netcdf.md | make build | builds the tree
docs/bridge_pio.md | export WEIR_REPORT | for the next one
docs/bridge_pio.md | mpirun -n 64 | a model of the reader
docs/bridge_pio.md | mpif90 model.o | a model of the reader on PIO; tests/cli/bridge_pio.sh links one to a stand-in
docs/installing.md | mpif90 $HOME/weir/share | a model of the reader; the test fortran_mpi.use_mpi is made of the same two files
docs/installing.md | cmake -B build -DCMAKE_INSTALL_PREFIX | builds the tree; cli.configure configures it
docs/installing.md | PKG_CONFIG_PATH=FOLDER/lib/pkgconfig | wants libraries that the reader built; cli.configure has a stand-in for them
docs/installing.md | cmake -B build-other | wants MPICH and clang; tools/other-mpi does it where they are
docs/installing.md | make other-mpi | builds the tree over MPICH
docs/installing.md | make other-libraries | builds the tree over libraries that the reader has
docs/installing.md | cmake --build build | builds the tree
docs/installing.md | cmake --install build | of a tree that was built so; cmake --install --prefix, above, is the same
docs/installing.md | python3 -m venv venv | for the next one
docs/installing.md | CMAKE_PREFIX_PATH=$HOME/weir venv/bin/pip install | builds the modules; tests/cli/install.sh builds the one for writing over an installed Weir
docs/installing.md | make wheel | builds the tree; tests/cli/install.sh makes one by tools/wheel
docs/installing.md | venv/bin/pip install build | of a wheel; tests/cli/install.sh installs one
docs/installing.md | venv/bin/weir demo | half a minute; tests/cli/install.sh runs a shorter one
docs/lab.md | lab/lab up | wants root and GlusterFS; tests/lab does it
docs/lab.md | lab/lab run | wants a lab
docs/lab.md | lab/lab shell | wants a lab
docs/lab.md | lab/lab status | wants a lab
docs/lab.md | lab/lab down | wants a lab
docs/results/reliability.md | make faults | ten minutes
docs/results/reliability.md | make faults SECONDS=3600 SEED=7 | an hour
docs/results/reliability.md | make faults THREADS=multiple | ten minutes
docs/results/reliability.md | make sim SEEDS=100000 | minutes; sim.seeds makes 6,000
docs/results/reliability.md | tools/sim --story 4711 | prints every call of a job
docs/results/reliability.md | make faults KILLS=2000 SEED=1 | hours; cli.faults makes 28 runs
docs/results/reliability.md | tools/faults calls --runs 500 | half an hour
docs/results/reliability.md | tools/faults kills --runs 2000 --seed 1 | hours
docs/results/reliability.md | tools/faults tables | half an hour
docs/results/reliability.md | tools/faults peers | minutes
docs/tuning.md | .venv/bin/weir profile | 90 s
docs/tuning.md | .venv/bin/weir tune | minutes; tests/python runs smaller ones
docs/tuning.md | .venv/bin/weir tune --ranks 1024 | minutes
docs/tuning.md | .venv/bin/weir tune --machine earthlab | minutes
docs/tuning.md | .venv/bin/weir tune --ranks 16 --format | minutes; tests/python runs smaller ones
docs/tuning.md | WEIR_STRATEGY=auto make demo | builds the tree
'
# parsed LINE: its words, by the command that would take them, all of Python's together below; of make, whether Makefile has the
# target and the variables.
parsed() {
  local line=${1%% > *} word words
  while [[ $line =~ ^[A-Z_]+= ]]; do line=${line#* }; done
  [[ $line != venv/bin/weir\ * ]] || line=.$line # the environment of docs/installing.md, which has the same package
  for word in $line; do [[ $word != *'=$PWD/'* ]] || eval "[[ -e ${word#*=} ]]" || fail "'$1': no $word"; done
  case $line in
    make\ *)
      eval "make -n -C \"\$WEIR_SOURCE_DIR\" ${line#make }" >printed 2>&1 || fail "'$1': $(tail -n 1 printed)"
      for word in $line; do
        [[ $word != *=* ]] || grep -qE "[(,]${word%%=*}[),]" "$WEIR_SOURCE_DIR/Makefile" || fail "'$1': make knows no $word"
      done
      ;;
    .venv/* | tools/* | lab/*)
      [[ $with_python ]] || return 0
      eval "words=($(in_tree "${line#.venv/bin/python }"))"
      printf '%q ' "${words[@]}" >>to_parse
      echo >>to_parse
      ;;
    mpirun\ * | srun\ * | export\ * | mpif90\ * | mpicc\ * | mpifort\ * | cmake\ * | python3\ -m\ venv\ * | venv/bin/pip\ *) ;;
    *) fail "nothing here parses '$1'" ;;
  esac
}
# Scripts find what is beside them by their own place.
in_tree() {
  [[ $1 == .venv/* || $1 == -m* ]] && echo "$1" || echo "\"\$WEIR_SOURCE_DIR\"/$1"
}
# The spaces around the bars are left out by `read`.
while IFS='|' read -r page words reason; do
  [[ $page ]] || continue
  read -r page <<<"$page" && read -r words <<<"$words" && read -r reason <<<"$reason"
  [[ $reason ]] || fail "why is '$words' of $page not run?"
  line=$(line_of "$page" "$words") || exit 1
  parsed "$line"
done <<<"$not_run"
[[ ! -e to_parse ]] || "$WEIR_SOURCE_DIR/.venv/bin/python" "$WEIR_SOURCE_DIR/tests/cli/only_parse.py" <to_parse >printed 2>&1 ||
  fail "a command that is not run: $(tail -n 2 printed)"
# What a lab's hosts would run is asked for its plan only.
line=$(line_of docs/lab.md 'lab/lab run') && line=${line#*exec }
LAB_STORAGE=$PWD eval "tools/launch -n 2 -- ${line%\'} --scale 0.001 --plan" >printed 2>&1 || fail "'$line': $(tail -n 5 printed)"

# The streams of their page, with the fields that it tells of.
if [[ $with_python ]]; then
  settings_of docs/streams.md 'restart: "streams' >weir.yaml
  settings_of docs/streams.md 'time: {units' >fields.yaml
  run docs/streams.md '.venv/bin/weir streams weir.yaml'
  run docs/streams.md '.venv/bin/weir streams weir.yaml --fields'
  said 'ocean_1990-12'
  rm weir.yaml fields.yaml
fi

# The marker of its page is that of the file it seems to be, and the page's formula gives the sum of its field.
sed -n '/^```json/,/^```$/p' "$WEIR_SOURCE_DIR/docs/reliability.md" | grep -v '^```' >told.done
sed -n '/^```python/,/^```$/p' "$WEIR_SOURCE_DIR/docs/reliability.md" | grep -v '^```' >formula.py
cat >>formula.py <<'END'
import json, struct
bits = [struct.unpack("<I", struct.pack("<f", i / 8))[0] for i in range(24 * 16 * 16)]
total = sum(m((b + (i + 1) * 0x9E3779B97F4A7C15) % 2**64) for i, b in enumerate(bits)) % 2**64
assert json.load(open("told.done"))["variables"]["sst"]["sum"] == f"{total:016x}", f"{total:016x}"
END
python3 formula.py || fail 'docs/reliability.md: the formula gives another sum than the marker has'
if command -v ncgen >/dev/null; then
  python3 -c '
numbers = lambda step, first, count: ", ".join(str(first + step * i) for i in range(count))
print("netcdf history { dimensions: time = UNLIMITED ; y = 16 ; x = 16 ; variables: double time(time) ;")
print("time:units = \"hours since 1990-01-30\" ; float sst(time, y, x) ;")
print(f"data: time = {numbers(1, 0.5, 24)} ; sst = {numbers(0.125, 0, 24 * 256)} ; }}")' >history.cdl
  ncgen -k cdf5 -o history.nc history.cdl
  build/bin/weir-verify --mark history.nc >printed 2>&1 || fail "docs/reliability.md: $(<printed)"
  diff told.done history.nc.done || fail 'docs/reliability.md has another marker than that file gets'
  rm history.nc history.nc.done history.cdl
fi
rm told.done formula.py

# Nothing is left over. Drawings are no commands; listings are held to files by documents.sh, or above.
listings='README.md: ```yaml
README.md: ```fortran
docs/bridge_netcdf.md: ```fortran
docs/cfio2.md: ```c
docs/configuration.md: ```text
docs/data_path.md: ```text
docs/first_program.md: ```c
docs/first_program.md: ```fortran
docs/moving_over.md: ```c
docs/moving_over.md: ```fortran
docs/moving_over.md: ```yaml
docs/python.md: ```python
docs/reliability.md: ```json
docs/reliability.md: ```python
docs/restarts.md: ```c
docs/restarts.md: ```yaml
docs/streams.md: ```text
docs/streams.md: ```yaml
docs/streams_from.md: ```text
docs/streams_from.md: ```xml
docs/streams_from.md: ```yaml
docs/tuning.md: ```yaml'
pages=$(cd "$WEIR_SOURCE_DIR" && ls README.md docs/*.md)
for page in $pages; do
  commands_of "$page" | sed "s|^|$page: |"
  grep -E '^```.' "$WEIR_SOURCE_DIR/$page" | sed "s|^|$page: |"
done | grep -vxFf <(cat "$TMPDIR/done"; echo "$listings") >left
[[ $with_python ]] || sed -i '/: \.venv/d' left
[[ ! -s left ]] || fail "nobody runs these; run them above, or say in not_run why not: $(<left)"
