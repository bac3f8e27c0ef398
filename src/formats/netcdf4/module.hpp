// SPDX-License-Identifier: Apache-2.0
// The netCDF-4 module: whether this build has one, and loading it. Local.
#pragma once

#include <cstdint>
#include <string>

namespace weir {

bool has_netcdf4() noexcept;

// What the module is loaded for.
enum class Netcdf4Use : std::uint8_t { make, append, redefine, read };

// Loads the module. `path` is for messages.
// Requires: no other thread calls a function of netcdf4/metadata.hpp yet: an HDF5 over MPI calls MPI when it starts.
// Thread: the rank's own.
// Errors: WEIR_EFORMAT if this build has no netCDF-4, the module does not load or is of another build, or the program
// has another HDF5 than Weir was built with.
void load_netcdf4(const std::string& path, Netcdf4Use use);

}  // namespace weir
