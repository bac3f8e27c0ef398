// SPDX-License-Identifier: Apache-2.0
// Accumulators against one element at a time, to the last bit: all operations, types, runs, weights and missing
// samples; and the state that goes on elsewhere.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "accumulate/accumulator.hpp"
#include "reference.hpp"

namespace weir {
namespace {

using reference::draw_number;
using reference::Random;

constexpr double fill = -999.25;

// A field's samples, and what is missing of them.
struct Samples {
  Type type;
  std::vector<HeldRun> runs;
  std::int64_t elements;
  Missing missing;
  std::vector<double> weights;
  std::vector<std::vector<std::byte>> buffers;  // the whole buffer of each sample
  std::vector<std::vector<double>> values;      // of the elements, as doubles
  std::vector<std::vector<bool>> valid;
};

enum class Lacking { nothing, rarely, often, some_always };

// Whether element i lacks its sample k.
bool lacks(Lacking lacking, std::int64_t i, std::size_t k, Random& random) {
  switch (lacking) {
    case Lacking::nothing:
      return false;
    case Lacking::rarely:
      return k > 1 && draw_number(random, 0, 3000) == 0;
    case Lacking::often:
      return draw_number(random, 0, 3) == 0;
    case Lacking::some_always:
      return i % 700 > 500;
  }
  return false;
}

template <class Value>
bool is_marked(Value value, const Missing& missing) {
  if constexpr (sizeof(Value) == 8 && std::is_integral_v<Value>)
    return missing.has_value && static_cast<std::int64_t>(value) == missing.whole;
  else
    return value != value || (missing.has_value && value == static_cast<Value>(missing.value));
}

template <class Value>
Missing random_mark(Random& random) {
  const Value value = reference::random_value<Value>(random);
  return {draw_number(random, 0, 3) != 0, static_cast<double>(value), static_cast<std::int64_t>(value)};
}

template <class Value>
void add_sample(Samples& made, Lacking lacking, Random& random) {
  const std::int64_t length = made.runs.empty() ? 0 : made.runs.back().offset + made.runs.back().length;
  // Halos hold what must not be read as a sample.
  std::vector<Value> buffer(static_cast<std::size_t>(length), std::numeric_limits<Value>::max());
  auto& values = made.values.emplace_back();
  auto& valid = made.valid.emplace_back();
  for (const HeldRun& run : made.runs) {
    for (std::int64_t i = run.offset; i < run.offset + run.length; ++i) {
      Value value = reference::random_value<Value>(random);
      const auto element = static_cast<std::int64_t>(values.size());
      if (lacks(lacking, element, made.weights.size(), random)) {
        const bool by_value = made.missing.has_value && (std::is_integral_v<Value> || draw_number(random, 0, 2) == 0);
        if (by_value && sizeof(Value) == 8 && std::is_integral_v<Value>)
          value = static_cast<Value>(made.missing.whole);
        else if (by_value)
          value = static_cast<Value>(made.missing.value);
        else if constexpr (std::is_floating_point_v<Value>)
          value = std::numeric_limits<Value>::quiet_NaN();
      }
      buffer[static_cast<std::size_t>(i)] = value;
      values.push_back(static_cast<double>(value));
      valid.push_back(!is_marked(value, made.missing));
    }
  }
  auto& bytes = made.buffers.emplace_back(buffer.size() * sizeof(Value));
  if (!bytes.empty()) std::memcpy(bytes.data(), buffer.data(), bytes.size());
}

Samples random_samples(Random& random, Type type, Lacking lacking) {
  Samples made{};
  made.type = type;
  made.runs = reference::random_runs(random);
  made.elements = reference::length_of(made.runs);
  // Weights of 1; or whole numbers up to some sample, and real ones from there on.
  const bool equal_steps = draw_number(random, 0, 2) == 0;
  const std::int64_t whole = draw_number(random, 0, 9);
  with_type(type, [&]<class Value>(Value) {
    made.missing = random_mark<Value>(random);
    const std::int64_t count = draw_number(random, 1, 8);
    for (std::int64_t k = 0; k < count; ++k) {
      add_sample<Value>(made, lacking, random);
      made.weights.push_back(equal_steps ? 1
                             : k < whole ? static_cast<double>(draw_number(random, 1, 3600))
                                         : std::uniform_real_distribution<double>(0.1, 3600)(random));
    }
  });
  return made;
}

Samples drawn_samples(Random& random) {
  // Models send floats and doubles; vectors fold these.
  const Type type = *rc::gen::oneOf(
      rc::gen::element(WEIR_FLOAT, WEIR_DOUBLE),
      rc::gen::elementOf(std::vector<Type>(std::begin(reference::number_types), std::end(reference::number_types))));
  return random_samples(random, type,
                        *rc::gen::element(Lacking::nothing, Lacking::rarely, Lacking::often, Lacking::some_always));
}

Operation drawn_operation() {
  return *rc::gen::elementOf(
      std::vector<Operation>(std::begin(reference::operations), std::end(reference::operations)));
}

Random random_numbers() {
  return Random(*rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>()));
}

void fold_sample_of(const Samples& samples, std::size_t k, Accumulator& accumulator) {
  accumulator.fold(samples.runs, samples.type, samples.buffers[k].data(), samples.weights[k], samples.missing);
}

std::vector<reference::Element> reference_of(const Samples& samples, std::size_t count) {
  std::vector<reference::Element> elements(static_cast<std::size_t>(samples.elements));
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t i = 0; i < elements.size(); ++i)
      if (samples.valid[k][i]) elements[i].fold(samples.values[k][i], samples.weights[k]);
  return elements;
}

