// SPDX-License-Identifier: Apache-2.0
// What a stream makes of the samples of an interval. Pure, Local.
#pragma once

#include <optional>
#include <string_view>

namespace weir {

enum class Operation { instant, mean, minimum, maximum, sum, rms, variance, standard_deviation, count };

// Returns the word of the configuration: "mean", "standard_deviation".
std::string_view name(Operation operation) noexcept;
// Returns the operation of a word; nullopt: none.
std::optional<Operation> operation_of(std::string_view word) noexcept;
// Returns CF's word for cell_methods ("time: mean"): mean, minimum, maximum, sum, root_mean_square, variance,
// standard_deviation; point for instant. "" for count, which has none.
std::string_view cell_method(Operation operation) noexcept;

}  // namespace weir
