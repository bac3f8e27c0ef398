// SPDX-License-Identifier: Apache-2.0
// What one rank accumulates of the elements it holds, over the samples of one interval, for one operation. Each element
// has its own sums, so results depend on no decomposition. Pure, Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include "accumulate/operation.hpp"
#include "plan/compact_layout.hpp"
#include "schema/types.hpp"

namespace weir {

enum class Weights;  // accumulate/fold_kernel.hpp
struct FoldPart;

// Which samples of an element are missing: NaN always (of float and double), and `value` where there is one. Floats are
// compared with `value` rounded to float; a value that the type cannot have marks none.
struct Missing {
  bool has_value = false;
  double value = 0;        // of float, double and integers to 32 bits
  std::int64_t whole = 0;  // of 64-bit integers (their bits)
};

// The folding of samples. Arithmetic is in double, in the order in which samples come; each element on its own:
//   mean, sum    s += w * x          (weight w: 1 for all steps of one length)
//   rms          s += w * x * x
//   variance, standard_deviation     West's weighted form of Welford's update: W += w; d = x - m; m += d * w / W;
//                                    q += w * d * (x - m); the result is q / W (population variance)
//   minimum, maximum                 of equal ones (0 and -0) the first stays
//   count                            of valid samples, whatever their weights
// Each multiplication and addition is rounded by itself (none is fused), so all machines and vector widths give the
// same bits. Where no sample has been missing so far, the weights are one number for all elements; from the first
// missing sample on they are an array. As long as all weights are whole numbers the array has what each element has
// missed (but of variance and count), so that only elements that lack a sample are touched there; sums of whole numbers
// are exact, and the difference gives the same bits.
class Accumulator {
 public:
  // Requires: `operation` is not instant; `elements` is the sum of the lengths of the runs of all later calls.
  Accumulator(Operation operation, std::int64_t elements);

  Operation operation() const noexcept { return operation_; }

  // Folds one sample into the accumulator: the elements of `runs`, in their order, of a buffer of `type`.
  // Requires: the type is a number type, the same in all calls; weight > 0.
  void fold(std::span<const HeldRun> runs, Type type, const void* values, double weight, const Missing& missing);
  // Samples folded so far, missing ones included, and the sum of their weights.
  std::int64_t samples() const noexcept { return samples_; }
  double weight() const noexcept { return weight_; }

  // Writes the result into `values` (one double an element): `fill` where less than `valid_fraction` of the weight was
  // valid, or nothing was. One rounding is left to the caller: that to the type of the file.
  // Requires: samples() > 0.
  void finish(double valid_fraction, double fill, std::span<double> values) const;
  // Forgets all samples.
  void clear() noexcept;

  // Bytes of memory it has now, and the largest it may come to.
  std::int64_t bytes() const noexcept;
  std::int64_t most_bytes() const noexcept;

  // The state, to be kept in a file and restored bit by bit: named arrays of one double an element, the same names on
  // all ranks for the same operation ("sum", "weight", ...).
  static std::span<const std::string_view> state_names(Operation operation) noexcept;
  // Writes an array of the state into `values`. An array that this rank does not keep element by element is written
  // out in full.
  void save(std::string_view name, std::span<double> values) const;
  // Restores the state. restore_all() comes last: whatever restore() was given, the next fold goes on from there.
  void restore(std::string_view name, std::span<const double> values);
  void restore_all(std::int64_t samples, double weight);

  friend void fold_all(std::span<Accumulator* const>, std::span<const HeldRun>, Type, const void*, double,
                       const Missing&);

 private:
  struct Sample;
  // Begins at a line of the cache, so that no vector lies in two.
  template <class Element>
  struct LineAllocator {
    using value_type = Element;
    static constexpr std::align_val_t line{64};
    Element* allocate(std::size_t count) {
      return static_cast<Element*>(::operator new(count * sizeof(Element), line));
    }
    void deallocate(Element* memory, std::size_t) noexcept { ::operator delete(memory, line); }
    bool operator==(const LineAllocator&) const = default;
  };
  using Array = std::vector<double, LineAllocator<double>>;

  void fold_block(const Sample& sample, std::span<const HeldRun> runs, std::int64_t at, std::int64_t elements);
  std::int64_t fold_part(const Sample& sample, std::span<const HeldRun> runs, std::int64_t at,
                         Weights weights) noexcept;
  void begin_sample(Type type, double weight) noexcept;
  double weight_of(std::size_t element) const noexcept;
  void begin_elements(std::int64_t at, std::int64_t elements) noexcept;
  void keep_weights(std::int64_t done, double weight);
  Array Accumulator::*array_of(std::string_view name) const noexcept;

  using FoldKernel = std::int64_t (*)(const FoldPart&) noexcept;

  Operation operation_;
  std::int64_t elements_;
  std::int64_t samples_ = 0;
  double weight_ = 0;
  Array value_;     // sum, minimum, maximum, mean (variance), or count (empty: samples_ holds for all)
  Array squares_;   // variance: q
  Array weights_;   // of each element's valid samples, or of its missing ones (kept_); empty: weight_ holds for all
  Weights kept_{};  // what weights_ has: own or missed
  FoldKernel fold_common_ = nullptr;  // of the type that is being folded
  FoldKernel fold_own_ = nullptr, fold_missed_ = nullptr;
};

// Folds one sample into several accumulators at once, as fold() of each would, but reads the buffer from memory once.
// Requires: as Accumulator::fold(), for each.
void fold_all(std::span<Accumulator* const> accumulators, std::span<const HeldRun> runs, Type type, const void* values,
              double weight, const Missing& missing);

}  // namespace weir
