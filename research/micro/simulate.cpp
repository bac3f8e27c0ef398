// SPDX-License-Identifier: Apache-2.0
// The simulator at the size of the paper's largest runs: 20,000 ranks put 20 variables once, planning included. The
// counters tell what there was to do, and events/s what the clock of simulated time does.
#include <benchmark/benchmark.h>

#include "simulate/simulation.hpp"

namespace weir::simulate {
namespace {

constexpr const char* machine = R"(
weir_machine: 1
name: large
nodes: {cores: 60, memory: 256GB}
copy: {bandwidth: [{at: 1, value: 5GB/s}, {at: 60, value: 80GB/s}]}
network:
  within: {latency: 1us, bandwidth: 20GB/s}
  between: {latency: 2us, overhead: 1us, bandwidth: 3GB/s}
storage: {shared: true, coherent: true, rate: 9GB/s, total: 16GB/s}
)";

void simulate_weak(benchmark::State& state, const char* strategy) {
  const Profile profile = parse_profile(machine, "the benchmark's machine");
  WorkloadRequest request;
  request.ranks = static_cast<int>(state.range(0));
  const Workload work = make_workload(request);
  std::int64_t events = 0, messages = 0;
  double running = 0;
  for (auto _ : state) {
    const Result result = simulate(profile, work, load_config(strategy), {});
    events += result.events;
    messages += result.messages + result.control_messages;
    running += result.running_cpu_seconds;
    benchmark::DoNotOptimize(result.seconds);
  }
  state.counters["events"] = static_cast<double>(events) / static_cast<double>(state.iterations());
  state.counters["messages"] = static_cast<double>(messages) / static_cast<double>(state.iterations());
  state.counters["events/s"] = running > 0 ? static_cast<double>(events) / running : 0;
}

BENCHMARK_CAPTURE(simulate_weak, dynamic, "strategy: dynamic\n")->Arg(2000)->Arg(20000)->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(simulate_weak, dynamic_by_rank, "strategy: dynamic\ncontrol: rank\n")
    ->Arg(20000)
    ->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(simulate_weak, remap_256MiB, "strategy: remap\nbuffer_limit: 256MiB\n")
    ->Arg(20000)
    ->Unit(benchmark::kSecond);

}  // namespace
}  // namespace weir::simulate
