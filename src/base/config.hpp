// SPDX-License-Identifier: Apache-2.0
// The configuration of a run: its keys as values, what follows from them, and how they are read. Local.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace weir {

// Whether writers preserve each other's bytes. Pure, Local.

// Whether writers on so many hosts may write into one file, each its own bytes, by themselves. coherent: the file
// system keeps what several hosts write apart.
inline bool may_write_apart(int hosts, bool coherent) noexcept {
  return coherent || hosts == 1;
}

// The configuration: what a user can say without changing his model. From a YAML file or text, then the environment
// (WEIR_STRATEGY=remap wins over the file). Each key is stated once, in config_keys.cpp's table: name, meaning,
// allowed values. Unknown keys and impossible values are errors that name the nearest known key or the allowed values.

enum class StrategyKind {
  automatic,
  serial,
  collective,
  rows,
  columns,
  remap,
  servers,
  dynamic,
  file_per_rank,
  file_per_domain
};
enum class SinkKind { automatic, pnetcdf, direct, memory, null };
enum class ForwardKind { automatic, shared, messages };
enum class Durability { storage, cache };
// Whether large tiles go through the system's page cache; automatic: past it where a thread writes in the background.
enum class PageCacheKind { automatic, through, past };
// dynamic: where the scheduler runs. hosted: on each host, in memory its ranks share; rank: in a process of its own.
enum class ControlKind { hosted, rank };
// dynamic: how a slot (the memory of a tile) is given to a rank; see schedule/scheduler.hpp.
enum class ChooseKind { automatic, arrival, recent, warm };
// dynamic: straight to the writer whose tile it is, or first to any writer.
enum class HopKind { one, two };
// When tiles are written: none: in the put that fills them; slack: when a rank is early; background: by a thread.
enum class OverlapKind { automatic, none, slack, background };

// When what is under way between hosts goes on: in the model's calls, or by a thread between them too.
enum class ProgressKind { automatic, calls, thread };

// What a file is made as: what the program says, or netCDF-4 whatever it says; and how such a file is packed where the
// program says nothing.
enum class FormatKind { automatic, netcdf4, zarr };
enum class CompressionKind { none, zlib, zstd };

// What a run does not do, to measure the rest: pieces come to their tile, but not to their places in it.

// A value as it was written: a scalar's text, or a map's entries (hints, files).
struct ConfigEntry;
struct ConfigValue {
  std::string text;
  std::vector<ConfigEntry> entries;
  bool is_map = false;
};
struct ConfigEntry {
  std::string key;
  ConfigValue value;
};

// What is other for files whose names match a pattern.
struct FileRule {
  std::string pattern;
  bool off = false;  // such files are left to the underlying library the bridge
  std::vector<ConfigEntry> keys;
};

struct Config {
  StrategyKind strategy = StrategyKind::dynamic;  // strategy
  SinkKind sink = SinkKind::automatic;            // sink: auto, pnetcdf, direct, memory, null
  ForwardKind forward = ForwardKind::automatic;   // debug.forward: auto, shared, messages
  int writers = 0;                                // writers: staging ranks in all; 0: writers_per_host on each host
  int writers_per_host = 1;                       // writers_per_host
  int ranks_per_host = 0;  // debug.ranks_per_host: take so many ranks of a host for a host; 0: all
  int domains = 0;         // domains of file_per_domain; 0: one a host
  std::int64_t buffer_limit_bytes = 64LL << 20;         // buffer_limit: "64MiB"; most bytes of Weir's a rank ever holds
  std::int64_t stripe_bytes = 0;                        // stripe_size: "4MiB"; 0: ask the file system
  std::int64_t bundle_bytes = 256LL << 10;              // bundle_size: variables below this go whole to one writer
  std::int64_t header_free_bytes = 0;                   // header_free
  std::int64_t variable_align_bytes = 0;                // variable_align
  std::int64_t record_align_bytes = 0;                  // record_align
  double timeout_seconds = 600.0;                       // timeout
  double storage_timeout_seconds = 0.0;                 // storage_timeout; 0: as long as it takes
  Durability durability = Durability::storage;          // durability: storage (fsync before a commit), cache
  std::string commit_group;                             // commit_group: patterns of files, between blanks
  PageCacheKind page_cache = PageCacheKind::automatic;  // page_cache: auto, through, past
  ControlKind control = ControlKind::hosted;            // control: hosted, rank
  ChooseKind choose = ChooseKind::automatic;            // debug.choose: auto, arrival, recent, warm
  HopKind hops = HopKind::one;                          // debug.hops: one, two
  OverlapKind overlap = OverlapKind::automatic;         // overlap: auto, none, slack, background
  ProgressKind progress = ProgressKind::automatic;      // progress: auto, calls, thread
  std::string writer_cores = "auto";                    // writer_cores: auto, none, or a list of cores (0-3,8)
  int writers_per_variable = 0;                         // writers_per_variable; 0: writers_per_host on each host
  int flush_after = 1;                                  // flush_after: units cached before they are written
  int writers_at_once = 0;                              // writers_at_once, of a host; 0: as its file system likes it
  int servers = 1;                                      // servers: ranks reserved to write
  std::string tuned = "auto";                 // tuned: "auto" in the user's cache folder, "none", else a file's path
  std::string trace;                          // trace: "" none, else a file's path (Chrome trace JSON)
  std::string report;                         // report: "" none, "-" standard error, else a file's path (JSON)
  std::map<std::string, std::string> hints;   // hints: a map of MPI-IO hints, passed through
  FormatKind format = FormatKind::automatic;  // format: auto, netcdf4, zarr
  CompressionKind compression = CompressionKind::none;  // compression: none, zlib, zstd
  int compression_level = 1;                            // compression_level
  bool collective = false;                              // collective: of files of the bridges
  std::vector<FileRule> files;                          // files: a map of rules

