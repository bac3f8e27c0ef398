// SPDX-License-Identifier: Apache-2.0
// Reads variables of strings of a netCDF-4 file as text of one length. Local.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "schema/text_list.hpp"

namespace weir {

// Whether the strings of a variable may be text of at most most_text_bytes. HDF5 asks for memory for each string, and
// is refused what is beyond: so no more is taken than one string and the texts, however much the file has. True also if
// HDF5 does not read them: netCDF then says why.
bool may_be_texts(const std::string& file, const std::string& variable, std::int64_t elements);
// Returns the strings of netCDF's variable `var` of a group; nullopt if they have more than most_text_bytes. `what` is
// for messages.
// Errors: WEIR_EFORMAT.
std::optional<FixedTexts> read_texts(int group, int var, std::int64_t elements, const std::string& what);

}  // namespace weir
