// SPDX-License-Identifier: Apache-2.0
// The definitions of a netCDF-4 file, and its variables of strings. Local.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "schema/text_list.hpp"

namespace weir {

// The elements of a string variable as text of one length. Local.

// Whether the strings of the variable of this file, which has so many elements, may be texts of so many bytes. HDF5
// asks for the room of each string, when it has that string, and is refused what is beyond: so that no more is taken
// than one string and the texts, however much the file holds. True, too, where HDF5 does not read them: netCDF then
// says why.
bool may_be_texts(const std::string& file, const std::string& variable, std::int64_t elements);
// Of netCDF's variable `var` of a group, which has so many elements; nullopt where they are more than most_text_bytes.
// what: for the sentence. Throws Error(WEIR_EFORMAT).
std::optional<FixedTexts> read_texts(int group, int var, std::int64_t elements, const std::string& what);

}  // namespace weir
