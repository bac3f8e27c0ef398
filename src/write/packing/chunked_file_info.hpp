// SPDX-License-Identifier: Apache-2.0
// Serializes rank 0's description of a netCDF-4 file or Zarr folder that it has made, for the other ranks. Local.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/config.hpp"
#include "write/identity.hpp"
#include "write/packing/filter.hpp"

namespace weir {

struct ChunkedFileInfo {
  FileIdentity identity;
  SinkKind sink = SinkKind::direct;
  std::int64_t begin = 0;  // where chunks may be written
  std::string path, written_path, reason;
  std::vector<StoredVariable> variables;
};

std::vector<std::byte> serialize(const ChunkedFileInfo& told);
ChunkedFileInfo deserialize_chunked(std::span<const std::byte> bytes);

}  // namespace weir
