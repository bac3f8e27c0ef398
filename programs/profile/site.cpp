// SPDX-License-Identifier: Apache-2.0
#include "site.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/host_memory.hpp"
#include "base/text.hpp"
#include "mpi/agree.hpp"
#include "mpi/comm.hpp"
#include "storage/filesystem.hpp"

namespace weir::profile {

namespace {

constexpr double timeout_seconds = 120;
constexpr std::int64_t least_room_bytes = 64LL << 20;
constexpr std::int64_t most_room_bytes = 64LL << 30;
constexpr double look_seconds = 3;  // for a file to appear on another host: file systems cache what is not there

// Measuring takes a quarter of what is free, in the folder and, since the folder may lie in memory, of the memory.
std::int64_t room_in(const std::string& directory, std::int64_t memory_bytes) {
  struct statvfs status {};
  require(::statvfs(directory.c_str(), &status) == 0, WEIR_EIO,
          write_error_message(directory + "/file", "create", errno));
  const std::int64_t free = static_cast<std::int64_t>(status.f_bavail) * static_cast<std::int64_t>(status.f_frsize);
  require(
      free >= least_room_bytes, WEIR_EIO,
      "the folder \"{}\" has room for {} only, and measuring needs {}: make room, or give another folder with --dir",
      directory, show_bytes(free), show_bytes(least_room_bytes));
  return std::min({free / 4, memory_bytes / 4, most_room_bytes});
}

void create_marker(const std::string& path) {
  const int file = ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  require(file >= 0, WEIR_EIO, "{} (with --dir)", write_error_message(path, "create", errno));
  ::close(file);
}

bool appears(const std::string& path) {
  const Deadline deadline(look_seconds);
  Backoff backoff;
  while (::access(path.c_str(), F_OK) != 0) {
    if (deadline.passed()) return false;
    backoff.pause();
  }
  return true;
}

// Rank 0 makes a file; every host looks whether it is there.
bool all_hosts_see(const Site& site) {
  const std::string marker = site.path("marker");
  Status status;
  try {
    if (site.rank() == 0) create_marker(marker);
  } catch (const Error& error) {
    status = {error.code(), error.what()};
  }
  agree_or_throw(site.world, status, "the folder");
  std::int64_t unseen = site.host.rank() == 0 && !appears(marker) ? 1 : 0;
  allreduce_max(site.world, std::span(&unseen, 1), Deadline(timeout_seconds), "looking at the folder");
  if (site.rank() == 0) ::unlink(marker.c_str());
  return unseen == 0;
}

}  // namespace

void agree_or_throw(const Comm& comm, const Status& status, const char* what) {
  agree(comm, {.kind = AgreementPoint::profile, .call = what, .everybody = true}, status, Deadline(timeout_seconds))
      .raise();
}

std::vector<int> doubling_to(int last) {
  std::vector<int> counts;
  for (int count = 1; count < last; count *= 2) counts.push_back(count);
  counts.push_back(last);
  return counts;
}

int Site::least_ranks() const noexcept {
  std::size_t least = machine.ranks_of.front().size();
  for (const auto& list : machine.ranks_of) least = std::min(least, list.size());
  return static_cast<int>(least);
}

std::vector<int> Site::writers(int count) const {
  if (shared) return choose_writers(machine, count, 1);
  return {ranks_of(0).begin(), ranks_of(0).begin() + count};
}

Site look_around(const Options& options) {
  Site site;
  site.world = Comm::duplicate(MPI_COMM_WORLD);
  require(site.ranks() > 1, WEIR_EARGUMENT,
          "one rank cannot measure messages between ranks: start 2 or more, as many on each host as a model has there "
          "(weir profile -n 4)");
  const Deadline deadline(timeout_seconds);
  site.host = host_of(site.world, options.ranks_per_host, deadline);
  site.machine = Machine::from_leaders(leaders_of(site.world, site.host, deadline));
  site.directory = options.directory;
  site.tag = broadcast_value(site.world, std::to_string(::getpid()), 0, deadline, "naming the files");
  site.memory_bytes = usable_memory_bytes();
  Status status;
  try {
    site.room_bytes = room_in(site.directory, site.memory_bytes);
    site.file_system = inspect_file_system(site.path("file"));
  } catch (const Error& error) {
    status = {error.code(), error.what()};
  }
  agree_or_throw(site.world, status, "the folder");
  const bool seen = all_hosts_see(site);
  site.shared = site.hosts() > 1 ? seen : site.file_system.shared_between_hosts;
  broadcast(site.world, std::span(&site.room_bytes, 1), 0, deadline, "the room");
  return site;
}

}  // namespace weir::profile
