// SPDX-License-Identifier: Apache-2.0
// The exported calls that name an open file, but for the typed ones (front_data.cpp). A file of the bridge goes to
// taken::, any other number to the netCDF behind: that costs a comparison.
#include "netcdf/front.hpp"

using weir::bridge::files;
namespace taken = weir::bridge::taken;

#define WEIR_TAKE(NAME, PARAMETERS, ARGUMENTS)                                                                  \
  int NAME(int ncid WEIR_REST PARAMETERS) {                                                                     \
    if (weir::bridge::NetcdfFile* const file = files.find(ncid)) return taken::NAME(*file WEIR_REST ARGUMENTS); \
    return WEIR_NETCDF(NAME)(ncid WEIR_REST ARGUMENTS);                                                         \
  }
#define WEIR_REFUSE(NAME, PARAMETERS, ARGUMENTS, CODE)  \
  int NAME(int ncid WEIR_REST PARAMETERS) {             \
    if (files.find(ncid) != nullptr) return CODE;       \
    return WEIR_NETCDF(NAME)(ncid WEIR_REST ARGUMENTS); \
  }

extern "C" {

WEIR_NETCDF_TAKEN(WEIR_TAKE)
WEIR_NETCDF_REFUSED(WEIR_REFUSE)

int nc_close(int ncid) {
  return files.find(ncid) != nullptr ? taken::close(ncid) : WEIR_NETCDF(nc_close)(ncid);
}

int nc_abort(int ncid) {
  return files.find(ncid) != nullptr ? taken::abort(ncid) : WEIR_NETCDF(nc_abort)(ncid);
}

// Codes of PnetCDF that a netCDF without it does not know.
const char* nc_strerror(int code) {
  constexpr int first_of_pnetcdf = -201, last_of_pnetcdf = -399;
  if (code <= first_of_pnetcdf && code >= last_of_pnetcdf)
    if (const char* const words = taken::words_of(code)) return words;
  return WEIR_NETCDF(nc_strerror)(code);
}

}  // extern "C"
