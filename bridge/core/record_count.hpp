// SPDX-License-Identifier: Apache-2.0
// The record count in the header of a classic file, as a reader finds it. Local.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.hpp"

namespace weir::bridge {

// Raises it to `records` where it is less. `format`: 1, 2 or 5.
Status raise_record_count(const std::string& path, int format, std::int64_t records);

}  // namespace weir::bridge
