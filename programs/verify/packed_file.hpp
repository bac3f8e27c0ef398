// SPDX-License-Identifier: Apache-2.0
// What can be said of a netCDF-4 file by itself, and of the chunks of any format. Local.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "formats/chunked/chunk_store.hpp"
#include "formats/stored_array.hpp"
#include "verdict.hpp"

namespace weir::verify {

// unknown: variables and groups whose chunks this build cannot unpack, or Weir leaves out.
struct UnpackedChunks {
  std::int64_t chunks = 0, unknown = 0;
};

// Unpacks each chunk that was written. Throws Error: WEIR_EFORMAT (one does not unpack), WEIR_EIO.
UnpackedChunks unpack_all(const StoredTables& tables, std::unique_ptr<ChunkStore> store);
// The tables, with what this build does not unpack noted in each array.
std::shared_ptr<const StoredTables> with_obstacles(StoredTables tables);
// For the end of a sentence; empty where all was.
std::string not_looked_into(const UnpackedChunks& found);

// netCDF-C and HDF5 open it, it has all bytes that its tables tell of, and each chunk unpacks, with its check sum where
// it has one. A chunk that is in no table is fill value. Throws Error: WEIR_EFORMAT (it is not whole), WEIR_EIO.
Verdict judge_netcdf4(const std::string& path);

}  // namespace weir::verify
