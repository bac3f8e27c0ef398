// SPDX-License-Identifier: Apache-2.0
#include "mpi/outbox.hpp"

#include <utility>

namespace weir {

namespace {

constexpr std::size_t usual_messages = 32, usual_words = 16;  // under way at once, in one of them: room from the start

}  // namespace

Outbox::Outbox(const Comm& comm, int tag) : comm_(&comm), tag_(tag), spare_(usual_messages) {
  for (Words& each : spare_) each.words.reserve(usual_words);
}

Outbox::~Outbox() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  for (Words& each : under_way_) {
    int taken = 0;
    if (finalized == 0 && MPI_Test(&each.request, &taken, MPI_STATUS_IGNORE) == MPI_SUCCESS && taken != 0) continue;
    static_cast<void>(new std::vector<std::int64_t>(std::move(each.words)));  // MPI may still read it
  }
}

void Outbox::drop_taken() {
  for (auto each = under_way_.begin(); each != under_way_.end();) {
    int taken = 0;
    check_mpi(MPI_Test(&each->request, &taken, MPI_STATUS_IGNORE), "MPI_Test");
    const auto next = std::next(each);
    if (taken != 0) spare_.splice(spare_.end(), under_way_, each);
    each = next;
  }
}

void Outbox::send(std::span<const std::int64_t> words, int to) {
  drop_taken();
  if (spare_.empty()) spare_.emplace_back();
  Words& mine = spare_.front();
  mine.words.assign(words.begin(), words.end());
  under_way_.splice(under_way_.end(), spare_, spare_.begin());
  check_mpi(MPI_Isend(mine.words.data(), static_cast<int>(mine.words.size()), MPI_INT64_T, to, tag_, comm_->raw(),
                      &mine.request),
            "MPI_Isend");
}

}  // namespace weir
