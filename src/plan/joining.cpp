// SPDX-License-Identifier: Apache-2.0
#include "plan/joining.hpp"

#include <algorithm>
#include <cstdlib>

namespace weir {

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
