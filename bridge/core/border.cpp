// SPDX-License-Identifier: Apache-2.0
#include "core/border.hpp"

#include <cstdio>
#include <utility>

#include "base/outcome.hpp"
#include "core/codes.hpp"

namespace weir::bridge {

int at_border(const char* bridge, Again body) noexcept try { return body(); } catch (...) {
  const Status trouble = caught();
  std::fprintf(stderr, "%s: %s\n", bridge, trouble.message.c_str());
  return netcdf_code(trouble);
}

int Border::call(Again body) noexcept try {
  group_.broken().raise();
  return body();
} catch (...) {
  return fail_here(caught());
}

// Rank 0 may be one of those that did not come.
int Border::fail(const Status& trouble) noexcept {
  if (ends_instance(trouble.code) || group_.comm().rank() == 0) return fail_here(trouble);
  return end_with(netcdf_code(trouble));
}

// Of what a group was given up for its other files say nothing more.
int Border::fail_here(const Status& trouble) noexcept {
  const bool known = !group_.broken().ok();
  if (!known && !std::exchange(told_, true)) group_.process().say(trouble.message);
  if (!known && ends_instance(trouble.code)) group_.abandon(trouble);
  return end_with(netcdf_code(trouble));
}

}  // namespace weir::bridge
