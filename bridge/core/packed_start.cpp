// SPDX-License-Identifier: Apache-2.0
#include "core/packed_start.hpp"

#include <pnetcdf.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <filesystem>

#include "schema/schema.hpp"
#include "write/netcdf4/metadata.hpp"

namespace weir::bridge {

const std::string& why_no_netcdf4() {
  static const std::string why = [] {
    try {
      static_cast<void>(define_netcdf4("a netCDF-4 file", Schema()));
      return std::string();
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
  }();
  return why;
}

int code_of_creation(const std::string& path, bool keeps, const Comm& comm) {
  int code = NC_NOERR;
  if (comm.rank() == 0) {
    const bool there = ::access(path.c_str(), F_OK) == 0;
    const std::filesystem::path parent = std::filesystem::path(path).parent_path();
    const std::string folder = parent.empty() ? "." : parent.string();
    if (there && keeps) code = NC_EEXIST;
    if (code == NC_NOERR && ::access(there ? path.c_str() : folder.c_str(), W_OK) != 0) code = EACCES;
  }
  MPI_Bcast(&code, 1, MPI_INT, 0, comm.raw());
  return code;
}

}  // namespace weir::bridge
