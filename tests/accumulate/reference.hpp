// SPDX-License-Identifier: Apache-2.0
// One element's samples, folded one operation at a time, and random samples.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <string_view>
#include <vector>

#include "accumulate/accumulator.hpp"
#include "schema/types.hpp"

namespace weir::reference {

using Random = std::mt19937_64;

inline std::int64_t draw_number(Random& random, std::int64_t from, std::int64_t to) {
  return std::uniform_int_distribution<std::int64_t>(from, to - 1)(random);
}

// Rounded by itself, whatever the compiler would fuse.
inline double rounded(double value) {
  volatile double stored = value;
  return stored;
}

struct Element {
  double sum = 0, squares = 0, mean = 0, deviations = 0, weight = 0, count = 0;
  double minimum = std::numeric_limits<double>::infinity(), maximum = -minimum;

  void fold(double x, double w) {
    weight = rounded(weight + w);
    count += 1;
    sum = rounded(sum + rounded(w * x));
    squares = rounded(squares + rounded(rounded(w * x) * x));
    minimum = x < minimum ? x : minimum;
    maximum = x > maximum ? x : maximum;
    const double deviation = rounded(x - mean), weighted = rounded(deviation * w);
    mean = rounded(mean + rounded(weighted / weight));
    deviations = rounded(deviations + rounded(weighted * rounded(x - mean)));
  }

  double state(Operation operation, std::string_view name) const {
    if (name == "weight") return weight;
    if (name == "sum") return sum;
    if (name == "sum_of_squares") return squares;
    if (name == "minimum") return minimum;
    if (name == "maximum") return maximum;
    if (name == "mean") return mean;
    if (name == "squared_deviations") return deviations;
    return operation == Operation::count && name == "count" ? count : std::nan("");
  }

  double result(Operation operation) const {
    switch (operation) {
      case Operation::mean:
        return rounded(sum / weight);
      case Operation::sum:
        return sum;
      case Operation::rms:
        return std::sqrt(rounded(squares / weight));
      case Operation::minimum:
        return minimum;
      case Operation::maximum:
        return maximum;
      case Operation::variance:
        return rounded(deviations / weight);
      case Operation::standard_deviation:
        return std::sqrt(rounded(deviations / weight));
      case Operation::count:
        return count;
      case Operation::instant:
        break;
    }
    return std::nan("");
  }
};

constexpr Operation operations[] = {Operation::mean,
                                    Operation::minimum,
                                    Operation::maximum,
                                    Operation::sum,
                                    Operation::rms,
                                    Operation::variance,
                                    Operation::standard_deviation,
                                    Operation::count};
constexpr Type number_types[] = {WEIR_FLOAT,  WEIR_DOUBLE, WEIR_BYTE, WEIR_UBYTE, WEIR_SHORT,
                                 WEIR_USHORT, WEIR_INT,    WEIR_UINT, WEIR_INT64, WEIR_UINT64};

// Runs with gaps between them, of one element to more than a block.
inline std::vector<HeldRun> random_runs(Random& random) {
  const std::int64_t most =
      std::vector<std::int64_t>{1, 4, 70, 5000}[static_cast<std::size_t>(draw_number(random, 0, 4))];
  std::vector<HeldRun> runs;
  std::int64_t at = 0, elements = 0;
  const std::int64_t wanted = draw_number(random, 0, most == 5000 ? 9000 : 600);
  while (elements < wanted) {
    at += draw_number(random, 0, 4);
    runs.push_back({at, draw_number(random, 1, most + 1)});
    at += runs.back().length + 1;
    elements += runs.back().length;
  }
  return runs;
}

inline std::int64_t length_of(const std::vector<HeldRun>& runs) {
  return std::accumulate(runs.begin(), runs.end(), std::int64_t{0},
                         [](std::int64_t sum, const HeldRun& run) { return sum + run.length; });
}

template <class Value>
Value random_value(Random& random) {
  if constexpr (std::is_floating_point_v<Value>) {
    switch (draw_number(random, 0, 40)) {
      case 0:
        return Value{0};
      case 1:
        return -Value{0};
      case 2:
        return static_cast<Value>(draw_number(random, -3, 4));
      case 3:
        return static_cast<Value>(std::ldexp(std::normal_distribution<double>()(random), 60));
      default:
        return static_cast<Value>(280 + 5 * std::normal_distribution<double>()(random));
    }
  } else {
    // Often small, so that one value comes again.
    const auto bits = static_cast<std::uint64_t>(random());
    return static_cast<Value>(draw_number(random, 0, 2) == 0 ? bits : bits % 50);
  }
}

}  // namespace weir::reference
