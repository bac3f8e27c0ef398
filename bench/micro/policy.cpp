// SPDX-License-Identifier: Apache-2.0
// A trained policy: one decision with the inputs made anew, as who asks it makes them. Sizes are those that
// `weir.learning` trains (two hidden layers of 32, 40 actions), and four times as wide.
#include "schedule/policy.hpp"

#include <benchmark/benchmark.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "simulate/policy_inputs.hpp"

namespace weir {
namespace {

using Json = nlohmann::json;

constexpr const char* machine = R"(
weir_machine: 1
name: any
nodes: {cores: 16, memory: 64GB}
copy: {bandwidth: 20GB/s}
network: {within: {latency: 1us, bandwidth: 10GB/s}, between: {latency: 2us, bandwidth: 3GB/s}}
storage: {shared: true, coherent: true, rate: [{at: 1, value: 1GB/s}, {at: 16, value: 5GB/s}], total: 8GB/s}
)";
const std::vector<double> writer_exponents{0, 0.25, 0.5, 0.75, 1};
const std::vector<int> wait_rounds{0, 1, 4, 16};

Json layer(std::size_t rows, std::size_t columns, std::mt19937& random) {
  std::uniform_real_distribution<double> weight(-0.5, 0.5);
  Json weights = Json::array();
  for (std::size_t row = 0; row < rows; ++row) {
    weights.push_back(Json::array());
    for (std::size_t column = 0; column < columns; ++column) weights.back().push_back(weight(random));
  }
  return {{"weights", weights}, {"bias", std::vector<double>(rows, 0.1)}};
}

Policy policy_of(std::size_t width) {
  std::mt19937 random(1);
  Json inputs = Json::array();
  for (const std::string& name : simulate::policy_input_names())
    inputs.push_back({{"name", name}, {"mean", 0.5}, {"scale", 2.0}});
  const std::size_t actions = 2 * writer_exponents.size() * wait_rounds.size();
  const Json root{
      {"weir_policy", policy_version},
      {"inputs", inputs},
      {"writer_exponents", writer_exponents},
      {"wait_rounds", wait_rounds},
      {"layers", {layer(width, inputs.size(), random), layer(width, width, random), layer(actions, width, random)}}};
  return Policy::parse(root.dump(), "the benchmark's policy");
}

void policy(benchmark::State& state) {
  const Policy trained = policy_of(static_cast<std::size_t>(state.range(0)));
  const simulate::Profile profile = simulate::parse_profile(machine, "the benchmark's machine");
  simulate::PolicyState now{64, 16, 4e6, 0.5, 10, 0, 20, 0, 0};
  for (auto _ : state) {
    now.place = (now.place + 1) % now.variables;
    const std::vector<double> inputs = policy_inputs(profile, now);
    benchmark::DoNotOptimize(trained.action(trained.choose(inputs), now.ranks));
  }
}

BENCHMARK(policy)->ArgName("width")->Arg(32)->Arg(128)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace weir
