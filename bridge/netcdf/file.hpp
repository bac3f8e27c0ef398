// SPDX-License-Identifier: Apache-2.0
// A file that the program opened through netCDF and that the bridge keeps in PnetCDF, and the numbers by which the
// program knows such files. Everything here is Local unless it says so.
#pragma once

#include <mpi.h>

#include <array>
#include <memory>
#include <string>

#include "netcdf/filling.hpp"

namespace weir::bridge {

// How the program opened a file, and so whose answers it gets where they differ.
enum class Origin {
  parallel,  // nc_create_par, nc_open_par: those of netCDF's own layer over PnetCDF
  plain      // nc_create, nc_open by every rank: those of netCDF's classic layer
};

struct NetcdfFile {
  NetcdfFile() = default;
  ~NetcdfFile() {
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  }
  NetcdfFile(const NetcdfFile&) = delete;
  NetcdfFile& operator=(const NetcdfFile&) = delete;

  int ncid = -1;     // the program's number of it
  int pnetcdf = -1;  // PnetCDF's
  std::string path;
  int mode = 0;  // as the program gave it
  Origin origin = Origin::parallel;
  bool writable = true;
  bool defining = false;
  bool collective = false;           // access; else independent, netCDF's default
  bool rule_collective = false;      // it is, and stays
  bool sync_stores = true;           // nc_sync waits for the storage
  std::unique_ptr<Filling> filling;  // of a plain file
  MPI_Comm comm = MPI_COMM_NULL;     // of a plain file: the bridge's own
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
  void remove(int ncid) noexcept { files_[slot_of(ncid)].reset(); }

 private:
  static constexpr int slots = 1024, step = 0x10000, highest = 0x7fff0000, lowest = highest - (slots - 1) * step;
  static std::size_t slot_of(int ncid) noexcept { return static_cast<std::size_t>((highest - ncid) / step); }
  std::array<std::unique_ptr<NetcdfFile>, slots> files_;
};

// The process's. Never destroyed: what is open at exit stays as it is.
extern FileTable& files;

}  // namespace weir::bridge
