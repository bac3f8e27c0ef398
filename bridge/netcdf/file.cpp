// SPDX-License-Identifier: Apache-2.0
#include "netcdf/file.hpp"

namespace weir::bridge {

FileTable& files = *new FileTable;

int FileTable::add(std::unique_ptr<NetcdfFile> file) {
  for (int slot = 0; slot < slots; ++slot) {
    const int ncid = highest - slot * step;
    if (files_[slot_of(ncid)]) continue;
    file->ncid = ncid;
    files_[slot_of(ncid)] = std::move(file);
    return ncid;
  }
  return -1;
}

}  // namespace weir::bridge
