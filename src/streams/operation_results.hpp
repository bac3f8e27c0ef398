// SPDX-License-Identifier: Apache-2.0
// What an operation makes of a field's values: their type, their units, whether they keep the field's range. Pure,
// Local.
#pragma once

#include <string>

#include "accumulate/operation.hpp"
#include "schema/types.hpp"

namespace weir {

// Whether the results lie in the range of the field's values.
bool keeps_range(Operation operation) noexcept;
// Whether each result is one of the field's values.
bool keeps_values(Operation operation) noexcept;
// The type of the results: that of the values, or double where they are fractions of whole numbers.
Type type_of_results(Operation operation, Type values) noexcept;
// UDUNITS' square of a unit; differences of temperatures in degrees Celsius are kelvin.
std::string squared(const std::string& units);

}  // namespace weir
