// SPDX-License-Identifier: Apache-2.0
// netCDF's headers, whose functions this library exports; no other symbol of it is visible outside.
#pragma once

#pragma GCC visibility push(default)
#include <netcdf.h>
#include <netcdf_filter.h>
#include <netcdf_mem.h>
#include <netcdf_par.h>

// Of the Fortran library's own C code, and in no header.
extern "C" {
int nc_inq_var_chunking_ints(int ncid, int var, int* storage, int* sizes);
int nc_def_var_chunking_ints(int ncid, int var, int storage, int* sizes);
int nc_set_var_chunk_cache_ints(int ncid, int var, int bytes, int slots, int preemption);
int nc_get_var_chunk_cache_ints(int ncid, int var, int* bytes, int* slots, int* preemption);
}
#pragma GCC visibility pop

#include "netcdf/intercepted_calls.hpp"
#include "netcdf/libraries.hpp"

namespace weir::bridge {

// While one lives, what the netCDF behind calls of its own exported functions, on this thread, is its own business.
class Passing {
 public:
  Passing() noexcept;
  ~Passing();
  Passing(const Passing&) = delete;
  Passing& operator=(const Passing&) = delete;

 private:
  bool before_;
};

}  // namespace weir::bridge
