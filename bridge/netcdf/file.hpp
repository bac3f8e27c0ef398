// SPDX-License-Identifier: Apache-2.0
// A file that the program opened through netCDF and that the bridge keeps in PnetCDF, and the numbers by which the
// program knows such files. Everything here is Local unless it says so.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/border.hpp"
#include "netcdf/filling.hpp"

namespace weir::bridge {

// How the program opened a file, and so whose answers it gets where they differ.
enum class Origin {
  parallel,  // nc_create_par, nc_open_par: those of netCDF's own layer over PnetCDF
  plain      // nc_create, nc_open by every rank: those of netCDF's classic layer
};

// The bridge, as it is called in what it says.
inline constexpr const char* bridge_name = "weir_netcdf";

struct NetcdfFile {
  int ncid = -1;     // the program's number of it
  int pnetcdf = -1;  // PnetCDF's
  std::string path;
  int mode = 0;  // as the program gave it
  Origin origin = Origin::parallel;
  bool writable = true;
  bool defining = false;
  bool collective = false;       // access; else independent, netCDF's default
  bool rule_collective = false;  // it is, and stays
  bool sync_stores = true;       // nc_sync waits for the storage
  // Of a plain file, whose ranks the bridge lets meet by itself.
  std::unique_ptr<Filling> filling;
  std::shared_ptr<RankGroup> group;
  std::optional<Border> border;
};

// Numbers are netCDF's own kind (a multiple of 65536: the lower half is for groups), from the top of the range down.
// netCDF takes them from the bottom up, so that they do not meet before 31,000 files are open.
class FileTable {
 public:
  // nullptr: the number is not the bridge's. What every call through the bridge asks first.
  NetcdfFile* find(int ncid) const noexcept {
    if (ncid < lowest || (ncid & 0xffff) != 0) return nullptr;
    return files_[slot_of(ncid)].get();
  }
  // -1 where there is no number left.
  int add(std::unique_ptr<NetcdfFile> file);
  // It is the caller's then.
  std::unique_ptr<NetcdfFile> take(int ncid) noexcept { return std::move(files_[slot_of(ncid)]); }

 private:
  static constexpr int slots = 1024, step = 0x10000, highest = 0x7fff0000, lowest = highest - (slots - 1) * step;
  static std::size_t slot_of(int ncid) noexcept { return static_cast<std::size_t>((highest - ncid) / step); }
  std::array<std::unique_ptr<NetcdfFile>, slots> files_;
};

// The process's. Never destroyed: what is open at exit stays as it is.
extern FileTable& files;

}  // namespace weir::bridge
