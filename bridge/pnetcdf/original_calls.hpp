// SPDX-License-Identifier: Apache-2.0
// The functions of the underlying PnetCDF, by their names.
#pragma once

#include <pnetcdf.h>

#include <cstdio>

#include "core/original.hpp"

// The function of this name behind the bridge, looked up once.
#define WEIR_ORIGINAL(name)                                                       \
  ([]() noexcept {                                                                \
    static const auto found = ::weir::bridge::original_of<decltype(name)>(#name); \
    return found;                                                                 \
  }())
// How a function is defined that the bridge puts before PnetCDF's.
#define WEIR_BRIDGED extern "C" __attribute__((visibility("default"))) int

namespace weir::bridge {

// What stands in for a function that the underlying library lacks: a program that calls it was built with another one.
template <class Function>
struct Missing;
template <class... Arguments>
struct Missing<int(Arguments...)> {
  static int call(Arguments...) noexcept {
    std::fputs(
        "weir_pnetcdf: the underlying library lacks a function that the program calls; run the program with the "
        "PnetCDF that it was built with\n",
        stderr);
    return NC_ENOTSUPPORT;
  }
};

template <class Function>
Function* original_of(const char* name) noexcept {
  Function* const found = find_original<Function>(name);
  return found != nullptr ? found : &Missing<Function>::call;
}

}  // namespace weir::bridge
