// SPDX-License-Identifier: Apache-2.0
// Opens an existing file: rank 0 reads its definitions and sends them to all ranks.
#pragma once

#include <string_view>

#include "file/file_state.hpp"

namespace weir {

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
