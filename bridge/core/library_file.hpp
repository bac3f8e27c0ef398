// SPDX-License-Identifier: Apache-2.0
// A file that the underlying library keeps: Weir attaches to it by its name, writes data at the offsets that the
// library has chosen, and detaches before the library changes the file.
//
// The file is never shorter than its header says: before the header counts fixed variables or records, the file is as
// long as they need.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/named_file.hpp"
#include "core/small_writes.hpp"
#include "core/writer_state.hpp"

namespace weir::bridge {

// The bytes of one, of any type of classic files.
using Element = std::array<std::byte, 8>;

class LibraryFile {
 public:
  // `named`: it, on the group's rank 0.
  LibraryFile(WriterState& writer_state, std::unique_ptr<NamedFile> named);

  // The instance that writes; false where there can be none. Collective; alike on all ranks.
  bool begin();
  // After begin(), on all ranks; each learns by the next reduction how it went on the others. Local.
  Status attach();
  // Some rank could not attach. Collective.
  void give_up(const Status& here);
  // All of that: whether Weir can write the file at all. Throws Error where ranks do not come. Collective.
  bool open();

  // Before the first put it becomes as long as its header says.
  void begin_to_put() {
    if (whole_records_ < 0) lengthen(writer_state_.file->open_file().output->geometry().records);
  }
  // Puts what all ranks hold of a record by this layout; Reason::overlap: ranks hold the same elements. Collective.
  Outcome carry(const Key& key, int layout, const Share* share);
  // Puts pieces that are few and new. Collective.
  Outcome put_small(std::span<const Share> shares);
  // What was put reaches so far in the file.
  void reach(std::int64_t end) noexcept { end_ = std::max(end_, end); }
  void reach_record(int var, std::int64_t record);
  // The first element of a record as it is in the file, in this processor's byte order. Throws Error where the file
  // cannot be read. For the group's rank 0. Local.
  Element read_first_element(int var, std::int64_t record) const;

  // All that was put is in the file, where the underlying library (and any reader) sees it; where `durable`, also on
  // storage. Nothing happens where nothing was put. Collective.
  Status flush_to_library(bool durable);
  // flush_to_library(), and the file is the library's alone until the next put: before the library changes it, or lays
  // the file out anew. Collective.
  Status detach(bool durable);
  // The file is as long as its header may then say: with so many records. No rank goes on before it is: what another
  // one writes behind the end would be cut off. Collective.
  void lengthen(std::int64_t records);
  // It is as long again as what was put makes it, before the library writes data by itself, on any rank. Collective;
  // where nothing was lengthened, ranks do not meet.
  void shorten();

 private:
  void flush_now(bool durable);
  Status store();

  WriterState& writer_state_;
  std::unique_ptr<NamedFile> named_;  // on rank 0
  bool given_up_ = false;
  std::int64_t whole_records_ = -1;  // the file is as long as so many make it; -1: as the library leaves it
  std::int64_t end_ = 0;             // of all that was put
  bool unstored_ = false;            // it was let go of with data that no flush_to_library() has brought to storage
  SmallWrites small_writes_;         // that are not flushed
};

}  // namespace weir::bridge
