// SPDX-License-Identifier: Apache-2.0
#include "mpi/shared_segment.hpp"

#include <atomic>
#include <cstdint>
#include <utility>

namespace weir {

namespace {

constexpr std::uintptr_t line_bytes = 64;

// MPI aligns a segment to 8 bytes only. Every rank maps the memory at a page, so all find the same place.
std::byte* next_line(std::byte* base) {
  const std::uintptr_t beyond = reinterpret_cast<std::uintptr_t>(base) % line_bytes;
  return beyond == 0 ? base : base + (line_bytes - beyond);
}

}  // namespace

SharedSegments::SharedSegments(const Comm& host, std::int64_t bytes) {
  MPI_Info info = MPI_INFO_NULL;
  check_mpi(MPI_Info_create(&info), "MPI_Info_create");
  MPI_Info_set(info, "alloc_shared_noncontig", "true");
  std::byte* mine = nullptr;
  const int result =
      MPI_Win_allocate_shared(bytes + static_cast<MPI_Aint>(line_bytes), 1, info, host.raw(), &mine, &window_);
  MPI_Info_free(&info);
  if (result != MPI_SUCCESS)
    throw Error(WEIR_EMEMORY,
                "the host has no " + std::to_string(bytes) +
                    " bytes of shared memory for each rank: lower buffer_limit, or set forward: messages");
  check_mpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_), "MPI_Win_lock_all");
  for (int rank = 0; rank < host.size(); ++rank) {
    MPI_Aint size = 0;
    int unit = 0;
    std::byte* base = nullptr;
    check_mpi(MPI_Win_shared_query(window_, rank, &size, &unit, &base), "MPI_Win_shared_query");
    segments_.push_back(next_line(base));
  }
}

SharedSegments::SharedSegments(SharedSegments&& other) noexcept
    : window_(std::exchange(other.window_, MPI_WIN_NULL)), segments_(std::move(other.segments_)) {}

SharedSegments& SharedSegments::operator=(SharedSegments&& other) noexcept {
  if (this == &other) return *this;
  free();
  window_ = std::exchange(other.window_, MPI_WIN_NULL);
  segments_ = std::move(other.segments_);
  return *this;
}

SharedSegments::~SharedSegments() {
  free();
}

void SharedSegments::free() noexcept {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (window_ == MPI_WIN_NULL || finalized) return;
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

void SharedSegments::synchronize() const {
  if (window_ == MPI_WIN_NULL) return;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  check_mpi(MPI_Win_sync(window_), "MPI_Win_sync");
}

}  // namespace weir
