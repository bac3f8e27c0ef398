// SPDX-License-Identifier: Apache-2.0
// Values that no rank writes by itself, because they share a chunk with other records: their holders store them, and a
// commit gathers all of them on rank 0, which writes them. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace weir {

// Of a record of a variable that was there in another form than writers pack: it may not be larger to be noted.
inline constexpr std::int64_t most_noted_bytes = 1 << 20;

// What a rank notes of the values it holds, as it travels.
class DeferredValues {
 public:
  struct Head {
    std::int64_t var, record;
    std::int64_t generation;    // larger where the same was put later
    std::int64_t first, bytes;  // of the record: the byte it begins with; big-endian elements follow
  };
  void add(const Head& head, const std::byte* values);
  std::int64_t bytes() const noexcept { return std::ssize(bytes_); }
  std::vector<std::byte> take() noexcept { return std::exchange(bytes_, {}); }

 private:
  std::vector<std::byte> bytes_;
};

// What was noted, what was put later behind; the values lie in `notes`.
struct KeptValues {
  DeferredValues::Head head;
  std::span<const std::byte> values;
};
std::vector<KeptValues> in_order(std::span<const std::byte> notes);

}  // namespace weir
