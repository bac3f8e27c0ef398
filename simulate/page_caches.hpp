// SPDX-License-Identifier: Apache-2.0
// What the nodes of a job have read of a file: each byte comes from storage once a node. Pure, Local.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace weir::simulate {

class PageCaches {
 public:
  explicit PageCaches(int nodes) : nodes_(static_cast<std::size_t>(nodes)) {}
  // A rank of the node reads these bytes: how many of them were not there.
  std::int64_t read(int node, std::int64_t first, std::int64_t last);

 private:
  std::vector<std::map<std::int64_t, std::int64_t>> nodes_;  // ranges that are there: first byte, one past the last
};

}  // namespace weir::simulate
