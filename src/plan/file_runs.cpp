// SPDX-License-Identifier: Apache-2.0
#include "plan/file_runs.hpp"

#include <algorithm>

namespace weir {

std::vector<FileRun> file_runs(const Layout& flat, std::int64_t most_elements) {
  std::vector<FileRun> runs;
  for (std::size_t p = 0; p < flat.pieces().size(); ++p) {
    const Box run = flat.pieces()[p];
    const std::int64_t stride = flat.memory_strides(p)[0];
    for (std::int64_t at = run.lo[0]; at < run.hi[0]; at += most_elements)
      runs.push_back({at, std::min(most_elements, run.hi[0] - at), flat.base(p) + (at - run.lo[0]) * stride, stride});
  }
  std::sort(runs.begin(), runs.end(), [](const FileRun& a, const FileRun& b) { return a.element < b.element; });
  return runs;
}

std::size_t end_of_sieve(const std::vector<FileRun>& runs, std::size_t first, int element_bytes) {
  std::size_t end = first + 1;
  for (; end < runs.size(); ++end) {
    const FileRun &last = runs[end - 1], &next = runs[end];
    if ((next.element - last.element - last.count) * element_bytes > read_over_bytes) break;
    if ((next.element + next.count - runs[first].element) * element_bytes > sieve_bytes) break;
  }
  return end;
}

}  // namespace weir
