// SPDX-License-Identifier: Apache-2.0
// Creates, opens and closes files of the bridge.
#include <pnetcdf.h>

#include <cerrno>

#include "base/text.hpp"
#include "netcdf/intercepted_calls.hpp"
#include "netcdf/libraries.hpp"

namespace weir::bridge::intercepted {

namespace {

// PnetCDF's words for what the system refused; netCDF's classic layer answers with the system's own number.
int as_classic(int code) {
  switch (code) {
    case NC_ENOENT:
    case NC_EBAD_FILE:
      return ENOENT;
    case NC_EACCESS:
    case NC_EFILE:
      return EACCES;
    case NC_ENO_SPACE:
      return ENOSPC;
    case NC_EQUOTA:
      return EDQUOT;
    default:
      return code;
  }
}

// netCDF's classic layer knows more flags than PnetCDF, and none of the rest matters to a file on disk.
int mode_for_pnetcdf(const Opening& opening) {
  constexpr int known = NC_WRITE | NC_NOCLOBBER | NC_64BIT_OFFSET | NC_64BIT_DATA;
  return opening.origin == Origin::parallel ? opening.mode : opening.mode & known;
}

std::unique_ptr<NetcdfFile> begin(const Opening& opening) {
  auto file = std::make_unique<NetcdfFile>();
  file->path = opening.path;
  file->mode = opening.mode;
  file->origin = opening.origin;
  // netCDF's access is independent until nc_var_par_access.
  file->rule_collective = opening.rule_collective;
  file->collective = opening.origin == Origin::plain || opening.rule_collective;
  if (opening.origin == Origin::plain) {
    file->sync_stores = opening.sync_stores;
    file->group = group_of(opening);
    file->group->broken().raise();
    file->border.emplace(*file->group);
    file->filling = std::make_unique<Filling>();
  }
  return file;
}

int keep(std::unique_ptr<NetcdfFile> file, int* ncid) {
  const int id = file->pnetcdf, number = files.add(std::move(file));
  if (number < 0) {
    WEIR_PNETCDF(ncmpi_close)(id);
    return NC_ENFILE;
  }
  if (ncid != nullptr) *ncid = number;
  return NC_NOERR;
}

}  // namespace

int create(const Opening& opening, int* ncid) {
  auto file = begin(opening);
  if (opening.made && file->filling) file->filling->leave();
  const int code = WEIR_PNETCDF(ncmpi_create)(opening.comm, opening.path.c_str(), mode_for_pnetcdf(opening),
                                              opening.info, &file->pnetcdf);
  if (code != NC_NOERR) return opening.origin == Origin::plain ? as_classic(code) : code;
  file->defining = true;
  return keep(std::move(file), ncid);
}

int open(const Opening& opening, int* ncid) {
  auto file = begin(opening);
  const int code = WEIR_PNETCDF(ncmpi_open)(opening.comm, opening.path.c_str(), mode_for_pnetcdf(opening), opening.info,
                                            &file->pnetcdf);
  if (code != NC_NOERR) return opening.origin == Origin::plain ? as_classic(code) : code;
  file->writable = (opening.mode & NC_WRITE) != 0;
  if (file->filling) file->filling->keep(*file);
  const int id = file->pnetcdf;
  const bool collective = file->collective;
  if (const int problem = keep(std::move(file), ncid); problem != NC_NOERR) return problem;
  return collective ? NC_NOERR : WEIR_PNETCDF(ncmpi_begin_indep_data)(id);
}

int close(int ncid) {
  const std::unique_ptr<NetcdfFile> file = files.take(ncid);
  const auto original = [&] { return WEIR_PNETCDF(ncmpi_close)(file->pnetcdf); };
  const auto settle = [&](LibraryCall once) {
    int problem = file->defining ? nc_enddef(*file) : NC_NOERR;
    if (problem == NC_NOERR) problem = file->filling->finish_fills(*file);
    const int code = once();
    return problem != NC_NOERR ? problem : code;
  };
  return file->border ? file->border->end(settle, original) : original();
}

int abort(int ncid) {
  const std::unique_ptr<NetcdfFile> file = files.take(ncid);
  const auto original = [&] { return WEIR_PNETCDF(ncmpi_abort)(file->pnetcdf); };
  const auto settle = [&](LibraryCall once) {
    const int problem = file->defining ? NC_NOERR : file->filling->finish_fills(*file), code = once();
    return problem != NC_NOERR ? problem : code;
  };
  return file->border ? file->border->end(settle, original) : original();
}

const char* words_of(int code) {
  return WEIR_PNETCDF(ncmpi_strerror)(code);
}

}  // namespace weir::bridge::intercepted
