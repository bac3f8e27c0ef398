// SPDX-License-Identifier: Apache-2.0
// A file's header, made and read by one rank: it has the offsets of each variable. The other ranks get a Geometry by
// broadcast and never open the header. Local, all of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "formats/classic/header.hpp"
#include "schema/file_offsets.hpp"
#include "schema/schema.hpp"
#include "storage/identity.hpp"

namespace weir {

constexpr int netcdf4_format = 3;  // netCDF's number; classic ones are 1, 2 and 5
constexpr int zarr_format = 10;    // netCDF's number of its own kind of Zarr

// Where a file's bytes are. record_begin is fixed_end where there is no record variable.
struct Geometry : FileOffsets {
  int format = 1;            // 1, 2, 5; with the next two places only tell neighbours
  std::int64_t records = 0;  // records in the file
  std::int64_t header_bytes = 0;
  // Bytes the file has when it holds `count` records, the padding after the last value included; fixed_end without any:
  // a file need not hold the gap that alignment leaves before record_begin.
  std::int64_t file_bytes(std::int64_t count) const noexcept {
    return count > 0 && record_bytes > 0 ? record_begin + count * record_bytes : fixed_end;
  }
};

// fixed_end and record_begin, which follow from where the variables of `schema` begin and how long the header is.
void derive_ends(Geometry& geometry, const Schema& schema, std::int64_t header_bytes);

// For broadcast.
std::vector<std::byte> serialize(const Geometry& geometry);
Geometry deserialize_geometry(std::span<const std::byte> bytes);

struct DefinedFile {
  Schema schema;
  Geometry geometry;
  FileIdentity identity;
};

struct DefinedHeader {
  Geometry geometry;
  std::vector<std::byte> bytes;
};

// The header of a new file: with it, and file_bytes(0) long, it is a valid file without data. `path` is for messages.
// format: 0 chooses Schema::minimal_format. Throws Error: WEIR_EIO (a header larger than files may be), WEIR_EARGUMENT
// (the format asked for cannot hold the schema, with the name of the dimension or variable that is too much for it).
DefinedHeader define_header(const std::string& path, const Schema& schema, const Alignment& alignment, int format);

// The facts of an existing file before its header is decoded.
struct FileHead {
  std::string path;
  HeaderImage image;
  std::int64_t file_bytes;
  FileIdentity identity;
};

// Reads an existing file's header, without MPI. Throws Error: WEIR_EIO (not there, not readable), WEIR_EFORMAT (not
// netCDF classic, with what it looks like instead: HDF5/netCDF-4, text, empty; header cut off or damaged).
FileHead read_head(const std::string& path);
// Of a file that open_to_read(path) has opened.
FileHead read_head(const Descriptor& file);
// What it means; touches no storage. Throws Error(WEIR_EFORMAT): impossible, or data cut off: the file is shorter than
// its header says, with both lengths.
DefinedFile definition_of(const FileHead& head);
// Both.
DefinedFile read_definition(const std::string& path);
// Bytes the file must have to hold all values of `records` records. netCDF's libraries may leave out the padding after
// the last value, so this can be less than Geometry::file_bytes. Saturates.
std::int64_t least_file_bytes(const DefinedFile& defined, std::int64_t records);

}  // namespace weir
