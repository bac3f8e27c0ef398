// SPDX-License-Identifier: Apache-2.0
// The metadata of a netCDF-4 file, which is an HDF5 file: definitions by netCDF-C, tables of chunks by HDF5, both in
// memory on rank 0. HDF5 never sees a chunk: it gets its offset and length, and a commit asks it what to write into the
// file. The module in netcdf4/hdf5/ implements this; it is loaded with the first such file (netcdf4/module.hpp), so a
// program without one needs no HDF5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "commit/undo_log.hpp"
#include "formats/chunked/filter.hpp"
#include "schema/schema.hpp"

namespace weir {

// A schema with this attribute is made in netCDF's classic model, and netCDF writes the mark itself.
constexpr const char* classic_model_mark = "_nc3_strict";

// The superblock, in which HDF5 notes any change of the file's length: a commit checks that it is unchanged.
constexpr std::int64_t superblock_bytes = 48;

// A chunk that was written; all words, so that it can be sent.
struct PlacedChunk {
  std::int64_t var, record, number;  // its first record; its number in a record's grid (plan/chunk_grid.hpp)
  std::int64_t generation;           // larger if the same chunk was written later
  std::int64_t address, bytes;
  std::int64_t skipped;  // filters that it skipped, a bit each in their order
};

// Bytes that HDF5 wants elsewhere than they were written.
struct Move {
  std::int64_t from, to, bytes;
};

// What a commit changes in the file.
struct MetadataUpdate {
  std::vector<Change> changes;
  std::vector<Move> moves;
  std::int64_t file_bytes = 0;
};

// An existing file that is appended to.
struct Netcdf4Existing {
  std::function<void(std::int64_t at, std::span<std::byte> to)> read;  // reads its bytes; throws Error
  std::int64_t bytes = 0, records = 0;
  std::vector<StoredVariable> variables;  // by the schema's order
  std::int64_t records_kept = 0;          // fewer than `records`: the file goes back to so many
  std::vector<std::string> left_out;      // variables that are not in the schema
};

// The metadata of one file, on rank 0.
// Thread: the storage thread of rank 0, inside a call of the model: the model may use HDF5 too, which is not
// thread-safe.
class Netcdf4Metadata {
 public:
  // Reads bytes of the file. Throws Error.
  using ReadFile = std::function<void(std::int64_t at, std::span<std::byte> to)>;

  virtual ~Netcdf4Metadata() = default;
  virtual const std::vector<StoredVariable>& variables() const noexcept = 0;
  // The file as defined, without data; empty for an existing file.
  virtual const std::vector<std::byte>& image() const noexcept = 0;
  // The end of the part of the file that is in use.
  virtual std::int64_t end() const noexcept = 0;
  // What was put since the last commit: chunks, ascending by variable, record and number; values for rank 0
  // (chunked/deferred_values.hpp); and the number of records.
  struct Put {
    std::span<const PlacedChunk> chunks;
    std::span<const std::byte> notes;
    std::int64_t records = 0;
  };
  // Returns where the file has a chunk, by its last commit, and how; nowhere if there is none. `record`: its first.
  // Errors: throws.
  struct Place {
    static constexpr std::int64_t nowhere = -1;
    std::int64_t address = nowhere, bytes = 0, skipped = 0;
  };
  virtual Place find(int var, std::int64_t record, std::int64_t number) = 0;
  // Adds what was put to the tables, and returns in `update` what of the file has changed since the last call.
  virtual Status place(const Put& put, MetadataUpdate& update) = 0;
  // Notes that the last update is in the file. Large contents are then dropped here, and read again by `read`.
  virtual void written(const ReadFile& read) = 0;
};

// Makes the metadata of a new file.
// Errors: WEIR_EARGUMENT if netCDF-C refuses a definition; WEIR_EFORMAT if this build has no netCDF-4, or the program
// has another HDF5 than Weir was built with; WEIR_EMEMORY.
std::unique_ptr<Netcdf4Metadata> define_netcdf4(const std::string& path, const Schema& schema);

// The module's function; nullptr and a status if it fails.
using DefineNetcdf4 = Netcdf4Metadata*(const std::string& path, const Schema& schema, Status& status);

// Makes the metadata of the existing file `path` with this schema.
// Errors: as define_netcdf4(); WEIR_EFORMAT also if HDF5 refuses the file, or an interrupted commit would lock others
// out of it.
std::unique_ptr<Netcdf4Metadata> reopen_netcdf4(const std::string& path, const Schema& schema,
                                                const Netcdf4Existing& existing);

using ReopenNetcdf4 = Netcdf4Metadata*(const std::string& path, const Schema& schema, const Netcdf4Existing& existing,
                                       Status& status);

// Returns what of the file `path`, with the definitions `before`, has to change for those of `after`. The file stays as
// it is.
// Errors: as define_netcdf4(); WEIR_EIO.
MetadataUpdate redefined_netcdf4(const std::string& path, const Schema& before, const Schema& after);

using RedefineNetcdf4 = void(const std::string& path, const Schema& before, const Schema& after, MetadataUpdate& update,
                             Status& status);

struct StoredTables;

// What becomes of variables of strings: those of up to 1 MiB are read as text, with one more dimension that is not in
// the file; or all are left out.
enum class StringVariables { as_text, left_out };

// Returns the description of an existing file.
// Errors: WEIR_EFORMAT if netCDF-C or HDF5 refuses it, and as define_netcdf4(); WEIR_EMEMORY.
StoredTables read_netcdf4(const std::string& path, StringVariables strings);

using ReadNetcdf4 = void(const std::string& path, StringVariables strings, StoredTables& tables, Status& status);

}  // namespace weir
