// SPDX-License-Identifier: Apache-2.0
// netCDF's rules for the names of dimensions, variables and attributes. Pure. Local.
// Source: The NetCDF Classic Format Specification, "name"; 255 bytes so that WEIR_MAX_NAME holds the closing zero.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weir {

bool is_utf8(std::string_view text) noexcept;

// What is wrong with a name, in words that follow "the name ...": "is empty", "contains '/'". nullopt: it is good.
std::optional<std::string> name_fault(std::string_view name);

}  // namespace weir
