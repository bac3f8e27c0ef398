// SPDX-License-Identifier: Apache-2.0
// Google Benchmark of a copy into shared memory that nobody has touched yet, as tile memory is at the start, and into
// the same with its pages made before (base/pages.hpp): 64 MiB of floats in rows of 1,024, encode and memcpy in turn.
//
// `ms` and `memcpy_ms` are medians of processor time, `pages_ms` what making the pages took, outside of both.
#include <benchmark/benchmark.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <vector>

#include "base/pages.hpp"
#include "rearrange/copy.hpp"

namespace {

constexpr std::int64_t rows = 16384, columns = 1024, bytes = rows * columns * 4;

// Of the processor: what waits for other programs does not count.
double milliseconds_of(auto step) {
  const auto now = [] {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
  };
  const double begin = now();
  step();
  return now() - begin;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Shared memory of its own, which goes with it.
class Fresh {
 public:
  Fresh() {
    const int file = ::memfd_create("weir-micro", MFD_CLOEXEC);
    const bool sized = file >= 0 && ::ftruncate(file, bytes) == 0;
    void* memory = sized ? ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    ::close(file);
    if (memory == MAP_FAILED) throw std::runtime_error("no shared memory");
    weir::ask_for_large_pages(memory, bytes);
    memory_ = static_cast<std::byte*>(memory);
  }
  Fresh(const Fresh&) = delete;
  Fresh& operator=(const Fresh&) = delete;
  ~Fresh() { ::munmap(memory_, bytes); }
  std::byte* data() const { return memory_; }

 private:
  std::byte* memory_;
};

void fresh_memory(benchmark::State& state) {
  const bool made = state.range(0) != 0;
  const std::vector<float> source(static_cast<std::size_t>(rows * columns), 1.5F);
  const auto fill = weir::default_fill(WEIR_FLOAT);
  weir::CopyProgram program;
  append(program, weir::Block{0, 0, {{rows / 2, 2 * columns, columns}, {columns, 1, 1}}});
  append(program, weir::Block{columns, rows / 2 * columns, {{rows / 2, 2 * columns, columns}, {columns, 1, 1}}});
  std::vector<double> copies, memcpies, pages;
  for (auto _ : state) {
    for (const bool plain : {true, false}) {
      const Fresh target;
      if (made) pages.push_back(milliseconds_of([&] { weir::make_pages(target.data(), bytes); }));
      (plain ? memcpies : copies).push_back(milliseconds_of([&] {
        if (plain)
          std::memcpy(target.data(), source.data(), bytes);
        else
          encode(program, source.data(), WEIR_FLOAT, target.data(), WEIR_FLOAT, fill, weir::StoreHint::streaming);
      }));
    }
    state.SetIterationTime(copies.back() * 1e-3);
  }
  state.counters["ms"] = median(copies);
  state.counters["memcpy_ms"] = median(memcpies);
  if (made) state.counters["pages_ms"] = median(pages);
}
BENCHMARK(fresh_memory)->ArgName("pages_made")->Arg(0)->Arg(1)->UseManualTime()->Iterations(9);

}  // namespace
