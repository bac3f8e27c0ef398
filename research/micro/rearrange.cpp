// SPDX-License-Identifier: Apache-2.0
// Google Benchmark of the rearranging step: encode, place and fill_elements beside memcpy of the same bytes.
//
// The speed goal is `strided` >= 0.8 of memcpy for rows of 64 elements or more. Every case copies and memcpies in turn
// within one loop and reports `vs_memcpy`, the median seconds of a memcpy over the median seconds of a copy: medians,
// because a shared machine's interruptions are long. `GB_s` counts the bytes written; `ns_element` is of the copy.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "rearrange/copy.hpp"

namespace {

using weir::Block;
using weir::CopyProgram;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t halo = 4;

// Memory that has been touched, beginning at a page.
class Buffer {
 public:
  explicit Buffer(std::int64_t bytes) : bytes_(static_cast<std::size_t>(bytes) + page_bytes, std::byte{0x3F}) {}

  std::byte* data() {
    const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data());
    return bytes_.data() + (page_bytes - address % page_bytes);
  }

 private:
  static constexpr std::size_t page_bytes = 4096;
  std::vector<std::byte> bytes_;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Case {
  std::int64_t elements;
  std::int64_t element_bytes;  // of the target
  std::int64_t source_bytes;   // all that the copy may read
};

// Runs `copy` and a memcpy of the bytes it writes in turn.
template <class Copy>
void compare_with_memcpy(benchmark::State& state, const Case& measured, Copy copy) {
  const std::int64_t bytes = measured.elements * measured.element_bytes;
  Buffer source(std::max(bytes, measured.source_bytes));
  Buffer target(bytes);
  // Small copies are repeated, so that the clock's own time does not count.
  const std::int64_t repeats = std::max<std::int64_t>(1, (std::int64_t{1} << 20) / bytes);
  const auto seconds_of = [&](auto step) {
    const auto begin = Clock::now();
    for (std::int64_t i = 0; i < repeats; ++i) {
      step();
      benchmark::ClobberMemory();
    }
    return std::chrono::duration<double>(Clock::now() - begin).count() / static_cast<double>(repeats);
  };
  std::vector<double> copies, memcpies;
  for (auto _ : state) {
    memcpies.push_back(seconds_of([&] { std::memcpy(target.data(), source.data(), static_cast<std::size_t>(bytes)); }));
    copies.push_back(seconds_of([&] { copy(source.data(), target.data()); }));
    state.SetIterationTime(copies.back());
  }
  const double copy_seconds = median(copies), memcpy_seconds = median(memcpies);
  state.counters["vs_memcpy"] = memcpy_seconds / copy_seconds;
  state.counters["GB_s"] = static_cast<double>(bytes) / copy_seconds * 1e-9;
  state.counters["memcpy_GB_s"] = static_cast<double>(bytes) / memcpy_seconds * 1e-9;
  state.counters["ns_element"] = copy_seconds * 1e9 / static_cast<double>(measured.elements);
}

void encode_program(benchmark::State& state, const CopyProgram& program, std::int64_t source_elements, weir_type memory,
                    weir_type external, weir::StoreHint store_hint = weir::StoreHint::cached) {
  const auto fill = weir::default_fill(external);
  const Case measured{program.elements(), weir::type_bytes(external), source_elements * weir::type_bytes(memory)};
  compare_with_memcpy(state, measured, [&](const std::byte* source, std::byte* target) {
    weir::encode(program, source, memory, target, external, fill, store_hint);
  });
}

// nz * ny rows of nx from an array with a halo, to a contiguous target.
void strided(benchmark::State& state, weir_type memory, weir_type external,
             weir::StoreHint store_hint = weir::StoreHint::cached) {
  const std::int64_t nz = state.range(0), ny = state.range(1), nx = state.range(2);
  const std::int64_t row = nx + halo, plane = row * (ny + halo);
  CopyProgram program;
  append(program, Block{2 * row + 2, 0, {{nz, plane, nx * ny}, {ny, row, nx}, {nx, 1, 1}}});
  encode_program(state, program, nz * plane + 2 * row, memory, external, store_hint);
}

// A contiguous source in rows of nx to every second row of the target: what a writer does with a received piece.
void place_rows(benchmark::State& state, int element_bytes) {
  const std::int64_t rows = state.range(0) * state.range(1), nx = state.range(2);
  CopyProgram program;
  append(program, Block{0, 0, {{rows, nx, 2 * nx}, {nx, 1, 1}}});
  Buffer target(2 * rows * nx * element_bytes);
  compare_with_memcpy(state, {rows * nx, element_bytes, 0}, [&](const std::byte* source, std::byte*) {
    weir::unpack(program, source, target.data(), element_bytes);
  });
}

// x fastest in memory, y fastest in the file.
void index_swap(benchmark::State& state, weir_type memory, weir_type external) {
  const std::int64_t nz = state.range(0), ny = state.range(1), nx = state.range(2);
  CopyProgram program;
  append(program, Block{0, 0, {{nz, nx * ny, nx * ny}, {nx, 1, ny}, {ny, nx, 1}}});
  encode_program(state, program, nx * ny * nz, memory, external);
}

// An irregular offset map: runs of 1 to `longest` elements in random order.
void runs(benchmark::State& state, weir_type memory, weir_type external) {
  const std::int64_t count = state.range(0), longest = state.range(1);
  std::mt19937_64 random(7);
  std::vector<std::int64_t> places(static_cast<std::size_t>(count));
  std::iota(places.begin(), places.end(), 0);
  std::shuffle(places.begin(), places.end(), random);
  CopyProgram program;
  std::int64_t target = 0;
  for (const std::int64_t place : places) {
    const std::int64_t length = std::uniform_int_distribution<std::int64_t>(1, longest)(random);
    append(program, Block{place * (longest + 1), target, {{length, 1, 1}}});
    target += length;
  }
  encode_program(state, program, count * (longest + 1), memory, external);
}

void fill(benchmark::State& state) {
  const std::int64_t bytes = state.range(0);
  const auto value = weir::default_fill(WEIR_FLOAT);
  compare_with_memcpy(state, {bytes / 4, 4, 0},
                      [&](const std::byte*, std::byte* target) { weir::fill_elements(target, bytes / 4, value, 4); });
}

// The `weak` workload's block (0.8 MB); short rows in 0.8 MB; rows of 64, 256 and 1024 elements in 64 MB of float32.
void block_sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"nz", "ny", "nx"})->UseManualTime();
  for (const auto& size : {std::vector<std::int64_t>{50, 60, 70},
                           {50, 64, 64},
                           {400, 64, 8},
                           {256, 1024, 64},
                           {256, 256, 256},
                           {16, 1024, 1024}}) {
    bench->Args(size);
  }
}

