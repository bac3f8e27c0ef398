// SPDX-License-Identifier: Apache-2.0
// The header of a classic file: its bytes, held against the length of the file, and where they place variables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.hpp"

namespace weir {

// The bytes of an existing file's header, walked once before decode_header() may take them for good: every count is
// checked against the length of the file, so that a truncated or damaged header is reported with its offset, and no
// damaged count leads to reads of the data. Local. Source: The NetCDF Classic Format Specification, "header".

// What the header's lists begin with.
inline constexpr std::int64_t dimension_tag = 10, variable_tag = 11, attribute_tag = 12;

struct HeaderImage {
  int format = 1;
  std::int64_t records = 0;  // -1: the header leaves it to the file's length (STREAMING)
  std::vector<std::byte> bytes;
};

// Reads the header of a file of `file_bytes` bytes. Throws Error(WEIR_EIO) where it cannot be read, WEIR_EFORMAT where
// it is no netCDF classic header (with what it looks like instead), is cut off or is damaged.
HeaderImage read_header(const Descriptor& file, std::int64_t file_bytes);

// Whether it is an HDF5 file, which netCDF-4 files are. Throws Error(WEIR_EIO).
bool is_hdf5(const Descriptor& file);

// What a file is that begins as one of another format: "a netCDF-4/HDF5 file"; nullopt where it does not. Throws
// Error(WEIR_EIO).
std::optional<std::string> other_format(const Descriptor& file);

}  // namespace weir
