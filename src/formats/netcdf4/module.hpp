// SPDX-License-Identifier: Apache-2.0
// The netCDF-4 module: whether this build has one, and loading it. Local.
#pragma once

#include <cstdint>
#include <string>

namespace weir {

bool has_netcdf4() noexcept;

enum class Netcdf4Use : std::uint8_t { make, append, redefine, read };

// Loads it, for what is to be done with the file `path`. By the rank's own thread, before a thread besides it calls one
// of the functions that the module does (metadata.hpp): an HDF5 over MPI asks MPI for something when it begins.
// Throws Error(WEIR_EFORMAT): this build has no netCDF-4, the module does not load or is of another build, or the
// program has another HDF5 than Weir was built with.
void load_netcdf4(const std::string& path, Netcdf4Use use);

}  // namespace weir
