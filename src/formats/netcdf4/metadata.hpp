// SPDX-License-Identifier: Apache-2.0
// The metadata of a netCDF-4 file, which is an HDF5 file: netCDF-C defines it, HDF5 keeps the tables that say where
// each chunk is, both on rank 0 and in memory. HDF5 never sees a chunk: it is told where one lies and how long it is.
// What it would write into the file is asked for at a commit. HDF5 is called here only, and in the model's calls, while
// the rank's own thread is in them, too: the model may use HDF5, and it is not for several threads at a time. Of rank 0
// the thread that makes the calls to storage calls it (storage_calls.hpp), so that the rank answers meanwhile.
//
// What calls the two libraries is a module (src/hdf5), loaded when the first such file is made: a program that makes
// none carries no HDF5, and one that has an HDF5 of its own gets the module that was built with that one.
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

// A schema with this attribute of the file is made in netCDF's classic model, of which netCDF makes the mark itself.
constexpr const char* classic_model_mark = "_nc3_strict";

// The superblock, in which HDF5 notes any change of the file's length: who commits looks whether it is as it was.
constexpr std::int64_t superblock_bytes = 48;

// A chunk that was written. All of it words, so that it travels as such.
struct PlacedChunk {
  std::int64_t var, record, number;  // number: in the variable's grid (plan/chunk_grid.hpp)
  std::int64_t generation;           // larger where the same chunk was written later
  std::int64_t address, bytes;
  std::int64_t skipped;  // filters that it did not go through, a bit each in their order
};

// Bytes that HDF5 wants to have elsewhere than they were written.
struct Move {
  std::int64_t from, to, bytes;
};

struct MetadataUpdate {
  std::vector<Change> changes;
  std::vector<Move> moves;
  std::int64_t file_bytes = 0;
};

// A file that is there, as it is to be appended to.
struct Netcdf4Existing {
  std::function<void(std::int64_t at, std::span<std::byte> to)> read;  // its bytes; throws Error
  std::int64_t bytes = 0, records = 0;
  std::vector<StoredVariable> variables;  // of the schema, in its order
};

class Netcdf4Metadata {
 public:
  // Reads bytes of the file. Throws Error.
  using ReadFile = std::function<void(std::int64_t at, std::span<std::byte> to)>;

  virtual ~Netcdf4Metadata() = default;
  virtual const std::vector<StoredVariable>& variables() const noexcept = 0;
  // The file as it was defined, without data. Of one that was there before: nothing.
  virtual const std::vector<std::byte>& image() const noexcept = 0;
  // Where what the file has in use ends.
  virtual std::int64_t end() const noexcept = 0;
  // The file has these chunks too, ascending by variable, record and number, the values of these notes
  // (deferred_values.hpp), and so many records. Then tells what of the file has changed since the last time.
  struct Put {
    std::span<const PlacedChunk> chunks;
    std::span<const std::byte> notes;
    std::int64_t records = 0;
  };
  virtual Status place(const Put& put, MetadataUpdate& update) = 0;
  // What was told by the last update is in the file: where it is much, it is not kept here any longer but read again.
  virtual void written(const ReadFile& read) = 0;
};

// Throws Error: WEIR_EARGUMENT (netCDF-C refuses a definition), WEIR_EFORMAT (this build has no netCDF-4, or the
// program has another HDF5 than Weir was built with), WEIR_EMEMORY.
std::unique_ptr<Netcdf4Metadata> define_netcdf4(const std::string& path, const Schema& schema);

// What the module shows: nullptr and the status where it fails.
using DefineNetcdf4 = Netcdf4Metadata*(const std::string& path, const Schema& schema, Status& status);

// The file `path` again, whose definitions are this schema. Throws Error: WEIR_EFORMAT (HDF5 refuses, or made it in a
// way that an unfinished commit would lock others out of; as above), WEIR_EMEMORY.
std::unique_ptr<Netcdf4Metadata> reopen_netcdf4(const std::string& path, const Schema& schema,
                                                const Netcdf4Existing& existing);

using ReopenNetcdf4 = Netcdf4Metadata*(const std::string& path, const Schema& schema, const Netcdf4Existing& existing,
                                       Status& status);

// What of the file `path`, which has the definitions `before`, is to be other so that it has those of `after`; the file
// stays as it is. Throws Error: as define_netcdf4, WEIR_EIO.
MetadataUpdate redefined_netcdf4(const std::string& path, const Schema& before, const Schema& after);

using RedefineNetcdf4 = void(const std::string& path, const Schema& before, const Schema& after, MetadataUpdate& update,
                             Status& status);

struct StoredTables;

// Variables of strings: those of up to 1 MiB as text, with one dimension more, of which the file knows nothing; or
// none.
enum class StringVariables { as_text, left_out };

// The description of an existing file. Throws Error: WEIR_EFORMAT (netCDF-C or HDF5 refuses; as above), WEIR_EMEMORY.
StoredTables read_netcdf4(const std::string& path, StringVariables strings);

using ReadNetcdf4 = void(const std::string& path, StringVariables strings, StoredTables& tables, Status& status);

}  // namespace weir
