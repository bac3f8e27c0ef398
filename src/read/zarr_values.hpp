// SPDX-License-Identifier: Apache-2.0
// Elements of netCDF's types in JSON: numbers, and the strings that stand for values that JSON cannot express as
// numbers. Pure, Local.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "schema/types.hpp"

namespace weir {

using Json = nlohmann::ordered_json;

// A number, or a list of them, as elements in this machine's byte order; nullopt where one is none of this type.
std::optional<std::vector<std::byte>> elements_of(const Json& value, Type type);
// A fill_value of an array of this type.
std::optional<ExternalValue> fill_of(const Json& value, Type type);

}  // namespace weir
