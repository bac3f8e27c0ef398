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

// The same of a name with the groups before it: "ice/area".
std::optional<std::string> path_fault(std::string_view path);
// Up to the last '/' and with it: the groups of a path; empty in the root group.
std::string_view group_prefix(std::string_view path) noexcept;
// Without its groups.
std::string_view last_name(std::string_view path) noexcept;
// Without the '/' of the root group before it.
std::string_view from_root(std::string_view path) noexcept;

}  // namespace weir
