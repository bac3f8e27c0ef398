// SPDX-License-Identifier: Apache-2.0
#include "core/packed_start.hpp"

#include <pnetcdf.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "core/missing_ranks.hpp"
#include "formats/netcdf4/metadata.hpp"
#include "formats/netcdf4/module.hpp"
#include "schema/schema.hpp"

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

void tell_why_no_netcdf4(RankGroup& group, const std::string& library) {
  const std::string& why = why_no_netcdf4();
  if (!has_netcdf4()) return group.note(why);
  const Comm& comm = group.comm();
  const std::vector<int> lacks = allgather(comm, why.empty() ? 0 : 1, group.deadline(), "a netCDF-4 file");
  std::vector<int> ranks;
  for (int rank = 0; rank < comm.size(); ++rank)
    if (lacks[static_cast<std::size_t>(rank)] != 0) ranks.push_back(rank);
  static bool told = false;
  if (ranks.empty() || ranks.front() != comm.rank() || std::exchange(told, true)) return;
  group.process().say(formatted("rank(s) {}: {}; until then {} makes such files", named_ranks(ranks), why, library));
}

int code_of_creation(const std::string& path, bool keeps, const RankGroup& group) {
  std::int64_t code = NC_NOERR;
  if (group.comm().rank() == 0) {
    const bool there = ::access(path.c_str(), F_OK) == 0;
    const std::filesystem::path parent = std::filesystem::path(path).parent_path();
    const std::string folder = parent.empty() ? "." : parent.string();
    if (there && keeps) code = NC_EEXIST;
    if (code == NC_NOERR && ::access(there ? path.c_str() : folder.c_str(), W_OK) != 0) code = EACCES;
  }
  broadcast(group.comm(), std::span(&code, 1), 0, group.deadline(), formatted("creation of {}", path));
  return static_cast<int>(code);
}

}  // namespace weir::bridge
