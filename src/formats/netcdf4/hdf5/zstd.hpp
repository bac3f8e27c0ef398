// SPDX-License-Identifier: Apache-2.0
// HDF5's filter 32015 for this process, if zstd was found when Weir was built: netCDF-C defines only available filters,
// and few machines have the plugin on their compute nodes.
#pragma once

namespace weir {

void register_zstd();

}  // namespace weir
