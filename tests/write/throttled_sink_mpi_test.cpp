// ranks: 1 4 7
// SPDX-License-Identifier: Apache-2.0
// debug.sink_bandwidth: never faster than asked for, over all ranks, files and threads of a host; and not much slower.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <thread>
#include <vector>

#include "base/config.hpp"
#include "storage/sink.hpp"
#include "storage/storage_clock.hpp"

namespace weir {
namespace {

constexpr std::int64_t rate = 20 << 20;    // bytes a second
constexpr std::int64_t each = 1 << 20;     // bytes that all ranks together write at once
constexpr double tolerance_seconds = 1.5;  // a machine may be busy

class Throttled : public testing::Test {
 protected:
  Throttled()
      : comm_(Comm::duplicate(MPI_COMM_WORLD)), storage_(comm_, {rate}), memory_(static_cast<std::size_t>(40 * each)) {}

  std::unique_ptr<Sink> make(SinkKind kind, const std::string& path = "") {
    return make_sink(kind, comm_, {path, Durability::cache, {}, &storage_});
  }

  // This rank's share of `each` bytes.
  std::int64_t share() const {
    const std::int64_t ranks = comm_.size();
    return each * (comm_.rank() + 1) / ranks - each * comm_.rank() / ranks;
  }

  void write(Sink& sink, std::int64_t bytes) {
    const Extent extent{0, bytes, memory_.data()};
    const Status status = sink.write(std::span(&extent, 1));
    EXPECT_TRUE(status.ok()) << status.message;
  }

  // From the first rank's begin to the last one's end.
  template <class Call>
  double seconds_of(Call call) {
    MPI_Barrier(comm_.raw());
    double begin = now_seconds();
    MPI_Allreduce(MPI_IN_PLACE, &begin, 1, MPI_DOUBLE, MPI_MIN, comm_.raw());
    call();
    double end = now_seconds();
    MPI_Allreduce(MPI_IN_PLACE, &end, 1, MPI_DOUBLE, MPI_MAX, comm_.raw());
    return end - begin;
  }

  static void expect_rate(double seconds, std::int64_t bytes) {
    const double wanted = static_cast<double>(bytes) / static_cast<double>(rate);
    EXPECT_GE(seconds, wanted);
    EXPECT_LE(seconds, 2.0 * wanted + tolerance_seconds);
  }

  Comm comm_;
  StorageClock storage_;
  std::vector<std::byte> memory_;
};

TEST_F(Throttled, HoldsOverAllRanks) {
  const auto sink = make(SinkKind::null);
  expect_rate(seconds_of([&] {
                for (int i = 0; i < 6; ++i) write(*sink, share());
              }),
              6 * each);
}

TEST_F(Throttled, HoldsOverSeveralFiles) {
  const auto first = make(SinkKind::null), second = make(SinkKind::memory);
  expect_rate(seconds_of([&] {
                for (int i = 0; i < 3; ++i) write(*first, share()), write(*second, share());
              }),
              6 * each);
}

TEST_F(Throttled, HoldsForManySmallWrites) {
  const auto sink = make(SinkKind::null);
  constexpr std::int64_t writes = 200;
  expect_rate(seconds_of([&] {
                for (int i = 0; i < writes; ++i) write(*sink, 4096);
              }),
              4096 * writes * comm_.size());
}

// A background writer makes no MPI call.
TEST_F(Throttled, HoldsForThreads) {
  const auto first = make(SinkKind::null), second = make(SinkKind::null);
  expect_rate(seconds_of([&] {
                std::thread writer([&] { write(*first, share()); });
                write(*second, share());
                writer.join();
              }),
              2 * each);
}

// One writer alone gets a quarter; four of them get all.
TEST_F(Throttled, GivesOneWriterLess) {
  const StorageClock storage(comm_, {rate, rate / 4});
  const auto sink = make_sink(SinkKind::null, comm_, {"", Durability::cache, {}, &storage});
  expect_rate(seconds_of([&] {
                if (comm_.rank() == 0) write(*sink, each);
              }),
              4 * each);
  const std::int64_t writers = std::min(comm_.size(), 4);
  expect_rate(seconds_of([&] {
                if (comm_.rank() < writers) write(*sink, each);
              }),
              4 * each);
}

TEST_F(Throttled, SavesNothingUpWhileIdle) {
  const auto sink = make(SinkKind::null);
  write(*sink, share());
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  expect_rate(seconds_of([&] { write(*sink, share()); }), each);
}

TEST_F(Throttled, LetsAnEmptyWritePass) {
  const auto sink = make(SinkKind::null);
  const double seconds = seconds_of([&] {
    if (comm_.rank() == 0) write(*sink, 40 * each);
    if (comm_.rank() != 0) {
      const double begin = now_seconds();
      EXPECT_TRUE(sink->write({}).ok());
      EXPECT_LE(now_seconds() - begin, tolerance_seconds);
    }
  });
  expect_rate(seconds, 40 * each);
}

// Nothing of a collective write is under way before the last rank has come, and all end together.
TEST_F(Throttled, MakesACollectiveWriteOne) {
  const std::string path = std::filesystem::temp_directory_path().string() + "/throttled";
  MPI_File file = MPI_FILE_NULL;
  MPI_File_open(comm_.raw(), path.c_str(), MPI_MODE_WRONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
  MPI_File_close(&file);
  const auto sink = make(SinkKind::pnetcdf, path);
  const double wanted = static_cast<double>(4 * each) / static_cast<double>(rate);
  double late = 0.0;
  seconds_of([&] {
    if (comm_.rank() == comm_.size() - 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      late = now_seconds();
    }
    MPI_Request told = MPI_REQUEST_NULL;
    if (comm_.rank() == 0)
      write(*sink, 4 * each);
    else
      EXPECT_TRUE(sink->write({}).ok());
    const double end = now_seconds();
    MPI_Ibcast(&late, 1, MPI_DOUBLE, comm_.size() - 1, comm_.raw(), &told);
    MPI_Wait(&told, MPI_STATUS_IGNORE);
    EXPECT_GE(end - late, wanted);
    EXPECT_LE(end - late, 2.0 * wanted + tolerance_seconds);
  });
  if (comm_.rank() == 0) MPI_File_delete(path.c_str(), MPI_INFO_NULL);
}

}  // namespace
}  // namespace weir
