// SPDX-License-Identifier: Apache-2.0
#include "base/config_keys.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/config.hpp"
#include "base/error.hpp"
#include "base/host.hpp"
#include "base/text.hpp"

namespace weir {
namespace {

constexpr std::array strategy_words{std::pair{std::string_view("auto"), StrategyKind::automatic},
                                    std::pair{std::string_view("serial"), StrategyKind::serial},
                                    std::pair{std::string_view("collective"), StrategyKind::collective},
                                    std::pair{std::string_view("rows"), StrategyKind::rows},
                                    std::pair{std::string_view("columns"), StrategyKind::columns},
                                    std::pair{std::string_view("remap"), StrategyKind::remap},
                                    std::pair{std::string_view("servers"), StrategyKind::servers},
                                    std::pair{std::string_view("dynamic"), StrategyKind::dynamic},
                                    std::pair{std::string_view("file_per_rank"), StrategyKind::file_per_rank},
                                    std::pair{std::string_view("file_per_domain"), StrategyKind::file_per_domain}};
constexpr std::array sink_words{
    std::pair{std::string_view("auto"), SinkKind::automatic}, std::pair{std::string_view("pnetcdf"), SinkKind::pnetcdf},
    std::pair{std::string_view("direct"), SinkKind::direct}, std::pair{std::string_view("memory"), SinkKind::memory},
    std::pair{std::string_view("null"), SinkKind::null}};
constexpr std::array forward_words{std::pair{std::string_view("auto"), ForwardKind::automatic},
                                   std::pair{std::string_view("shared"), ForwardKind::shared},
                                   std::pair{std::string_view("messages"), ForwardKind::messages}};
constexpr std::array durability_words{std::pair{std::string_view("storage"), Durability::storage},
                                      std::pair{std::string_view("cache"), Durability::cache}};
constexpr std::array page_cache_words{std::pair{std::string_view("auto"), PageCacheKind::automatic},
                                      std::pair{std::string_view("through"), PageCacheKind::through},
                                      std::pair{std::string_view("past"), PageCacheKind::past}};
constexpr std::array control_words{std::pair{std::string_view("hosted"), ControlKind::hosted},
                                   std::pair{std::string_view("rank"), ControlKind::rank}};
constexpr std::array choose_words{std::pair{std::string_view("auto"), ChooseKind::automatic},
                                  std::pair{std::string_view("arrival"), ChooseKind::arrival},
                                  std::pair{std::string_view("recent"), ChooseKind::recent},
                                  std::pair{std::string_view("warm"), ChooseKind::warm}};
constexpr std::array hop_words{std::pair{std::string_view("one"), HopKind::one},
                               std::pair{std::string_view("two"), HopKind::two}};
constexpr std::array overlap_words{std::pair{std::string_view("auto"), OverlapKind::automatic},
                                   std::pair{std::string_view("none"), OverlapKind::none},
                                   std::pair{std::string_view("slack"), OverlapKind::slack},
                                   std::pair{std::string_view("background"), OverlapKind::background}};
constexpr std::array progress_words{std::pair{std::string_view("auto"), ProgressKind::automatic},
                                    std::pair{std::string_view("calls"), ProgressKind::calls},
                                    std::pair{std::string_view("thread"), ProgressKind::thread}};

constexpr std::string_view debug_prefix = "debug.";  // of keys for studies and tests
constexpr std::int64_t smallest_buffer_bytes = 64LL << 10;
constexpr int largest_ranks = 1 << 30;

const std::string& scalar(const ConfigValue& value) {
  if (value.is_map) reject("expected a single value, found a map; give a single value");
  return value.text;
}

template <class Kind>
std::string_view word_of(Words<Kind> words, Kind kind) noexcept {
  for (const auto& [word, known] : words) {
    if (known == kind) return word;
  }
  return "?";
}

template <class Kind>
Kind parse_kind(Words<Kind> words, const ConfigValue& value) {
  return kind_of(words, scalar(value));
}

int parse_count(const ConfigValue& value, int smallest, const char* why) {
  const auto count = parse_whole(scalar(value));
  if (!count) reject(formatted("\"{}\" is not a whole number; {}", value.text, why));
  if (*count < smallest || *count > largest_ranks) reject(formatted("{} is impossible; {}", value.text, why));
  return static_cast<int>(*count);
}

std::int64_t parse_size(const ConfigValue& value, std::int64_t smallest, std::int64_t largest) {
  const auto bytes = parse_bytes(scalar(value));
  if (!bytes) {
    reject(
        formatted("\"{}\" is not a size; give bytes (67108864) or a whole number with a unit (64MiB, 64MB; units are "
                  "B, KiB, MiB, GiB, TiB, KB, MB, GB, TB)",
                  value.text));
  }
  if (*bytes < smallest) reject(formatted("\"{}\" is too small; give at least {}", value.text, show_bytes(smallest)));
  if (*bytes > largest) reject(formatted("\"{}\" is too large; give at most {}", value.text, show_bytes(largest)));
  return *bytes;
}

std::optional<std::int64_t> parse_records(const ConfigValue& value) {
  if (scalar(value) == "all") return std::nullopt;
  const auto records = parse_whole(value.text);
  if (!records || *records < 0)
    reject(formatted("\"{}\" is not a number of records; give all, or 0 or more", value.text));
  return *records;
}

std::optional<double> parse_until(const ConfigValue& value) {
  if (scalar(value) == "all") return std::nullopt;
  const auto time = parse_number(value.text);
  if (!time)
    reject(formatted("\"{}\" is not a time; give all, or a number in the units of the file's coordinate variable",
                     value.text));
  return *time;
}

double parse_duration(const ConfigValue& value) {
  const auto seconds = parse_seconds(scalar(value));
  if (!seconds) reject(formatted("\"{}\" is not a duration; give seconds (600) or 250ms, 90s, 5min, 2h", value.text));
  return *seconds;
}

double parse_timeout(const ConfigValue& value) {
  const double seconds = parse_duration(value);
  if (!(seconds > 0)) reject(formatted("\"{}\" leaves no time to wait; give more than 0 seconds", value.text));
  return seconds;
}

std::string parse_cores(const ConfigValue& value) {
  const std::string text(trimmed(scalar(value)));
  if (text != "auto" && text != "none") CoreSet::parse(text);
  return text;
}

std::pair<std::string, std::string> parse_hint(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || trimmed(text.substr(0, equals)).empty()) {
    reject(formatted("\"{}\" is not a hint; give name=value, and ; between several", text));
  }
  return {std::string(trimmed(std::string_view(text).substr(0, equals))),
          std::string(trimmed(std::string_view(text).substr(equals + 1)))};
}

std::map<std::string, std::string> parse_hints(const ConfigValue& value) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (const auto& [hint, setting] : value.entries) entries.emplace_back(hint, scalar(setting));
  for (std::size_t begin = 0; !value.is_map && begin < value.text.size();) {
    const auto end = std::min(value.text.find(';', begin), value.text.size());
    const std::string part(trimmed(std::string_view(value.text).substr(begin, end - begin)));
    if (!part.empty()) entries.push_back(parse_hint(part));
    begin = end + 1;
  }
  std::map<std::string, std::string> hints;
  for (const auto& [hint, setting] : entries) {
    if (hint.empty()) reject("a hint has no name; give name: value");
    if (!hints.emplace(hint, setting).second)
      reject(formatted("the hint \"{}\" is given twice; keep one of them", hint));
  }
  return hints;
}