double weight_of(const Samples& samples, std::size_t count) {
  double weight = 0;
  for (std::size_t k = 0; k < count; ++k) weight += samples.weights[k];
  return weight;
}

void expect_bits(const std::vector<double>& found, const std::vector<double>& expected, std::string_view what) {
  RC_ASSERT(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    if (std::bit_cast<std::uint64_t>(found[i]) != std::bit_cast<std::uint64_t>(expected[i])) {
      RC_LOG() << what << " of element " << i << ": " << found[i] << ", not " << expected[i] << std::endl;
      RC_FAIL("other bits");
    }
}

void expect_state(const Accumulator& accumulator, const std::vector<reference::Element>& elements) {
  for (const std::string_view name : Accumulator::state_names(accumulator.operation())) {
    std::vector<double> saved(elements.size()), expected;
    accumulator.save(name, saved);
    for (const auto& element : elements) expected.push_back(element.state(accumulator.operation(), name));
    expect_bits(saved, expected, name);
  }
}

void expect_result(const Accumulator& accumulator, const std::vector<reference::Element>& elements, double weight,
                   double valid_fraction) {
  std::vector<double> found(elements.size()), expected;
  accumulator.finish(valid_fraction, fill, found);
  for (const auto& element : elements) {
    const bool enough = element.count > 0 && element.weight >= valid_fraction * weight;
    expected.push_back(enough ? element.result(accumulator.operation()) : fill);
  }
  expect_bits(found, expected, name(accumulator.operation()));
}

void expect_all(const Accumulator& accumulator, const Samples& samples, std::size_t count) {
  const auto elements = reference_of(samples, count);
  const double weight = weight_of(samples, count);
  RC_ASSERT(accumulator.samples() == static_cast<std::int64_t>(count));
  RC_ASSERT(accumulator.weight() == weight);
  RC_ASSERT(accumulator.bytes() <= accumulator.most_bytes());
  expect_state(accumulator, elements);
  for (const double valid_fraction : {0.0, 0.4, 1.0}) expect_result(accumulator, elements, weight, valid_fraction);
}

RC_GTEST_PROP(Fold, IsTheFormulaOfEachElement, ()) {
  auto random = random_numbers();
  const Samples samples = drawn_samples(random);
  Accumulator accumulator(drawn_operation(), samples.elements);
  for (std::size_t k = 0; k < samples.weights.size(); ++k) {
    fold_sample_of(samples, k, accumulator);
    expect_all(accumulator, samples, k + 1);
  }
}

RC_GTEST_PROP(Fold, OfSeveralAccumulatorsIsThatOfEach, ()) {
  auto random = random_numbers();
  const Samples samples = drawn_samples(random);
  std::vector<Accumulator> accumulators;
  for (const Operation operation : reference::operations) accumulators.emplace_back(operation, samples.elements);
  std::vector<Accumulator*> all;
  for (Accumulator& accumulator : accumulators) all.push_back(&accumulator);
  for (std::size_t k = 0; k < samples.weights.size(); ++k)
    fold_all(all, samples.runs, samples.type, samples.buffers[k].data(), samples.weights[k], samples.missing);
  for (const Accumulator& accumulator : accumulators) expect_all(accumulator, samples, samples.weights.size());
}

RC_GTEST_PROP(Fold, BeginsAnewAfterClear, ()) {
  auto random = random_numbers();
  const Samples samples = drawn_samples(random);
  Accumulator accumulator(drawn_operation(), samples.elements);
  for (std::size_t k = 0; k < samples.weights.size(); ++k) fold_sample_of(samples, k, accumulator);
  accumulator.clear();
  RC_ASSERT(accumulator.samples() == 0 && accumulator.weight() == 0);
  expect_state(accumulator, reference_of(samples, 0));
  for (std::size_t k = 0; k < samples.weights.size(); ++k) fold_sample_of(samples, k, accumulator);
  expect_all(accumulator, samples, samples.weights.size());
}

// The samples of elements [first, last), as another rank has them.
Samples share_of(const Samples& samples, std::int64_t first, std::int64_t last) {
  Samples share = samples;
  share.runs.clear();
  share.elements = last - first;
  std::int64_t at = 0;
  for (const HeldRun& run : samples.runs) {
    const std::int64_t from = std::max(first - at, std::int64_t{0}), to = std::min(last - at, run.length);
    if (from < to) share.runs.push_back({run.offset + from, to - from});
    at += run.length;
  }
  for (std::size_t k = 0; k < samples.weights.size(); ++k) {
    share.values[k] = {samples.values[k].begin() + first, samples.values[k].begin() + last};
    share.valid[k] = {samples.valid[k].begin() + first, samples.valid[k].begin() + last};
  }
  return share;
}

// Cuts that split the elements between some ranks: 0, ..., elements.
std::vector<std::int64_t> random_cuts(std::int64_t elements, Random& random) {
  std::vector<std::int64_t> cuts{0, elements};
  for (std::int64_t ranks = draw_number(random, 0, 4); ranks > 0; --ranks)
    cuts.push_back(draw_number(random, 0, elements + 1));
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

// Saves what some ranks have, each array in the order of the elements.
std::vector<std::vector<double>> saved_after(const Samples& samples, std::size_t count, Operation operation,
                                             const std::vector<std::int64_t>& cuts) {
  const auto names = Accumulator::state_names(operation);
  std::vector<std::vector<double>> arrays(names.size(),
                                          std::vector<double>(static_cast<std::size_t>(samples.elements)));
  for (std::size_t r = 0; r + 1 < cuts.size(); ++r) {
    const Samples share = share_of(samples, cuts[r], cuts[r + 1]);
    Accumulator accumulator(operation, share.elements);
    for (std::size_t k = 0; k < count; ++k) fold_sample_of(share, k, accumulator);
    for (std::size_t n = 0; n < names.size(); ++n)
      accumulator.save(names[n], std::span(arrays[n]).subspan(static_cast<std::size_t>(cuts[r]),
                                                              static_cast<std::size_t>(share.elements)));
  }
  return arrays;
}

RC_GTEST_PROP(Fold, GoesOnFromASavedStateOnOtherRanks, ()) {
  auto random = random_numbers();
  const Samples samples = drawn_samples(random);
  const Operation operation = drawn_operation();
  const auto names = Accumulator::state_names(operation);
  const std::size_t stop = *rc::gen::inRange<std::size_t>(0, samples.weights.size() + 1);
  const auto arrays = saved_after(samples, stop, operation, random_cuts(samples.elements, random));
  const auto cuts = random_cuts(samples.elements, random);
  for (std::size_t r = 0; r + 1 < cuts.size(); ++r) {
    const Samples share = share_of(samples, cuts[r], cuts[r + 1]);
    Accumulator accumulator(operation, share.elements);
    for (std::size_t n = 0; n < names.size(); ++n)
      accumulator.restore(names[n], std::span(arrays[n]).subspan(static_cast<std::size_t>(cuts[r]),
                                                                 static_cast<std::size_t>(share.elements)));
    accumulator.restore_all(static_cast<std::int64_t>(stop), weight_of(samples, stop));
    expect_state(accumulator, reference_of(share, stop));
    for (std::size_t k = stop; k < samples.weights.size(); ++k) fold_sample_of(share, k, accumulator);
    expect_all(accumulator, share, samples.weights.size());
  }
}

TEST(Fold, KeepsWeightsOfElementsOnlyFromTheFirstMissingSampleOn) {
  const std::int64_t elements = 10000;
  const std::vector<HeldRun> runs{{0, elements}};
  std::vector<double> values(static_cast<std::size_t>(elements), 1);
  const std::int64_t array = elements * 8;
  for (const Operation operation : reference::operations) {
    Accumulator accumulator(operation, elements);
    const std::int64_t least = operation == Operation::count ? 0 : accumulator.most_bytes() - array;
    accumulator.fold(runs, WEIR_DOUBLE, values.data(), 1, {});
    EXPECT_EQ(accumulator.bytes(), least) << name(operation);
    auto lacking = values;
    lacking[7000] = std::nan("");
    accumulator.fold(runs, WEIR_DOUBLE, lacking.data(), 1, {});
    EXPECT_EQ(accumulator.bytes(), accumulator.most_bytes()) << name(operation);
  }
}

TEST(Fold, SaysTheMostMemoryBeforeAnySample) {
  EXPECT_EQ(Accumulator(Operation::mean, 100).most_bytes(), 1600);
  EXPECT_EQ(Accumulator(Operation::maximum, 100).most_bytes(), 1600);
  EXPECT_EQ(Accumulator(Operation::count, 100).most_bytes(), 1600);
  EXPECT_EQ(Accumulator(Operation::standard_deviation, 100).most_bytes(), 2400);
  EXPECT_EQ(Accumulator(Operation::mean, 0).most_bytes(), 0);
}

// Whether a sample of this value is missing, in the first place and in the last of a run longer than any vector.
template <class Value>
bool counts_as_missing(Type type, Value value, const Missing& missing) {
  bool found[2];
  for (const std::size_t place : {0, 36}) {
    std::vector<Value> values(37, Value{1});
    values[place] = value;
    const std::vector<HeldRun> runs{{0, 37}};
    Accumulator accumulator(Operation::mean, 37);
    accumulator.fold(runs, type, values.data(), 1, missing);
    std::vector<double> results(37);
    accumulator.finish(0, fill, results);
    found[place != 0] = results[place] == fill;
    EXPECT_EQ(std::count(results.begin(), results.end(), 1.0), value == Value{1} ? 37 : 36);
  }
  EXPECT_EQ(found[0], found[1]);
  return found[0];
}

TEST(Missing, IsTheValueAsTheTypeHasIt) {
  EXPECT_TRUE(counts_as_missing<float>(WEIR_FLOAT, 1e20F, {true, 1e20}));
  EXPECT_FALSE(counts_as_missing<double>(WEIR_DOUBLE, static_cast<double>(1e20F), {true, 1e20}));
  EXPECT_TRUE(counts_as_missing<float>(WEIR_FLOAT, -0.0F, {true, 0.0}));
  EXPECT_TRUE(counts_as_missing<float>(WEIR_FLOAT, NAN, {}));
  EXPECT_TRUE(counts_as_missing<double>(WEIR_DOUBLE, NAN, {true, 5}));
  EXPECT_FALSE(counts_as_missing<double>(WEIR_DOUBLE, 5, {}));
  EXPECT_TRUE(counts_as_missing<std::int16_t>(WEIR_SHORT, -32767, {true, -32767}));
  EXPECT_FALSE(counts_as_missing<std::int16_t>(WEIR_SHORT, -32767, {}));
  EXPECT_FALSE(counts_as_missing<std::int32_t>(WEIR_INT, 5, {true, 5.5}));
}

TEST(Missing, ThatTheTypeHasNotMarksNothing) {
  const float infinite = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(counts_as_missing<float>(WEIR_FLOAT, infinite, {true, 1e300}));
  EXPECT_TRUE(counts_as_missing<float>(WEIR_FLOAT, infinite, {true, static_cast<double>(infinite)}));
  EXPECT_FALSE(counts_as_missing<signed char>(WEIR_BYTE, -1, {true, 255}));
}

TEST(Missing, OfSixtyFourBitsIsWhole) {
  constexpr std::int64_t large = (std::int64_t{1} << 53) + 1;
  EXPECT_TRUE(counts_as_missing<std::int64_t>(WEIR_INT64, large, {true, 0, large}));
  EXPECT_FALSE(counts_as_missing<std::int64_t>(WEIR_INT64, large - 1, {true, 0, large}));
  EXPECT_FALSE(counts_as_missing<std::int64_t>(WEIR_INT64, 0, {false, 0, 0}));
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_TRUE(counts_as_missing<std::uint64_t>(WEIR_UINT64, most - 1, {true, 0, -2}));
}

TEST(Fold, OfInfinitiesAndZeros) {
  const double infinite = std::numeric_limits<double>::infinity();
  const std::vector<HeldRun> runs{{0, 3}};
  Accumulator lowest(Operation::minimum, 3), highest(Operation::maximum, 3), mean(Operation::mean, 3);
  std::vector<Accumulator*> all{&lowest, &highest, &mean};
  for (const auto& values : {std::vector<double>{infinite, -infinite, -0.0}, {infinite, infinite, 0.0}})
    fold_all(all, runs, WEIR_DOUBLE, values.data(), 1, {});
  std::vector<double> results(3);
  lowest.finish(0, fill, results);
  EXPECT_EQ(results, (std::vector<double>{infinite, -infinite, 0.0}));
  EXPECT_TRUE(std::signbit(results[2]));  // of equal ones the first
  highest.finish(0, fill, results);
  EXPECT_EQ(results, (std::vector<double>{infinite, infinite, 0.0}));
  EXPECT_TRUE(std::signbit(results[2]));
  mean.finish(0, fill, results);
  EXPECT_EQ(results[0], infinite);
  EXPECT_TRUE(std::isnan(results[1]));
  EXPECT_FALSE(std::signbit(results[2]));
}

}  // namespace
}  // namespace weir
