// SPDX-License-Identifier: Apache-2.0
// Opens a file that exists, and keeps the sources through which it is read. File::open() calls Opening, Gets uses
// Sources. The formats' readers are behind formats/tile_source.hpp.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "file/file_state.hpp"
#include "formats/chunked/chunked_source.hpp"
#include "formats/tile_source.hpp"

namespace weir {

// The sources of tiles of one file: one for collective reads, one for reads of this rank alone. A source opens the file
// at the first read. All methods are Local, for the thread of the rank's calls.
class Sources {
 public:
  explicit Sources(FileState& state) : state_(state) {}

  // Returns the source for collective reads; makes it at the first call.
  std::shared_ptr<TileSource> of_all();
  // Returns the source for reads of this rank alone.
  // Requires: the file is netCDF-4 or Zarr, and its tables are there.
  std::shared_ptr<ChunkedSource> of_this_rank();
  // Drops the sources; the storage thread closes their files. Later reads see the file as it is then.
  void end();

 private:
  std::shared_ptr<ChunkedSource> chunked(std::optional<Descriptor> opened) const;

  FileState& state_;
  std::shared_ptr<TileSource> of_all_;
  std::shared_ptr<ChunkedSource> of_this_rank_;
};

// Opens an existing file: rank 0 reads its definitions and sends them to all ranks.
class Opening {
 public:
  explicit Opening(FileState& state) : state_(state), context_(state.context), file_(state.file), found_(state.found) {}

  // Rolls back or completes an interrupted commit, then fills the schema and FoundFile. A file that is opened to be
  // written loses its marker. `records`: to which the file is to go back.
  // Ensures: all ranks have the same definitions. Rank 0 keeps a file to read open.
  // Collective.
  // Errors: WEIR_EIO if the file is not there, WEIR_EFORMAT if it is not valid, WEIR_EARGUMENT if it has fewer records
  // or is opened to read, WEIR_EMISMATCH if path, mode or records differ; alike on all ranks.
  void read(int mode, std::optional<std::int64_t> records = {});
  // Reads a file again after it has got new definitions.
  // Requires: the schema is the new one.
  // Collective.
  // Errors: as read(); WEIR_EINTERNAL if the file's variables are not the schema's.
  void read_again();

 private:
  void read(int mode, std::string_view verb, Status status, std::optional<std::int64_t> records);
  Status problem_of(int mode, std::int64_t records) const;
  Status forget_marker();
  DefinedFile read_definition(int mode);
  DefinedFile read_tables(const FileIdentity& identity, StringVariables strings);
  DefinedFile take_tables(StoredTables tables, int format, const FileIdentity& identity);

  FileState& state_;
  const Context& context_;
  OpenFile& file_;
  FoundFile& found_;
};

}  // namespace weir