std::string show_hints(const std::map<std::string, std::string>& hints) {
  std::string text;
  for (const auto& [hint, setting] : hints) text += (text.empty() ? "" : ";") + hint + "=" + setting;
  return text;
}

ConfigValue parse_streams_map(const ConfigValue& value) {
  if (!value.is_map && (value.is_list || !trimmed(value.text).empty()))
    reject(formatted("{} is not a map; give {{name: {{file: ..., every: ..., fields: ...}}}}",
                     value.is_list ? "a list" : in_quotes(value.text)));
  return value;
}

// A scalar with quotes, where without them it would be taken for something else.
std::string show_scalar(const std::string& text) {
  if (!text.empty() && text.find_first_of(",:{}[]\"") == std::string::npos && trimmed(text) == text) return text;
  std::string shown = "\"";
  for (const char letter : text) shown += letter == '"' ? std::string("\\\"") : std::string(1, letter);
  return shown + "\"";
}

// A whole value as YAML.
std::string show_whole(const ConfigValue& value) {
  if (!value.is_map && !value.is_list) return show_scalar(value.text);
  std::string text;
  for (const ConfigValue& item : value.items) text += (text.empty() ? "" : ", ") + show_whole(item);
  for (const auto& [key, setting] : value.entries)
    text += (text.empty() ? "" : ", ") + show_scalar(key) + ": " + show_whole(setting);
  return value.is_map ? "{" + text + "}" : "[" + text + "]";
}

