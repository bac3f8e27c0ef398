// SPDX-License-Identifier: Apache-2.0
// The two libraries beneath this bridge: the netCDF that the program was built with, which gets the calls that are not
// the bridge's, and PnetCDF as the other bridge offers it (libweir_pnetcdf.so), which gets the calls on the bridge's
// files.
#pragma once

namespace weir::bridge {

// The function of this name; nullptr where PnetCDF has none. Where no netCDF has it a line on standard error says so,
// and the function found in its place answers NC_ENOTBUILT. Local.
void* netcdf_function(const char* name) noexcept;
void* pnetcdf_function(const char* name) noexcept;

}  // namespace weir::bridge

// The function NAME of the library, looked up once.
#define WEIR_NETCDF(NAME)                                                                                    \
  ([]() -> decltype(&::NAME) {                                                                               \
    static const auto looked_up = reinterpret_cast<decltype(&::NAME)>(weir::bridge::netcdf_function(#NAME)); \
    return looked_up;                                                                                        \
  }())
#define WEIR_PNETCDF(NAME)                                                                                  \
  ([]() -> decltype(&NAME) {                                                                                \
    static const auto looked_up = reinterpret_cast<decltype(&NAME)>(weir::bridge::pnetcdf_function(#NAME)); \
    return looked_up;                                                                                       \
  }())
