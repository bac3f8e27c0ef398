// SPDX-License-Identifier: Apache-2.0
// What whoever loads this module compares with its own (write/netcdf4/module.cpp), and calls nothing before.
#include "netcdf4_border.hpp"

extern "C" __attribute__((visibility("default"))) const char weir_netcdf4_border[] = WEIR_NETCDF4_BORDER;