constexpr Words<StrategyKind> strategies{strategy_words};
constexpr Words<SinkKind> sinks{sink_words};
constexpr Words<ForwardKind> forwards{forward_words};
constexpr Words<Durability> durabilities{durability_words};
constexpr Words<PageCacheKind> page_caches{page_cache_words};
constexpr Words<ControlKind> controls{control_words};
constexpr Words<ChooseKind> choices{choose_words};
constexpr Words<HopKind> hop_kinds{hop_words};
constexpr Words<OverlapKind> overlaps{overlap_words};
constexpr Words<ProgressKind> progresses{progress_words};
constexpr Words<FormatKind> formats{format_words};
constexpr Words<CompressionKind> compressions{compression_words};
constexpr Words<bool> answers{answer_words};

const std::vector<ConfigKey> table{
    {"strategy", "how the bytes of all ranks become a file", join_words(words_of(strategies)),
     [](Config& c, const ConfigValue& v) { c.strategy = parse_kind(strategies, v); },
     [](const Config& c) { return std::string(name(c.strategy)); }},
    {"sink", "what writes the bytes", join_words(words_of(sinks)),
     [](Config& c, const ConfigValue& v) { c.sink = parse_kind(sinks, v); },
     [](const Config& c) { return std::string(name(c.sink)); }},
    {"writers", "ranks that write a variable, in all; 0: writers_per_host on each host", "whole number from 0",
     [](Config& c, const ConfigValue& v) {
       c.writers = parse_count(v, 0, "give 0 (writers_per_host decides) or more");
     },
     [](const Config& c) { return std::to_string(c.writers); }},
    {"writers_per_host", "ranks that write a variable, on each host, where writers is 0", "whole number from 1",
     [](Config& c, const ConfigValue& v) {
       c.writers_per_host = parse_count(v, 1, "a strategy needs a rank that writes: give at least 1");
     },
     [](const Config& c) { return std::to_string(c.writers_per_host); }},
    {"domains", "files of file_per_domain; 0: one a host", "whole number from 0",
     [](Config& c, const ConfigValue& v) { c.domains = parse_count(v, 0, "give 0 (one a host) or more"); },
     [](const Config& c) { return std::to_string(c.domains); }},
    {"buffer_limit", "most memory that Weir uses on a rank", "size from 64KiB",
     [](Config& c, const ConfigValue& v) { c.buffer_limit_bytes = parse_size(v, smallest_buffer_bytes, INT64_MAX); },
     [](const Config& c) { return show_bytes(c.buffer_limit_bytes); }},
    {"stripe_size", "bytes that one storage server holds in a row; 0: ask the file system", "size",
     [](Config& c, const ConfigValue& v) { c.stripe_bytes = parse_size(v, 0, INT64_MAX); },
     [](const Config& c) { return show_bytes(c.stripe_bytes); }},
    {"bundle_size", "variables smaller than this go whole to one writer", "size",
     [](Config& c, const ConfigValue& v) { c.bundle_bytes = parse_size(v, 0, INT64_MAX); },
     [](const Config& c) { return show_bytes(c.bundle_bytes); }},
    {"header_free", "bytes left free after a file's header", "size to 1GiB",
     [](Config& c, const ConfigValue& v) { c.header_free_bytes = parse_size(v, 0, largest_gap_bytes); },
     [](const Config& c) { return show_bytes(c.header_free_bytes); }},
    {"variable_align", "multiple at which fixed variables begin; 0: without gaps", "size to 1GiB",
     [](Config& c, const ConfigValue& v) { c.variable_align_bytes = parse_size(v, 0, largest_gap_bytes); },
     [](const Config& c) { return show_bytes(c.variable_align_bytes); }},
    {"record_align", "multiple at which the first record begins; 0: without gap", "size to 1GiB",
     [](Config& c, const ConfigValue& v) { c.record_align_bytes = parse_size(v, 0, largest_gap_bytes); },
     [](const Config& c) { return show_bytes(c.record_align_bytes); }},
    {"timeout", "longest wait for another rank", "duration above 0",
     [](Config& c, const ConfigValue& v) { c.timeout_seconds = parse_timeout(v); },
     [](const Config& c) { return show_seconds(c.timeout_seconds); }},
    {"storage_timeout", "longest wait for one call to the storage while all ranks are there; 0: as long as it takes",
     "duration", [](Config& c, const ConfigValue& v) { c.storage_timeout_seconds = parse_duration(v); },
     [](const Config& c) { return show_seconds(c.storage_timeout_seconds); }},
    {"durability", "what a commit waits for: storage (fsync) or the system's cache", join_words(words_of(durabilities)),
     [](Config& c, const ConfigValue& v) { c.durability = parse_kind(durabilities, v); },
     [](const Config& c) { return std::string(word_of(durabilities, c.durability)); }},
    {"commit_group", "files that are committed as one: each sync or close of one of them commits all that are open",
     "patterns of names (*.nc), between blanks",
     [](Config& c, const ConfigValue& v) { c.commit_group = std::string(trimmed(scalar(v))); },
     [](const Config& c) { return c.commit_group; }},
    {"page_cache", "large tiles go through the system's page cache, or past it", join_words(words_of(page_caches)),
     [](Config& c, const ConfigValue& v) { c.page_cache = parse_kind(page_caches, v); },
     [](const Config& c) { return std::string(word_of(page_caches, c.page_cache)); }},
    {"control", "dynamic: where the scheduler runs: in memory the ranks of a host share, or in a rank of its own",
     join_words(words_of(controls)), [](Config& c, const ConfigValue& v) { c.control = parse_kind(controls, v); },
     [](const Config& c) { return std::string(name(c.control)); }},
    {"overlap", "when tiles are written: in the put that fills them, by ranks that are early, or by a thread",
     join_words(words_of(overlaps)), [](Config& c, const ConfigValue& v) { c.overlap = parse_kind(overlaps, v); },
     [](const Config& c) { return std::string(name(c.overlap)); }},
    {"progress",
     "dynamic: when messages between hosts make progress: in the model's calls, or also between them, by a thread",
     join_words(words_of(progresses)), [](Config& c, const ConfigValue& v) { c.progress = parse_kind(progresses, v); },
     [](const Config& c) { return std::string(name(c.progress)); }},
    {"writer_cores",
     "overlap: background: cores of the threads that write: those of the job that no rank is bound to, none, or these",
     "auto, none, list of cores (0-3,8)", [](Config& c, const ConfigValue& v) { c.writer_cores = parse_cores(v); },
     [](const Config& c) { return c.writer_cores; }},
    {"writers_per_variable",
     "dynamic: most writers of a variable; 0: writers_per_host on each host, 256 in all at the most",
     "whole number from 0",
     [](Config& c, const ConfigValue& v) {
       c.writers_per_variable = parse_count(v, 0, "give 0 (writers_per_host decides) or more");
     },
     [](const Config& c) { return std::to_string(c.writers_per_variable); }},
    {"flush_after", "dynamic: variables (or bundles) that are cached before they are written", "whole number from 1",
     [](Config& c, const ConfigValue& v) { c.flush_after = parse_count(v, 1, "give 1 (write at once) or more"); },
     [](const Config& c) { return std::to_string(c.flush_after); }},
    {"writers_at_once", "dynamic: ranks of a host that write at one time; 0: the default of the file system",
     "whole number from 0",
     [](Config& c, const ConfigValue& v) {
       c.writers_at_once = parse_count(v, 0, "give 0 (the file system decides) or more");
     },
     [](const Config& c) { return std::to_string(c.writers_at_once); }},
    {"servers", "servers: ranks that do nothing but write", "whole number from 1",
     [](Config& c, const ConfigValue& v) {
       c.servers = parse_count(v, 1, "at least one rank must write: give 1 or more");
     },
     [](const Config& c) { return std::to_string(c.servers); }},
    {"tuned", "auto: the table of what is fast on this machine: auto (in the user's cache folder), none, or a file",
     "path", [](Config& c, const ConfigValue& v) { c.tuned = scalar(v); }, [](const Config& c) { return c.tuned; }},
    {"trace", "where the trace of all steps goes at the end: nothing, or a file (Chrome trace JSON)", "path",
     [](Config& c, const ConfigValue& v) { c.trace = scalar(v); }, [](const Config& c) { return c.trace; }},
    {"report", "where the report goes at the end: nothing, - or 1 (standard error), or a file for JSON", "path",
     [](Config& c, const ConfigValue& v) { c.report = scalar(v) == "1" ? "-" : v.text; },
     [](const Config& c) { return c.report; }},
    {"hints", "MPI-IO hints, passed through", "map, or name=value;name=value",
     [](Config& c, const ConfigValue& v) { c.hints = parse_hints(v); },
     [](const Config& c) { return show_hints(c.hints); }},
    {"format", "format that weir_create makes: auto (what the program asks for), netcdf4 or zarr (always)",
     join_words(words_of(formats)), [](Config& c, const ConfigValue& v) { c.format = parse_kind(formats, v); },
     [](const Config& c) { return std::string(word_of(formats, c.format)); }},
    {"compression", "netCDF-4, Zarr: compression of variables for which the program sets none, with shuffle",
     join_words(words_of(compressions)),
     [](Config& c, const ConfigValue& v) { c.compression = parse_kind(compressions, v); },
     [](const Config& c) { return std::string(word_of(compressions, c.compression)); }},
    {"compression_level", "netCDF-4, Zarr: the level of that compression: 0 to 9 for zlib, to 22 for zstd",
     "whole number from 0",
     [](Config& c, const ConfigValue& v) { c.compression_level = parse_count(v, 0, "give 0 or more"); },
     [](const Config& c) { return std::to_string(c.compression_level); }},
    {"chunk_records", "netCDF-4, Zarr: records in a chunk of variables for which the program sets no chunks",
     "whole number from 1",
     [](Config& c, const ConfigValue& v) { c.chunk_records = parse_count(v, 1, "give 1 or more"); },
     [](const Config& c) { return std::to_string(c.chunk_records); }},
    {"records", "how many records stay in a file that is opened to be written: it goes back to these; best in files",
     "all, whole number from 0", [](Config& c, const ConfigValue& v) { c.records = parse_records(v); },
     [](const Config& c) { return c.records ? std::to_string(*c.records) : std::string("all"); }},
    {"until_time",
     "the same by time: records stay whose time, in the units of the file's coordinate variable, is not later",
     "all, number", [](Config& c, const ConfigValue& v) { c.until_time = parse_until(v); },
     [](const Config& c) { return c.until_time ? formatted("{}", *c.until_time) : std::string("all"); }},
    {"done_marker",
     "a file that is finished gets NAME.done beside it, with its records, its bytes and a sum of each variable",
     join_words(words_of(answers)), [](Config& c, const ConfigValue& v) { c.done_marker = parse_kind(answers, v); },
     [](const Config& c) { return std::string(word_of(answers, c.done_marker)); }},
    {"collective",
     "bridges only: all ranks make all calls of a file in the same order, even where its access is independent",
     join_words(words_of(answers)), [](Config& c, const ConfigValue& v) { c.collective = parse_kind(answers, v); },
     [](const Config& c) { return std::string(word_of(answers, c.collective)); }},
    {"files",
     "rules for files by their names, the first that matches: of the bridges; in weir_create format, compression, "
     "chunk_records, done_marker",
     "map of pattern: off, or pattern: {key: value, ...}",
     [](Config& c, const ConfigValue& v) { c.files = parse_rules(v); },
     [](const Config& c) { return show_rules(c.files); }},
    {"streams", "what becomes of the fields that the model sends: means, extremes, instants, in which files",
     "map of name: {file: ..., every: ..., fields: ...}; see docs/streams.md",
     [](Config& c, const ConfigValue& v) { c.streams = parse_streams_map(v); },
     [](const Config& c) { return c.streams.is_map ? show_whole(c.streams) : std::string(); }, true},
    {"restart", "streams: where unfinished intervals are kept between runs: nothing, or a pattern of files",
     "path with {time}", [](Config& c, const ConfigValue& v) { c.restart = std::string(trimmed(scalar(v))); },
     [](const Config& c) { return c.restart; }},
    // For studies and tests.
    {"debug.forward", "how data move between the ranks of a host", join_words(words_of(forwards)),
     [](Config& c, const ConfigValue& v) { c.forward = parse_kind(forwards, v); },
     [](const Config& c) { return std::string(name(c.forward)); }},
    {"debug.ranks_per_host",
     "treat each group of this many ranks of a host as a host (a socket, a test); 0: all of them",
     "whole number from 0",
     [](Config& c, const ConfigValue& v) { c.ranks_per_host = parse_count(v, 0, "give 0 (all of them) or more"); },
     [](const Config& c) { return std::to_string(c.ranks_per_host); }},
    {"debug.choose",
     "dynamic: which ranks hold the tiles: in order of arrival, those that were early recently, or those whose memory "
     "is warm",
     join_words(words_of(choices)), [](Config& c, const ConfigValue& v) { c.choose = parse_kind(choices, v); },
     [](const Config& c) { return std::string(name(c.choose)); }},
    {"debug.hops",
     "dynamic: how pieces reach the rank that writes them: directly, or through a relay, a rank that forwards them",
     join_words(words_of(hop_kinds)), [](Config& c, const ConfigValue& v) { c.hops = parse_kind(hop_kinds, v); },
     [](const Config& c) { return std::string(name(c.hops)); }},
};

}  // namespace

