// SPDX-License-Identifier: Apache-2.0
// What rank 0 tells the others of a netCDF-4 file that it has made, as bytes. Local.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/config.hpp"
#include "write/identity.hpp"
#include "write/packing/filter.hpp"

namespace weir {

struct ToldChunked {
  FileIdentity identity;
  SinkKind sink = SinkKind::direct;
  std::int64_t begin = 0;  // where chunks may be written
  std::string path, written_path, reason;
  std::vector<StoredVariable> variables;
};

std::vector<std::byte> serialize(const ToldChunked& told);
ToldChunked deserialize_chunked(std::span<const std::byte> bytes);

}  // namespace weir
