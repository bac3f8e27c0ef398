// SPDX-License-Identifier: Apache-2.0
#include "process_memory.hpp"

#include <malloc.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace weir::bench {
namespace {

std::optional<std::int64_t> status_bytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::int64_t kibibytes = 0;
    if (word == key + ":" && status >> kibibytes) return kibibytes * 1024;
  }
  return std::nullopt;
}

// Writing 5 resets the peak of the resident set: proc(5).
bool reset_high_water() {
  std::ofstream clear("/proc/self/clear_refs");
  clear << "5" << std::flush;
  return clear.good();
}

}  // namespace

MemoryWatch::MemoryWatch() {
  malloc_trim(0);
  if (reset_high_water()) before_bytes_ = status_bytes("VmRSS");
}

std::optional<std::int64_t> MemoryWatch::growth_bytes() const {
  const auto peak = status_bytes("VmHWM");
  if (!before_bytes_ || !peak) return std::nullopt;
  return std::max<std::int64_t>(0, *peak - *before_bytes_);
}

}  // namespace weir::bench
