// SPDX-License-Identifier: Apache-2.0
// Agreement: every collective point of Weir begins or ends with one. One small reduction combines the point and the
// status of all ranks; if the points differ, or one rank has failed, all ranks get the same error.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "mpi/agreement_point.hpp"
#include "mpi/comm.hpp"

namespace weir {

// Where a rank is. Ranks are at one point if kind and signature are equal on all.
struct Point {
  AgreementPoint kind;          // which step
  std::uint64_t signature = 0;  // of what it is about to do: which file, variable, record, ...
  std::string_view call;        // in words, for the message
  // What the signature sums up, a line each, to name the first difference; asked for only where there is one.
  const std::function<std::vector<std::string>()>* history = nullptr;
  // Every rank comes here in the end, whatever has failed before.
  bool everybody = false;
};

// A signature that depends on the order of its parts.
std::uint64_t mix(std::uint64_t signature, std::uint64_t part) noexcept;
std::uint64_t mix(std::uint64_t signature, std::string_view text) noexcept;

// What a rank brings to an agreement besides its status, and takes from it.
struct Question {
  std::int64_t value = 0;  // becomes the largest over all ranks
  bool together = true;    // becomes: all ranks were at points of one kind
  double computed = 0;     // seconds since they last met (base/tally.hpp); becomes the most of any rank
};

// The status all ranks share: of those that failed the lowest rank's, one of all files before one of a file; or a
// disagreement (WEIR_EMISMATCH), or ok. Throws Error(WEIR_ETIMEOUT) where a rank does not come, and Error(WEIR_EMPI),
// alike on all ranks, where a recovery fails: none of them can go on. Collective; a barrier.
Status agree(const Comm& comm, const Point& point, const Status& mine, const Deadline& deadline,
             Question* question = nullptr);

}  // namespace weir
