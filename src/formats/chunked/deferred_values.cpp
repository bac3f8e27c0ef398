// SPDX-License-Identifier: Apache-2.0
#include "formats/chunked/deferred_values.hpp"

#include <algorithm>
#include <cstring>

namespace weir {

void DeferredValues::add(const Head& head, const std::byte* values) {
  const auto* first = reinterpret_cast<const std::byte*>(&head);
  bytes_.insert(bytes_.end(), first, first + sizeof head);
  bytes_.insert(bytes_.end(), values, values + head.bytes);
}

std::vector<KeptValues> in_order(std::span<const std::byte> notes) {
  std::vector<KeptValues> all;
  while (!notes.empty()) {
    DeferredValues::Head head;
    std::memcpy(&head, notes.data(), sizeof head);
    const auto bytes = static_cast<std::size_t>(head.bytes);
    all.push_back({head, notes.subspan(sizeof head, bytes)});
    notes = notes.subspan(sizeof head + bytes);
  }
  std::stable_sort(all.begin(), all.end(), [](const KeptValues& one, const KeptValues& other) {
    return one.head.generation < other.head.generation;
  });
  return all;
}

}  // namespace weir
