// SPDX-License-Identifier: Apache-2.0
// weir-simulate: Weir's strategies on a machine that is not there (simulate/simulation.hpp). `weir simulate` calls
// the same from Python.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/text.hpp"
#include "programs/simulate/machines.hpp"
#include "simulate/study.hpp"
#include "workloads/catalogue.hpp"
#include "workloads/model_options.hpp"
#include "workloads/modes.hpp"

namespace {

using Json = nlohmann::ordered_json;

std::string names_of_workloads() {
  const auto& names = weir::workloads::names();
  return weir::join_words(std::vector<std::string_view>(names.begin(), names.end()));
}

Json split_modes(const std::string& list) {
  Json modes = Json::array();
  for (const auto& mode : weir::workloads::parse_modes(list)) modes.push_back(mode.text);
  return modes;
}

void print_reading(const Json& runs) {
  std::printf("%-40s %9s %10s %9s %12s %9s %9s %9s %9s %9s\n", "mode", "MB", "seconds", "read MB", "requests", "opens",
              "messages", "read", "get", "wait");
  for (const Json& run : runs)
    std::printf("%-40s %9.0f %10.4f %9.0f %12lld %9lld %9lld %9.4f %9.4f %9.4f\n",
                run["mode"].get<std::string>().c_str(), run["bytes"].get<double>() / 1e6, run["seconds"].get<double>(),
                run["bytes_read"].get<double>() / 1e6, run["reads"].get<long long>(), run["opens"].get<long long>(),
                run["messages"].get<long long>(), run["steps"]["read"].get<double>(), run["steps"]["get"].get<double>(),
                run["steps"]["wait"].get<double>());
}

void print_table(const Json& answer) {
  if (answer["runs"].front().contains("reads")) return print_reading(answer["runs"]);
  std::printf("%-40s %9s %10s %10s %9s %9s %9s %9s %9s %9s\n", "mode", "MB", "seconds", "MB/s", "visible", "late",
              "put", "forward", "write", "wait");
  for (const Json& run : answer["runs"]) {
    const double seconds = run["seconds"], megabytes = run["bytes"].get<double>() / 1e6;
    const Json& steps = run["steps"];
    std::printf("%-40s %9.0f %10.4f %10.1f %9.4f %9.4f %9.4f %9.4f %9.4f %9.4f\n",
                run["mode"].get<std::string>().c_str(), megabytes, seconds, seconds > 0 ? megabytes / seconds : 0.0,
                run["visible_seconds"].get<double>(), run["late_seconds"].get<double>(), steps["put"].get<double>(),
                steps["forward"].get<double>(), steps["write"].get<double>(), steps["wait"].get<double>());
  }
}

// The machine's profile for the request: a file, or one that ships with Weir, by its name.
std::pair<std::string, std::string> profile_of(const std::string& machine) {
  if (std::filesystem::is_regular_file(machine)) return {"profile", machine};
  std::vector<std::string_view> names;
  for (const auto& [name, text] : weir::simulate::shipped_machines) {
    if (machine == name) return {"profile_text", std::string(text)};
    names.push_back(name);
  }
  throw weir::Error(WEIR_EARGUMENT, "found no profile \"{}\": give a file that weir profile made, or one of {}",
                    machine, weir::join_words(names));
}

struct Options {
  std::string machine, workload = "weak", modes = "remap", json, trace, stripe_size;
  int ranks = 16, ranks_per_node = 0, traced_ranks = 256;
  std::int64_t stripe_count = 0;
  weir::workloads::ModelOptions model;
  std::uint64_t seed = 1;
  std::vector<std::string> settings;
};

void describe(CLI::App& app, Options& options) {
  app.add_option("--machine", options.machine, "a machine's name, or the file of its profile (docs/machines.md)")
      ->required();
  app.add_option("--workload", options.workload, weir::formatted("{}, restart (which is read)", names_of_workloads()));
  app.add_option("--ranks", options.ranks, "of the model")->check(CLI::PositiveNumber);
  app.add_option("--ranks-per-node", options.ranks_per_node, "default: the machine's cores");
  app.add_option("--modes", options.modes, "comma-separated; settings as MODE:key=value,key=value");
  weir::workloads::describe_model(app, options.model);
  app.add_option("--stripe-count", options.stripe_count, "servers of the file");
  app.add_option("--stripe-size", options.stripe_size, "of the file: 2MiB");
  app.add_option("--set", options.settings, "a key of Weir's configuration for all modes: key=value; again for more");
  app.add_option("--seed", options.seed, "of the ranks' speeds");
  app.add_option("--json", options.json, "file for the results");
  app.add_option("--trace", options.trace, "file for the timeline of the last mode (Chrome trace JSON)");
  app.add_option("--traced-ranks", options.traced_ranks, "ranks in it");
}

Json request_of(const Options& options) {
  Json config = Json::object();
  for (const std::string& setting : options.settings) {
    const auto [key, value] = weir::workloads::parse_setting(setting, "--set ");
    config[key] = value;
  }
  std::int64_t stripe_size = 0;
  if (!options.stripe_size.empty()) {
    const auto bytes = weir::parse_bytes(options.stripe_size);
    weir::require(bytes && *bytes > 0, WEIR_EARGUMENT, "--stripe-size {} is not a size; give 2MiB",
                  options.stripe_size);
    stripe_size = *bytes;
  }
  const weir::workloads::ModelOptions& model = options.model;
  const auto [kind, profile] = profile_of(options.machine);
  return {{kind, profile},
          {"workload", options.workload},
          {"ranks", options.ranks},
          {"ranks_per_node", options.ranks_per_node},
          {"modes", split_modes(options.modes)},
          {"scale", model.scale},
          {"records", model.records},
          {"compute",
           {{"seconds", model.compute_seconds},
            {"imbalance", model.imbalance},
            {"kind", model.imbalance_kind},
            {"steps", model.steps.value_or(1)},
            {"halo", model.halo}}},
          {"stripe_count", options.stripe_count},
          {"stripe_size", stripe_size},
          {"config", config},
          {"seed", options.seed},
          {"trace", options.trace},
          {"traced_ranks", options.traced_ranks}};
}

int run(int argc, char** argv) {
  CLI::App app("Simulates Weir's strategies on a machine described by a profile");
  Options options;
  describe(app, options);
  CLI11_PARSE(app, argc, argv);
  const std::string answer = weir::simulate::study(request_of(options).dump());
  print_table(Json::parse(answer));
  if (options.json.empty()) return 0;
  std::ofstream file(options.json);
  file << answer << "\n";
  file.close();
  weir::require(file.good(), WEIR_EIO, "the results cannot be written to {}", options.json);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "weir-simulate: " << error.what() << "\n";
    return 1;
  }
}