  std::string folder;              // in which it was loaded: where its relative paths begin
  std::vector<std::string> notes;  // what the user should know of it
};

// `text` as in weir_init: nullptr, a path, or YAML text (it holds ": " or a newline, or is empty). Reads WEIR_CONFIG
// where text is nullptr, then WEIR_<KEY> for every key; what neither says is as in `defaults`. A variable WEIR_... that
// is near no key is another program's: it is passed over, with a note. Throws Error(WEIR_ECONFIG). Local.
Config load_config(const char* text, const Config& defaults = {});

// Makes the relative paths of what is written at the end (report, trace, tuned) absolute: the program may go to another
// folder until then. Local.
void make_paths_absolute(Config& config);

// Makes of `auto` what it means where the rest of the configuration tells it, and refuses what cannot be had together.
// Throws Error(WEIR_ECONFIG). Local.
void resolve_defaults(Config& config);

// The last ranks of the model's communicator that the strategy takes for itself: those that write, and one that runs
// the scheduler.
int reserved_ranks(const Config& config) noexcept;
int serving_ranks(const Config& config) noexcept;
bool has_control_rank(const Config& config) noexcept;
// Whether ranks of a host, on which there are so many of all `ranks`, reach each other's tile memory.
bool shares_memory(const Config& config, int ranks_of_host, int ranks) noexcept;
// Whether a thread of the rank takes what comes while the model computes: where tiles are written meanwhile, some come
// from ranks whose memory this one does not reach, and MPI lets any thread call it.
bool listens_in_background(const Config& config, bool reaches_everybody, bool any_thread_may_call) noexcept;
// Writers write runs that lie between each other's: rows and columns.
bool by_lines(const Config& config) noexcept;
enum class SinkReason { asked, coherent, incoherent, collective, lines };
struct SinkRule {
  SinkKind kind;
  SinkReason reason;
};
// A sink for studies and tests, behind which nothing is left. automatic: one that leaves a file will be chosen.
inline bool keeps_nothing(SinkKind sink) noexcept {
  return sink == SinkKind::null || sink == SinkKind::memory;
}
// Whether the strategy makes a file a rank, or a domain: parts of one, each with one writer.
bool writes_parts(const Config& config) noexcept;
// What it makes them by: each is of one writer, by itself.
SinkKind sink_of_parts(const Config& config) noexcept;
// At which boundaries tiles are cut, where the storage has some: the configuration's word goes before.
inline std::int64_t stripe_bytes_of(const Config& config, std::int64_t of_storage) noexcept {
  return config.stripe_bytes > 0 ? config.stripe_bytes : of_storage;
}
// The sink for writers on so many hosts. own_disk: of a host, no other sees it. coherent: pwrite of several hosts is
// safe.
SinkRule sink_for(const Config& config, int hosts, bool own_disk, bool coherent) noexcept;
// Whether the system lets one write of a host at a time into a file of this sink, so that more writers at once would
// only wait for each other.
bool one_at_a_time(SinkKind sink, bool own_disk) noexcept;
// What MPI-IO is told of a file: its own hints, those of the configuration before them, and what the strategy wants
// where neither says it.
std::map<std::string, std::string> io_hints(const Config& config, const std::map<std::string, std::string>& of_file);

// The first rule whose pattern (as in a shell: *, ?, [...]) matches the path, or the path's last part where the pattern
// holds no '/'; nullptr where none does. Local.
const FileRule* rule_for(const Config& config, const std::string& path);
// Whether a pattern of commit_group matches the path in the same way. Local.
bool in_commit_group(const Config& config, const std::string& path);
// The configuration with a rule's keys; the environment's keys still win. Local.
Config with_rule(Config config, const FileRule& rule);

std::string_view name(StrategyKind kind) noexcept;
std::string_view name(SinkKind kind) noexcept;
std::string_view name(ForwardKind kind) noexcept;
std::string_view name(ControlKind kind) noexcept;
std::string_view name(ChooseKind kind) noexcept;
std::string_view name(HopKind kind) noexcept;
std::string_view name(OverlapKind kind) noexcept;
std::string_view name(ProgressKind kind) noexcept;

// The keys with meaning, default and allowed values, a line each, for `weir-bench --keys` and the documents.
std::string describe_keys();

}  // namespace weir
