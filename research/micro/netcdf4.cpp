// SPDX-License-Identifier: Apache-2.0
// Google Benchmark of what rank 0 does for the chunks of a netCDF-4 file: microseconds a chunk to enter it into HDF5's
// tables, over 10^4 to 10^6 chunks of a file, and the memory that grows meanwhile.
//
// The goal is 3 us a chunk. A variable with records has 10^3 chunks in each, a commit ten records. Tables
// are written into a file without data.
// `us_chunk` is over all commits, `us_last` over the last one, `bytes_chunk` what the process has grown by at most.
#include <benchmark/benchmark.h>
#include <unistd.h>
#include <weir/types.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "formats/netcdf4/metadata.hpp"

namespace {

constexpr std::int64_t chunks_a_record = 1000, records_a_commit = 10, packed_bytes = 4;

// The most memory that the process has had.
std::int64_t high_water_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stoll(line.substr(6)) * 1024;
  return 0;
}

weir::Schema schema_of_many_chunks() {
  weir::Schema schema;
  const int dims[] = {schema.add_dimension("time", WEIR_UNLIMITED), schema.add_dimension("cell", chunks_a_record)};
  const int var = schema.add_variable("temp", WEIR_FLOAT, dims);
  weir::Storage storage;
  storage.chunk = {1, 1};
  storage.deflate_level = 1;
  schema.set_storage(var, storage);
  return schema;
}

class Placing {
 public:
  Placing() : metadata_(weir::define_netcdf4("bench.nc", schema_of_many_chunks())) {
    place_ = std::ssize(metadata_->image());
  }

  // Enters the chunks of the next commit. Seconds.
  double commit() {
    chunks_.clear();
    for (std::int64_t record = records_; record < records_ + records_a_commit; ++record)
      for (std::int64_t number = 0; number < chunks_a_record; ++number, place_ += packed_bytes)
        chunks_.push_back({0, record, number, 0, place_, packed_bytes, 0});
    records_ += records_a_commit;
    weir::MetadataUpdate update;
    const auto begin = std::chrono::steady_clock::now();
    metadata_->place({chunks_, {}, records_}, update).raise();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    place_ = std::max(place_, update.file_bytes);
    write(update);
    return seconds;
  }

 private:
  // As a file's commit does; then nobody has to keep it in memory.
  void write(const weir::MetadataUpdate& update) {
    const int file = fileno(file_.get());
    for (const weir::Change& change : update.changes)
      if (::pwrite(file, change.bytes.data(), change.bytes.size(), change.offset) != std::ssize(change.bytes))
        throw std::runtime_error("a write failed");
    metadata_->written([file](std::int64_t at, std::span<std::byte> to) {
      if (::pread(file, to.data(), to.size(), at) < 0) throw std::runtime_error("a read failed");
    });
  }

  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{std::tmpfile(), std::fclose};
  std::unique_ptr<weir::Netcdf4Metadata> metadata_;
  std::vector<weir::PlacedChunk> chunks_;
  std::int64_t place_ = 0, records_ = 0;
};

void place_chunks(benchmark::State& state) {
  const std::int64_t chunks = state.range(0), commits = chunks / (chunks_a_record * records_a_commit);
  for ([[maybe_unused]] const auto _ : state) {
    const std::int64_t before = high_water_bytes();
    Placing placing;
    double all = 0, last = 0;
    for (std::int64_t commit = 0; commit < commits; ++commit) all += last = placing.commit();
    state.SetIterationTime(all);
    state.counters["us_chunk"] = all * 1e6 / static_cast<double>(chunks);
    state.counters["us_last"] = last * 1e6 / static_cast<double>(chunks / commits);
    state.counters["bytes_chunk"] = static_cast<double>(high_water_bytes() - before) / static_cast<double>(chunks);
  }
}
BENCHMARK(place_chunks)
    ->ArgName("chunks")
    ->Arg(10000)
    ->Arg(100000)
    ->Arg(1000000)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
