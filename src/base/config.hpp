// SPDX-License-Identifier: Apache-2.0
// The configuration of a run: what a user can say without a change of the model. Each key is described once, in
// config_keys.cpp's table; docs/configuration.md is for users. Also what follows from the keys. Local.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace weir {

// Whether writers on `hosts` hosts may write into one file independently, each its own bytes. `coherent`: the file
// system keeps apart what several hosts write. Pure.
inline bool may_write_apart(int hosts, bool coherent) noexcept {
  return coherent || hosts == 1;
}

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
// Whether large tiles go through the page cache; automatic: past it if a thread writes in the background.
enum class PageCacheKind { automatic, through, past };
// dynamic: where the scheduler runs. hosted: on each host, in shared memory; rank: on a reserved rank.
enum class ControlKind { hosted, rank };
// dynamic: how a slot (the memory of a tile) is assigned to a rank; see schedule/scheduler.hpp.
enum class ChooseKind { automatic, arrival, recent, warm };
// dynamic: whether pieces go straight to the tile's holder, or first to a relay.
enum class HopKind { one, two };
// When tiles are written. none: in the put that fills them; slack: when a rank is early; background: by a thread.
enum class OverlapKind { automatic, none, slack, background };

// When messages progress: in the model's calls, or by a thread between them too.
enum class ProgressKind { automatic, calls, thread };

// The format of new files: the program's choice, or netCDF-4 or Zarr whatever it says; and how they are compressed if
// the program does not say it.
enum class FormatKind { automatic, netcdf4, zarr };
enum class CompressionKind { none, zlib, zstd };

struct ConfigEntry;
// A value as it was written: a scalar's text, the entries of a map (hints, files), or the items of a list (streams).
struct ConfigValue {
  std::string text;
  std::vector<ConfigEntry> entries;
  bool is_map = false;
  std::vector<ConfigValue> items = {};
  bool is_list = false;
  int line = 0;            // of its key, or of the item; 0: unknown
  std::string place = {};  // of a key's whole value: where it was set, for messages: "model.yaml"
};
struct ConfigEntry {
  std::string key;
  ConfigValue value;
};

// Settings for files whose names match a pattern.
struct FileRule {
  std::string pattern;
  bool off = false;  // the bridge leaves such files to the underlying library
  std::vector<ConfigEntry> keys;
};

struct Config {
  StrategyKind strategy = StrategyKind::dynamic;  // strategy
  SinkKind sink = SinkKind::automatic;            // sink: auto, pnetcdf, direct, memory, null
  ForwardKind forward = ForwardKind::automatic;   // debug.forward: auto, shared, messages
  int writers = 0;           // writers: ranks that write a variable, in all; 0: writers_per_host on each host
  int writers_per_host = 1;  // writers_per_host
  int ranks_per_host = 0;    // debug.ranks_per_host: so many ranks of a host count as a host; 0: all
  int domains = 0;           // domains of file_per_domain; 0: one for each host
  std::int64_t buffer_limit_bytes = 64LL << 20;         // buffer_limit: "64MiB" (contract 5)
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
  int writers_at_once = 0;                              // writers_at_once, of a host; 0: as its file system demands
  int servers = 1;                                      // servers: ranks reserved to write
  std::string tuned = "auto";                 // tuned: "auto" in the user's cache folder, "none", else a file's path
  std::string trace;                          // trace: "" none, else a file's path (Chrome trace JSON)
  std::string report;                         // report: "" none, "-" standard error, else a file's path (JSON)
  std::map<std::string, std::string> hints;   // hints: a map of MPI-IO hints, passed through
  FormatKind format = FormatKind::automatic;  // format: auto, netcdf4, zarr
  CompressionKind compression = CompressionKind::none;  // compression: none, zlib, zstd
  int compression_level = 1;                            // compression_level
  int chunk_records = 1;                                // chunk_records
  std::optional<std::int64_t> records;                  // records: that stay in a file opened to be written; none: all
  std::optional<double> until_time;                     // until_time: of the last record that stays
  bool done_marker = false;                             // done_marker: NAME.done beside a file that is finished
  bool collective = false;                              // collective: for files of the bridges
  std::vector<FileRule> files;                          // files: a map of rules
  ConfigValue streams;  // streams: a map of streams, which streams/stream_config.hpp reads
  std::string restart;  // restart: a pattern of files that keep unfinished intervals

  std::string folder;              // of the configuration file, where its relative paths begin
  std::vector<std::string> notes;  // what the user should know of it
};

