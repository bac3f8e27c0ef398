// SPDX-License-Identifier: Apache-2.0
// A mode: one way of bringing a workload's variables into a file. The runner calls, on all ranks and in this order:
//   prepare()                     once, untimed: what a model does when it starts
//   begin, put_fixed, put_record (each record), end    timed, for each repeat
//   verify()                      untimed
// A mode owns its scratch memory between repeats; it borrows the workload and the data, which outlive it. Every call is
// collective. Failures are AgreedError where all ranks see them alike, else BenchError.
#pragma once

#include <mpi.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "values.hpp"
#include "workload.hpp"
#include "workloads/modes.hpp"

namespace weir::bench {

using workloads::ModeSpec;
using workloads::Settings;

// What a mode runs with. What it refers to outlives it.
struct Scene {
  MPI_Comm comm;   // the model's ranks
  MPI_Comm start;  // what Weir starts on: these, and behind them the ranks that the mode reserves
  const Workload& work;
  const FieldData& data;
  Settings hints;             // MPI-IO hints of every mode
  std::string configuration;  // Weir's, as YAML text; a mode's settings go before it
};

class Mode {
 public:
  explicit Mode(const Scene& scene);
  virtual ~Mode() = default;
  Mode(const Mode&) = delete;
  Mode& operator=(const Mode&) = delete;

  virtual void prepare() {}
  virtual void begin(const std::string& path) = 0;  // creates the file and its definitions
  virtual void put_fixed() = 0;                     // all variables without record dimension
  virtual void put_record(std::int64_t record) = 0;
  virtual void end() = 0;  // all is in the file when this returns

  // Is every element of what end() left right? nullopt: cannot be told here; the reason goes to `why`. The answer is
  // the same on all ranks.
  virtual std::optional<bool> verify(const std::string& path, std::string& why);
  // What end() left on the storage, of all ranks; nullopt: the files that begin with the path. Collective.
  virtual std::optional<std::int64_t> stored_bytes() { return std::nullopt; }
  // What the mode tells of itself after a repeat (steps, memory), or null.
  virtual nlohmann::ordered_json report() { return nullptr; }
  // What whoever reads its figures has to know of this file system, or "". Rank 0's is told.
  virtual std::string remark() { return ""; }

 protected:
  [[nodiscard]] const Workload& work() const { return scene_.work; }
  [[nodiscard]] const Scene& scene() const { return scene_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int ranks() const { return ranks_; }
  // The variables with (or without) the record dimension.
  [[nodiscard]] std::vector<int> variables(bool record) const;
  // What this rank alone puts of a variable; the whole of it on rank 0 where nobody else has a part.
  [[nodiscard]] std::int64_t own_bytes(int v) const;

 private:
  Scene scene_;
  int rank_ = 0;
  int ranks_ = 1;
};

// The modes' names, peers last.
const std::vector<std::string>& mode_names();

// As workloads::parse_modes(), of modes that there are: throws BenchError for an unknown name. Local.
std::vector<ModeSpec> parse_known_modes(const std::string& list);

std::unique_ptr<Mode> make_mode(const ModeSpec& spec, const Scene& scene);

// The makers behind make_mode; each refuses settings and workloads it cannot serve with BenchError.
std::unique_ptr<Mode> make_peer_serial(const Settings& settings, const Scene& scene);
std::unique_ptr<Mode> make_peer_serial_netcdf4(const Settings& settings, const Scene& scene);
std::unique_ptr<Mode> make_peer_pnetcdf(const Settings& settings, const Scene& scene);
std::unique_ptr<Mode> make_peer_pnetcdf_nb(const Settings& settings, const Scene& scene);
std::unique_ptr<Mode> make_peer_netcdf4(const Settings& settings, const Scene& scene);
std::unique_ptr<Mode> make_peer_hdf5(const Settings& settings, const Scene& scene);
std::unique_ptr<Mode> make_peer_adios2(const Settings& settings, const Scene& scene);
std::unique_ptr<Mode> make_peer_raw(const Settings& settings, const Scene& scene);
std::unique_ptr<Mode> make_no_output(const ModeSpec& spec, const Scene& scene);
std::unique_ptr<Mode> make_limit(const ModeSpec& spec, const Scene& scene);
std::unique_ptr<Mode> make_packing_limit(const ModeSpec& spec, const Scene& scene);
std::unique_ptr<Mode> make_weir_mode(const ModeSpec& spec, const Scene& scene);

// The run's configuration with the mode's strategy and settings over it, as YAML text. Local.
std::string configuration_of(const ModeSpec& spec, const Settings& hints, const std::string& configuration);

// How many ranks one of Weir's modes reserves; 0 where its configuration is wrong, which it says itself later. Local.
int reserved_ranks(const ModeSpec& spec, const Settings& hints, const std::string& configuration);

// The part of a reserved rank in a mode: it is in weir_init until the model has finished. Collective over `start`.
void serve_reserved(const ModeSpec& spec, const Settings& hints, const std::string& configuration, MPI_Comm start);

}  // namespace weir::bench
