// SPDX-License-Identifier: Apache-2.0
// The table of fast configurations of a machine, and the state of `strategy: auto` in the pipeline
// (engine/advising.hpp). Local.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "advice/advisor.hpp"
#include "base/config.hpp"

namespace weir {

// What the table knows an output by.
struct OutputShape {
  int ranks = 0;
  int hosts = 0;
  std::int64_t bytes_per_record = 0;  // of a file
  int variables = 0;                  // with records
  std::string packing = {};           // of the file: "netcdf4 zlib 1"; "" if it is not packed
  bool operator==(const OutputShape&) const = default;
};

struct TunedEntry {
  OutputShape shape;
  Way way;
  double compute_seconds = 0;  // of the model, for a record
  double seconds = 0;          // for a record, computing included
  double default_seconds = 0;  // the same by the library's defaults
  bool measured = false;       // by a run; else simulated
  std::string others = {};     // keys that the library does not know, as YAML; they are kept
};

// A YAML file in the user's cache folder. `weir tune` and runs with `strategy: auto` write it, and the latter read it.
// docs/tuning.md describes its form.
class TunedTable {
 public:
  // Reads the table; empty if there is no file.
  // Errors: WEIR_ECONFIG if the file is no such table, of another version, or makes no sense.
  static TunedTable read(const std::string& path, const std::string& machine);

  // Returns the entry nearest to an output, among those packed alike, by the sum of squared logarithms; nullopt if its
  // ranks, hosts or bytes differ by more than a factor of 8. The model's computing time is not known yet and does not
  // count. Leaves out entries that a running model cannot use: those that reserve ranks or write part files.
  std::optional<TunedEntry> find(const OutputShape& shape) const;
  // Replaces the entry of the same shape, whose unknown keys stay, or adds one.
  void keep(const TunedEntry& entry);
  // Writes a new file and renames it, so that no reader finds half of it.
  // Errors: WEIR_EIO.
  void write(const std::string& path) const;

 private:
  explicit TunedTable(std::string machine) : machine_(std::move(machine)) {}

  std::string machine_;
  std::vector<TunedEntry> entries_;
  std::string others_;  // unknown keys of the whole table
};

// Returns $XDG_CACHE_HOME/weir/tuned.yaml, or the same below ~/.cache; "" if the user has no such folder.
std::string default_table_path();

struct OpenFile;

// The state of `strategy: auto`. One file leads: the time between its records is compared. When it is closed the next
// one leads.
struct Advice {
  Config asked;            // the user's configuration
  std::string table_path;  // "": no table is read or written
  OutputShape output;      // of the first file with records
  const OpenFile* leader = nullptr;
  std::int64_t records = 0;
  std::optional<Advisor> advisor;  // empty until a file with records comes
};

}  // namespace weir