// Reads a configuration. `text` is nullptr (then WEIR_CONFIG names it), a path, or YAML text (it has ": " or a newline,
// or is empty). Then each WEIR_<KEY> of the environment wins. What neither says is as in `defaults`. A variable
// WEIR_... that is near no key is another program's: it is passed over, with a note.
// Errors: WEIR_ECONFIG; names the nearest known key, or the allowed values.
Config load_config(const char* text, const Config& defaults = {});

// Reads a YAML file that holds a map, with its lines and its path as place.
// Errors: WEIR_ECONFIG.
ConfigValue load_map(const std::string& path);

// Makes the relative paths of files that are written at the end (report, trace, tuned) absolute, since the program may
// change its working directory.
void make_paths_absolute(Config& config);

// Replaces `auto` where the rest of the configuration decides it, and refuses contradictions.
// Errors: WEIR_ECONFIG.
void resolve_defaults(Config& config);

// Return how many of the last ranks of the model's communicator the strategy reserves: servers and a control rank
// together; servers alone; and whether there is a control rank.
int reserved_ranks(const Config& config) noexcept;
int serving_ranks(const Config& config) noexcept;
bool has_control_rank(const Config& config) noexcept;
// Whether ranks of a host access each other's tile memory. `ranks_of_host`: on this host, of `ranks` in all.
bool shares_memory(const Config& config, int ranks_of_host, int ranks) noexcept;
// Whether a thread of the rank receives messages while the model computes: tiles are written meanwhile, some pieces
// come from ranks whose memory this rank cannot access, and MPI lets any thread call it.
bool listens_in_background(const Config& config, bool reaches_everybody, bool any_thread_may_call) noexcept;
// Whether writers write runs that lie between each other's: rows and columns.
bool by_lines(const Config& config) noexcept;
enum class SinkReason { asked, coherent, incoherent, collective, lines };
struct SinkRule {
  SinkKind kind;
  SinkReason reason;
};
// Whether the sink leaves no file, for studies and tests. automatic: a sink that leaves one will be chosen.
inline bool keeps_nothing(SinkKind sink) noexcept {
  return sink == SinkKind::null || sink == SinkKind::memory;
}
// Whether the strategy writes a file for each rank or domain.
bool writes_parts(const Config& config) noexcept;
// Returns why part files get no marker, as the end of a sentence that names the key.
std::string marker_of_parts(const Config& config);
// The sink of part files, each of which has one writer.
SinkKind sink_of_parts(const Config& config) noexcept;
// Returns the boundaries at which tiles are cut: the configuration's, else the storage's.
inline std::int64_t stripe_bytes_of(const Config& config, std::int64_t of_storage) noexcept {
  return config.stripe_bytes > 0 ? config.stripe_bytes : of_storage;
}
// Returns the sink for writers on `hosts` hosts. `own_disk`: a disk of one host that no other sees. `coherent`: pwrite
// of several hosts is safe.
SinkRule sink_for(const Config& config, int hosts, bool own_disk, bool coherent) noexcept;
// Whether the system admits one write of a host at a time into a file of this sink, so that more writers only wait for
// each other.
bool one_at_a_time(SinkKind sink, bool own_disk) noexcept;
// Returns the MPI-IO hints of a file: the configuration's, else the file's own, else what the strategy wants.
std::map<std::string, std::string> io_hints(const Config& config, const std::map<std::string, std::string>& of_file);

// Whether a shell pattern (*, ?, [...]) matches the path, or its last part if the pattern has no '/'.
bool names_path(const std::string& pattern, const std::string& path);
// Returns the first rule whose pattern matches the path so; nullptr if there is none.
const FileRule* rule_for(const Config& config, const std::string& path);
// Whether a pattern of commit_group matches the path in the same way.
bool in_commit_group(const Config& config, const std::string& path);
// Returns the configuration with a rule's keys; the environment's keys still win.
Config with_rule(Config config, const FileRule& rule);

std::string_view name(StrategyKind kind) noexcept;
std::string_view name(SinkKind kind) noexcept;
std::string_view name(ForwardKind kind) noexcept;
std::string_view name(ControlKind kind) noexcept;
std::string_view name(ChooseKind kind) noexcept;
std::string_view name(HopKind kind) noexcept;
std::string_view name(OverlapKind kind) noexcept;
std::string_view name(ProgressKind kind) noexcept;

// Returns the keys with meaning, default and allowed values, a line each, for `weir-bench --keys` and the documents.
std::string describe_keys();

}  // namespace weir
