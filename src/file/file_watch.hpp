// SPDX-License-Identifier: Apache-2.0
// What follows a program's puts into a file that it has created: streams that take their samples from it
// (streams/feeds.hpp).
#pragma once

#include <cstdint>

#include "engine/request.hpp"
#include "schema/types.hpp"

namespace weir {

// All ranks make the same calls in the same order. Errors are the same on all ranks.
// Thread: the thread of the rank's calls.
class FileWatch {
 public:
  virtual ~FileWatch() = default;

  // Whether what is put into this variable is seen by put(), and not written. Local.
  virtual bool drops(const OpenFile& file, int var) const = 0;
  // Sees this rank's part of a record, which was put, or dropped. `values` are the caller's again on return.
  // Collective. Errors: of what is made of it; the file itself goes on.
  virtual void put(const OpenFile& file, int var, std::int64_t record, int layout, Type type, const void* values) = 0;
  // The program closes the file. As put().
  virtual void close(const OpenFile& file) = 0;
  // The same of a file that has failed, of which nothing more can be made. Local.
  virtual void forget(const OpenFile& file) noexcept = 0;
};

}  // namespace weir
