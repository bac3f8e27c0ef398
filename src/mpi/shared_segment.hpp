// SPDX-License-Identifier: Apache-2.0
// Memory that the ranks of a host share: each rank has a segment of its own and reaches its neighbours'. They
// begin zeroed; pages cost nothing until they are touched.
#pragma once

#include "mpi/comm.hpp"

namespace weir {

class SharedSegments {
 public:
  SharedSegments() = default;
  // Gives each rank of `host` `bytes`, from the beginning of a cache line on. Collective over `host`. Throws
  // Error(WEIR_EMEMORY) where the machine refuses.
  SharedSegments(const Comm& host, std::int64_t bytes);
  SharedSegments(SharedSegments&& other) noexcept;
  SharedSegments& operator=(SharedSegments&& other) noexcept;
  ~SharedSegments();

  // The segment of a rank of the host communicator.
  std::byte* of(int host_rank) const noexcept { return segments_[static_cast<std::size_t>(host_rank)]; }
  // Makes what this rank wrote visible, and what others wrote readable, around a barrier. Local.
  void synchronize() const;
  void abandon() noexcept { window_ = MPI_WIN_NULL; }

 private:
  void free() noexcept;

  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<std::byte*> segments_;
};

}  // namespace weir
