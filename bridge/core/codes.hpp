// SPDX-License-Identifier: Apache-2.0
// The codes that a program gets when Weir fails beneath it: those that PnetCDF has for such errors. Local.
#pragma once

#include "base/error.hpp"

namespace weir::bridge {

int netcdf_code(const Status& problem);
// Of a call that cannot be done in a file that Weir makes: PnetCDF's NC_ENOTSUPPORT.
constexpr int not_supported_code = -214;
// Where ranks have defined different files: PnetCDF's NC_EMULTIDEFINE.
constexpr int differing_code = -250;

}  // namespace weir::bridge
