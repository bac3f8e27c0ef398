// SPDX-License-Identifier: Apache-2.0
#include "accumulate/accumulator.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>

#include "accumulate/fold_kernel.hpp"

namespace weir {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
// Elements that are folded into each accumulator before the next ones. Of several, each then comes from memory while
// others do, and the samples stay in the first cache.
constexpr std::int64_t elements_for_one = 2048, elements_for_several = 256;

// What an operation keeps an element: its arrays by name, of which the last is the weight of the valid samples; and
// what its arrays are before any sample.
struct OperationState {
  Sums sums;
  std::span<const std::string_view> names;
  double initial;
};

constexpr std::array<std::string_view, 2> sum_names{"sum", "weight"};
constexpr std::array<std::string_view, 2> squares_names{"sum_of_squares", "weight"};
constexpr std::array<std::string_view, 2> minimum_names{"minimum", "weight"};
constexpr std::array<std::string_view, 2> maximum_names{"maximum", "weight"};
constexpr std::array<std::string_view, 3> moments_names{"mean", "squared_deviations", "weight"};
constexpr std::array<std::string_view, 2> count_names{"count", "weight"};

OperationState state_of(Operation operation) noexcept {
  switch (operation) {
    case Operation::instant:
      break;
    case Operation::mean:
    case Operation::sum:
      return {Sums::sum, sum_names, 0};
    case Operation::rms:
      return {Sums::squares, squares_names, 0};
    case Operation::minimum:
      return {Sums::minimum, minimum_names, infinity};
    case Operation::maximum:
      return {Sums::maximum, maximum_names, -infinity};
    case Operation::variance:
    case Operation::standard_deviation:
      return {Sums::moments, moments_names, 0};
    case Operation::count:
      return {Sums::count, count_names, 0};
  }
  return {Sums::sum, {}, 0};
}

// The value that samples of `type` are compared with. A value that the type has not marks none.
MissingMark mark_of(const Missing& missing, Type type) noexcept {
  MissingMark mark{not_a_number, missing.has_value, missing.whole};
  if (!missing.has_value) return mark;
  mark.value = missing.value;
  if (type == WEIR_FLOAT) {
    mark.value = static_cast<double>(static_cast<float>(missing.value));
    if (std::isinf(mark.value) && !std::isinf(missing.value)) mark.value = not_a_number;
  }
  return mark;
}

FoldKernel kernel_for(Sums sums, Type type, Weights weights) noexcept {
  const FoldKernel kernel = simd::fold_kernel(sums, type, weights);
  return kernel ? kernel : portable::fold_kernel(sums, type, weights);
}

// Whether these weights and all sums of them are whole numbers, which doubles hold exactly.
bool are_whole(double sum, double weight) noexcept {
  constexpr double most = 9007199254740992.0;
  return sum == std::floor(sum) && weight == std::floor(weight) && sum + weight <= most;
}

// Calls fold(runs, elements before them, their elements) for blocks of `most` elements of the runs.
template <class Fold>
void for_each_block(std::span<const HeldRun> runs, std::int64_t most, const Fold& fold) {
  std::int64_t at = 0;
  for (std::size_t r = 0; r < runs.size();) {
    std::int64_t elements = runs[r].length;
    if (elements > most) {
      for (std::int64_t from = 0; from < elements; from += most) {
        const HeldRun part{runs[r].offset + from, std::min(most, elements - from)};
        fold(std::span(&part, 1), at, part.length);
        at += part.length;
      }
      ++r;
      continue;
    }
    const std::size_t first = r;
    for (++r; r < runs.size() && elements + runs[r].length <= most; ++r) elements += runs[r].length;
    fold(runs.subspan(first, r - first), at, elements);
    at += elements;
  }
}

}  // namespace

// A sample, as all blocks of it are folded.
struct Accumulator::Sample {
  Type type;
  const std::byte* values;
  double weight;
  MissingMark missing;
};

