// SPDX-License-Identifier: Apache-2.0
// Finds and loads the module that was built with the HDF5 of this program.
#include "formats/netcdf4/module.hpp"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>
#include <map>
#include <set>
#include <string_view>

#include "base/text.hpp"
#include "formats/netcdf4/metadata.hpp"
#include "formats/stored_array.hpp"
#include "netcdf4_border.hpp"

namespace weir {

namespace {

namespace fs = std::filesystem;

struct Module {
  std::string_view file;
  std::string_view hdf5;  // the name of the HDF5 it was built with, without its version
};
constexpr Module modules[] = {WEIR_NETCDF4_MODULES{"", ""}};

bool begins_with_hdf5(std::string_view name) {
  if (!name.starts_with("libhdf5")) return false;
  for (const char* part : {"_hl", "_cpp", "_fortran", "_tools"})
    if (name.find(part) != name.npos) return false;
  return true;
}

// The HDF5 libraries of this process, each by its file.
std::set<std::string> loaded_hdf5() {
  std::set<std::string> found;
  const auto look = [](dl_phdr_info* info, std::size_t, void* into) {
    const fs::path path(info->dlpi_name);
    if (begins_with_hdf5(path.filename().string())) static_cast<std::set<std::string>*>(into)->insert(path.string());
    return 0;
  };
  dl_iterate_phdr(look, &found);
  return found;
}

// Whether a library that is loaded now would get the functions of one of those. One that a Python package brought for
// itself is out of its sight, and the two do not meet.
bool is_in_sight() {
  return dlsym(RTLD_DEFAULT, "H5open") != nullptr;
}

std::string listed(const std::set<std::string>& files) {
  std::string text;
  for (const std::string& file : files) text += (text.empty() ? "" : " and ") + fs::path(file).filename().string();
  return text;
}

// beginning: of the sentences where it is not to be had.
const Module& module_for(const std::string& beginning, const std::set<std::string>& hdf5) {
  require(!modules[0].file.empty(), WEIR_EFORMAT,
          "{}this Weir was built without netCDF-4; build it where netCDF-C and HDF5 are, or use a classic format",
          beginning);
  require(hdf5.size() <= 1, WEIR_EFORMAT, "{}the program has two HDF5 libraries, {}; link one of them", beginning,
          listed(hdf5));
  if (hdf5.empty()) return modules[0];
  const std::string has = fs::path(*hdf5.begin()).filename().string();
  std::string known;
  for (const Module& module : modules) {
    if (module.file.empty()) break;
    if (has.starts_with(std::string(module.hdf5) + ".")) return module;
    known += (known.empty() ? "" : " and ") + std::string(module.hdf5);
  }
  throw Error(WEIR_EFORMAT,
              "{}the program has {}, and this Weir was built with {}; build Weir with the program's netCDF and HDF5",
              beginning, has, known);
}

// The library or program that this code is in.
fs::path this_library() {
  Dl_info here{};
  static_cast<void>(dladdr(reinterpret_cast<const void*>(&this_library), &here));
  return here.dli_fname ? here.dli_fname : "";
}

// Next to this library, next to its folder, or wherever the system looks.
fs::path place_of_module(std::string_view file) {
  const fs::path folder = this_library().parent_path();
  std::error_code ignored;
  for (const fs::path& place : {folder / file, folder / "../lib" / file})
    if (fs::exists(place, ignored)) return place;
  return file;
}

void* open_module(std::string_view file, const std::string& beginning) {
  const fs::path place = place_of_module(file);
  void* const module = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module) return module;
  const char* const reason = dlerror();
  const std::string what = place.has_parent_path()
                               ? "load the modules of the netCDF and HDF5 that Weir was built with, on all nodes"
                               : "put it back next to libweir.so, where it was built or installed";
  throw Error(WEIR_EFORMAT, "{}{} does not load ({}); {}, or use a classic format", beginning, file,
              reason ? reason : "", what);
}

// A program and a module that were not built of one text differ in what they hand each other: nothing of the module is
// called before they are known to be alike. One of before there was such a mark has none.
void require_same_build(void* module, const std::string& beginning) {
  const char* const border = static_cast<const char*>(dlsym(module, "weir_netcdf4_border"));
  if (border && std::string_view(border) == WEIR_NETCDF4_BORDER) return;
  link_map* map = nullptr;
  static_cast<void>(dlinfo(module, RTLD_DI_LINKMAP, &map));
  throw Error(
      WEIR_EFORMAT,
      "{}{} is of another build of Weir than {}; install both of one build, on all nodes, or use a classic format",
      beginning, map ? map->l_name : "the netCDF-4 module", this_library().string());
}

// Once a process: a library with HDF5 in it does not go again.
struct Functions {
  DefineNetcdf4* define;
  ReopenNetcdf4* reopen;
  ReadNetcdf4* read;
  RedefineNetcdf4* redefine;
};

void call(void* loaded, const char* function) {
  if (const auto named = reinterpret_cast<int (*)()>(dlsym(loaded, function))) named();
}

// By the rank's own thread. HDF5 that only Weir uses does not end itself at the program's exit: a storage that never
// answers may have left another thread within it. Where HDF5 keeps what it prints for each thread apart, netCDF's
// beginning turns it off for the thread in which a model calls netCDF.
void begin_libraries(void* loaded, bool in_sight) {
  if (!in_sight) call(loaded, "H5dont_atexit");
  call(loaded, "H5open");
  call(loaded, "nc_initialize");
}

Functions load(const std::string& beginning) {
  const std::set<std::string> before = loaded_hdf5();
  const bool in_sight = is_in_sight();
  const Module module = module_for(beginning, in_sight ? before : std::set<std::string>());
  void* const loaded = open_module(module.file, beginning);
  require_same_build(loaded, beginning);
  std::set<std::string> hdf5 = loaded_hdf5();
  if (!in_sight)
    for (const std::string& file : before) hdf5.erase(file);
  require(hdf5.size() <= 1, WEIR_EFORMAT,
          "{}its netCDF and Weir's module have two HDF5 libraries, {}; build Weir with the HDF5 of the netCDF in use",
          beginning, listed(hdf5));
  const Functions found{reinterpret_cast<DefineNetcdf4*>(dlsym(loaded, "weir_netcdf4_define")),
                        reinterpret_cast<ReopenNetcdf4*>(dlsym(loaded, "weir_netcdf4_reopen")),
                        reinterpret_cast<ReadNetcdf4*>(dlsym(loaded, "weir_netcdf4_read")),
                        reinterpret_cast<RedefineNetcdf4*>(dlsym(loaded, "weir_netcdf4_redefine"))};
  require(found.define && found.reopen && found.read && found.redefine, WEIR_EINTERNAL,
          "the netCDF-4 module lacks its functions");
  begin_libraries(loaded, in_sight);
  return found;
}

std::string beginning(const std::string& path, Netcdf4Use use) {
  constexpr const char* what[] = {"made", "appended to", "redefined", "read"};
  return formatted("\"{}\" cannot be {}: ", path, what[static_cast<std::size_t>(use)]);
}

const Functions& functions(const std::string& path, Netcdf4Use use) {
  static const Functions found = load(beginning(path, use));
  return found;
}

}  // namespace

