// SPDX-License-Identifier: Apache-2.0
// How a file that is there is opened, and the sources by which it is read.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "file/file_state.hpp"
#include "formats/chunked/chunked_source.hpp"
#include "formats/tile_source.hpp"

namespace weir {

// The sources of tiles by which a file is read: one for collective reads, and one for reads of this rank alone. Each is
// opened once, by the first rank that reads from it.

class Sources {
 public:
  explicit Sources(FileState& state) : state_(state) {}

  std::shared_ptr<TileSource> of_all();
  // Of a file that has tables.
  std::shared_ptr<ChunkedSource> of_this_rank();
  // What is read later sees what is in the file then. By the thread that makes calls to storage. Local.
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

  // Fills the file's schema and what was found. Collective; throws the same Error on all ranks.
  void read(int mode);
  // The same of a file that has just got new definitions, which are the schema's: the file must have their variables.
  void read_again();

 private:
  void read(int mode, std::string_view verb, Status status);
  DefinedFile read_definition(int mode);
  DefinedFile read_tables(const FileIdentity& identity, StringVariables strings);
  DefinedFile take_tables(StoredTables tables, int format, const FileIdentity& identity);

  FileState& state_;
  const Context& context_;
  OpenFile& file_;
  FoundFile& found_;
};

}  // namespace weir
