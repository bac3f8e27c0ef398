// SPDX-License-Identifier: Apache-2.0
// The underlying library of a bridge: the one that the program was built with. A bridge exports that library's names,
// precedes it in symbol order (preloaded, or linked first), and finds its functions as the next definitions of these
// symbols. A static library is a part of the program, which precedes the bridge: the linker has then sent the program's
// calls to the bridge by other names (cmake/BridgeNames.cmake). Include this in a bridge's own code: "next" is relative
// to the library that this is linked into.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <string>

namespace weir::bridge {

// The function of this name in what precedes the bridge: in the program, which has a static library, or in a library,
// if another bridge brought this one along. nullptr where it has none. Local.
void* find_preceding(const char* name) noexcept;

// The underlying library's function of this name; nullptr where there is none. Local.
template <class Function>
Function* find_original(const char* name) noexcept {
  void* const preceding = find_preceding(name);
  return reinterpret_cast<Function*>(preceding != nullptr ? preceding : ::dlsym(RTLD_NEXT, name));
}

// Who says once what all ranks find: rank 0 of the job, and where MPI does not run each process for itself. Local.
bool speaks();

// Whether a function is this bridge's own: none was found behind it. Local.
bool is_own(const void* function) noexcept;

// Whether the MPI that the program runs is one that this bridge was built with; where it is not, one line on standard
// error says so, once, and nothing of the bridge may call MPI. Local.
bool runs_own_mpi(const char* bridge);

// Whether the bridge may stand on an underlying library of this version: one of the series ("1.12" of "1.12.3") that it
// was built with, or a later one of that number ("1.15.0"). Where it may not, one line on standard error says so, once,
// and the bridge leaves all files to it. As well where runs_own_mpi() says no. Local.
bool is_built_for(const char* bridge, const std::string& found, const std::string& built);

// Whether a library is of a later series than that of another version. Local.
bool is_newer(const std::string& found, const std::string& other);

// "1.12.3" of "1.12.3 of 21 Jan 2022", as the library's function of this name has it; "" where there is none. Local.
std::string version_of_original(const char* inquiry);

// Whether `address`, a return address, lies in this bridge, in libweir.so or in a module of it: what Weir itself asks
// of the underlying library is none of a bridge's business. Local.
bool called_by_weir(const void* address) noexcept;

}  // namespace weir::bridge
