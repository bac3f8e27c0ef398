// SPDX-License-Identifier: Apache-2.0
// ranks: 1 4 7
// Memory of a host: each rank's segment is its own, and all others see what it holds.
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include "mpi/agree.hpp"
#include "mpi/shared_segment.hpp"

namespace weir {
namespace {

void meet(const Comm& comm) {
  agree(comm, {AgreementPoint::flush, 0, "test"}, {}, Deadline(60)).raise();
}

void write_numbers(std::byte* at, std::int64_t count, std::int64_t first) {
  auto* numbers = reinterpret_cast<std::int64_t*>(at);
  for (std::int64_t i = 0; i < count; ++i) numbers[i] = first + i;
}

void expect_numbers(const std::byte* at, std::int64_t count, std::int64_t first) {
  const auto* numbers = reinterpret_cast<const std::int64_t*>(at);
  for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(numbers[i], first + i);
}

TEST(SharedSegments, EveryRankReadsWhatEveryOtherWrote) {
  const Comm world = Comm::duplicate(MPI_COMM_WORLD), host = Comm::of_host(world);
  constexpr std::int64_t count = 10000;
  const SharedSegments segments(host, count * 8);
  for (int turn = 0; turn < 3; ++turn) {
    write_numbers(segments.of(host.rank()), count, 100000 * (host.rank() + 10 * turn));
    segments.synchronize();
    meet(host);
    segments.synchronize();
    for (int rank = 0; rank < host.size(); ++rank)
      expect_numbers(segments.of(rank), count, 100000 * (rank + 10 * turn));
    meet(host);
  }
}

// Each rank writes a part of every rank's segment, as ranks do that copy straight into an owner's tile.
TEST(SharedSegments, EveryRankWritesIntoEveryOther) {
  const Comm world = Comm::duplicate(MPI_COMM_WORLD), host = Comm::of_host(world);
  constexpr std::int64_t count = 512;
  const SharedSegments segments(host, count * 8 * host.size());
  for (int owner = 0; owner < host.size(); ++owner)
    write_numbers(segments.of(owner) + host.rank() * count * 8, count, host.rank() * count + 1000000 * owner);
  segments.synchronize();
  meet(host);
  segments.synchronize();
  expect_numbers(segments.of(host.rank()), count * host.size(), 1000000 * host.rank());
  meet(host);
}

TEST(SharedSegments, MoveKeepsTheMemory) {
  const Comm world = Comm::duplicate(MPI_COMM_WORLD), host = Comm::of_host(world);
  SharedSegments first(host, 800);
  write_numbers(first.of(host.rank()), 100, host.rank());
  SharedSegments second(std::move(first));
  SharedSegments third;
  third = std::move(second);
  third.synchronize();
  meet(host);
  third.synchronize();
  for (int rank = 0; rank < host.size(); ++rank) expect_numbers(third.of(rank), 100, rank);
  meet(host);
}

TEST(SharedSegments, OfNoBytes) {
  const Comm world = Comm::duplicate(MPI_COMM_WORLD), host = Comm::of_host(world);
  const SharedSegments segments(host, 0);
  segments.synchronize();
  meet(host);
}

}  // namespace
}  // namespace weir
