// SPDX-License-Identifier: Apache-2.0
// How the ranks put the variables of a file that is defined: agreed on at a variable's first put since then, so that
// further records of the same parts need no agreement.
#pragma once

#include <cstdint>
#include <vector>

#include "request.hpp"
#include "shared.hpp"

namespace weir::cfio2 {

struct PutPattern {
  enum class Way {
    unknown,
    parts,   // each the part it put first
    whole,   // all of them the whole
    varying  // asked each time: some give no record
  };
  Way way = Way::unknown;
  int layout = -1;
  int generation = 0;
  OwnBox box;
  std::int64_t next_record = 0;  // one past the last that was put
};

class PutPatterns {
 public:
  explicit PutPatterns(Shared& shared) noexcept : shared_(shared) {}

  // Nothing is known of so many variables.
  void begin(std::size_t variables) { patterns_.assign(variables, {}); }

  // Whether the ranks put this record variable as before, and further on. The same on all ranks, save where one of them
  // has lost its way. Local.
  bool goes_on(int var, const Put& put) const;
  // Why this rank's put is none of those before, which needs no agreement. Local.
  Status fault(int var, const Put& put) const;

  struct Records {
    std::int64_t first, last;  // one past the last
  };
  // From now on they put it as at this agreement. Ranks without records learn them here. Collective.
  Records agree(int var, const Put& put);
  const PutPattern& of(int var) const { return patterns_[static_cast<std::size_t>(var)]; }
  // All before `next` were put. Local.
  void reach(int var, std::int64_t next);

 private:
  Shared& shared_;
  std::vector<PutPattern> patterns_;
};

}  // namespace weir::cfio2
