// SPDX-License-Identifier: Apache-2.0
// The bridge's implementation of netCDF's calls on its own files: the calls of calls.hpp under their own names, with
// the file in place of its number. They return netCDF's codes. netCDF says which of them are collective: those that
// change the file, and data calls of files with collective access.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <string>

#include "netcdf/calls.hpp"
#include "netcdf/file.hpp"

namespace weir::bridge::intercepted {

using nc_type = int;

#define WEIR_REST(...) __VA_OPT__(, ) __VA_ARGS__
#define WEIR_DECLARE(NAME, PARAMETERS, ARGUMENTS) int NAME(NetcdfFile& file WEIR_REST PARAMETERS);
WEIR_NETCDF_INTERCEPTED(WEIR_DECLARE)
#undef WEIR_DECLARE

// Creates or opens the file in PnetCDF; `ncid` becomes its number. `rule_collective`: the configuration says that all
// ranks make all calls of it in the same order; `sync_stores`: that nc_sync waits for the storage, which it does anyway
// in a file of Origin::parallel. Collective.
struct Opening {
  std::string path;
  int mode = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Info info = MPI_INFO_NULL;
  Origin origin = Origin::parallel;
  bool rule_collective = false, sync_stores = false;
  bool made = false;     // by Weir, in another format or for streams, which fills what no rank puts
  bool netcdf4 = false;  // the file is there, and of that format
};
// Its ranks as a group. Throws Error where there can be none, then and later. Collective.
std::shared_ptr<RankGroup> group_of(const Opening& opening);
int create(const Opening& opening, int* ncid);
int open(const Opening& opening, int* ncid);
// A call behind the file's border, as collective as `body`.
inline int ask(NetcdfFile& file, LibraryCall body) noexcept {
  return file.border ? file.border->call(body) : at_border(bridge_name, body);
}
int nc_var_par_access(NetcdfFile& file, int var, int access);
int close(int ncid);
int abort(int ncid);

// A part of a variable, as the call has it. NULL is what it is to netCDF.
struct Region {
  const std::size_t* start = nullptr;
  const std::size_t* count = nullptr;
  const std::ptrdiff_t* stride = nullptr;
  const std::ptrdiff_t* map = nullptr;
};
enum class Form { var, var1, vara, vars, varm };
// memory: the type of the values; own_type: the variable's.
constexpr nc_type own_type = 0;
int put(NetcdfFile& file, int var, Form form, const Region& region, const void* values, nc_type memory);
// As put() of a box, values of the variable's type; nothing is filled.
int put_box(NetcdfFile& file, int var, const std::size_t* start, const std::size_t* count, const void* values);
int get(NetcdfFile& file, int var, Form form, const Region& region, void* values, nc_type memory);
int put_att(NetcdfFile& file, int var, const char* name, nc_type type, std::size_t length, const void* values,
            nc_type memory);
int get_att(NetcdfFile& file, int var, const char* name, void* values, nc_type memory);

// nullptr where PnetCDF does not know the code either.
const char* words_of(int code);

}  // namespace weir::bridge::intercepted
