// SPDX-License-Identifier: Apache-2.0
// The kernels of every instruction set against the plain loops, to the last bit.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "accumulate/fold_kernel.hpp"
#include "reference.hpp"

namespace weir {
namespace {

using reference::Random;

constexpr Sums all_sums[] = {Sums::sum, Sums::squares, Sums::minimum, Sums::maximum, Sums::moments, Sums::count};

struct Arrays {
  std::vector<double> value, squares, weights;

  explicit Arrays(std::int64_t elements, Random& random) {
    std::uniform_real_distribution<double> some(0.5, 400);
    for (auto* array : {&value, &squares, &weights})
      for (std::int64_t i = 0; i < elements; ++i) array->push_back(some(random));
  }
  bool operator==(const Arrays&) const = default;
};

// A sample of runs: what lies between them is NaN. `lacking`: one of so many elements is missing; 0: none is.
template <class Value>
struct KernelSample {
  std::vector<HeldRun> runs;
  std::int64_t elements = 0, first_missing = -1;
  std::vector<Value> values;
  double weight;

  KernelSample(Random& random, std::int64_t lacking)
      : runs(reference::random_runs(random)), weight(std::uniform_real_distribution<double>(0.1, 3600)(random)) {
    if (runs.empty()) return;
    values.resize(static_cast<std::size_t>(runs.back().offset + runs.back().length),
                  std::numeric_limits<Value>::quiet_NaN());
    for (const HeldRun& run : runs)
      for (std::int64_t i = 0; i < run.length; ++i, ++elements) {
        Value& value = values[static_cast<std::size_t>(run.offset + i)];
        if (lacking == 0 || reference::draw_number(random, 0, lacking) != 0)
          value = static_cast<Value>(reference::draw_number(random, -1000, 1000)) / Value{7};
        else if (reference::draw_number(random, 0, 2) == 0)
          value = Value{1000};
        if ((value != value || value == Value{1000}) && first_missing < 0) first_missing = elements;
      }
  }

  FoldPart part(Arrays& arrays) const {
    return {runs,
            reinterpret_cast<const std::byte*>(values.data()),
            arrays.value.data(),
            arrays.squares.data(),
            arrays.weights.data(),
            weight,
            4711.25,
            {1000, false, 0}};
  }
};

template <class Value>
void compare_own(Type type, Sums sums, Weights weights, Random& random) {
  const KernelSample<Value> sample(random, reference::draw_number(random, 0, 4));
  const Arrays before(sample.elements, random);
  Arrays expected = before;
  RC_ASSERT(portable::fold_kernel(sums, type, weights)(sample.part(expected)) == sample.elements);
  for (const FoldKernel kernel : simd::fold_kernels(sums, type, weights)) {
    Arrays found = before;
    RC_ASSERT(kernel(sample.part(found)) == sample.elements);
    RC_ASSERT(found == expected);
  }
}

std::vector<HeldRun> first_of(const std::vector<HeldRun>& runs, std::int64_t elements) {
  std::vector<HeldRun> first;
  for (const HeldRun& run : runs) {
    if (elements == 0) break;
    first.push_back({run.offset, std::min(run.length, elements)});
    elements -= first.back().length;
  }
  return first;
}

// Up to where each kernel stops, the arrays are those of the plain loops; behind it they are as they were.
template <class Value>
void compare_common(Type type, Sums sums, Random& random) {
  const KernelSample<Value> sample(random, reference::draw_number(random, 0, 2) * 900);
  const Arrays before(sample.elements, random);
  auto kernels = simd::fold_kernels(sums, type, Weights::common);
  kernels.push_back(portable::fold_kernel(sums, type, Weights::common));
  for (const FoldKernel kernel : kernels) {
    Arrays found = before, expected = before;
    const std::int64_t done = kernel(sample.part(found));
    RC_ASSERT((sample.first_missing < 0 ? done == sample.elements : done <= sample.first_missing));
    FoldPart part = sample.part(expected);
    const auto before_stop = first_of(sample.runs, done);
    part.runs = before_stop;
    RC_ASSERT(portable::fold_kernel(sums, type, Weights::common)(part) == done);
    RC_ASSERT(found == expected);
  }
}

RC_GTEST_PROP(FoldKernels, OfElementsWithWeightsGiveTheSameBits, ()) {
  Random random(*rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>()));
  const Sums sums = *rc::gen::elementOf(std::vector<Sums>(std::begin(all_sums), std::end(all_sums)));
  compare_own<float>(WEIR_FLOAT, sums, Weights::own, random);
  compare_own<double>(WEIR_DOUBLE, sums, Weights::own, random);
}

RC_GTEST_PROP(FoldKernels, OfElementsWithMissedWeightsGiveTheSameBits, ()) {
  Random random(*rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>()));
  const Sums sums = *rc::gen::element(Sums::sum, Sums::squares, Sums::minimum, Sums::maximum);
  compare_own<float>(WEIR_FLOAT, sums, Weights::missed, random);
  compare_own<double>(WEIR_DOUBLE, sums, Weights::missed, random);
}

RC_GTEST_PROP(FoldKernels, OfOneWeightStopBeforeTheFirstMissingSample, ()) {
  Random random(*rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>()));
  const Sums sums = *rc::gen::elementOf(std::vector<Sums>(std::begin(all_sums), std::end(all_sums)));
  compare_common<float>(WEIR_FLOAT, sums, random);
  compare_common<double>(WEIR_DOUBLE, sums, random);
}

}  // namespace
}  // namespace weir
