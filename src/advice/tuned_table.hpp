// SPDX-License-Identifier: Apache-2.0
// What is known to be fast on this machine, and what is to be tried. Local.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "advice/advisor.hpp"
#include "base/config.hpp"

namespace weir {

// The table of fast configurations of this machine: a YAML file in the user's cache folder, which `weir tune` and runs
// with `strategy: auto` write, and the latter read. docs/tuning.md describes its form. Local.

// What an output is known by.
struct OutputShape {
  int ranks = 0;
  int hosts = 0;
  std::int64_t bytes_per_record = 0;  // of a file
  int variables = 0;                  // that have records
  std::string packing = {};           // how the file is packed: "netcdf4 zlib 1"; "" where it is not
  bool operator==(const OutputShape&) const = default;
};

struct TunedEntry {
  OutputShape shape;
  Way way;
  double compute_seconds = 0;  // of the model, a record
  double seconds = 0;          // a record, computing included
  double default_seconds = 0;  // by what the library does of itself
  bool measured = false;       // by a run; else a simulation says so
  std::string others = {};     // keys that the library does not know: YAML, kept as they are
};

class TunedTable {
 public:
  // Empty where there is no file. Throws Error(WEIR_ECONFIG) where it is none of these, of another version, or
  // senseless.
  static TunedTable read(const std::string& path, const std::string& machine);

  // Of the entries that are packed alike the one nearest to an output, by the sum of the squares of the logarithms;
  // nullopt where its ranks, hosts or bytes are off by more than a factor of 8. What the model computes is not known
  // yet, and does not count. Entries that a running model cannot take are passed over: those that reserve ranks, or
  // write part files.
  std::optional<TunedEntry> find(const OutputShape& shape) const;
  // Puts an entry in the place of one of the same shape, whose unknown keys stay, or besides the others.
  void keep(const TunedEntry& entry);
  // By a new file and a rename, so that no reader finds half of it. Throws Error(WEIR_EIO).
  void write(const std::string& path) const;

 private:
  explicit TunedTable(std::string machine) : machine_(std::move(machine)) {}

  std::string machine_;
  std::vector<TunedEntry> entries_;
  std::string others_;  // as an entry's, of the whole table
};

// $XDG_CACHE_HOME/weir/tuned.yaml, or below ~/.cache; "" where the user has no such folder.
std::string default_table_path();

// The state of `strategy: auto` in the pipeline. Local.

struct OpenFile;

// One file leads: the time between its records is what is compared. When it is closed the next one leads.
struct Advice {
  Config asked;            // the user's configuration
  std::string table_path;  // "": none is read or written
  OutputShape output;      // of the first file with records
  const OpenFile* leader = nullptr;
  std::int64_t records = 0;
  std::optional<Advisor> advisor;  // empty until a file with records comes
};

}  // namespace weir
