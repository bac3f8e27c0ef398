// SPDX-License-Identifier: Apache-2.0
// PIO behind the bridge: its functions by their names. What PIO calls of itself while it is in one of them is none of
// the bridge's business, whether the linker lets the bridge see it (a shared PIO) or not (a static one, within one
// object).
#pragma once

#include <cstdio>
#include <utility>

#include "core/original.hpp"
#include "pio/interface.h"

// How a function is defined that the bridge puts before PIO's.
#define WEIR_BRIDGED extern "C" __attribute__((visibility("default"))) int

// PIO's function of this name, looked up once.
#define WEIR_PIO(NAME)                                                             \
  ([]() noexcept {                                                                 \
    static const auto found = ::weir::bridge::pio_function<decltype(NAME)>(#NAME); \
    return found;                                                                  \
  }())

namespace weir::bridge {

// Calls of PIO's that this rank is in. PIO is called by one thread.
inline int calls_inside = 0;

template <class Function>
struct PioFunction;
template <class... Parameters>
struct PioFunction<int(Parameters...)> {
  int (*function)(Parameters...);

  int operator()(Parameters... arguments) const {
    if (function == nullptr) return -128;  // netCDF's "was not built"
    ++calls_inside;
    const int code = function(std::forward<Parameters>(arguments)...);
    --calls_inside;
    return code;
  }
};

template <class Function>
PioFunction<Function> pio_function(const char* name) noexcept {
  Function* const found = find_original<Function>(name);
  if (found != nullptr && !is_own(reinterpret_cast<const void*>(found))) return {found};
  std::fprintf(stderr,
               "weir_pio: the bridge found no PIO library that has %s: link the program with PIO too and, if PIO is a "
               "static library, with the flags in weir_pio.link\n",
               name);
  return {nullptr};
}

}  // namespace weir::bridge
