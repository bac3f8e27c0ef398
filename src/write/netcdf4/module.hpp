// SPDX-License-Identifier: Apache-2.0
// Whether this build has netCDF-4. Local.
#pragma once

namespace weir {

bool has_netcdf4() noexcept;

}  // namespace weir
