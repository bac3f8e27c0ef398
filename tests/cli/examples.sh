#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 240
# Every example runs under every way to write, on as many ranks as the model has and those that Weir keeps for itself, ends
# with 0 and leaves the same bytes (parts: when they are merged): hello in C and Fortran, the streams, the ocean that makes its
# history file and the one that sends fields, and their restart files. (That one commits all as one, which parts cannot be.)
# The listing of docs/cfio2.md, which checks its file itself, runs under the same ways. Two ways at a time.
set -u
cd "$TMPDIR"
bin=$WEIR_BUILD_DIR/bin
ways="serial auto auto:rank collective rows columns remap servers dynamic dynamic:rank file_per_rank file_per_domain"
model_ranks=3
settings="nx=40 ny=20 nz=2 dt_seconds=3600 days=2 history_days=0.5 commit_days=1 restart_out=restart.nc"
ocean="ocean_records $settings history=history.nc"
sent="ocean $settings"
fields='{history: {file: history.nc, every: 12 hours, fields: ["*"]}, means: {file: means.nc, every: 2 days, as: mean, fields: [ssh, temperature]}}'

fail() {
  echo "examples: $1" >&2
  exit 1
}

# run PROGRAM ARGUMENT...: on the model's ranks and what $way reserves.
run() {
  local ranks=$model_ranks setting=WEIR_STRATEGY=${way%:*}
  [[ $way == *:rank ]] && setting+=" WEIR_CONTROL=rank"
  [[ $way == servers || $way == *:rank ]] && ((++ranks))
  env $setting WEIR_DURABILITY=cache "$WEIR_SOURCE_DIR/tools/launch" -n "$ranks" --timeout 60 -- "$@" >printed 2>&1 ||
    fail "$* under $way ends with code $?: $(tail -n 5 printed)"
  rm printed
}

# leaves FILE...: these, merged where they are parts, and nothing else, in the folder.
leaves() {
  local file
  for file in "$@"; do
    [[ $way != file_per_* ]] || WEIR_STRATEGY=serial "$bin/weir-merge" --remove "$file" || fail "$way leaves no parts of $file"
    [[ -s $file ]] || fail "$way leaves no $file"
  done
  diff <(ls -A) <(printf '%s\n' "$@") || fail "$way leaves other files than $*"
}

# run_all WAY: every example, each in a folder of its own.
run_all() {
  way=$1
  mkdir -p "$way"/{c,f90,streams,ocean,sent,listing} && cd "$way" || exit 1
  export XDG_CACHE_HOME=$TMPDIR/$way/cache
  for language in c f90; do
    [[ ! -x $bin/hello_$language ]] || (cd $language && run "$bin/hello_$language" && leaves hello.nc) || exit 1
  done
  (cd streams && cp "$WEIR_SOURCE_DIR/examples/streams.yaml" . && WEIR_CONFIG=streams.yaml run "$bin/streams_c" &&
    rm streams.yaml && leaves daily_1990-01.nc daily_1990-02.nc half_days.nc) || exit 1
  if [[ -x $bin/ocean ]]; then
    (cd ocean && run "$bin"/$ocean && leaves history.nc restart.nc) || exit 1
    [[ $way == file_per_* ]] ||
      (cd sent && WEIR_STREAMS=$fields run "$bin"/$sent && leaves history.nc means.nc restart.nc) || exit 1
  fi
  # Parts cannot be rewritten, which the listing asks for. ctest runs it under three; it always has a control rank.
  [[ $way =~ ^(dynamic|servers|remap|file_per_.*|.*:rank)$ ]] ||
    (cd listing && TMPDIR=$PWD run "$WEIR_BUILD_DIR/tests/test_cfio2_listing") || exit 1
}

running=0
for way in $ways; do
  run_all "$way" &
  ((++running < 2)) || wait -n || { wait; exit 1; }
done
wait -n || exit 1

