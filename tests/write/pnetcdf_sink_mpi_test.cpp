// ranks: 1
// SPDX-License-Identifier: Apache-2.0
// What the sink asks of the MPI-IO layer beyond what every sink must do.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "storage/sink.hpp"

namespace weir {
namespace {

// Bytes that this process has read so far by system calls.
std::int64_t bytes_read() {
  std::ifstream io("/proc/self/io");
  std::string word;
  std::int64_t count = -1;
  io >> word >> count;
  return word == "rchar:" ? count : -1;
}

TEST(PnetcdfSink, ReadsNothingInOrderToWrite) {
  constexpr std::int64_t extents = 1000, bytes = 8, stride = 1000;
  const std::string path = std::filesystem::temp_directory_path().string() + "/gaps";
  std::ofstream(path).close();
  std::filesystem::resize_file(path, static_cast<std::uintmax_t>(extents * stride));
  const Comm comm = Comm::duplicate(MPI_COMM_WORLD);
  const std::unique_ptr<Sink> sink = make_sink(SinkKind::pnetcdf, comm, {path});

  const std::vector<std::byte> memory(static_cast<std::size_t>(bytes), std::byte{7});
  std::vector<Extent> scattered;
  for (std::int64_t i = 0; i < extents; ++i) scattered.push_back({i * stride, bytes, memory.data()});
  const std::int64_t before = bytes_read();
  ASSERT_GE(before, 0) << "/proc/self/io cannot be read";
  ASSERT_TRUE(sink->write(scattered).ok());
  // The gaps are a megabyte.
  EXPECT_LT(bytes_read() - before, 100'000);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace weir