const std::vector<ConfigKey>& config_keys() {
  return table;
}

namespace {

std::vector<std::string_view> key_words() {
  std::vector<std::string_view> names;
  for (const ConfigKey& key : table) names.push_back(key.name);
  return names;
}

// A key for studies and tests by the name that it had once.
bool was_a_key(std::string_view name) {
  return std::any_of(table.begin(), table.end(), [&](const ConfigKey& key) {
    return key.name.starts_with(debug_prefix) && key.name.substr(debug_prefix.size()) == name;
  });
}

}  // namespace

bool is_near_a_key(std::string_view name) {
  const auto known = key_words();
  return std::find(known.begin(), known.end(), name) != known.end() || was_a_key(name) ||
         nearest_word(name, known).has_value();
}

const ConfigKey& config_key(std::string_view name) {
  for (const ConfigKey& key : table)
    if (key.name == name) return key;
  const auto known = key_words();
  if (was_a_key(name)) {
    const std::string old(name);
    reject(formatted("the key {} is for studies and tests, and is {}{} now; give debug: {{{}: ...}}", old, debug_prefix,
                     old, old));
  }
  const auto nearest = nearest_word(name, known);
  reject(formatted(
      "unknown key \"{}\": {}", name,
      nearest ? formatted("did you mean \"{}\"?", *nearest) : formatted("the keys are {}", join_words(known))));
}