Accumulator::Accumulator(Operation operation, std::int64_t elements) : operation_(operation), elements_(elements) {
  const auto n = static_cast<std::size_t>(elements);
  const Sums sums = state_of(operation).sums;
  assert(operation != Operation::instant);
  if (sums != Sums::count) value_.resize(n);
  if (sums == Sums::moments) squares_.resize(n);
}

void Accumulator::fold(std::span<const HeldRun> runs, Type type, const void* values, double weight,
                       const Missing& missing) {
  Accumulator* const only = this;
  fold_all(std::span(&only, 1), runs, type, values, weight, missing);
}

void fold_all(std::span<Accumulator* const> accumulators, std::span<const HeldRun> runs, Type type, const void* values,
              double weight, const Missing& missing) {
  const Accumulator::Sample sample{type, static_cast<const std::byte*>(values), weight, mark_of(missing, type)};
  for (Accumulator* accumulator : accumulators) accumulator->begin_sample(type, weight);
  const std::int64_t most = accumulators.size() == 1 ? elements_for_one : elements_for_several;
  for_each_block(runs, most, [&](std::span<const HeldRun> block, std::int64_t at, std::int64_t elements) {
    for (Accumulator* accumulator : accumulators) accumulator->fold_block(sample, block, at, elements);
  });
  for (Accumulator* accumulator : accumulators) {
    ++accumulator->samples_;
    accumulator->weight_ += weight;
  }
}

void Accumulator::fold_block(const Sample& sample, std::span<const HeldRun> runs, std::int64_t at,
                             std::int64_t elements) {
  assert(at + elements <= elements_);
  if (samples_ == 0) begin_elements(at, elements);
  if (!weights_.empty()) {
    fold_part(sample, runs, at, kept_);
    return;
  }
  std::int64_t done = fold_part(sample, runs, at, Weights::common);
  if (done == elements) return;
  keep_weights(at + done, sample.weight);
  at += done;
  for (; runs.front().length <= done; runs = runs.subspan(1)) done -= runs.front().length;
  const HeldRun rest{runs.front().offset + done, runs.front().length - done};
  at += fold_part(sample, std::span(&rest, 1), at, kept_);
  fold_part(sample, runs.subspan(1), at, kept_);
}

std::int64_t Accumulator::fold_part(const Sample& sample, std::span<const HeldRun> runs, std::int64_t at,
                                    Weights weights) noexcept {
  const auto from = [at](Array& array) { return array.empty() ? nullptr : array.data() + at; };
  const FoldPart part{runs,          sample.values,           from(value_),  from(squares_), from(weights_),
                      sample.weight, weight_ + sample.weight, sample.missing};
  return (weights == Weights::common ? fold_common_ : weights == Weights::own ? fold_own_ : fold_missed_)(part);
}

void Accumulator::begin_sample(Type type, double weight) noexcept {
  const Sums sums = state_of(operation_).sums;
  fold_common_ = kernel_for(sums, type, Weights::common);
  fold_own_ = kernel_for(sums, type, Weights::own);
  fold_missed_ = kernel_for(sums, type, Weights::missed);
  const bool subtracts = sums != Sums::moments && sums != Sums::count && are_whole(weight_, weight);
  const Weights kept = subtracts ? Weights::missed : Weights::own;
  if (weights_.empty()) {
    kept_ = kept;
  } else if (kept_ == Weights::missed && kept == Weights::own) {
    for (double& missed : weights_) missed = weight_ - missed;
    kept_ = kept;
  }
}

double Accumulator::weight_of(std::size_t element) const noexcept {
  if (weights_.empty()) return weight_;
  return kept_ == Weights::missed ? weight_ - weights_[element] : weights_[element];
}

// The first sample finds in the arrays what an earlier interval left. They get their initial values block by block,
// while they are in the cache.
void Accumulator::begin_elements(std::int64_t at, std::int64_t elements) noexcept {
  if (!value_.empty()) std::fill_n(value_.begin() + at, elements, state_of(operation_).initial);
  if (!squares_.empty()) std::fill_n(squares_.begin() + at, elements, 0.0);
}

