// SPDX-License-Identifier: Apache-2.0
#include "formats/chunked/deferred_values.hpp"

#include <algorithm>

#include "base/archive.hpp"

namespace weir {

void DeferredValues::add(const Head& head, const std::byte* values) {
  ArchiveWriter archive(bytes_);
  archive(head);
  archive.raw({values, static_cast<std::size_t>(head.bytes)});
}

std::vector<KeptValues> in_order(std::span<const std::byte> notes) {
  std::vector<KeptValues> all;
  for (ArchiveReader archive(notes); !archive.at_end();) {
    const auto head = archive.get<DeferredValues::Head>();
    all.push_back({head, archive.take(static_cast<std::size_t>(head.bytes))});
  }
  std::stable_sort(all.begin(), all.end(), [](const KeptValues& one, const KeptValues& other) {
    return one.head.generation < other.head.generation;
  });
  return all;
}

}  // namespace weir
