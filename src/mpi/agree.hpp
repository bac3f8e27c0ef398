// SPDX-License-Identifier: Apache-2.0
// An agreement of all ranks: one small reduction combines the point and the status of every rank. If points differ, or
// a rank has failed, all ranks get the same error. engine/agreement.hpp applies the result to files;
// mpi/agreement_point.hpp has the points.
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
  AgreementPoint kind;          // the step
  std::uint64_t signature = 0;  // of the call: file, variable, record, ...
  std::string_view call;        // in words, for the message
  // The calls that the signature sums up, a line each, to name the first difference. Called only if there is one.
  const std::function<std::vector<std::string>()>* history = nullptr;
  // Every rank comes to this point in the end, whatever has failed before.
  bool everybody = false;
};

// Returns a signature that depends on the order of its parts.
std::uint64_t mix(std::uint64_t signature, std::uint64_t part) noexcept;
std::uint64_t mix(std::uint64_t signature, std::string_view text) noexcept;

// What a rank brings to an agreement in addition to its status, and takes from it.
struct Question {
  std::int64_t value = 0;  // becomes the largest over all ranks
  bool together = true;    // becomes: all ranks were at points of one kind
  double computed = 0;     // seconds since the last agreement (base/tally.hpp); becomes the most of any rank
};

// Agrees with all ranks of `comm`, and returns the common status: of the ranks that failed the lowest one's, a failure
// of all files before one of a file; else WEIR_EMISMATCH if points differ; else ok.
// Collective over `comm`; a barrier.
// Errors: throws WEIR_ETIMEOUT if a rank does not come (contract 4). Throws WEIR_EMPI, on all ranks, if a recovery
// fails: the instance has ended.
Status agree(const Comm& comm, const Point& point, const Status& mine, const Deadline& deadline,
             Question* question = nullptr);

}  // namespace weir
