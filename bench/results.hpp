// SPDX-License-Identifier: Apache-2.0
// What a run measured, and how it is told: JSON for programs, a table for people. Local.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "mode.hpp"

namespace weir::bench {

struct ModeResult {
  explicit ModeResult(ModeSpec mode) : spec(std::move(mode)) {}

  ModeSpec spec;
  std::vector<double> seconds;            // of the whole run, computing included; one a counted repeat
  std::vector<double> visible_seconds;    // of them, what the model waited in output calls
  std::vector<double> processor_seconds;  // of the whole run, user and system, all threads of the model's ranks
  std::vector<double> computing_seconds;  // what a rank's computing took, mean over ranks; where something is computed
  std::vector<double> slack_seconds;      // what a rank waited for slower ones in the model, mean over ranks
  std::vector<double> read_seconds;       // of the whole run, in reading the model's input, of the slowest rank
  std::vector<double> warm_up_seconds;
  int reserved_ranks = 0;                           // beside the model's
  std::optional<double> residual;                   // of the model's sweeps, where it makes some
  std::optional<std::int64_t> peak_bytes_per_rank;  // Weir's own count; for peers the growth of the process
  std::optional<std::int64_t>
      process_growth_bytes;                  // of the high-water mark of any rank's process, in the first repeat
  std::optional<std::int64_t> stored_bytes;  // what the last repeat left on the storage
  std::optional<bool> verified;
  std::string remark;             // what to know of its figures here
  std::string complaint;          // why it failed, is wrong, or could not be told
  nlohmann::ordered_json report;  // the mode's own after the last repeat; its figures count from the first one on
  nlohmann::ordered_json steps;   // seconds in each step, a counted repeat, of the slowest rank in that step
};

struct RunResult {
  std::string workload;
  int ranks = 0;
  std::int64_t records = 0;
  std::int64_t bytes = 0;          // of data in one file
  nlohmann::ordered_json compute;  // what the model does between outputs, or null
  std::vector<ModeResult> modes;
};

// "runs" of the JSON.
nlohmann::ordered_json runs_json(const RunResult& result);

void print_table(const RunResult& result, std::ostream& out);

// False where a mode failed or left a wrong file.
bool all_well(const RunResult& result);

}  // namespace weir::bench
