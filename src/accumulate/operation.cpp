// SPDX-License-Identifier: Apache-2.0
#include "accumulate/operation.hpp"

#include <array>

namespace weir {

namespace {

struct OperationWords {
  Operation operation;
  std::string_view name;
  std::string_view cell_method;
};

// In the order of the enumeration.
constexpr std::array<OperationWords, 9> operation_words{{
    {Operation::instant, "instant", "point"},
    {Operation::mean, "mean", "mean"},
    {Operation::minimum, "minimum", "minimum"},
    {Operation::maximum, "maximum", "maximum"},
    {Operation::sum, "sum", "sum"},
    {Operation::rms, "rms", "root_mean_square"},
    {Operation::variance, "variance", "variance"},
    {Operation::standard_deviation, "standard_deviation", "standard_deviation"},
    {Operation::count, "count", ""},
}};

constexpr const OperationWords& words_of(Operation operation) noexcept {
  return operation_words[static_cast<std::size_t>(operation)];
}

static_assert([] {
  for (const OperationWords& words : operation_words)
    if (words_of(words.operation).name != words.name) return false;
  return true;
}());

}  // namespace

std::string_view name(Operation operation) noexcept {
  return words_of(operation).name;
}

std::optional<Operation> operation_of(std::string_view word) noexcept {
  for (const OperationWords& words : operation_words)
    if (words.name == word) return words.operation;
  return std::nullopt;
}

std::string_view cell_method(Operation operation) noexcept {
  return words_of(operation).cell_method;
}

}  // namespace weir
