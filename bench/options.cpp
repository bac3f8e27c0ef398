// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "agree.hpp"
#include "base/text.hpp"
#include "check.hpp"
#include "command_line.hpp"
#include "workloads/model_options.hpp"

namespace weir::bench {
namespace {

// What CLI11 fills and cannot type.
struct RawText {
  std::string modes = "remap,peer:pnetcdf,peer:raw";
  std::string hints;
  std::string config;
  std::string card, storage_cards;
  std::vector<std::string> settings;
  workloads::ModelOptions model;
};

Settings parse_settings(const std::vector<std::string>& texts, const std::string& option) {
  Settings settings;
  for (const std::string& text : texts) settings.push_back(workloads::parse_setting(text, option + " "));
  return settings;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, separator);) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

// A file's text where `config` names one, else `config` itself; with the settings over it.
std::string configuration_text(const std::string& config, const Settings& settings) {
  std::string text = config;
  if (!config.empty() && std::filesystem::is_regular_file(config)) {
    std::ostringstream content;
    content << std::ifstream(config).rdbuf();
    text = content.str();
  }
  YAML::Node root = YAML::Load(text.empty() ? "{}" : text);
  if (!root.IsMap())
    throw BenchError(formatted("--config \"{}\" is neither a file nor YAML of keys and values", config));
  for (const auto& [key, value] : settings) root[key] = value;
  return YAML::Dump(root);
}

std::int64_t parse_bandwidth(const std::string& option, const std::string& text) {
  const std::optional<std::int64_t> bytes = parse_bytes(text);
  if (bytes && *bytes > 0) return *bytes;
  throw BenchError(formatted("{} \"{}\" is no bandwidth; give bytes a second, as 200MB", option, text));
}

void take_model(const workloads::ModelOptions& model, Options& options) {
  options.workload.scale = model.scale;
  options.workload.records = model.records;
  ComputeRequest& compute = options.compute;
  compute.seconds = model.compute_seconds;
  compute.imbalance = model.imbalance;
  compute.imbalance_kind = model.imbalance_kind == "drifting" ? Imbalance::drifting : Imbalance::fixed;
  compute.halo = model.halo == "none" ? HaloKind::none : model.halo == "all" ? HaloKind::all : HaloKind::neighbours;
  compute.steps = model.steps;
}

void add_model(CLI::App& app, workloads::ModelOptions& model) {
  workloads::describe_model(app, model);
  app.get_option("--compute")->check(CLI::NonNegativeNumber);
  app.get_option("--imbalance")->check(CLI::Range(0., 1.));
  app.get_option("--imbalance-kind")->check(CLI::IsMember({"fixed", "drifting"}));
  app.get_option("--halo")->check(CLI::IsMember({"none", "neighbours", "all"}));
  app.get_option("--steps")->check(CLI::NonNegativeNumber);
}

void describe(CLI::App& app, Options& options, RawText& raw) {
  app.add_option("--workload", options.workload.name, formatted("{}, restart", workload_names()));
  app.add_option("--modes", raw.modes, "comma-separated; settings as MODE:key=value,key=value");
  app.add_option("--repeat", options.repeats, "counted repeats of every mode")->check(CLI::PositiveNumber);
  app.add_option("--warm-up", options.warm_ups, "repeats before them that are not counted")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--seconds", options.limit_seconds,
                 "share so many out to the modes: one that had its share is not repeated further")
      ->check(CLI::PositiveNumber);
  app.add_option("--dir", options.directory, "where the files go")->check(CLI::ExistingDirectory);
  app.add_option("--json", options.json_path, "file for the results");
  app.add_option("--map", options.workload.map_path, "decomposition map of the workload map")->check(CLI::ExistingFile);
  app.add_option("--header", options.workload.header_path, "its file's header, as ncdump -h prints it")
      ->check(CLI::ExistingFile);
  app.add_option("--data", options.workload.smooth,
                 "hash: values that do not pack; model: smooth fields with noise in their last bits")
      ->transform(CLI::Transformer(std::map<std::string, bool>{{"hash", false}, {"model", true}}));
  add_model(app, raw.model);
  app.add_option("--compute-kind", options.compute.kind,
                 "busy: fixed work, that of so many seconds without output; sleep: the time alone, as if nobody else "
                 "wanted the processor")
      ->transform(CLI::Transformer(
          std::map<std::string, ComputeKind>{{"busy", ComputeKind::busy}, {"sleep", ComputeKind::sleep}}));
  app.add_option("--card", raw.card, "restart: what a host's network card takes a second: 25MB");
  app.add_option("--storage-cards", raw.storage_cards, "restart: what those of the storage give together: 100MB");
  app.add_option("--model-ranks", options.model_ranks, "ranks that are the model (default: all that no mode reserves)")
      ->check(CLI::PositiveNumber);
  app.add_option("--hints", raw.hints, "MPI-IO hints of every mode: key=value;key=value");
  app.add_option("--config", raw.config, "Weir's configuration: a YAML file or text");
  app.add_option("--set", raw.settings, "one key of it: key=value; again for more");
  app.add_flag(any_thread_flag, options.any_thread,
               "initialise MPI with MPI_THREAD_MULTIPLE, which progress: thread wants");
  app.add_flag("--plan", options.plan, "print Weir's plans as JSON, and write nothing");
  app.add_flag("--keys", options.keys, "print the keys of Weir's configuration");
  app.add_flag("--cold", options.cold, "restart: take the file out of the page cache before each reading");
  app.add_flag("--keep", options.keep, "leave the files");
  app.add_flag("!--no-verify", options.verify, "do not read the files back");
  app.add_flag("!--no-progress", options.progress, "no progress line on a terminal");
}

void complete(Options& options, const RawText& raw) {
  take_model(raw.model, options);
  options.modes = parse_known_modes(raw.modes);
  options.hints = parse_settings(split(raw.hints, ';'), "--hints");
  if (!raw.card.empty()) options.cards.host = parse_bandwidth("--card", raw.card);
  if (!raw.storage_cards.empty()) options.cards.storage = parse_bandwidth("--storage-cards", raw.storage_cards);
  options.configuration = configuration_text(raw.config, parse_settings(raw.settings, "--set"));
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv, MPI_Comm comm, int& exit_code) {
  CLI::App app{"Measures ways of writing a model's output: Weir's strategies and their peers, on the same data."};
  Options options;
  RawText raw;
  describe(app, options, raw);
  if (const auto ended = parse_together(app, argc, argv, comm)) {
    exit_code = *ended;
    return std::nullopt;
  }
  together(comm, [&] { complete(options, raw); });
  return options;
}

}  // namespace weir::bench
