// SPDX-License-Identifier: Apache-2.0
#include "netcdf/libraries.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "core/original.hpp"

namespace weir::bridge {

namespace {

// "libnetcdf" or "libnetcdf_mpi" and then the end of the name, a version, or a wheel's hash: not libnetcdff, not
// libnetcdf_c++4, and not this library.
bool is_netcdf(const char* path) {
  const char* const slash = std::strrchr(path, '/');
  std::string_view name = slash ? slash + 1 : path;
  if (!name.starts_with("libnetcdf")) return false;
  name.remove_prefix(std::strlen("libnetcdf"));
  return name.starts_with(".") || name.starts_with("-") || name.starts_with("_mpi.") || name.starts_with("_mpi-");
}

// A library that Python loads for one of its modules is not in the scope of all symbols; it is found by its name.
void* loaded_netcdf() noexcept {
  std::string found;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* path) {
        if (!is_netcdf(object->dlpi_name)) return 0;
        *static_cast<std::string*>(path) = object->dlpi_name;
        return 1;
      },
      &found);
  return found.empty() ? nullptr : ::dlopen(found.c_str(), RTLD_LAZY | RTLD_NOLOAD);
}

// A linker that leaves out libraries of which it needs nothing leaves netCDF out behind the bridge, which has all
// names.
void* installed_netcdf() noexcept {
  for (const char* const name : {"libnetcdf.so", "libnetcdf.so.19", "libnetcdf.so.22", "libnetcdf_mpi.so.19"})
    if (void* const library = ::dlopen(name, RTLD_LAZY | RTLD_LOCAL)) return library;
  return nullptr;
}

// Where there is no netCDF at all: NC_ENOTBUILT to every call, and words for it.
int not_built() {
  return -128;
}
const char* not_built_words(int) {
  return "the bridge found no netCDF library";
}

void* other_bridge() noexcept {
  return ::dlopen(WEIR_PNETCDF_BRIDGE, RTLD_LAZY | RTLD_NOLOAD);
}

}  // namespace

void* netcdf_function(const char* name) noexcept {
  if (void* const preceding = find_preceding(name)) return preceding;
  if (void* const next = ::dlsym(RTLD_NEXT, name)) return next;
  static void* const loaded = loaded_netcdf();
  static void* const library = loaded != nullptr ? loaded : installed_netcdf();
  if (library != nullptr)
    if (void* const found = ::dlsym(library, name)) return found;
  std::fprintf(stderr, "weir_netcdf: no netCDF library has %s: link the program with -lnetcdf too\n", name);
  return std::strcmp(name, "nc_strerror") == 0 ? reinterpret_cast<void*>(&not_built_words)
                                               : reinterpret_cast<void*>(&not_built);
}

void* pnetcdf_function(const char* name) noexcept {
  static void* const bridge = other_bridge();
  return ::dlsym(bridge != nullptr ? bridge : RTLD_DEFAULT, name);
}

}  // namespace weir::bridge
