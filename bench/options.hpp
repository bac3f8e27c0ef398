// SPDX-License-Identifier: Apache-2.0
// The command line of weir-bench.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compute.hpp"
#include "mode.hpp"
#include "workload.hpp"

namespace weir::bench {

// Is looked for before MPI is initialised, and so before anything is parsed.
inline constexpr const char* any_thread_flag = "--any-thread";

// Of network cards, in bytes a second; 0: not known.
struct CardSpeeds {
  std::int64_t host = 0;     // of a host's
  std::int64_t storage = 0;  // of the storage's together
};

struct Options {
  WorkloadRequest workload;
  std::vector<ModeSpec> modes;
  int repeats = 5;
  int warm_ups = 1;
  double limit_seconds = 0;  // that the modes share; 0: as many as they need
  std::string directory = ".";
  std::string json_path;  // "": none
  ComputeRequest compute;
  CardSpeeds cards;
  int model_ranks = 0;  // 0: all that no mode reserves
  Settings hints;
  std::string configuration;  // Weir's, as YAML text
  bool any_thread = false;    // any_thread_flag
  bool plan = false;
  bool keys = false;
  bool keep = false;
  bool cold = false;  // of what is read
  bool verify = true;
  bool progress = true;
};

// Parses the command line; nullopt where it only asked for help or was wrong: `exit_code` then says which, and one rank
// has printed what there was to say. Throws AgreedError for a wrong mode or setting. Collective.
std::optional<Options> parse_options(int argc, char** argv, MPI_Comm comm, int& exit_code);

}  // namespace weir::bench
