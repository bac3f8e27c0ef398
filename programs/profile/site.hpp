// SPDX-License-Identifier: Apache-2.0
// Where a profile is measured: the ranks, their hosts, and the folder on the storage.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mpi/comm.hpp"
#include "options.hpp"
#include "plan/machine.hpp"
#include "storage/filesystem.hpp"

namespace weir::profile {

struct Site {
  Comm world;
  Comm host;        // the ranks of this one's host
  Machine machine;  // of all ranks
  std::string directory;
  FileSystem file_system;
  bool shared = false;            // all hosts see the folder
  std::int64_t room_bytes = 0;    // that measuring may fill there
  std::int64_t memory_bytes = 0;  // that the job may use on a host

  int rank() const noexcept { return world.rank(); }
  int ranks() const noexcept { return world.size(); }
  int hosts() const noexcept { return machine.hosts(); }
  int own_host() const noexcept { return machine.host_of[static_cast<std::size_t>(rank())]; }
  const std::vector<int>& ranks_of(int host_number) const noexcept {
    return machine.ranks_of[static_cast<std::size_t>(host_number)];
  }
  // The largest number of ranks that every host has.
  int least_ranks() const noexcept;
  // `count` ranks to write: spread over all hosts where they share the folder, else of the first host.
  std::vector<int> writers(int count) const;
  int most_writers() const noexcept { return shared ? ranks() : static_cast<int>(ranks_of(0).size()); }
  // A file's path in the folder, that no other rank uses. No second dot: of a hidden name with one, GlusterFS leaves
  // out what follows it when it chooses the server, so all files would lie on one.
  std::string path(const std::string& file) const { return directory + "/.weir-profile-" + tag + "-" + file; }

  std::string tag;  // of this run
};

// Collective. Throws the same Error on all ranks: one rank only, no such folder or not a writable one, too little room.
Site look_around(const Options& options);

// Throws the Error of the first rank whose status is not ok, on all. Collective.
void agree_or_throw(const Comm& comm, const Status& status, const char* what);

// 1, 2, 4, ... and `last`.
std::vector<int> doubling_to(int last);

}  // namespace weir::profile
