// SPDX-License-Identifier: Apache-2.0
// What a seed stands for: a model and its script, a way to write, a machine, and what goes wrong in it.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/reader.hpp"
#include "mpi_world.hpp"
#include "storage.hpp"

namespace sim {

// What happens to a process at its call of a number (or to all of them then: killed, or the power goes); or what it
// does at a line of the script where the others do as that says.
struct Mishap {
  enum class Kind { none, kill, kill_all, power, freeze, stray } kind = Kind::none;
  int process = -1;
  long at = 0;
  double seconds = 0;   // of a freeze
  nlohmann::json line;  // of one that strays
  int commits = 0;      // from whose end on the calls are counted: so many that the process has come back from
};

struct Trial {
  std::uint64_t seed = 0;
  int ranks = 0;           // of the whole job
  int reserved = 0;        // of them, that the library takes for itself
  std::vector<int> hosts;  // by rank
  std::vector<double> paces;
  bool in_parts = false;
  bool by_mpi_io = false;
  bool grouped = false;  // all files are committed as one
  std::string packed;    // netcdf4, zarr: the files are of packed chunks; else ""
  double timeout = 3;
  std::string configuration;
  nlohmann::json script;
  std::map<int, harness::State> there;  // files that are there when it begins
  nlohmann::json model;                 // the other words of the plan
  MpiManner mpi;
  double storage_seconds = 1e-5, storage_bandwidth = 1e9;
  Mishap mishap;
  Storage::Fault fault;  // process -1: none

  // The files, how much each holds after each line of the script that commits, and the files' numbers.
  struct Commit {
    int file;
    harness::State state;
    std::map<int, harness::State> all;  // of the files that are open then
  };
  std::map<int, Commit> commits() const;
  // In some lines.
  std::string words() const;
  // Whether a file goes back to fewer records.
  bool goes_back() const;
  // Whether what goes wrong is no reason to give up.
  bool borne() const;
};

// grouped: the same, with files that are committed as one, and nothing but kills to go wrong.
Trial draw(std::uint64_t seed, bool grouped = false);
// Makes the trial's files netCDF-4, or Zarr, where a strategy writes whole ones.
void pack(Trial& trial);
// What the next run does with the files that a kill has left: it continues them, or makes them. Nothing goes wrong.
Trial continuation(const Trial& trial, std::map<int, harness::State> there);

}  // namespace sim
