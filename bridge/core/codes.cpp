// SPDX-License-Identifier: Apache-2.0
#include "core/codes.hpp"

#include <pnetcdf.h>

namespace weir::bridge {

static_assert(not_supported_code == NC_ENOTSUPPORT && differing_code == NC_EMULTIDEFINE);

int netcdf_code(const Status& problem) {
  if (problem.code == WEIR_EMEMORY) return NC_ENOMEM;
  if (problem.code == WEIR_EMISMATCH) return NC_EMULTIDEFINE;
  const bool full = problem.message.find("No space left") != std::string::npos;
  const bool quota = problem.message.find("quota") != std::string::npos;
  return full ? NC_ENO_SPACE : (quota ? NC_EQUOTA : NC_EWRITE);
}

}  // namespace weir::bridge
