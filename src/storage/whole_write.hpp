// SPDX-License-Identifier: Apache-2.0
// Writes all of a span at an offset, and makes a folder's entries durable. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/error.hpp"

namespace weir {

// Returns 0, or the errno of the write that failed.
int write_whole(int descriptor, std::span<const std::byte> bytes, std::int64_t offset);

// Brings the entry of `path` in its folder to stable storage, as a new name needs.
Status sync_folder(const std::string& path);

}  // namespace weir
