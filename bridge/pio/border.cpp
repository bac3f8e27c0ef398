// SPDX-License-Identifier: Apache-2.0
#include "pio/border.hpp"

#include <cstdio>

#include "core/codes.hpp"
#include "pio/original_calls.hpp"
#include "pio/written_file.hpp"

namespace weir::bridge {

Status status_of_exception() noexcept try { throw; } catch (const Error& error) {
  return {error.code(), error.what(), -1};
} catch (const std::exception& error) {
  return {WEIR_EINTERNAL, error.what(), -1};
}

int end_with(int code, int error_method) noexcept {
  if (error_method == PIO_INTERNAL_ERROR) MPI_Abort(MPI_COMM_WORLD, 1);
  return code;
}

int at_file(int file, Again body) noexcept {
  if (WrittenFile* const known = called_file(file)) return known->call(body);
  try {
    return body();
  } catch (...) {
    const Status trouble = status_of_exception();
    if (Process* const here = process()) here->say(trouble.message);
    return netcdf_code(trouble);
  }
}

int at_system(int system, Again body) noexcept {
  System* const known = calls_inside == 0 ? system_of(system) : nullptr;
  try {
    if (known != nullptr) known->group->broken().raise();
    return body();
  } catch (...) {
    const Status trouble = status_of_exception();
    if (known == nullptr) return netcdf_code(trouble);
    const bool known_before = !known->group->broken().ok();
    if (!known_before) known->group->process().say(trouble.message);
    if (!known_before && ends_instance(trouble.code)) known->group->abandon(trouble);
    return end_with(netcdf_code(trouble), known->error_method);
  }
}

}  // namespace weir::bridge
