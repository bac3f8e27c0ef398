// SPDX-License-Identifier: Apache-2.0
#include "simulate/study.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/config_keys.hpp"
#include "base/text.hpp"
#include "simulate/profile_number.hpp"
#include "simulate/reading.hpp"
#include "simulate/simulation.hpp"
#include "simulate/timeline_file.hpp"
#include "workloads/modes.hpp"

namespace weir::simulate {

namespace {

using Json = nlohmann::ordered_json;

template <class Value>
Value value_of(const Json& request, const char* key, const Value& otherwise) {
  const auto found = request.find(key);
  if (found == request.end() || found->is_null()) return otherwise;
  try {
    return found->template get<Value>();
  } catch (const Json::exception&) {
    throw Error(WEIR_EARGUMENT, "{}: {} is not what belongs there", key, found->dump());
  }
}

void check_keys(const Json& request) {
  static const std::vector<std::string_view> known{
      "profile", "profile_text", "workload",    "ranks",  "modes", "ranks_per_node", "scale", "records",
      "compute", "stripe_count", "stripe_size", "config", "seed",  "orders",         "trace", "traced_ranks"};
  for (const auto& entry : request.items()) {
    if (std::find(known.begin(), known.end(), entry.key()) != known.end()) continue;
    const auto nearest = nearest_word(entry.key(), known);
    throw Error(WEIR_EARGUMENT, "unknown key \"{}\" in the request{}", entry.key(),
                nearest ? formatted(": did you mean \"{}\"?", *nearest) : "");
  }
}

Compute compute_of(const Json& request) {
  Compute compute;
  const auto found = request.find("compute");
  if (found == request.end() || found->is_null()) return compute;
  compute.seconds = value_of(*found, "seconds", 0.0);
  compute.imbalance = value_of(*found, "imbalance", 0.0);
  compute.steps = value_of(*found, "steps", 1);
  require(compute.seconds >= 0 && compute.imbalance >= 0 && compute.imbalance <= 1 && compute.steps >= 0,
          WEIR_EARGUMENT, "compute: seconds and steps are not negative, an imbalance is from 0 to 1");
  const auto kind = value_of<std::string>(*found, "kind", "fixed"),
             halo = value_of<std::string>(*found, "halo", "neighbours");
  require(kind == "fixed" || kind == "drifting", WEIR_EARGUMENT, "compute: kind is fixed or drifting");
  require(halo == "neighbours" || halo == "all" || halo == "none", WEIR_EARGUMENT,
          "compute: halo is neighbours, all or none");
  compute.drifting = kind == "drifting";
  compute.sleeps = value_of(*found, "sleeps", false);
  compute.halo = halo == "none" ? Halo::none : halo == "all" ? Halo::all : Halo::neighbours;
  return compute;
}

Workload workload_of(const Json& request) {
  WorkloadRequest wanted;
  wanted.name = value_of<std::string>(request, "workload", "weak");
  wanted.ranks = value_of(request, "ranks", 1);
  wanted.scale = value_of(request, "scale", 1.0);
  wanted.records = value_of(request, "records", std::int64_t{0});
  wanted.compute = compute_of(request);
  return make_workload(wanted);
}

// Libraries of the papers, as a strategy that does what they do, at every put.
struct Peer {
  std::string_view name;
  StrategyKind strategy;
};
constexpr std::array<Peer, 5> peers{{{"peer:serial", StrategyKind::serial},
                                     {"peer:pnetcdf", StrategyKind::collective},
                                     {"peer:pnetcdf-rows", StrategyKind::rows},        // Wong et al. 2015: pnetCDFcr
                                     {"peer:pnetcdf-columns", StrategyKind::columns},  // pnetCDFcc
                                     {"peer:remap", StrategyKind::remap}}};            // Tseng & Ding 2008; PIO

const Peer* peer_of(const workloads::ModeSpec& mode) {
  const auto found = std::find_if(peers.begin(), peers.end(), [&](const Peer& peer) { return mode.name == peer.name; });
  return found == peers.end() ? nullptr : &*found;
}

ConfigValue config_value(const Json& found) {
  ConfigValue value;
  value.is_map = found.is_object();
  if (!value.is_map) {
    value.text = found.is_string() ? found.get<std::string>() : found.dump();
    return value;
  }
  for (const auto& entry : found.items()) value.entries.push_back({entry.key(), config_value(entry.value())});
  return value;
}

// Settings of the simulator alone: a run packs as it does.
bool takes(PackingAsked& asked, const std::string& key, const std::string& text) {
  if (key == "ratio") asked.ratio = parse_number(text, ratios);
  if (key == "pack_rate") asked.rate = parse_number(text, rates);
  return key == "ratio" || key == "pack_rate";
}

PackingAsked packing_asked(const workloads::ModeSpec& mode) {
  PackingAsked asked;
  for (const auto& [key, text] : mode.settings) static_cast<void>(takes(asked, key, text));
  require((asked.ratio == 0 && asked.rate == 0) || mode.is_weir(), WEIR_EARGUMENT,
          "mode {}: ratio and pack_rate are of a strategy of Weir", mode.text);
  return asked;
}

void set_from_mode(Config& config, const std::string& key, const std::string& text, const std::string& mode) {
  if (!key.starts_with("hints.")) return set_key(config, key, {text, {}, false}, formatted("mode {}", mode));
  require(key.size() > 6, WEIR_EARGUMENT, "\"{}\" names no hint; give hints.name=value", key + "=" + text);
  config.hints[key.substr(6)] = text;
}

// A mode's settings over the keys of all modes. The environment counts for nothing: a simulated run is what its mode
// says.
Config config_of(const workloads::ModeSpec& mode, const Json& request) {
  const Json keys = value_of(request, "config", Json::object());
  require(keys.is_object(), WEIR_EARGUMENT, "config: {} is no map of keys", keys.dump());
  Config config;
  for (const auto& entry : keys.items()) set_key(config, entry.key(), config_value(entry.value()), "the key config");
  std::string strategy = mode.name;
  if (const Peer* peer = peer_of(mode)) {
    strategy = name(peer->strategy);
    if (peer->strategy != StrategyKind::serial) config.sink = SinkKind::pnetcdf;
  }
  set_key(config, "strategy", {strategy, {}, false}, formatted("mode {}", mode.text));
  PackingAsked asked;
  for (const auto& [key, text] : mode.settings)
    if (!takes(asked, key, text)) set_from_mode(config, key, text, mode.text);
  require(!peer_of(mode) || !Packing::packs(config), WEIR_EARGUMENT,
          "mode {}: other libraries are simulated with classic files: leave out format", mode.text);
  const bool compresses = Packing::packs(config) && config.compression != CompressionKind::none;
  require(compresses || (asked.ratio == 0 && asked.rate == 0), WEIR_EARGUMENT,
          "mode {}: ratio and pack_rate are of what is compressed: give format=netcdf4 or zarr, and a compression",
          mode.text);
  return config;
}

// Seconds as they are told: to the nanosecond, since a difference of two times of the simulated clock leaves some 1e-15
// of nothing.
double told(double seconds) {
  return std::round(seconds * 1e9) / 1e9;
}

Json steps_of(const std::array<double, step_count>& seconds) {
  Json steps = Json::object();
  for (const Step step : {Step::put, Step::forward, Step::rearrange, Step::write, Step::commit, Step::wait})
    steps[std::string(name(step))] = told(seconds[static_cast<std::size_t>(step)]);
  return steps;
}

Json answer_of(const Result& result) {
  Json answer{{"bytes", result.bytes},
              {"seconds", told(result.seconds)},
              {"visible_seconds", told(result.visible_seconds)},
              {"late_seconds", told(result.late_seconds)},
              {"hidden_seconds", told(result.largest_hidden)},
              {"slack_seconds", told(result.mean_halo)},
              {"steps", steps_of(result.largest)},
              {"mean_steps", steps_of(result.mean)},
              {"messages", result.messages},
              {"message_bytes", result.message_bytes},
              {"control_messages", result.control_messages},
              {"plans", result.plans},
              {"cycles", result.cycles},
              {"writers", result.writers},
              {"bytes_written", result.bytes_written},
              {"compress_processor_seconds",
               {{"sum", told(result.compress_seconds)},
                {"max", told(result.largest[static_cast<std::size_t>(Step::compress)])}}},
              {"peak_bytes_per_rank", result.high_water_bytes},
              {"busy", Json::object()},
              {"events", result.events},
              {"simulator",
               {{"planning_seconds", result.planning_cpu_seconds}, {"running_seconds", result.running_cpu_seconds}}}};
  for (const auto& [what, seconds] : result.busy)
    if (told(seconds) > 0) answer["busy"][what] = told(seconds);
  return answer;
}

Json answer_of_reading(const Result& result) {
  Json answer = answer_of(result);
  for (const auto& [key, seconds] : {std::pair("steps", result.largest), std::pair("mean_steps", result.mean)})
    for (const Step step : {Step::read, Step::get})
      answer[key][std::string(name(step))] = told(seconds[static_cast<std::size_t>(step)]);
  for (const char* key : {"hidden_seconds", "slack_seconds", "writers", "bytes_written", "compress_processor_seconds",
                          "control_messages"})
    answer.erase(key);
  answer.update({{"bytes_read", result.bytes_read},
                 {"reads", result.reads},
                 {"opens", result.opens},
                 {"readers", result.readers}});
  return answer;
}

constexpr const char* alone = "alone";  // each rank for itself, by weir_get_vara

// Of a workload that is read.
Json read_by(const workloads::ModeSpec& mode, const Json& request, const Profile& profile, const Workload& work) {
  require(!peer_of(mode) && !mode.writes_nothing(), WEIR_EARGUMENT,
          "mode {}: a restart is read by a strategy of Weir, or by each rank alone (mode alone)", mode.text);
  require(value_of<std::string>(request, "trace", "").empty(), WEIR_EARGUMENT,
          "a restart leaves no timeline: leave out trace");
  workloads::ModeSpec strategy = mode;
  if (mode.name == alone) strategy.name = name(StrategyKind::remap);
  const Striping striping{value_of(request, "stripe_count", std::int64_t{0}),
                          value_of(request, "stripe_size", std::int64_t{0})};
  const Config config = config_of(strategy, request);
  require(!Packing::packs(config), WEIR_EARGUMENT, "mode {}: a restart is simulated of classic files: leave out format",
          mode.text);
  const Result result =
      simulate_reading(profile, work, config, {value_of(request, "ranks_per_node", 0), mode.name == alone, striping});
  Json answer{
      {"workload", work.name}, {"ranks", work.ranks}, {"mode", mode.text}, {"variables", work.variables.size()}};
  answer.update(answer_of_reading(result));
  return answer;
}

Orders orders_of(const Json& request) {
  using Numbers = std::vector<std::vector<int>>;
  Orders orders;
  for (const std::vector<int>& numbers : value_of(request, "orders", Numbers())) {
    require(numbers.size() == 2, WEIR_EARGUMENT, "orders: each has two numbers: flush (0 or 1), writers");
    orders.push_back({numbers[0] != 0, numbers[1]});
  }
  return orders;
}

Json run_mode(const workloads::ModeSpec& mode, const Json& request, const Profile& profile, const Workload& work) {
  RunRequest run;
  run.output = !mode.writes_nothing();
  run.puts_alone = peer_of(mode) != nullptr;
  run.ranks_per_node = value_of(request, "ranks_per_node", 0);
  run.striping = {value_of(request, "stripe_count", std::int64_t{0}),
                  value_of(request, "stripe_size", std::int64_t{0})};
  run.seed = value_of(request, "seed", std::uint64_t{1});
  run.orders = orders_of(request);
  run.packing = packing_asked(mode);
  const std::string trace = value_of<std::string>(request, "trace", "");
  run.traced_ranks = trace.empty() ? 0 : value_of(request, "traced_ranks", 256);
  const Config config = run.output ? config_of(mode, request) : Config();
  const Result result = simulate(profile, work, config, run);
  if (!trace.empty()) write_timeline({trace, mode.text, result.ranks, result.nodes}, result.timeline);
  Json answer{{"workload", work.name},
              {"ranks", work.ranks},
              {"mode", mode.text},
              {"records", work.records},
              {"variables", work.variables.size()}};
  answer.update(answer_of(result));
  return answer;
}

}  // namespace

std::string study(const std::string& text) {
  Json request;
  try {
    request = Json::parse(text);
  } catch (const Json::exception& error) {
    throw Error(WEIR_EARGUMENT, "the request is not JSON: {}", error.what());
  }
  require(request.is_object(), WEIR_EARGUMENT, "the request is no JSON object");
  check_keys(request);
  const auto profile_text = value_of<std::string>(request, "profile_text", "");
  const Profile profile = profile_text.empty() ? read_profile(value_of<std::string>(request, "profile", ""))
                                               : parse_profile(profile_text, "the profile");
  const Workload work = workload_of(request);
  Json answer{{"machine", profile.name}, {"runs", Json::array()}};
  for (const std::string& mode : value_of(request, "modes", std::vector<std::string>{"remap"}))
    answer["runs"].push_back((work.is_read ? read_by : run_mode)(workloads::parse_mode(mode), request, profile, work));
  return answer.dump(2);
}

}  // namespace weir::simulate
