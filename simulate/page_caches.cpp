// SPDX-License-Identifier: Apache-2.0
#include "simulate/page_caches.hpp"

#include <algorithm>

namespace weir::simulate {

std::int64_t PageCaches::read(int node, std::int64_t first, std::int64_t last) {
  auto& ranges = nodes_[static_cast<std::size_t>(node)];
  std::int64_t missing = last - first;
  auto range = ranges.upper_bound(first);
  if (range != ranges.begin() && std::prev(range)->second >= first) --range;
  std::int64_t begin = first, end = last;
  while (range != ranges.end() && range->first <= last) {
    missing -= std::max<std::int64_t>(0, std::min(last, range->second) - std::max(first, range->first));
    begin = std::min(begin, range->first);
    end = std::max(end, range->second);
    range = ranges.erase(range);
  }
  ranges.emplace(begin, end);
  return missing;
}

}  // namespace weir::simulate
