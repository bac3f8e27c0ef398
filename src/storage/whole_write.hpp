// SPDX-License-Identifier: Apache-2.0
// Writing all of something, and making a folder's entries durable. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/error.hpp"

namespace weir {

// 0, or the errno of what failed.
int write_whole(int descriptor, std::span<const std::byte> bytes, std::int64_t offset);

// A new name is on stable storage once its folder is.
Status sync_folder(const std::string& path);

}  // namespace weir
