// SPDX-License-Identifier: Apache-2.0
// The exported calls that name an open file, except the typed ones (front_data.cpp). A call on a file of the bridge
// goes to intercepted::, one on a netCDF-4 file that Weir makes to of_packed::, any other number to the underlying
// netCDF: that costs two comparisons.
#include "netcdf/front.hpp"

#include "netcdf/packed_calls.hpp"

using weir::bridge::files;
using weir::bridge::packed;
namespace intercepted = weir::bridge::intercepted;
namespace of_packed = weir::bridge::of_packed;

#define WEIR_UNLESS_PACKED(NAME, ARGUMENTS)                                          \
  const auto original = [&] { return WEIR_NETCDF(NAME)(ncid WEIR_REST ARGUMENTS); }; \
  weir::bridge::PackedFile* const made = packed(ncid);                               \
  if (made == nullptr) return original();                                            \
  return of_packed::ask(                                                             \
      *made, [&] { return of_packed::NAME(*made WEIR_REST ARGUMENTS); }, original);
#define WEIR_TAKE(NAME, PARAMETERS, ARGUMENTS)                                                      \
  int NAME(int ncid WEIR_REST PARAMETERS) {                                                         \
    if (weir::bridge::NetcdfFile* const file = files.find(ncid))                                    \
      return intercepted::ask(*file, [&] { return intercepted::NAME(*file WEIR_REST ARGUMENTS); }); \
    WEIR_UNLESS_PACKED(NAME, ARGUMENTS)                                                             \
  }
#define WEIR_REFUSE(NAME, PARAMETERS, ARGUMENTS, CODE) \
  int NAME(int ncid WEIR_REST PARAMETERS) {            \
    if (files.find(ncid) != nullptr) return CODE;      \
    WEIR_UNLESS_PACKED(NAME, ARGUMENTS)                \
  }

extern "C" {

WEIR_NETCDF_INTERCEPTED(WEIR_TAKE)
WEIR_NETCDF_REFUSED(WEIR_REFUSE)

// One that each rank has opened for itself is read as it is, whatever the access.
int nc_var_par_access(int ncid, int var, int access) {
  if (weir::bridge::NetcdfFile* const file = files.find(ncid))
    return intercepted::ask(*file, [&] { return intercepted::nc_var_par_access(*file, var, access); });
  if (weir::bridge::PackedFile* const made = packed(ncid))
    return made->call([&] { return *of_packed::nc_var_par_access(*made, var, access); });
  if (!weir::bridge::is_open_for_each(ncid)) return WEIR_NETCDF(nc_var_par_access)(ncid, var, access);
  if (access != NC_INDEPENDENT && access != NC_COLLECTIVE) return NC_EINVAL;
  return WEIR_NETCDF(nc_inq_var)(ncid, var, nullptr, nullptr, nullptr, nullptr, nullptr);
}

int nc_close(int ncid) {
  weir::bridge::close_for_each(ncid);
  if (packed(ncid) != nullptr) return weir::bridge::take_packed(ncid)->close();
  return files.find(ncid) != nullptr ? intercepted::close(ncid) : WEIR_NETCDF(nc_close)(ncid);
}

int nc_abort(int ncid) {
  if (packed(ncid) != nullptr) return weir::bridge::take_packed(ncid)->abort();
  return files.find(ncid) != nullptr ? intercepted::abort(ncid) : WEIR_NETCDF(nc_abort)(ncid);
}

// Codes of PnetCDF that a netCDF without it does not know.
const char* nc_strerror(int code) {
  constexpr int first_of_pnetcdf = -201, last_of_pnetcdf = -399;
  if (code <= first_of_pnetcdf && code >= last_of_pnetcdf)
    if (const char* const words = intercepted::words_of(code)) return words;
  return WEIR_NETCDF(nc_strerror)(code);
}

}  // extern "C"
