// SPDX-License-Identifier: Apache-2.0
#include "forward/forward.hpp"

#include <algorithm>
#include <tuple>

namespace weir {

namespace {

constexpr int tag = 7;

template <class Pieces>
typename Pieces::iterator end_of_peer(Pieces& pieces, typename Pieces::iterator begin) {
  return std::find_if(begin, pieces.end(), [&](const auto& piece) { return piece.peer != begin->peer; });
}

}  // namespace

void Forward::exchange(const Batch& batch, Staging& staging, const Deadline& deadline) {
  arrivals_.clear();
  requests_.clear();
  collect_sends(batch, staging);
  collect_receives(batch, staging);
  start_receives();
  start_sends();
  wait_all(requests_, deadline, "forward");
}

void Forward::collect_sends(const Batch& batch, Staging& staging) {
  sends_.clear();
  for (const Entry& entry : batch.entries()) {
    std::int64_t at = entry.place.packed;
    for (const Outgoing& out : entry.steps().outgoing) {
      if (!out.by_message) continue;
      const std::int64_t bytes = out.count * entry.plan->element_bytes;
      sends_.push_back({out.owner, staging.packed(at), bytes, 0, nullptr});
      at += bytes;
    }
  }
  std::sort(sends_.begin(), sends_.end(),
            [](const Piece& a, const Piece& b) { return std::tie(a.peer, a.at) < std::tie(b.peer, b.at); });
}

void Forward::collect_receives(const Batch& batch, Staging& staging) {
  receives_.clear();
  for (std::size_t e = 0; e < batch.entries().size(); ++e) {
    const Entry& entry = batch.entries()[e];
    for (const Incoming& in : entry.steps().incoming)
      receives_.push_back({in.source, nullptr, in.count * entry.plan->element_bytes, e, &in});
  }
  std::sort(receives_.begin(), receives_.end(),
            [](const Piece& a, const Piece& b) { return std::tie(a.peer, a.entry) < std::tie(b.peer, b.entry); });
  std::byte* at = staging.received();
  for (Piece& piece : receives_) {
    piece.at = at;
    at += piece.bytes;
    arrivals_.push_back({piece.entry, piece.incoming, piece.at});
  }
}

void Forward::start_receives() {
  for (auto begin = receives_.begin(); begin != receives_.end();) {
    const auto end = end_of_peer(receives_, begin);
    std::int64_t bytes = 0;
    for (auto piece = begin; piece != end; ++piece) bytes += piece->bytes;
    requests_.push_back(MPI_REQUEST_NULL);
    check_mpi(MPI_Irecv(begin->at, static_cast<int>(bytes), MPI_BYTE, begin->peer, tag, comm_.raw(), &requests_.back()),
              "MPI_Irecv");
    begin = end;
  }
}

void Forward::start_sends() {
  for (auto begin = sends_.begin(); begin != sends_.end();) {
    const auto end = end_of_peer(sends_, begin);
    lengths_.clear();
    places_.clear();
    for (auto piece = begin; piece != end; ++piece) {
      lengths_.push_back(static_cast<int>(piece->bytes));
      places_.push_back(piece->at - begin->at);
      bytes_ += piece->bytes;
    }
    MPI_Datatype pieces = MPI_DATATYPE_NULL;
    check_mpi(
        MPI_Type_create_hindexed(static_cast<int>(lengths_.size()), lengths_.data(), places_.data(), MPI_BYTE, &pieces),
        "MPI_Type_create_hindexed");
    check_mpi(MPI_Type_commit(&pieces), "MPI_Type_commit");
    requests_.push_back(MPI_REQUEST_NULL);
    check_mpi(MPI_Isend(begin->at, 1, pieces, begin->peer, tag, comm_.raw(), &requests_.back()), "MPI_Isend");
    check_mpi(MPI_Type_free(&pieces), "MPI_Type_free");
    ++messages_;
    begin = end;
  }
}

}  // namespace weir
