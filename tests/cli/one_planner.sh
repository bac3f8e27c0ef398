#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The simulator has no planner, scheduler, control, flow or memory rules of its own: its object files call the very
# functions that those of a run call, and each is defined once. And no run has the simulator.
set -eu
core=$WEIR_BUILD_DIR/CMakeFiles/weir_core.dir/src
simulate=$WEIR_BUILD_DIR/CMakeFiles/weir_simulate.dir/simulate
archives=("$WEIR_BUILD_DIR"/lib/libweir_{core,simulate}.a)
library=$WEIR_BUILD_DIR/lib/libweir.so

fail() {
  echo "one_planner: $1" >&2
  exit 1
}

# calls OBJECT FUNCTION: it wants the function, and does not define it.
calls() {
  nm -C --undefined-only "$1" | grep -qF " U weir::$2" || fail "$1 does not call weir::$2"
}

defined_once() {
  local count
  count=$(nm -C --defined-only "${archives[@]}" | grep -v 'clone' | grep -cE " [Tt] weir::$1" || true)
  ((count == 1)) || fail "weir::$1 is defined $count times"
}

for step in claim appoint arrange finish; do
  calls "$core/pipeline/kept_plans.cpp.o" "Planner::$step("
  calls "$simulate/plan_cost.cpp.o" "Planner::$step("
  defined_once "Planner::$step\("
done
for event in offer written release; do
  calls "$core/control/control_rank.cpp.o" "Scheduler::$event("
  calls "$core/control/hosted_control.cpp.o" "Scheduler::$event("
  defined_once "Scheduler::$event\("
done
# The flow and the controls are objects that know no world: neither MPI, nor files, nor threads, nor simulated time.
for source in "$WEIR_SOURCE_DIR"/src/{flow,control}/*.cpp; do
  object=$core/${source#"$WEIR_SOURCE_DIR/src/"}.o
  others=$(nm -C --undefined-only "$object" |
    grep -E ' U (MPI_|ompi_|ncmpi_|pthread_create|futex|open|p?write|clock|std::thread::|weir::(Comm|HostStatus|Transport|Staging|simulate))' || true)
  [[ -z $others ]] || fail "$object is of one world: $(head -3 <<<"$others" | tr '\n' ' ')"
done
for step in begin make_room finish settle listen; do
  calls "$simulate/rank_world.cpp.o" "Flow::$step("
  defined_once "Flow::$step\("
done
for step in begin make_room finish settle; do calls "$core/pipeline/cycles.cpp.o" "Flow::$step("; done
calls "$core/file/file.cpp.o" "create("
calls "$core/file/definitions.cpp.o" "end_definitions("
for object in "$core"/file/{commits,commit_group}.cpp.o; do calls "$object" "commit("; done
for step in create end_definitions commit; do
  calls "$simulate/simulation.cpp.o" "$step("
  defined_once "$step\("
done
for object in "$simulate/controls.cpp.o" "$core/run/controls.cpp.o"; do
  for part in HostedSchedule ImpliedSchedule RemoteControl; do calls "$object" "$part::$part("; done
  calls "$object" "make_hosted_control(int,"
  calls "$object" "make_implied_control(std::shared_ptr"
done
for object in "$simulate/controls.cpp.o" "$core/run/serve.cpp.o"; do calls "$object" "ControlRank::hear("; done
calls "$simulate/controls.cpp.o" "schedule_parameters("
calls "$core/pipeline/cycles.cpp.o" "schedule_parameters("
calls "$simulate/script.cpp.o" "MemoryBudget::fits("
calls "$simulate/script.cpp.o" "more_rounds("
calls "$core/pipeline/kept_plans.cpp.o" "more_rounds("
for rule in may_be_read_by_host is_read_well_by_host; do
  calls "$simulate/reading_script.cpp.o" "$rule("
  calls "$core/pipeline/kept_plans.cpp.o" "$rule("
  defined_once "$rule\("
done
calls "$simulate/reading.cpp.o" "end_of_sieve("
calls "$core/read/reader.cpp.o" "end_of_sieve("
own='simulate::(\(anonymous namespace\)::)?(Planner|Scheduler|[A-Za-z]*(Flow|Writing|Control))::'
[[ -z $(nm -C --defined-only "${archives[1]}" | grep -E "$own" || true) ]] ||
  fail "simulate/ has a planner, scheduler, control or flow of its own"

[[ -z $(nm -C "$library" | grep -F 'weir::simulate::' || true) ]] || fail "libweir.so contains the simulator"
