// SPDX-License-Identifier: Apache-2.0
// What can be said of one file by itself. Local; throws nothing but for want of memory.
#pragma once

#include <cstdint>
#include <string>

namespace weir::verify {

struct Verdict {
  // cannot_judge: it is missing, unreadable, or of another format, which other programs judge.
  enum class Kind { whole, damaged, cannot_judge };

  Kind kind;
  std::string sentence;
  // Of a whole file: how long it is when it ends with the last record that its header counts, and what stands behind.
  std::int64_t bytes = 0;
  std::int64_t bytes_behind = 0;
};

Verdict judge(const std::string& path);

}  // namespace weir::verify