// From here on each element has a weight (and a count) of its own. A sample of `weight` has been folded into the first
// `done` elements.
void Accumulator::keep_weights(std::int64_t done, double weight) {
  const auto spread = [&](Array& array, double each, double of_sample) {
    array.assign(static_cast<std::size_t>(elements_), each);
    std::fill_n(array.begin(), done, each + of_sample);
  };
  if (kept_ == Weights::missed)
    spread(weights_, 0, 0);
  else
    spread(weights_, weight_, weight);
  if (operation_ == Operation::count) spread(value_, static_cast<double>(samples_), 1);
}

void Accumulator::finish(double valid_fraction, double fill, std::span<double> values) const {
  assert(samples_ > 0 && std::ssize(values) == elements_);
  const double least = valid_fraction * weight_;
  const auto write = [&](const auto& result) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double weight = weight_of(i);
      values[i] = weight == 0 || weight < least ? fill : result(i, weight);
    }
  };
  switch (operation_) {
    case Operation::instant:
      break;
    case Operation::mean:
      return write([&](std::size_t i, double weight) { return value_[i] / weight; });
    case Operation::minimum:
    case Operation::maximum:
    case Operation::sum:
      return write([&](std::size_t i, double) { return value_[i]; });
    case Operation::rms:
      return write([&](std::size_t i, double weight) { return std::sqrt(value_[i] / weight); });
    case Operation::variance:
      return write([&](std::size_t i, double weight) { return squares_[i] / weight; });
    case Operation::standard_deviation:
      return write([&](std::size_t i, double weight) { return std::sqrt(squares_[i] / weight); });
    case Operation::count:
      return write([&](std::size_t i, double) { return value_.empty() ? static_cast<double>(samples_) : value_[i]; });
  }
}

void Accumulator::clear() noexcept {
  samples_ = 0;
  weight_ = 0;
  weights_.clear();
  if (operation_ == Operation::count) value_.clear();
}

std::int64_t Accumulator::bytes() const noexcept {
  return static_cast<std::int64_t>((value_.capacity() + squares_.capacity() + weights_.capacity()) * sizeof(double));
}

std::int64_t Accumulator::most_bytes() const noexcept {
  return std::ssize(state_names(operation_)) * elements_ * static_cast<std::int64_t>(sizeof(double));
}

std::span<const std::string_view> Accumulator::state_names(Operation operation) noexcept {
  return state_of(operation).names;
}

// The array of a name.
Accumulator::Array Accumulator::*Accumulator::array_of(std::string_view name) const noexcept {
  const auto names = state_names(operation_);
  const auto found = std::find(names.begin(), names.end(), name);
  assert(found != names.end());
  if (found + 1 == names.end()) return &Accumulator::weights_;
  return found == names.begin() ? &Accumulator::value_ : &Accumulator::squares_;
}

void Accumulator::save(std::string_view name, std::span<double> values) const {
  assert(std::ssize(values) == elements_);
  const auto member = array_of(name);
  const auto& array = this->*member;
  if (member == &Accumulator::weights_)
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = weight_of(i);
  else if (operation_ == Operation::count && array.empty())
    std::fill(values.begin(), values.end(), static_cast<double>(samples_));
  else if (samples_ == 0)
    std::fill(values.begin(), values.end(), member == &Accumulator::value_ ? state_of(operation_).initial : 0.0);
  else
    std::copy(array.begin(), array.end(), values.begin());
}

void Accumulator::restore(std::string_view name, std::span<const double> values) {
  assert(std::ssize(values) == elements_);
  (this->*array_of(name)).assign(values.begin(), values.end());
  kept_ = Weights::own;
}

void Accumulator::restore_all(std::int64_t samples, double weight) {
  samples_ = samples;
  weight_ = weight;
  const auto all = [](const Array& array, double each) {
    return std::all_of(array.begin(), array.end(), [each](double value) { return value == each; });
  };
  const bool counted = operation_ != Operation::count || all(value_, static_cast<double>(samples));
  if (samples == 0 || (counted && all(weights_, weight))) {
    weights_.clear();
    if (operation_ == Operation::count) value_.clear();
  }
}

}  // namespace weir
