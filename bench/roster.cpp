// SPDX-License-Identifier: Apache-2.0
#include "roster.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>

#include "base/text.hpp"
#include "check.hpp"

namespace weir::bench {
namespace {

constexpr int order_tag = 11;
constexpr int dismissed = -1;  // else an order is a mode's number
constexpr std::chrono::milliseconds time_between_looks{5};

}  // namespace

Roster::Roster(const Options& options, MPI_Comm world) : options_(options), world_(Comm::duplicate(world)) {
  for (const ModeSpec& spec : options.modes) {
    reserved_.push_back(spec.is_weir() ? reserved_ranks(spec, options.hints, options.configuration) : 0);
  }
  const int reserved = std::accumulate(reserved_.begin(), reserved_.end(), 0);
  model_ranks_ = options.model_ranks > 0 ? options.model_ranks : world_.size() - reserved;
  if (model_ranks_ < 1 || model_ranks_ + reserved > world_.size()) {
    throw AgreedError(
        formatted("the modes reserve {} ranks in addition to the model's{}: start {} ranks or more, not {}", reserved,
                  options.model_ranks > 0 ? formatted(" {}", options.model_ranks) : "",
                  std::max(1, options.model_ranks) + reserved, world_.size()));
  }
  model_ = world_.split(models() ? 0 : 1);
  for (int mode = 0; mode < static_cast<int>(options.modes.size()); ++mode) {
    const int spare = world_.rank() - first_spare_of(mode);
    starts_.push_back(world_.split(models() || (spare >= 0 && spare < reserved_[mode]) ? 0 : 1));
  }
}

int Roster::first_spare_of(int mode) const {
  return std::accumulate(reserved_.begin(), reserved_.begin() + mode, model_ranks_);
}

void Roster::tell(int first, int count, int order) const {
  if (world_.rank() != 0) return;
  for (int rank = first; rank < first + count; ++rank) {
    check_mpi(MPI_Send(&order, 1, MPI_INT, rank, order_tag, world_.raw()), "MPI_Send of an order");
  }
}

void Roster::call(int mode) const {
  tell(first_spare_of(mode), reserved_[mode], mode);
}

void Roster::dismiss() const {
  tell(model_ranks_, world_.size() - model_ranks_, dismissed);
}

void Roster::serve() const {
  for (;;) {
    int come = 0;
    while (!come) {
      std::this_thread::sleep_for(time_between_looks);
      check_mpi(MPI_Iprobe(0, order_tag, world_.raw(), &come, MPI_STATUS_IGNORE), "MPI_Iprobe");
    }
    int order = dismissed;
    check_mpi(MPI_Recv(&order, 1, MPI_INT, 0, order_tag, world_.raw(), MPI_STATUS_IGNORE), "MPI_Recv of an order");
    if (order == dismissed) return;
    serve_reserved(options_.modes[order], options_.hints, options_.configuration, starts_[order].raw());
  }
}

}  // namespace weir::bench
