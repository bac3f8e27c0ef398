// SPDX-License-Identifier: Apache-2.0
// The sources of tiles by which a file is read: one for collective reads, and one for reads of this rank alone. Each is
// opened once, by the first rank that reads from it.
#pragma once

#include <memory>
#include <optional>

#include "file/file_state.hpp"
#include "read/chunked_source.hpp"
#include "read/tile_source.hpp"

namespace weir {

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

}  // namespace weir
