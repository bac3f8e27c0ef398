// SPDX-License-Identifier: Apache-2.0
// Google Benchmark of folding samples beside hand-written loops that read the field and update doubles.
//
// The goal is `vs_limit` >= 0.85 for one and for two operations, float and double, in and out of the caches. Fold and
// loop take turns, each with accumulators of its own, and `vs_limit` is the median processor seconds of the loop over
// those of the fold. `ns_element` is of the fold.
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "accumulate/accumulator.hpp"

namespace {

using weir::Accumulator;
using weir::HeldRun;
using weir::Operation;

constexpr std::int64_t rounds = 9;

// Of this thread: on a busy machine the clock on the wall shows how busy it is.
double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double middle(std::vector<double> values) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

template <class Value>
[[gnu::noinline]] void limit_of_one(const Value* __restrict field, double* __restrict sum, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) sum[i] += field[i];
}

template <class Value>
[[gnu::noinline]] void limit_of_two(const Value* __restrict field, double* __restrict sum, double* __restrict largest,
                                    std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const double x = field[i];
    sum[i] += x;
    largest[i] = x > largest[i] ? x : largest[i];
  }
}

// Rows of `row` elements with a halo of four between them (0: one row). `land`: of each 100 stretches of 50 elements so
// many are missing.
struct Field {
  std::int64_t bytes;
  std::int64_t row;
  std::int64_t land;
};

template <class Value>
struct Samples {
  std::vector<HeldRun> runs;
  std::int64_t elements = 0;
  std::vector<Value> values;

  explicit Samples(const Field& field) {
    const std::int64_t count = field.bytes / static_cast<std::int64_t>(sizeof(Value));
    const std::int64_t row = field.row == 0 ? count : field.row;
    for (; elements < count; elements += row) {
      runs.push_back({static_cast<std::int64_t>(values.size()), row});
      for (std::int64_t i = elements; i < elements + row; ++i)
        values.push_back(i / 50 % 100 < field.land ? static_cast<Value>(NAN) : Value{280.5});
      values.insert(values.end(), 4, Value{-1});
    }
  }
};

template <class Value>
void fold(benchmark::State& state, int operations, const Field& field) {
  const Samples<Value> samples(field);
  const weir_type type = std::is_same_v<Value, float> ? WEIR_FLOAT : WEIR_DOUBLE;
  Accumulator mean(Operation::mean, samples.elements), largest(Operation::maximum, samples.elements);
  std::vector<Accumulator*> both{&mean, &largest};
  both.resize(static_cast<std::size_t>(operations));
  std::vector<double> sum_limit(static_cast<std::size_t>(samples.elements)), largest_limit(sum_limit);
  const auto loop = [&] {
    std::int64_t at = 0;
    for (const HeldRun& run : samples.runs) {
      const Value* x = samples.values.data() + run.offset;
      if (operations == 1)
        limit_of_one(x, sum_limit.data() + at, run.length);
      else
        limit_of_two(x, sum_limit.data() + at, largest_limit.data() + at, run.length);
      at += run.length;
    }
  };
  const auto ours = [&] { weir::fold_all(both, samples.runs, type, samples.values.data(), 1, {}); };
  // Small fields are folded again and again, so that the clock's own time does not count.
  const std::int64_t repeats = std::max<std::int64_t>(1, (std::int64_t{32} << 20) / field.bytes);
  const auto seconds_of = [&](const auto& step) {
    const double begin = processor_seconds();
    for (std::int64_t i = 0; i < repeats; ++i) {
      step();
      benchmark::ClobberMemory();
    }
    return (processor_seconds() - begin) / static_cast<double>(repeats);
  };
  loop();
  ours();
  std::vector<double> loops, folds;
  for (auto _ : state) {
    loops.push_back(seconds_of(loop));
    folds.push_back(seconds_of(ours));
    state.SetIterationTime(folds.back());
  }
  const double fold_seconds = middle(folds);
  state.counters["vs_limit"] = middle(loops) / fold_seconds;
  state.counters["ns_element"] = fold_seconds * 1e9 / static_cast<double>(samples.elements);
}

template <class Value>
void add_folds(const std::string& type) {
  for (const int operations : {1, 2})
    for (const Field& field :
         {Field{64 << 10, 0, 0}, Field{8 << 20, 0, 0}, Field{64 << 20, 0, 0}, Field{8 << 20, 50, 0},
          Field{64 << 20, 50, 0}, Field{64 << 20, 0, 30}, Field{64 << 20, 50, 30}}) {
      auto name = "fold/" + type + "/operations:" + std::to_string(operations) +
                  "/KiB:" + std::to_string(field.bytes >> 10) + "/row:" + std::to_string(field.row);
      if (field.land > 0) name += "/land:" + std::to_string(field.land);
      benchmark::RegisterBenchmark(name.c_str(),
                                   [=](benchmark::State& state) { fold<Value>(state, operations, field); })
          ->UseManualTime()
          ->Iterations(rounds);
    }
}

const bool added = [] {
  add_folds<float>("float");
  add_folds<double>("double");
  return true;
}();

}  // namespace
