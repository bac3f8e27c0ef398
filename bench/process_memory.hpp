// SPDX-License-Identifier: Apache-2.0
// How much the memory of this process grew at its highest, from Linux's /proc. Local.
#pragma once

#include <cstdint>
#include <optional>

namespace weir::bench {

class MemoryWatch {
 public:
  // Returns free memory to the system, forgets the earlier high-water mark, and notes what is in use now.
  MemoryWatch();
  // The high-water mark since then, above what was in use; nullopt where the kernel does not let it be measured.
  [[nodiscard]] std::optional<std::int64_t> growth_bytes() const;

 private:
  std::optional<std::int64_t> before_bytes_;
};

}  // namespace weir::bench
