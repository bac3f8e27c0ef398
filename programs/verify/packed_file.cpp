// SPDX-License-Identifier: Apache-2.0
#include "packed_file.hpp"

#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "formats/chunked/chunked_source.hpp"
#include "formats/chunked/unpacker.hpp"
#include "formats/netcdf4/metadata.hpp"
#include "formats/netcdf4/module.hpp"
#include "formats/netcdf4/netcdf4_store.hpp"
#include "storage/identity.hpp"

namespace weir::verify {

namespace {

// Where the superblock says that what HDF5 has in use ends; -1 where it is one that netCDF does not make.
std::int64_t end_in_use(const Descriptor& file) {
  constexpr std::size_t version_at = 8, end_at_in_old = 40, end_at_in_new = 28;
  std::array<std::byte, 48> block{};
  if (file.read_up_to(block.data(), std::ssize(block), 0) < std::ssize(block)) return -1;
  const auto version = static_cast<int>(block[version_at]);
  const auto offset_bytes = static_cast<int>(block[version < 2 ? 13 : 9]);
  if (version == 1 || version > 3 || offset_bytes != 8) return -1;
  std::int64_t end = 0;
  for (std::size_t byte = 8; byte-- > 0;)
    end = end << 8 | static_cast<std::int64_t>(block[(version == 0 ? end_at_in_old : end_at_in_new) + byte]);
  return end;
}

std::int64_t chunks_of(const StoredArray& array) {
  std::int64_t count = array.chunk.empty() ? 0 : 1;
  for (std::size_t d = 0; d < array.chunk.size(); ++d)
    count *= (array.lengths[d] + array.chunk[d] - 1) / array.chunk[d];
  return count;
}

}  // namespace

UnpackedChunks unpack_all(const StoredTables& tables, std::unique_ptr<ChunkStore> store) {
  UnpackedChunks found;
  ChunkedSource source(std::move(store), tables.schema, 0);
  for (int var = 0; var < static_cast<int>(tables.arrays.size()); ++var) {
    const StoredArray& array = tables.arrays[static_cast<std::size_t>(var)];
    if (!array.obstacle.empty()) ++found.unknown;
    if (!array.obstacle.empty()) continue;
    for (std::int64_t chunk = 0, chunks = chunks_of(array); chunk < chunks; ++chunk)
      if (!source.chunk(var, chunk).empty()) ++found.chunks;
  }
  found.unknown += std::ssize(tables.left_out);
  return found;
}

std::shared_ptr<const StoredTables> with_obstacles(StoredTables tables) {
  for (StoredArray& array : tables.arrays)
    if (array.obstacle.empty()) array.obstacle = unknown_filter(array.filters);
  return std::make_shared<const StoredTables>(std::move(tables));
}

std::string not_looked_into(const UnpackedChunks& found) {
  if (found.unknown == 0) return {};
  return formatted("; {} variable(s) or group(s) were not looked into", found.unknown);
}

Verdict judge_netcdf4(const std::string& path) {
  if (!has_netcdf4())
    return {Verdict::Kind::cannot_judge,
            formatted("{} cannot be judged: it is netCDF-4, and this Weir was built without it", path)};
  const FileIdentity identity = identity_of(path);
  const auto tables = with_obstacles(read_netcdf4(path, StringVariables::left_out));
  const Descriptor file = open_to_read(path);
  const std::int64_t length = file.bytes(), end = end_in_use(file);
  const Netcdf4Store::Known known{path, identity, tables};
  const UnpackedChunks found = unpack_all(*tables, std::make_unique<Netcdf4Store>(known, std::nullopt));
  Verdict verdict{Verdict::Kind::whole,
                  formatted("{} is whole: netCDF-4, {} variable(s), {} record(s), {} chunk(s), {} bytes", path,
                            tables->arrays.size(), tables->records, found.chunks, length),
                  end > 0 ? end : length};
  verdict.sentence += not_looked_into(found);
  if (length > verdict.bytes) verdict.bytes_behind = length - verdict.bytes;
  return verdict;
}

}  // namespace weir::verify
