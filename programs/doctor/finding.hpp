// SPDX-License-Identifier: Apache-2.0
// What weir-doctor finds: a text on one topic, as one rank sees it, and what the user should do about it.
#pragma once

#include <string>
#include <vector>

#include "mpi/comm.hpp"

namespace weir::doctor {

struct Finding {
  std::string topic;     // "MPI", "folder": one or two words
  std::string text;      // what is there
  std::string advice;    // what to set or to do; "": nothing
  bool wrong = false;    // Weir or the job will fail
  bool of_host = false;  // one rank of each host says it

  bool operator==(const Finding&) const = default;
};
using Findings = std::vector<Finding>;

// What several ranks found alike.
struct SharedFinding {
  Finding finding;
  std::vector<int> ranks;  // ascending
};

// Brings together what all ranks found, on rank 0, topic by topic in the order in which rank 0 met them; empty on the
// others. Collective over `comm`; Local for one without MPI.
std::vector<SharedFinding> gathered(const Findings& own, const Comm& comm);

// The finding as a line: its topic, its text, and its ranks unless all of `ranks`, or one rank of each of `hosts`,
// found it.
std::string in_words(const SharedFinding& shared, int ranks, int hosts);

// All of them as JSON: {"ranks": 4, "findings": [{"topic", "text", "advice", "wrong", "ranks"}, ...]}.
std::string as_json(const std::vector<SharedFinding>& all, int ranks);

}  // namespace weir::doctor
