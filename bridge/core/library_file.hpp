// SPDX-License-Identifier: Apache-2.0
// A carried file that the library behind keeps: Weir attaches to it by its name, brings data to the places that the
// library has laid out, and lets go of it before the library changes it.
//
// The file is never cut off: before its header tells of fixed variables, or of records, it is as long as they are.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/carried.hpp"
#include "core/loose_pieces.hpp"
#include "core/named_file.hpp"

namespace weir::bridge {

class LibraryFile {
 public:
  // `named`: it, on the group's rank 0.
  LibraryFile(Carried& carried, std::unique_ptr<NamedFile> named);

  // The Weir that carries; false where there can be none. Collective; alike on all ranks.
  bool begin();
  // After begin(), on all ranks; each learns by the next reduction how it went on the others. Local.
  Status attach();
  // Some rank could not attach. Collective.
  void give_up(const Status& here);
  // All of that: whether the file can be carried at all. Throws Error where ranks do not come. Collective.
  bool open();

  // Before the first put it becomes as long as its header says.
  void begin_to_put() {
    if (whole_records_ < 0) lengthen(carried_.file->open_file().output->geometry().records);
  }
  // Puts what all ranks hold of a record by this layout; Reason::overlap: ranks hold the same elements. Collective.
  Outcome carry(const Key& key, int layout, const Share* share);
  // Puts pieces that are few and new. Collective.
  Outcome put_loose(std::span<const Share> shares);
  // What was put reaches so far in the file.
  void reach(std::int64_t end) noexcept { end_ = std::max(end_, end); }
  void reach_record(int var, std::int64_t record);

  // All that was put is in the file, where the library behind (and any reader) sees it; where `durable`, also on
  // storage. Nothing happens where nothing was put. Collective.
  Status land(bool durable);
  // land(), and the file is the library's alone until the next put: before the library changes it, or lays the file out
  // anew. Collective.
  Status detach(bool durable);
  // The file is as long as its header may then say: with so many records. No rank goes on before it is: what another
  // one writes behind the end would be cut off. Collective.
  void lengthen(std::int64_t records);
  // It is as long again as what was put makes it, before the library writes data by itself, on any rank. Collective;
  // where nothing was lengthened, ranks do not meet.
  void shorten();

 private:
  void land_now(bool durable);
  Status store();

  Carried& carried_;
  std::unique_ptr<NamedFile> named_;  // on rank 0
  bool given_up_ = false;
  std::int64_t whole_records_ = -1;  // the file is as long as so many make it; -1: as the library leaves it
  std::int64_t end_ = 0;             // of all that was put
  bool unstored_ = false;            // it was let go of with data that no land() has brought to storage
  LoosePieces loose_;                // that have not landed
};

}  // namespace weir::bridge
