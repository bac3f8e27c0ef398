// SPDX-License-Identifier: Apache-2.0
// Reads the bytes of a classic file's header, and checks every count against the length of the file, so that a
// truncated or damaged header is reported with its offset, and no damaged count leads to reads of the data.
// classic/header_codec.hpp decodes them. Local. Source: The NetCDF Classic Format Specification, "header".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.hpp"

namespace weir {

// The tags of the header's lists.
inline constexpr std::int64_t dimension_tag = 10, variable_tag = 11, attribute_tag = 12;

// The bytes of a header.
struct HeaderImage {
  int format = 1;
  std::int64_t records = 0;  // -1: the length of the file says it (STREAMING)
  std::vector<std::byte> bytes;
};

// Reads the header of a file of `file_bytes` bytes.
// Errors: WEIR_EIO if it cannot be read; WEIR_EFORMAT if it is no header of netCDF classic (says what it looks like),
// is truncated or damaged.
HeaderImage read_header(const Descriptor& file, std::int64_t file_bytes);

// Whether the file is HDF5, as netCDF-4 files are.
// Errors: WEIR_EIO.
bool is_hdf5(const Descriptor& file);

// Returns what a file is that begins like another format: "a netCDF-4/HDF5 file"; nullopt if it does not.
// Errors: WEIR_EIO.
std::optional<std::string> other_format(const Descriptor& file);

}  // namespace weir
