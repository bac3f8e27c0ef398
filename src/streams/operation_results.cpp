// SPDX-License-Identifier: Apache-2.0
#include "streams/operation_results.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "weir/weir.h"

namespace weir {

bool keeps_range(Operation operation) noexcept {
  return operation == Operation::instant || operation == Operation::mean || operation == Operation::minimum ||
         operation == Operation::maximum || operation == Operation::rms;
}

bool keeps_values(Operation operation) noexcept {
  return operation == Operation::instant || operation == Operation::minimum || operation == Operation::maximum;
}

Type type_of_results(Operation operation, Type values) noexcept {
  if (operation == Operation::count) return WEIR_INT;
  return keeps_values(operation) || is_real_type(values) ? values : WEIR_DOUBLE;
}

std::string squared(const std::string& units) {
  static constexpr std::array celsius{std::string_view("degC"), std::string_view("degree_Celsius"),
                                      std::string_view("degrees_Celsius"), std::string_view("celsius"),
                                      std::string_view("Celsius")};
  if (units == "1" || units.empty()) return units;
  if (std::find(celsius.begin(), celsius.end(), units) != celsius.end()) return "K2";
  const bool one_word = std::all_of(units.begin(), units.end(), [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
  });
  return one_word ? units + "2" : "(" + units + ")2";
}

}  // namespace weir
