#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The simulator has no planner, scheduler, control, flow or memory rules of its own: its object files call the very
# functions that those of a run call, and each is defined once. And no run has the simulator. The steps that ask which strategy they serve
# are those that src/README.md lists.
set -eu
archives=("$WEIR_BUILD_DIR"/lib/libweir_{core,simulate}.a)
library=$WEIR_BUILD_DIR/lib/libweir.so

fail() {
  echo "one_planner: $1" >&2
  exit 1
}

# objects_of FOLDER: what its sources became, most of them one object together (cmake/WeirSettings.cmake), or each its own.
objects_of() {
  local target=weir_core objects members object
  [[ $1 == src/* ]] || target=weir_simulate
  objects=$WEIR_BUILD_DIR/CMakeFiles/$target.dir
  members=$(ar t "$WEIR_BUILD_DIR/lib/lib$target.a")
  for object in "$objects/Unity/unity_${1//\//_}_cxx.cxx.o" "$objects/$1"/*.cpp.o; do
    ! grep -qxF "${object##*/}" <<<"$members" || echo "$object"
  done
}

# undefined_in FOLDER: what its objects want of other folders, or of one another.
declare -A undefined=()
undefined_in() {
  [[ ${undefined[$1]:-} ]] || undefined[$1]=$(nm -C --undefined-only $(objects_of "$1"))
  echo "${undefined[$1]}"
}

# calls FOLDER FUNCTION: it wants the function of another folder.
calls() {
  grep -qF " U weir::$2" <<<"$(undefined_in "$1")" || fail "$1 does not call weir::$2"
}

defined_once() {
  local count
  count=$(nm -C --defined-only "${archives[@]}" | grep -v 'clone' | grep -cE " [Tt] weir::$1" || true)
  ((count == 1)) || fail "weir::$1 is defined $count times"
}

for step in claim appoint arrange finish; do
  for folder in src/engine simulate; do calls $folder "Planner::$step("; done
  defined_once "Planner::$step\("
done
for event in offer written release; do defined_once "Scheduler::$event\("; done
# The flow, the scheduler and the controls are objects that know no world: neither MPI, nor files, nor threads, nor simulated time.
for folder in src/flow src/schedule; do
  others=$(undefined_in $folder |
    grep -E ' U (MPI_|ompi_|ncmpi_|pthread_create|futex|open|p?write|clock|std::thread::|weir::(Comm|HostStatus|Transport|Staging|simulate))' || true)
  [[ -z $others ]] || fail "$folder is of one world: $(head -3 <<<"$others" | tr '\n' ' ')"
done
for step in Flow::begin Flow::make_room Flow::finish Flow::drain Flow::listen BackgroundWriter::write_next; do
  calls simulate "$step("
  defined_once "$step\("
done
for step in begin make_room finish drain; do calls src/engine "Flow::$step("; done
for folder in src/engine simulate; do
  for part in HostedSchedule ImpliedSchedule RemoteControl; do calls $folder "$part::$part("; done
  calls $folder "make_hosted_control(int,"
  calls $folder "make_implied_control(std::shared_ptr"
  calls $folder "ControlRank::hear("
done
for rule in 'MemoryBudget::fits(' 'may_be_read_by_host(' 'is_read_well_by_host(' 'end_of_sieve('; do
  calls simulate "$rule"
  defined_once "${rule/(/\\(}"
done
for rule in 'schedule_parameters(' 'MemoryBudget::next_step(' 'ends_with_record(' 'more_rounds(' 'may_be_read_by_host(' 'is_read_well_by_host('; do
  for folder in src/engine simulate; do calls $folder "$rule"; done
done
# And writes what it was doing in the same words.
nm -C --undefined-only "${archives[0]}" 2>/dev/null | grep -qF ' U weir::TraceText::add(' || fail "a run's trace is not written by TraceText"
calls simulate 'TraceText::add('
# What a run decides outside of those, the simulator asks the same function.
for rule in src/engine:'slot_of_planning_rank(' src/engine:'request_of(' src/engine:'cycles_in_flight(' src/file:'place_of(' src/file:'alignment_of(' \
  src/flow:'cycle_is_full(' src/formats/classic:'one_at_a_time(' src/formats/classic:'io_hints(' src/storage:'joining_windows(' src/formats/classic:'joining_ranks(' src/engine:'shares_memory(' \
  src/engine:'listens_in_background(' src/engine:'serving_ranks(' src/engine:'BackgroundWriter::write_next(' src/file:'Roles::owning(' \
  src/formats/zarr:'sink_of_packed(' src/formats/zarr:'is_kept('; do
  for folder in "${rule%%:*}" simulate; do calls "$folder" "${rule#*:}"; done
done
# Templates and inline functions leave no symbol: both name them, and one place defines them.
for rule in engine:plan_within:schedule engine:plan_reading:schedule engine:has_open_slots:schedule engine:control_way:schedule formats:stripe_bytes_of:base \
  engine:is_packed:flow engine:each_tile:flow file:record_is_complete:flow formats:may_write_apart:base engine:needs_of:schedule engine:each_reading_cycle:schedule \
  mpi:host_part:base file:commit_in_order:flow engine:read_in_cycles:flow; do
  IFS=: read -r folder name home <<<"$rule"
  for where in "$WEIR_SOURCE_DIR/src/$folder" "$WEIR_SOURCE_DIR/simulate"; do
    grep -rqE "\\b$name\\(" "$where" || fail "${where#"$WEIR_SOURCE_DIR"/} does not call $name"
  done
  found=$(grep -rlE "^(template.*|inline )?(auto|void|bool|Reservation|ControlWay|std::vector<Need>|inline .*) $name\\(" "$WEIR_SOURCE_DIR"/{src,simulate} |
    sed "s|$WEIR_SOURCE_DIR/||")
  [[ $found == "src/$home/"* && $found != *$'\n'* ]] || fail "$name is not defined once, in src/$home"
done
own='simulate::(\(anonymous namespace\)::)?(Planner|Scheduler|[A-Za-z]*(Flow|Writing|Control))::'
[[ -z $(nm -C --defined-only "${archives[1]}" | grep -E "$own" || true) ]] ||
  fail "simulate/ has a planner, scheduler, control or flow of its own"

[[ -z $(nm -C "$library" | grep -F 'weir::simulate::' || true) ]] || fail "libweir.so contains the simulator"

listed=$(sed -n '/^\*\*A strategy\*\*/,/^\*\*A format/p' "$WEIR_SOURCE_DIR/src/README.md")
cd "$WEIR_SOURCE_DIR/src"
asking=$(grep -rlE 'StrategyKind::' --include='*.[ch]pp' . | sed 's#^\./##' | grep -vE '^(base/|plan/strateg)')
for file in $asking; do
  [[ $listed == *"\`$file\`"* ]] || fail "$file asks for a strategy by name, and src/README.md does not list it"
done
for file in $(grep -oE '^(- |  ).*' <<<"$listed" | grep -oE '`[a-z_/]+\.[ch]pp`' | tr -d '`' | sort -u); do
  grep -qxF "$file" <<<"$asking" || fail "$file asks for no strategy by name, and src/README.md lists it"
done
