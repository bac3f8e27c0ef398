// SPDX-License-Identifier: Apache-2.0
// The definition of a classic netCDF file: makes a header, and reads one. One rank does either; the others get a
// Geometry by broadcast, and never open the header. The codec is in formats/classic/header_codec.hpp. Local, no MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "formats/classic/header.hpp"
#include "schema/file_offsets.hpp"
#include "schema/schema.hpp"
#include "storage/identity.hpp"

namespace weir {

constexpr int netcdf4_format = 3;  // netCDF's number; classic formats are 1, 2 and 5
constexpr int zarr_format = 10;    // netCDF's number for its own kind of Zarr

// Where a file's bytes are. record_begin is fixed_end if there is no record variable.
struct Geometry : FileOffsets {
  int format = 1;            // 1, 2, 5; for 3 and 10 the offsets only say which variables are neighbours
  std::int64_t records = 0;  // records in the file
  std::int64_t header_bytes = 0;
  // Returns the length of the file with `count` records, with the padding after the last value. Without records it is
  // fixed_end: a file need not have the gap that alignment leaves before record_begin.
  std::int64_t file_bytes(std::int64_t count) const noexcept {
    return count > 0 && record_bytes > 0 ? record_begin + count * record_bytes : fixed_end;
  }
};
void fields(auto& archive, Either<Geometry> auto& geometry) {
  archive(geometry.begin, geometry.fixed_end, geometry.record_begin, geometry.record_bytes);
  archive(geometry.format, geometry.records, geometry.header_bytes);
}

// Sets fixed_end and record_begin from the offsets of `schema`'s variables and the header's length.
void derive_ends(Geometry& geometry, const Schema& schema, std::int64_t header_bytes);

// The definition of an existing file.
struct DefinedFile {
  Schema schema;
  Geometry geometry;
  FileIdentity identity;
};

// The header of a new file.
struct DefinedHeader {
  Geometry geometry;
  std::vector<std::byte> bytes;
};

// Makes the header of a new file.
// Requires: `path` is for messages. `format` 0 chooses Schema::minimal_format.
// Ensures: with this header, and file_bytes(0) long, the file is valid and has no data.
// Errors: WEIR_EIO if the header is larger than files may be. WEIR_EARGUMENT if the format cannot hold the schema;
// names the dimension or variable.
DefinedHeader define_header(const std::string& path, const Schema& schema, const Alignment& alignment, int format);

// An existing file before its header is decoded.
struct FileHead {
  std::string path;
  HeaderImage image;
  std::int64_t file_bytes;
  FileIdentity identity;
};

// Reads an existing file's header. `file`: opened by open_to_read().
// Errors: WEIR_EIO if the file is not there or not readable. WEIR_EFORMAT if it is not classic netCDF (says what it
// looks like), or its header is truncated or damaged.
FileHead read_head(const std::string& path);
FileHead read_head(const Descriptor& file);
// Decodes a header. Calls no storage.
// Errors: WEIR_EFORMAT if the header is not possible, or the file is shorter than the header says.
DefinedFile definition_of(const FileHead& head);
// Reads a header and decodes it: read_head() and definition_of().
DefinedFile read_definition(const std::string& path);
// Returns the least length of a file that holds all values of `records` records. It may be less than
// Geometry::file_bytes(), since netCDF's libraries may leave out the padding after the last value. Saturates.
std::int64_t least_file_bytes(const DefinedFile& defined, std::int64_t records);

}  // namespace weir
