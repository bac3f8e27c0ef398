// SPDX-License-Identifier: Apache-2.0
#include "base/config.hpp"

#include <fnmatch.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "base/config_keys.hpp"
#include "base/text.hpp"

extern char** environ;

namespace weir {
namespace {

// Variables that begin with WEIR_ and are no keys: the configuration's path; what environment modules of computing
// centres set for every installed package; what the studies, the tests and the benchmark of this project are told.
constexpr std::string_view environment_prefix = "WEIR_";
constexpr std::array<std::string_view, 14> reserved_variables{
    "WEIR_CONFIG", "WEIR_ROOT",      "WEIR_DIR",          "WEIR_HOME",          "WEIR_VERSION",
    "WEIR_INC",    "WEIR_INCLUDE",   "WEIR_LIB",          "WEIR_BUILD_DIR",     "WEIR_SOURCE_DIR",
    "WEIR_DATA",   "WEIR_TEST_SEED", "WEIR_TEST_SECONDS", "WEIR_BENCH_TERMINAL"};

// YAML reads the plain word null as "nothing"; where the source says null, the user means the word (a sink's name).
std::string null_text(const YAML::Node& node, const std::string& source) {
  std::size_t line_begin = 0;
  for (int line = 0; line < node.Mark().line && line_begin != std::string::npos; ++line) {
    line_begin = source.find('\n', line_begin);
    if (line_begin != std::string::npos) ++line_begin;
  }
  if (line_begin == std::string::npos) return "";
  return source.compare(line_begin + static_cast<std::size_t>(node.Mark().column), 4, "null") == 0 ? "null" : "";
}

std::string node_text(const YAML::Node& node, const std::string& source) {
  if (node.IsNull()) return null_text(node, source);
  if (!node.IsScalar()) reject("expected a single value, found a list or map; give a single value");
  return node.Scalar();
}

int line_of(const YAML::Node& node) {
  return node.Mark().line + 1;
}

ConfigValue node_value(const YAML::Node& node, const std::string& source, int line) {
  ConfigValue value;
  value.line = line;
  value.is_map = node.IsMap();
  value.is_list = node.IsSequence();
  if (!value.is_map && !value.is_list) value.text = node_text(node, source);
  for (const auto& entry : node) {
    if (value.is_list)
      value.items.push_back(node_value(entry, source, line_of(entry)));
    else
      value.entries.push_back({node_text(entry.first, source), node_value(entry.second, source, line_of(entry.first))});
  }
  return value;
}

void apply_entry(Config& config, const YAML::Node& key, const YAML::Node& value, const std::string& source,
                 const std::string& place) {
  const std::string origin = formatted("{}, line {}", place, line_of(key));
  if (!key.IsScalar()) reject(formatted("a key must be a single word ({})", origin));
  ConfigValue parsed;
  try {
    parsed = node_value(value, source, line_of(key));
    parsed.place = place;
  } catch (const Error& error) {
    reject(key.Scalar() + ": " + error.what() + " (" + origin + ")");
  }
  if (key.Scalar() != "debug") return set_key(config, key.Scalar(), parsed, origin);
  if (!parsed.is_map) reject(formatted("debug: \"{}\" is not a map; give {{key: value}} ({})", parsed.text, origin));
  for (const auto& [name, setting] : parsed.entries) set_key(config, "debug." + name, setting, origin);
}

// The map that a text holds; an empty node where it holds nothing.
YAML::Node parse_map(std::string& source, const std::string& place) {
  if (source.starts_with("\xEF\xBB\xBF")) source.erase(0, 3);
  YAML::Node root;
  try {
    root = YAML::Load(source);
  } catch (const YAML::Exception& error) {
    reject(formatted("{} is not YAML: {} at line {}, column {}", place, error.msg, error.mark.line + 1,
                     error.mark.column + 1));
  }
  if (!root.IsDefined() || root.IsNull()) return YAML::Node(YAML::NodeType::Map);
  if (!root.IsMap()) reject(formatted("{} does not hold a map; write a line \"key: value\" for each key", place));
  return root;
}

void apply_yaml(Config& config, std::string source, const std::string& place) {
  const YAML::Node root = parse_map(source, place);
  std::set<std::string> seen;
  for (const auto& entry : root) {
    apply_entry(config, entry.first, entry.second, source, place);
    if (!seen.insert(entry.first.Scalar()).second) {
      reject(formatted("the key \"{}\" is given twice; keep one of them ({}, line {})", entry.first.Scalar(), place,
                       line_of(entry.first)));
    }
  }
}

std::string read_file(const std::string& path) {
  std::error_code ignored;
  const bool is_directory = std::filesystem::is_directory(path, ignored);
  errno = is_directory ? EISDIR : 0;
  std::ifstream stream;
  if (!is_directory) stream.open(path, std::ios::binary);
  if (!stream.is_open()) {
    reject(formatted("cannot read the configuration file \"{}\": {}; give a YAML file's path, or YAML text", path,
                     std::strerror(errno)));
  }
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

bool is_yaml_text(std::string_view text) {
  return text.empty() || text.find(": ") != text.npos || text.find('\n') != text.npos;
}

// A map is written as YAML's {key: value}.
ConfigValue environment_value(const std::string& text, const std::string& origin) {
  if (!text.starts_with("{")) return {.text = text, .entries = {}, .place = origin};
  try {
    ConfigValue value = node_value(YAML::Load(text), text, 1);
    value.place = origin;
    return value;
  } catch (const YAML::Exception& error) {
    reject(formatted("{} is not YAML: {}", origin, error.msg));
  } catch (const Error& error) {
    reject(origin + ": " + error.what());
  }
}

void note(Config& config, const std::string& sentence) {
  if (std::find(config.notes.begin(), config.notes.end(), sentence) == config.notes.end())
    config.notes.push_back(sentence);
}

void apply_environment(Config& config) {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view variable(*entry);
    const auto equals = variable.find('=');
    if (!variable.starts_with(environment_prefix) || equals == variable.npos) continue;
    const std::string whole(variable.substr(0, equals));
    if (std::find(reserved_variables.begin(), reserved_variables.end(), whole) != reserved_variables.end()) continue;
    std::string key = whole.substr(environment_prefix.size());
    for (char& letter : key) letter = (letter >= 'A' && letter <= 'Z') ? static_cast<char>(letter - 'A' + 'a') : letter;
    if (key.starts_with("debug_")) key[key.find('_')] = '.';
    const std::string origin = formatted("environment variable {}", whole);
    if (!is_near_a_key(key)) {
      note(config, formatted("{} is not a key of Weir and is not similar to one: it has no effect", origin));
      continue;
    }
    set_key(config, key, environment_value(std::string(variable.substr(equals + 1)), origin), origin);
  }
}

}  // namespace

namespace {

bool has_list(const ConfigValue& value) {
  return value.is_list || std::any_of(value.entries.begin(), value.entries.end(),
                                      [](const ConfigEntry& entry) { return has_list(entry.value); });
}

}  // namespace

void set_key(Config& config, const std::string& name, const ConfigValue& value, const std::string& origin) {
  const ConfigKey* key = nullptr;
  try {
    key = &config_key(name);
  } catch (const Error& error) {
    reject(std::string(error.what()) + " (" + origin + ")");
  }
  try {
    if (!key->takes_lists && has_list(value))
      reject("expected a single value, found a list or map; give a single value");
    key->set(config, value);
  } catch (const Error& error) {
    reject(name + ": " + error.what() + " (" + origin + ")");
  }
}

Config load_config(const char* text, const Config& defaults) {
  Config config = defaults;
  const char* source = text != nullptr ? text : std::getenv("WEIR_CONFIG");
  if (source != nullptr && is_yaml_text(source)) {
    apply_yaml(config, source, "configuration text");
  } else if (source != nullptr) {
    apply_yaml(config, read_file(source), source);
  }
  apply_environment(config);
  std::error_code none;
  config.folder = std::filesystem::current_path(none).string();
  return config;
}

ConfigValue load_map(const std::string& path) {
  std::string source = read_file(path);
  try {
    ConfigValue value = node_value(parse_map(source, path), source, 0);
    value.place = path;
    return value;
  } catch (const Error& error) {
    const std::string what = error.what();
    reject(what.starts_with(path) ? what : path + ": " + what);
  }
}

void make_paths_absolute(Config& config) {
  for (std::string* path : {&config.report, &config.trace, &config.tuned}) {
    const bool is_word =
        path->empty() || *path == "-" || (path == &config.tuned && (*path == "auto" || *path == "none"));
    if (!is_word && path->front() != '/' && !config.folder.empty()) *path = config.folder + "/" + *path;
  }
}

std::string marker_of_parts(const Config& config) {
  return formatted(
      "is for whole files, and strategy: {} writes part files; take another strategy, or leave the key out and run "
      "weir-verify --mark on the file that weir-merge makes",
      name(config.strategy));
}

void resolve_defaults(Config& config) {
  const bool dynamic = config.strategy == StrategyKind::dynamic;
  const bool in_background = dynamic || config.strategy == StrategyKind::servers;
  if (config.overlap == OverlapKind::automatic)
    config.overlap = in_background ? OverlapKind::background : OverlapKind::none;
  require(config.hops == HopKind::one || (dynamic && config.control == ControlKind::rank), WEIR_ECONFIG,
          "debug.hops: two is for strategy: dynamic with control: rank, whose scheduler names relays; set both, or "
          "debug.hops: one");
  if (!config.commit_group.empty() && writes_parts(config))
    throw Error(WEIR_ECONFIG,
                "commit_group needs a strategy that writes one file; the part files of strategy: {} cannot be "
                "committed as one: choose another strategy, or no group",
                name(config.strategy));
  if (config.done_marker && writes_parts(config))
    throw Error(WEIR_ECONFIG, "done_marker: yes {}", marker_of_parts(config));
  if (config.hops == HopKind::two) config.forward = ForwardKind::messages;  // a relay keeps what it gets in no tile
  require(
      dynamic || config.overlap != OverlapKind::slack, WEIR_ECONFIG,
      "overlap: slack is for strategy: dynamic, whose writers are the ranks that are early; take background or none");
  require(config.progress != ProgressKind::thread || (dynamic && config.overlap == OverlapKind::background),
          WEIR_ECONFIG,
          "progress: thread is for strategy: dynamic with overlap: background, which writes while the model computes; "
          "set both, or progress: calls");
}

int reserved_ranks(const Config& config) noexcept {
  return serving_ranks(config) + (has_control_rank(config) ? 1 : 0);
}

int serving_ranks(const Config& config) noexcept {
  return config.strategy == StrategyKind::servers ? config.servers : 0;
}

bool has_control_rank(const Config& config) noexcept {
  return config.strategy == StrategyKind::dynamic && config.control == ControlKind::rank;
}

bool shares_memory(const Config& config, int ranks_of_host, int ranks) noexcept {
  return config.forward != ForwardKind::messages && (ranks_of_host > 1 || ranks == 1);
}

bool listens_in_background(const Config& config, bool reaches_everybody, bool any_thread_may_call) noexcept {
  return config.progress != ProgressKind::calls && config.overlap == OverlapKind::background && !reaches_everybody &&
         any_thread_may_call;
}

bool by_lines(const Config& config) noexcept {
  return config.strategy == StrategyKind::rows || config.strategy == StrategyKind::columns;
}

bool writes_parts(const Config& config) noexcept {
  return config.strategy == StrategyKind::file_per_rank || config.strategy == StrategyKind::file_per_domain;
}

SinkKind sink_of_parts(const Config& config) noexcept {
  return config.sink == SinkKind::null ? SinkKind::null : SinkKind::direct;
}

SinkRule sink_for(const Config& config, int hosts, bool own_disk, bool coherent) noexcept {
  const bool safe = may_write_apart(hosts, coherent);
  if (config.sink == SinkKind::direct && !safe) return {SinkKind::pnetcdf, SinkReason::incoherent};
  if (config.sink != SinkKind::automatic) return {config.sink, SinkReason::asked};
  if (config.strategy == StrategyKind::collective) return {SinkKind::pnetcdf, SinkReason::collective};
  // The union of a line of processes is many short runs: each would be a journey of its own to the storage.
  if (by_lines(config) && hosts > 1 && !own_disk) return {SinkKind::pnetcdf, SinkReason::lines};
  if (!safe) return {SinkKind::pnetcdf, SinkReason::incoherent};
  return {SinkKind::direct, SinkReason::coherent};
}

bool one_at_a_time(SinkKind sink, bool own_disk) noexcept {
  return sink == SinkKind::direct && own_disk;
}

std::map<std::string, std::string> io_hints(const Config& config, const std::map<std::string, std::string>& of_file) {
  std::map<std::string, std::string> hints = config.hints;
  hints.insert(of_file.begin(), of_file.end());
  if (by_lines(config)) hints.try_emplace("romio_cb_write", "enable");
  return hints;
}

bool names_path(const std::string& pattern, const std::string& path) {
  const bool whole = pattern.find('/') != std::string::npos;
  return ::fnmatch(pattern.c_str(), whole ? path.c_str() : path.c_str() + (path.rfind('/') + 1), 0) == 0;
}

const FileRule* rule_for(const Config& config, const std::string& path) {
  const auto rule = std::find_if(config.files.begin(), config.files.end(),
                                 [&](const FileRule& each) { return names_path(each.pattern, path); });
  return rule == config.files.end() ? nullptr : &*rule;
}

bool in_commit_group(const Config& config, const std::string& path) {
  std::istringstream patterns(config.commit_group);
  return std::any_of(std::istream_iterator<std::string>(patterns), std::istream_iterator<std::string>(),
                     [&](const std::string& pattern) { return names_path(pattern, path); });
}

Config with_rule(Config config, const FileRule& rule) {
  for (const auto& [key, value] : rule.keys) config_key(key).set(config, value);
  apply_environment(config);
  return config;
}

std::string describe_keys() {
  const Config defaults;
  std::size_t width = 0;
  for (const ConfigKey& key : config_keys()) width = std::max(width, key.name.size() + 2);
  std::string text;
  for (const ConfigKey& key : config_keys()) {
    const std::string standard = key.show(defaults);
    text += formatted("{}{}{} [default: {}; allowed: {}]\n", key.name, std::string(width - key.name.size(), ' '),
                      key.meaning, standard.empty() ? "none" : standard, key.allowed);
  }
  return text;
}

}  // namespace weir
