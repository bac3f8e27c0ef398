// SPDX-License-Identifier: Apache-2.0
// The boundary between a program's calls and Weir: no exception crosses it. An error within a call is printed on
// standard error, and the call returns PnetCDF's code for it (or ends the program, where the underlying library does
// so). After a timeout no rank waits for the others again: each rank that waited says so, the group is abandoned, and
// later calls on its files return that code at once.
#pragma once

#include "base/error.hpp"
#include "core/library_call.hpp"
#include "core/rank_group.hpp"

namespace weir::bridge {

// Throws on what says that ranks did not come: they do not know the same any more. Local.
inline void raise_if_diverged(const Status& problem) {
  if (ends_instance(problem.code)) problem.raise();
}

// A call that is on no file of Weir's. As collective as `body`.
int at_border(const char* bridge, LibraryCall body) noexcept;

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
  int call(LibraryCall body) noexcept;
  // The last one: `close` makes the library's call, `original`, somewhere on its way; where it does not come there,
  // that is made all the same, and frees what is the library's own. As collective as these.
  template <class Close>
  int end(const Close& close, LibraryCall original) noexcept {
    bool closed = false;
    const auto once = [&] { return closed = true, original(); };
    const int code = call([&] { return close(LibraryCall(once)); });
    if (!closed) static_cast<void>(original());
    return code;
  }

 protected:
  // What the program gets for a failure: all ranks have found the same, and rank 0 says it, once. Local.
  int fail(const Status& problem) noexcept;
  // Where only this rank has met it. Local.
  int fail_here(const Status& problem) noexcept;
  // A code, or the program's end. Local.
  virtual int end_with(int code) const noexcept { return code; }

 private:
  RankGroup& group_;
  bool told_ = false;
};

}  // namespace weir::bridge