bool has_netcdf4() noexcept {
  return !modules[0].file.empty();
}

void load_netcdf4(const std::string& path, Netcdf4Use use) {
  static_cast<void>(functions(path, use));
}

std::unique_ptr<Netcdf4Metadata> define_netcdf4(const std::string& path, const Schema& schema) {
  Status status;
  std::unique_ptr<Netcdf4Metadata> metadata(functions(path, Netcdf4Use::make).define(path, schema, status));
  status.raise();
  return metadata;
}

std::unique_ptr<Netcdf4Metadata> reopen_netcdf4(const std::string& path, const Schema& schema,
                                                const Netcdf4Existing& existing) {
  Status status;
  std::unique_ptr<Netcdf4Metadata> metadata(functions(path, Netcdf4Use::append).reopen(path, schema, existing, status));
  status.raise();
  return metadata;
}

MetadataUpdate redefined_netcdf4(const std::string& path, const Schema& before, const Schema& after) {
  MetadataUpdate update;
  Status status;
  functions(path, Netcdf4Use::redefine).redefine(path, before, after, update, status);
  status.raise();
  return update;
}

StoredTables read_netcdf4(const std::string& path, StringVariables strings) {
  StoredTables tables;
  Status status;
  functions(path, Netcdf4Use::read).read(path, strings, tables, status);
  status.raise();
  return tables;
}

}  // namespace weir
