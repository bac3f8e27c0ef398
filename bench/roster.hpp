// SPDX-License-Identifier: Apache-2.0
// Who does what in a job. Its first ranks are the model: the workload is theirs, and all modes run on them. Those
// behind are spare. A mode whose strategy reserves ranks (dynamic with control: rank, servers) has as many of them for
// its own, and Weir, which reserves the last ranks it is given, gets the model's and these; a spare rank's part of a
// mode is to be in weir_init until the model has finished. It sleeps until it is called, so that it costs the model
// nothing.
#pragma once

#include <mpi.h>

#include <vector>

#include "mode.hpp"
#include "mpi/comm.hpp"
#include "options.hpp"

namespace weir::bench {

class Roster {
 public:
  // Collective over `world`, as is destruction; `options` outlives it. Throws AgreedError where the job is too small.
  Roster(const Options& options, MPI_Comm world);

  [[nodiscard]] bool models() const { return world_.rank() < model_ranks_; }
  // The model's ranks, on each of them.
  [[nodiscard]] const Comm& model() const { return model_; }
  // What the mode gives to weir_init, on the ranks it is for.
  [[nodiscard]] MPI_Comm start(int mode) const { return starts_[mode].raw(); }
  [[nodiscard]] int reserved(int mode) const { return reserved_[mode]; }

  // Sends the ranks that the mode reserves into weir_init. Called by the model's ranks, before they go there.
  void call(int mode) const;
  // Ends serve() on all spare ranks. Called by the model's ranks.
  void dismiss() const;
  // What a spare rank does.
  void serve() const;

 private:
  void tell(int first, int count, int order) const;
  [[nodiscard]] int first_spare_of(int mode) const;

  const Options& options_;
  Comm world_;
  int model_ranks_ = 0;
  Comm model_;
  std::vector<int> reserved_;  // by mode
  std::vector<Comm> starts_;   // by mode
};

}  // namespace weir::bench
