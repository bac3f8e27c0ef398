// SPDX-License-Identifier: Apache-2.0
#include "plan/file_runs.hpp"

#include <algorithm>
#include <cstdlib>

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

namespace {

constexpr std::int64_t least_alignment = 64 << 10;
constexpr std::int64_t usual_window = 4 << 20;
// Where no rank's runs are shorter on average, nothing is gained by joining.
constexpr std::int64_t long_run_bytes = 1 << 20;

std::int64_t number_of(const IoHints& hints, const char* name, std::int64_t otherwise) {
  const auto found = hints.find(name);
  const std::int64_t value = found == hints.end() ? 0 : std::atoll(found->second.c_str());
  return value > 0 ? value : otherwise;
}

}  // namespace

bool are_short_runs(std::int64_t bytes, std::int64_t runs) noexcept {
  return runs > 0 && bytes / runs < long_run_bytes;
}

JoinHint join_hint(const IoHints& hints) {
  const auto found = hints.find("romio_cb_write");
  if (found == hints.end()) return JoinHint::by_runs;
  if (found->second == "disable") return JoinHint::never;
  return found->second == "enable" ? JoinHint::always : JoinHint::by_runs;
}

int joining_ranks(const IoHints& hints, int hosts, int ranks) {
  return static_cast<int>(std::min<std::int64_t>(number_of(hints, "cb_nodes", hosts), ranks));
}

Windows joining_windows(const IoHints& hints, std::int64_t stripe_bytes) {
  const std::int64_t alignment = std::max(stripe_bytes, least_alignment);
  const std::int64_t window = number_of(hints, "cb_buffer_size", usual_window);
  return {alignment, (window + alignment - 1) / alignment * alignment};
}

}  // namespace weir
