// SPDX-License-Identifier: Apache-2.0
// HDF5's filter 32015 for this process, where zstd was found when Weir was built: netCDF-C defines only filters that
// are there, and few machines have the plugin where they write.
#pragma once

namespace weir {

void register_zstd();

}  // namespace weir
