// SPDX-License-Identifier: Apache-2.0
// The way of a file from Weir to the underlying netCDF, when a program defines what Weir's files have not. The file
// gets the number of its definition shadow, so that the program goes on with netCDF's own file and notices nothing.
#pragma once

#include <mpi.h>

#include <functional>
#include <span>
#include <string>
#include <utility>

#include "core/rank_group.hpp"
#include "core/shares.hpp"
#include "netcdf/definition_shadow.hpp"

namespace weir::bridge {

// A copy of an MPI_Info, which the program may free. Local.
class KeptInfo {
 public:
  explicit KeptInfo(MPI_Info given) {
    if (given != MPI_INFO_NULL) MPI_Info_dup(given, &info_);
  }
  ~KeptInfo() {
    if (info_ != MPI_INFO_NULL) MPI_Info_free(&info_);
  }
  KeptInfo(KeptInfo&& other) noexcept : info_(std::exchange(other.info_, MPI_INFO_NULL)) {}
  KeptInfo& operator=(KeptInfo&&) = delete;

  MPI_Info get() const noexcept { return info_; }

 private:
  MPI_Info info_ = MPI_INFO_NULL;
};

// Whether the underlying netCDF writes netCDF-4 files of several ranks. Looked at once. Local.
bool has_parallel_netcdf4();

// How netCDF creates the file, or opens it to write, where it is there.
struct Handover {
  std::string path;
  int mode;  // with which the program created or opened it
  MPI_Comm comm;
  MPI_Info info;
  bool is_there;
};
// The shadow ends, and netCDF has the file under its number, with all of its definitions; those are open as they were.
// put_kept: puts into a new file what was put before the definitions were opened again; empty where that is nothing.
// netCDF's code: there is no file then, and no shadow. Throws Error likewise. Collective.
int hand_over(DefinitionShadow& shadow, const Handover& handover, const std::function<int()>& put_kept);

// netCDF puts the parts of all ranks, whose variables are independent then, unless they have filters. netCDF's code.
// Collective.
int put_by_netcdf(int ncid, std::span<const LocalSlabs> parts, const RankGroup& group);

}  // namespace weir::bridge
