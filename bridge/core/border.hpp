// SPDX-License-Identifier: Apache-2.0
// The border between a program's calls and Weir: no exception crosses it. What is thrown within a call is said on
// standard error, and the call returns the code that PnetCDF has for it (or ends the program, where the library behind
// does so). Where the ranks of a group have not all come in time, nobody waits for them again: each rank that waited
// says so, the group is given up, and later calls on its files give that code at once.
#pragma once

#include "base/error.hpp"
#include "core/again.hpp"
#include "core/rank_group.hpp"

namespace weir::bridge {

// Throws on what says that ranks did not come: they do not know the same any more. Local.
inline void raise_if_parted(const Status& trouble) {
  if (ends_instance(trouble.code)) trouble.raise();
}

// A call that is on no file of Weir's. As collective as `body`.
int at_border(const char* bridge, Again body) noexcept;

// The side of it that a file is on, or, for as long as a call takes, what makes or opens one.
class Border {
 public:
  // Outlived by the group.
  explicit Border(RankGroup& group) noexcept : group_(group) {}
  virtual ~Border() = default;
  Border(const Border&) = delete;
  Border& operator=(const Border&) = delete;

  // A call of the program's: `body`, with what it throws made a sentence and a code; that code at once where ranks did
  // not come before. As collective as `body`.
  int call(Again body) noexcept;
  // The last one: `close` makes the library's call, `original`, somewhere on its way; where it does not come there,
  // that is made all the same, and frees what is the library's own. As collective as these.
  template <class Close>
  int end(const Close& close, Again original) noexcept {
    bool closed = false;
    const auto once = [&] { return closed = true, original(); };
    const int code = call([&] { return close(Again(once)); });
    if (!closed) static_cast<void>(original());
    return code;
  }

 protected:
  // What the program gets for a failure: all ranks have found the same, and rank 0 says it, once. Local.
  int fail(const Status& trouble) noexcept;
  // Where only this rank has met it. Local.
  int fail_here(const Status& trouble) noexcept;
  // A code, or the program's end. Local.
  virtual int end_with(int code) const noexcept { return code; }

 private:
  RankGroup& group_;
  bool told_ = false;
};

}  // namespace weir::bridge
