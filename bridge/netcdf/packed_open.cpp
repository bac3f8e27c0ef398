// SPDX-License-Identifier: Apache-2.0
// netCDF-4 files that Weir makes: how they begin, and by which numbers the program knows them.
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <map>
#include <set>

#include "core/process.hpp"
#include "netcdf/front.hpp"
#include "netcdf/packed_file.hpp"
#include "write/netcdf4/metadata.hpp"

namespace weir::bridge {

namespace {

using Files = std::map<int, std::unique_ptr<PackedFile>>;

// Never destroyed: what is open at exit stays as it is.
Files& table() {
  static auto* const files = new Files;
  return *files;
}

std::set<int>& open_numbers() {
  static auto* const numbers = new std::set<int>;
  return *numbers;
}

// MPI ends: what was put is in the files. In the order of their creation, which is that of netCDF's numbers.
void end_packed_files() {
  for (auto& [ncid, file] : table()) static_cast<void>(file->close());
  table().clear();
}

// Why Weir cannot make netCDF-4 in this program, in words; "" where it can.
const std::string& why_not_here() {
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

// What netCDF says of a file that cannot be created. Collective.
int trouble_of(const taken::Opening& opening, const Comm& comm) {
  int code = NC_NOERR;
  if (comm.rank() == 0) {
    const std::filesystem::path path(opening.path);
    const bool there = ::access(path.c_str(), F_OK) == 0;
    const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
    if (there && (opening.mode & NC_NOCLOBBER) != 0) code = NC_EEXIST;
    if (code == NC_NOERR && ::access(there ? path.c_str() : folder.c_str(), W_OK) != 0) code = EACCES;
  }
  MPI_Bcast(&code, 1, MPI_INT, 0, comm.raw());
  return code;
}

// In memory, by a name that no file can have: HDF5 looks whether there is one.
int make_stand_in(const taken::Opening& opening, int* ncid) {
  const std::string name = "/dev/null/" + std::filesystem::path(opening.path).filename().string();
  return WEIR_NETCDF(nc_create)(name.c_str(), NC_NETCDF4 | NC_DISKLESS | (opening.mode & NC_CLASSIC_MODEL), ncid);
}

std::shared_ptr<RankGroup> group_of(Process& process, const taken::Opening& opening) {
  static const bool once = (process.at_finalize(end_packed_files), true);  // before the groups end
  static_cast<void>(once);
  try {
    return RankGroup::of(process, opening.comm);
  } catch (const std::exception& error) {
    process.say(std::string(error.what()) + "; " + opening.path + " is left to netCDF");
    return nullptr;
  }
}

}  // namespace

PackedFile* packed(int ncid) noexcept {
  const Files& files = table();
  if (files.empty()) return nullptr;
  const auto found = files.find(ncid);
  return found == files.end() ? nullptr : found->second.get();
}

std::unique_ptr<PackedFile> take_packed(int ncid) {
  const auto found = table().find(ncid);
  auto file = std::move(found->second);
  table().erase(found);
  return file;
}

int open_for_each(const char* path, int mode, int code, int* ncid) {
  if (code != NC_ENOPAR || (mode & NC_WRITE) != 0) return code;
  code = WEIR_NETCDF(nc_open)(path, NC_NOWRITE, ncid);
  if (code == NC_NOERR) open_numbers().insert(*ncid);
  return code;
}

bool is_open_for_each(int ncid) noexcept {
  return open_numbers().contains(ncid);
}

void close_for_each(int ncid) noexcept {
  open_numbers().erase(ncid);
}

std::optional<int> create_packed(const taken::Opening& opening, int* ncid) {
  Process& process = Process::start("weir_netcdf", Makes::both);
  const std::shared_ptr<RankGroup> group = group_of(process, opening);
  if (group == nullptr) return std::nullopt;
  const Reason known = why_not_here().empty() ? Reason::none : Reason::library;
  if (const Reason reason = group->decide(opening.path, known, 0).reason; reason != Reason::none) {
    if (reason == Reason::library) process.note(why_not_here());
    Counts counts;
    counts.path = opening.path;
    counts.pass(reason);
    if (group->comm().rank() == 0) process.done(counts);
    return std::nullopt;
  }
  if (const int code = trouble_of(opening, group->comm()); code != NC_NOERR) return code;
  int id = -1;
  if (const int code = make_stand_in(opening, &id); code != NC_NOERR) return code;
  const bool collective = opening.origin == Origin::plain || opening.rule_collective;
  table()[id] = std::make_unique<PackedFile>(group, PackedFile::Opened{id, opening.path, opening.mode, collective});
  if (ncid != nullptr) *ncid = id;
  return NC_NOERR;
}

}  // namespace weir::bridge
