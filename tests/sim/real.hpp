// SPDX-License-Identifier: Apache-2.0
// The system's own function of a name that this program has one of, too.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace sim {

template <class Function>
Function* real(const char* name, const char* version = nullptr) {
  void* found = version ? dlvsym(RTLD_NEXT, name, version) : dlsym(RTLD_NEXT, name);
  if (!found) std::fprintf(stderr, "sim: there is no %s\n", name), std::abort();
  return reinterpret_cast<Function*>(found);
}

}  // namespace sim
