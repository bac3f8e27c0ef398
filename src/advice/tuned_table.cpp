// SPDX-License-Identifier: Apache-2.0
#include "advice/tuned_table.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <span>
#include <string_view>

#include "base/descriptor.hpp"
#include "base/error.hpp"

namespace weir {

namespace {

namespace fs = std::filesystem;

constexpr int table_version = 1;
constexpr double furthest = 8;  // a factor

double apart(double a, double b) {
  return std::abs(std::log(a / b));
}

double distance(const OutputShape& a, const OutputShape& b) {
  const double each[] = {apart(a.ranks, b.ranks), apart(a.hosts, b.hosts),
                         apart(static_cast<double>(a.bytes_per_record), static_cast<double>(b.bytes_per_record)),
                         apart(a.variables, b.variables)};
  return std::inner_product(std::begin(each), std::end(each), std::begin(each), 0.0);
}

bool too_far(const OutputShape& a, const OutputShape& b) {
  const double limit = std::log(furthest);
  return apart(a.ranks, b.ranks) > limit || apart(a.hosts, b.hosts) > limit ||
         apart(static_cast<double>(a.bytes_per_record), static_cast<double>(b.bytes_per_record)) > limit;
}

constexpr char origin[] = "tuned table";

// Without ranks of its own, in one file: a running model can take it.
bool can_be_taken(const Way& way) {
  const Config config = way.over({}, origin);
  return config.strategy != StrategyKind::automatic && !writes_parts(config) && reserved_ranks(config) == 0;
}

constexpr std::string_view table_keys[] = {"version", "machine", "entries"};
constexpr std::string_view entry_keys[] = {"ranks",           "hosts",   "bytes_per_record", "variables",
                                           "compute_seconds", "seconds", "default_seconds",  "measured",
                                           "packing",         "config"};

// What a newer Weir, `weir tune` or a person has added to a map.
std::string others_of(const YAML::Node& map, std::span<const std::string_view> known) {
  YAML::Node others;
  for (const auto& pair : map)
    if (const auto key = pair.first.as<std::string>(); std::find(known.begin(), known.end(), key) == known.end())
      others[key] = pair.second;
  return others.size() > 0 ? YAML::Dump(others) : "";
}

void emit_others(YAML::Emitter& out, const std::string& others) {
  if (others.empty()) return;
  for (const auto& pair : YAML::Load(others))
    out << YAML::Key << pair.first.as<std::string>() << YAML::Value << pair.second;
}

TunedEntry entry_of(const YAML::Node& node) {
  TunedEntry entry;
  entry.shape.ranks = node["ranks"].as<int>();
  entry.shape.hosts = node["hosts"].as<int>();
  entry.shape.bytes_per_record = node["bytes_per_record"].as<std::int64_t>();
  entry.shape.variables = node["variables"].as<int>();
  entry.compute_seconds = node["compute_seconds"].as<double>();
  entry.seconds = node["seconds"].as<double>();
  entry.default_seconds = node["default_seconds"].as<double>();
  if (node["packing"]) entry.shape.packing = node["packing"].as<std::string>();
  if (node["measured"]) entry.measured = node["measured"].as<bool>();
  for (const auto& setting : node["config"])
    entry.way.settings.emplace_back(setting.first.as<std::string>(), setting.second.as<std::string>());
  entry.others = others_of(node, entry_keys);
  // A key that the library does not know, or a value it does not allow, is told here and not at the first record.
  static_cast<void>(entry.way.over({}, origin));
  const OutputShape& shape = entry.shape;
  require(shape.ranks > 0 && shape.hosts > 0 && shape.bytes_per_record > 0 && shape.variables > 0, WEIR_ECONFIG,
          "ranks, hosts, bytes_per_record and variables are above 0");
  require(entry.seconds > 0 && entry.default_seconds > 0 && entry.compute_seconds >= 0, WEIR_ECONFIG,
          "seconds and default_seconds are above 0, compute_seconds is 0 or more");
  return entry;
}

}  // namespace

TunedTable TunedTable::read(const std::string& path, const std::string& machine) {
  TunedTable table(machine);
  if (path.empty() || !fs::exists(path)) return table;
  const auto refuse = [&](const std::string& why) {
    throw Error(WEIR_ECONFIG, "the tuned table {} is not used: {}; remove it, or run weir tune", path, why);
  };
  try {
    const YAML::Node root = YAML::LoadFile(path);
    if (!root.IsMap() || !root["version"] || !root["machine"]) refuse("it has no version and machine");
    if (root["version"].as<int>() != table_version)
      refuse(formatted("it is of version {}", root["version"].as<std::string>()));
    const auto of = root["machine"].as<std::string>();
    if (of != machine) refuse(formatted("it is of the machine {}, this one is {}", of, machine));
    for (const YAML::Node& node : root["entries"]) table.entries_.push_back(entry_of(node));
    table.others_ = others_of(root, table_keys);
  } catch (const YAML::Exception& error) {
    refuse(error.what());
  } catch (const Error& error) {
    if (std::string(error.what()).starts_with("the tuned table")) throw;
    refuse(error.what());
  }
  return table;
}

std::optional<TunedEntry> TunedTable::find(const OutputShape& shape) const {
  std::optional<TunedEntry> nearest;
  for (const TunedEntry& entry : entries_) {
    if (!can_be_taken(entry.way) || entry.shape.packing != shape.packing) continue;
    if (nearest && distance(entry.shape, shape) >= distance(nearest->shape, shape)) continue;
    nearest = entry;
  }
  if (nearest && too_far(nearest->shape, shape)) return std::nullopt;
  return nearest;
}

void TunedTable::keep(const TunedEntry& entry) {
  const auto known = std::find_if(entries_.begin(), entries_.end(), [&](const TunedEntry& other) {
    return distance(other.shape, entry.shape) == 0 && other.shape.packing == entry.shape.packing;
  });
  if (known == entries_.end()) return entries_.push_back(entry);
  const std::string others = entry.others.empty() ? known->others : entry.others;
  *known = entry;
  known->others = others;
}

namespace {

void emit(YAML::Emitter& out, const TunedEntry& entry) {
  const auto key = [&](const char* name) -> YAML::Emitter& { return out << YAML::Key << name << YAML::Value; };
  out << YAML::BeginMap;
  key("ranks") << entry.shape.ranks;
  key("hosts") << entry.shape.hosts;
  key("bytes_per_record") << entry.shape.bytes_per_record;
  key("variables") << entry.shape.variables;
  key("compute_seconds") << entry.compute_seconds;
  key("seconds") << entry.seconds;
  key("default_seconds") << entry.default_seconds;
  if (entry.measured) key("measured") << true;
  if (!entry.shape.packing.empty()) key("packing") << entry.shape.packing;
  key("config") << YAML::BeginMap;
  for (const auto& [name, value] : entry.way.settings) out << YAML::Key << name << YAML::Value << value;
  out << YAML::EndMap;
  emit_others(out, entry.others);
  out << YAML::EndMap;
}

}  // namespace

void TunedTable::write(const std::string& path) const {
  YAML::Emitter out;
  out << YAML::BeginMap << YAML::Key << "version" << YAML::Value << table_version << YAML::Key << "machine"
      << YAML::Value << machine_;
  emit_others(out, others_);
  out << YAML::Key << "entries" << YAML::Value << YAML::BeginSeq;
  for (const TunedEntry& entry : entries_) emit(out, entry);
  out << YAML::EndSeq << YAML::EndMap;
  std::error_code failed;
  fs::create_directories(fs::path(path).parent_path(), failed);
  // A new file under a name that no rank can have prepared; others may read it as they may read what they make.
  std::string whole = path + ".XXXXXX";
  Descriptor made(::mkostemp(whole.data(), O_CLOEXEC), whole);
  const std::string text = std::string(out.c_str()) + "\n";
  const bool written = made.number() >= 0 && ::fchmod(made.number(), 0644) == 0 &&
                       uninterrupted([&] { return ::write(made.number(), text.data(), text.size()); }) ==
                           static_cast<ssize_t>(text.size()) &&
                       made.close();
  if (written) fs::rename(whole, path, failed);
  if (written && !failed) return;
  fs::remove(whole, failed);
  throw Error(WEIR_EIO, "the tuned table {} cannot be written", path);
}

std::string default_table_path() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache)
    return std::string(cache) + "/weir/tuned.yaml";
  if (const char* home = std::getenv("HOME"); home && *home) return std::string(home) + "/.cache/weir/tuned.yaml";
  return "";
}

}  // namespace weir
