// SPDX-License-Identifier: Apache-2.0
// The identity of this module, which its loader compares with its own (formats/netcdf4/module.cpp) before it calls
// anything else.
#include "netcdf4_border.hpp"

extern "C" __attribute__((visibility("default"))) const char weir_netcdf4_border[] = WEIR_NETCDF4_BORDER;
