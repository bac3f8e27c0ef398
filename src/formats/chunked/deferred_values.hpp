// SPDX-License-Identifier: Apache-2.0
// Values that share a chunk with other records, so that no rank can write them by itself: their holders store them, and
// a commit gathers all of them on rank 0, which writes them. chunked/packed_file.hpp uses it. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace weir {

// The largest record that is stored so, of an existing variable in another form than writers pack.
inline constexpr std::int64_t most_noted_bytes = 1 << 20;

// The values that a rank stores, as they travel.
class DeferredValues {
 public:
  // What the values are of.
  struct Head {
    std::int64_t var, record;
    std::int64_t generation;    // larger for a later put
    std::int64_t first, bytes;  // of the record: first byte and length; big-endian elements follow
  };
  void add(const Head& head, const std::byte* values);
  std::int64_t bytes() const noexcept { return std::ssize(bytes_); }
  std::vector<std::byte> take() noexcept { return std::exchange(bytes_, {}); }

 private:
  std::vector<std::byte> bytes_;
};

// Values, and what they are of; the values are in `notes` of in_order().
struct KeptValues {
  DeferredValues::Head head;
  std::span<const std::byte> values;
};
// Returns what was stored, later puts last.
std::vector<KeptValues> in_order(std::span<const std::byte> notes);

}  // namespace weir
