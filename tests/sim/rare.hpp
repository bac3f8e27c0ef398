// SPDX-License-Identifier: Apache-2.0
// Ways to write, and cases that chance alone draws too seldom to find what is wrong in them: a share of the seeds is
// theirs, by a chance of its own, so that all other seeds are what they are without.
#pragma once

#include <string_view>

#include "draw.hpp"

namespace sim {

// A way to write: the keys that say so, and ranks that the library takes for itself.
struct Way {
  const char* keys;
  int reserved = 0;
  bool any_thread = false;        // wants MPI_THREAD_MULTIPLE
  const char* or_keys = nullptr;  // in the place of `keys` under half of the seeds
};

inline constexpr Way ways[] = {
    {"strategy: serial"},
    {"strategy: collective"},
    {"strategy: collective, sink: direct"},
    {"strategy: rows, sink: pnetcdf"},
    {"strategy: servers, sink: pnetcdf", 1},
    {"strategy: dynamic, sink: pnetcdf"},
    {"strategy: rows"},
    {"strategy: columns"},
    {"strategy: remap"},
    {"strategy: remap, writers: 2"},
    {"strategy: remap, overlap: background"},
    {"strategy: servers", 1},
    {"strategy: servers, servers: 2", 2},
    {"strategy: dynamic, overlap: none"},
    {"strategy: dynamic, overlap: slack"},
    {"strategy: dynamic, overlap: background"},
    {"strategy: dynamic, overlap: background, progress: calls"},
    {"strategy: dynamic, overlap: background, progress: thread", 0, true},
    {"strategy: dynamic, control: rank, overlap: slack", 1, false, "strategy: dynamic, control: rank, overlap: none"},
    {"strategy: dynamic, control: rank, overlap: background", 1},
    {"strategy: dynamic, control: rank, debug.hops: two", 1},
    {"strategy: dynamic, control: rank, debug.hops: two, overlap: background", 1},
    {"strategy: file_per_rank"},
    {"strategy: file_per_domain, domains: 2"},
    {"strategy: auto, tuned: none"},
};

inline bool by_mpi_io(const Way& way) {
  const std::string_view keys = way.keys;
  return keys.find("pnetcdf") != keys.npos || keys == "strategy: collective";
}

enum class Rare {
  none,
  power,  // the power goes soon after a commit, whose data several hosts have written
  relay,  // ranks on several hosts are told relays: they come at different times, and words take long
  anew,   // under a control rank, a rank makes another call than the others
};

Rare rare_of(Chance& own);
// The way that is drawn, or one of those in which such a case can be.
const Way& way_of(Rare rare, const Way& drawn, Chance& own);
// Of a trial that is drawn but for ranks that stray.
void make_rare(Rare rare, Chance& own, Trial& trial);

}  // namespace sim
