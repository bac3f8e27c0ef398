// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include <mpi.h>
#include <netcdf.h>
#include <pnetcdf.h>

#include <cerrno>
#include <cstring>

namespace weir::bench {
namespace {

[[noreturn]] void fail(std::string_view what, std::string_view why) {
  throw BenchError(std::string(what) + ": " + std::string(why));
}

}  // namespace

void check_mpi(int status, std::string_view what) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(status, text, &length);
  fail(what, text);
}

void check_pnetcdf(int status, std::string_view what) {
  if (status != NC_NOERR) fail(what, ncmpi_strerror(status));
}

void check_netcdf(int status, std::string_view what) {
  if (status != NC_NOERR) fail(what, nc_strerror(status));
}

void check_system(long long result, std::string_view what) {
  if (result < 0) fail(what, std::strerror(errno));
}

}  // namespace weir::bench
