// SPDX-License-Identifier: Apache-2.0
// The library behind a bridge: the one that the program was built with. A bridge exports that library's names, comes
// before it in the order of symbols (preloaded, or linked first), and finds its functions behind its own.
// Include this in a bridge's own code: "behind" is as seen from the library that this is linked into.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <string>

namespace weir::bridge {

// The function of this name behind the bridge; nullptr where there is none. Local.
template <class Function>
Function* find_original(const char* name) noexcept {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

// Whether the library behind is of the series ("1.12" of "1.12.3") that the bridge was built with; where it is not, one
// line on standard error says so, once, and the bridge leaves all files to it. Local.
bool is_built_for(const char* bridge, const std::string& found, const std::string& built);

// Whether `address`, a return address, lies in Weir's own library: what Weir itself asks of the library behind is none
// of a bridge's business. Local.
bool called_by_weir(const void* address) noexcept;

}  // namespace weir::bridge
