// SPDX-License-Identifier: Apache-2.0
// The names of the record of a commit of several files (write/group_record.hpp), and how it is found. No name of a file
// that is being written (write/visible.hpp) ends like these. Local.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace weir {

inline constexpr const char* group_link_suffix = ".weir-commit";
inline constexpr const char* group_record_prefix = ".weir-commit.";
inline constexpr std::int64_t group_record_mark = 0x5745495247525031;  // "WEIRGRP1"

// "/data/.weir-commit.0123abcd".
std::string group_record_name(const std::string& folder, std::uint32_t token);
bool is_group_record_name(const std::string& name);

// Of the folder that the file is in, whatever links lead there. Throws Error(WEIR_EIO) where it is not there.
std::string canonical_folder(const std::string& path);

}  // namespace weir
