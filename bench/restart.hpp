// SPDX-License-Identifier: Apache-2.0
// The workload `restart`: some ranks write a state by rows; all ranks read it in columns with halos, as a run with
// another decomposition does when it begins. It measures reading, so it has readers for modes and a table of its own.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "mode.hpp"
#include "options.hpp"
#include "roster.hpp"
#include "workloads/restart.hpp"

namespace weir::bench {

using workloads::restart_name;

// Fields of (z, y, x) in double, a mask of (y, x) and the two axes; what this rank wants of them.
struct RestartState {
  std::int64_t nz, ny, nx;
  int fields;
  Extents start, count;  // of a field: this rank's columns, with one of the neighbours' on each side
  std::string path;      // of the classic file

  [[nodiscard]] std::int64_t bytes() const;
  // The same state as netCDF-4.
  [[nodiscard]] std::string netcdf4_path() const { return path + "4"; }
};

// What a reader fills, in the order of the file.
struct RestartBuffers {
  std::vector<std::vector<double>> fields;
  std::vector<int> mask;
  std::vector<double> y, x;
};

class RestartReader {
 public:
  virtual ~RestartReader() = default;
  [[nodiscard]] virtual const std::string& path() const = 0;
  virtual void prepare() = 0;                      // untimed: what is there before a model reads
  virtual void read(RestartBuffers& buffers) = 0;  // from the opening of the file to its close
  virtual nlohmann::ordered_json finish() = 0;     // untimed; what the mode tells of itself, or null
};

// Whether a mode reads the file that is netCDF-4: its peer, and modes of Weir with format=netcdf4.
bool reads_netcdf4(const ModeSpec& spec);
std::unique_ptr<RestartReader> make_restart_reader(const ModeSpec& spec, const Options& options,
                                                   const RestartState& state, MPI_Comm comm);

// Collective over the roster's model. 0: all is well. `json` gets the runs.
int run_restart(const Options& options, const Roster& roster, nlohmann::ordered_json& json);

}  // namespace weir::bench
