// SPDX-License-Identifier: Apache-2.0
#include "core/border.hpp"

#include <cstdio>
#include <utility>

#include "base/error.hpp"
#include "core/codes.hpp"

namespace weir::bridge {

int at_border(const char* bridge, LibraryCall body) noexcept try { return body(); } catch (...) {
  const Status problem = caught();
  std::fprintf(stderr, "%s: %s\n", bridge, problem.message.c_str());
  return netcdf_code(problem);
}

int Border::call(LibraryCall body) noexcept try {
  group_.broken().raise();
  return body();
} catch (...) {
  return fail_here(caught());
}

// Rank 0 may be one of those that did not come.
int Border::fail(const Status& problem) noexcept {
  if (ends_instance(problem.code) || group_.comm().rank() == 0) return fail_here(problem);
  return end_with(netcdf_code(problem));
}

// Of what a group was given up for its other files say nothing more.
int Border::fail_here(const Status& problem) noexcept {
  const bool known = !group_.broken().ok();
  if (!known && !std::exchange(told_, true)) group_.process().say(problem.message);
  if (!known && ends_instance(problem.code)) group_.abandon(problem);
  return end_with(netcdf_code(problem));
}

}  // namespace weir::bridge