void swap_sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"nz", "ny", "nx"})->UseManualTime();
  for (const auto& size : {std::vector<std::int64_t>{50, 60, 70}, {50, 64, 64}, {16, 1000, 1000}, {16, 1024, 1024}}) {
    bench->Args(size);
  }
}

void run_sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"runs", "longest"})->UseManualTime()->Args({40000, 1})->Args({40000, 4})->Args({40000, 16});
}

BENCHMARK_CAPTURE(strided, float_to_float, WEIR_FLOAT, WEIR_FLOAT)->Apply(block_sizes);
BENCHMARK_CAPTURE(strided, double_to_double, WEIR_DOUBLE, WEIR_DOUBLE)->Apply(block_sizes);
BENCHMARK_CAPTURE(strided, double_to_float, WEIR_DOUBLE, WEIR_FLOAT)->Apply(block_sizes);
BENCHMARK_CAPTURE(strided, double_to_short, WEIR_DOUBLE, WEIR_SHORT)->Apply(block_sizes);
BENCHMARK_CAPTURE(strided, int_to_int64, WEIR_INT, WEIR_INT64)->Apply(block_sizes);
constexpr auto streaming = weir::StoreHint::streaming;
BENCHMARK_CAPTURE(strided, float_streaming, WEIR_FLOAT, WEIR_FLOAT, streaming)->Apply(block_sizes);
BENCHMARK_CAPTURE(strided, double_streaming, WEIR_DOUBLE, WEIR_DOUBLE, streaming)->Apply(block_sizes);
BENCHMARK_CAPTURE(strided, double_to_float_streaming, WEIR_DOUBLE, WEIR_FLOAT, streaming)->Apply(block_sizes);
BENCHMARK_CAPTURE(place_rows, bytes4, 4)->Apply(block_sizes);
BENCHMARK_CAPTURE(index_swap, float_to_float, WEIR_FLOAT, WEIR_FLOAT)->Apply(swap_sizes);
BENCHMARK_CAPTURE(index_swap, double_to_double, WEIR_DOUBLE, WEIR_DOUBLE)->Apply(swap_sizes);
BENCHMARK_CAPTURE(index_swap, double_to_float, WEIR_DOUBLE, WEIR_FLOAT)->Apply(swap_sizes);
BENCHMARK_CAPTURE(runs, float_to_float, WEIR_FLOAT, WEIR_FLOAT)->Apply(run_sizes);
BENCHMARK_CAPTURE(runs, double_to_float, WEIR_DOUBLE, WEIR_FLOAT)->Apply(run_sizes);
BENCHMARK(fill)->UseManualTime()->Arg(840000)->Arg(64 << 20);

}  // namespace

BENCHMARK_MAIN();