for way in $ways; do
  for program in c f90 streams ocean; do
    diff -r "serial/$program" "$way/$program" || fail "$way: other files of $program than under serial"
  done
  [[ $way == file_per_* ]] || diff -r serial/sent "$way/sent" || fail "$way: other files of the ocean's fields than under serial"
done
for language in c f90; do
  [[ -x $bin/hello_$language ]] || continue
  # The rows of rank r hold r.
  rows=$(ncdump -v temperature serial/$language/hello.nc | sed -n '/^ temperature =/,$p' | grep -o '[0-9]' | sort | uniq -c)
  [[ $(xargs <<<"$rows") == "40 0 40 1 40 2" ]] || fail "hello.nc holds $rows"
done

# A run that is ended halfway and goes on with other ranks leaves the same restart file, to the bit, and the same mean, in whose
# middle it stopped.
for way in collective dynamic:rank; do
  [[ -x $bin/ocean ]] || break
  (
    mkdir -p "again/$way" && cd "again/$way" || exit 1
    model_ranks=2 && run "$bin"/${ocean/days=2/days=1} restart_out=between.nc || exit 1
    model_ranks=4 && run "$bin"/${ocean/days=2/days=1} append=.true. restart_in=between.nc || exit 1
    diff restart.nc ../../serial/ocean/restart.nc || fail "$way: another restart file after a restart on other ranks"
    mkdir sent && cd sent || exit 1
    export WEIR_STREAMS=$fields WEIR_RESTART='unfinished_{time}.nc'
    model_ranks=2 && run "$bin"/${sent/days=2/days=1} restart_out=between.nc || exit 1
    [[ ! -e means.nc ]] || fail "$way: a mean of two days is written after one"
    model_ranks=4 && run "$bin"/${sent/days=2/days=1} restart_in=between.nc || exit 1
    for file in history.nc means.nc restart.nc; do
      cmp $file ../../../serial/sent/$file || fail "$way: another $file of the ocean's fields after a restart on other ranks"
    done
  ) || exit 1
done

# And so does one whose files a rule makes netCDF-4 (that of docs/restarts.md).
shown() {
  ncdump -p 9,17 "$1" | tail -n +2 # the first line names the file
}
if [[ -x $bin/ocean ]] && ls "$WEIR_BUILD_DIR"/lib/libweir_netcdf4_*.so >/dev/null 2>&1; then
  (
    mkdir -p again/netcdf4 && cd again/netcdf4 || exit 1
    # Its first listing in YAML.
    awk '/^```yaml$/ { inside = 1; next } inside && /^```/ { exit } inside' "$WEIR_SOURCE_DIR/docs/restarts.md" >weir.yaml
    export WEIR_CONFIG=$PWD/weir.yaml
    way=dynamic && model_ranks=2 && run "$bin"/${ocean/days=2/days=1} restart_out=between.nc || exit 1
    way=remap && model_ranks=4 && run "$bin"/${ocean/days=2/days=1} history=second.nc restart_in=between.nc || exit 1
    [[ $(ncdump -k between.nc) == netCDF-4 ]] || fail "between.nc is $(ncdump -k between.nc)"
    diff <(shown restart.nc) <(shown ../../serial/ocean/restart.nc) >/dev/null || fail "another state after a restart from netCDF-4"
  ) || exit 1
fi
times=$(ncdump -v time serial/ocean/history.nc | sed -n 's/^ time = //p')
[[ ! -x $bin/ocean || $times == "0.5, 1, 1.5, 2 ;" ]] || fail "history.nc has the times $times"
# Hours 1 to 24 have 1 to 23 and 0, and rank r adds r.
means=$(ncdump -v sst serial/streams/daily_1990-01.nc | sed -n '/^ sst =/,$p' | grep -o '[0-9.]*[0-9]' | sort | uniq -c)
[[ $(xargs <<<"$means") == "80 11.5 80 12.5 80 13.5" ]] || fail "daily_1990-01.nc holds $means"
ncdump -v time,sst_max serial/streams/daily_1990-02.nc | grep -q 'time = 60 ;' || fail 'daily_1990-02.nc has another time'