std::string_view name(StrategyKind kind) noexcept {
  return word_of(strategies, kind);
}
std::string_view name(SinkKind kind) noexcept {
  return word_of(sinks, kind);
}
std::string_view name(ForwardKind kind) noexcept {
  return word_of(forwards, kind);
}
std::string_view name(ControlKind kind) noexcept {
  return word_of(controls, kind);
}
std::string_view name(ChooseKind kind) noexcept {
  return word_of(choices, kind);
}
std::string_view name(HopKind kind) noexcept {
  return word_of(hop_kinds, kind);
}
std::string_view name(OverlapKind kind) noexcept {
  return word_of(overlaps, kind);
}
std::string_view name(ProgressKind kind) noexcept {
  return word_of(progresses, kind);
}

namespace {

// A rule is the word off, or keys; on is a rule without keys. The keys are tried out, so that an impossible one is an
// error of the configuration and not of the first file that matches.
FileRule parse_rule(const std::string& pattern, const ConfigValue& value) {
  if (pattern.empty()) reject("a rule has no pattern; give \"*.nc\": off, or keys");
  FileRule rule{pattern, value.text == "off", value.entries};
  if (!value.is_map && !rule.off && value.text != "on")
    reject(formatted(R"("{}": "{}" is not a rule; give off, on, or {{key: value, ...}})", pattern, value.text));
  Config trial;
  for (const auto& [key, setting] : rule.keys) {
    if (key == "files") reject(formatted("\"{}\": a rule has no rules of its own; leave files out", pattern));
    if (key == "streams" || key == "restart")
      reject(formatted("\"{}\": a rule has no streams; give {} outside of files", pattern, key));
    try {
      config_key(key).set(trial, setting);
    } catch (const Error& error) {
      reject(formatted("\"{}\": {}: {}", pattern, key, error.what()));
    }
  }
  return rule;
}

std::string show_value(const ConfigValue& value) {
  if (!value.is_map) return value.text;
  std::string text;
  for (const auto& [key, setting] : value.entries)
    text += (text.empty() ? "" : ", ") + key + ": " + show_value(setting);
  return "{" + text + "}";
}

}  // namespace

std::vector<FileRule> parse_rules(const ConfigValue& value) {
  if (!value.is_map && !trimmed(value.text).empty())
    reject(formatted("\"{}\" is not a map; give {{pattern: off, pattern: {{key: value}}}}", value.text));
  std::vector<FileRule> rules;
  for (const auto& [pattern, rule] : value.entries) rules.push_back(parse_rule(pattern, rule));
  return rules;
}

std::string show_rules(const std::vector<FileRule>& rules) {
  std::string text;
  for (const FileRule& rule : rules)
    text += formatted("{}\"{}\": {}", text.empty() ? "" : ", ", rule.pattern,
                      rule.off ? "off" : show_value({"", rule.keys, true}));
  return text.empty() ? "" : "{" + text + "}";
}

}  // namespace weir
