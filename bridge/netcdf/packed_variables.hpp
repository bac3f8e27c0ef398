// SPDX-License-Identifier: Apache-2.0
// The variables of a definition shadow, as puts and gets need them: their shapes and types, and whether the program
// accesses each collectively or independently. Local.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>

#include "core/kept_puts.hpp"
#include "netcdf/packed_access.hpp"

namespace weir::bridge {

class PackedVariables {
 public:
  struct Known {
    PackedVariable variable;
    bool collective;  // access
  };
  // `collective`: all of them are, whatever the program says.
  PackedVariables(int ncid, bool collective) : ncid_(ncid), collective_(collective) {}

  // netCDF's code where there is no such variable.
  int find(int var, const Known*& known);
  // netCDF's code.
  int set_access(int var, bool collective);
  // netCDF has a file of these variables under the same number, and hears how the program accesses them.
  void tell_access();

 private:
  int ncid_;
  bool collective_;
  std::map<int, bool> asked_access_;
  std::map<int, Known> known_;
};

// What a rank puts in a call, or all ranks put, each number being the largest of any rank: the record count that the
// call wants, bytes, and the first record, negated so that the largest is that of the earliest record.
struct PutExtent {
  static constexpr std::int64_t nothing = std::numeric_limits<std::int64_t>::min();
  std::int64_t records = 0, bytes = 0, first_negated = nothing;
  std::int64_t first_record() const noexcept { return first_negated == nothing ? records : -first_negated; }
};

// Puts of little, each counted as a record of its variable, which leave the definitions open. Alike on all ranks.
class EarlyPuts {
 public:
  static constexpr std::int64_t most_bytes = 1 << 20;  // in all, and of a call that puts many records

  // Which records a call of all ranks puts, which puts `all`; nullopt where it is no such put.
  std::optional<KeptPuts::Together> take(int var, const PackedVariable& variable, const PutExtent& all);

 private:
  std::int64_t bytes_ = 0;
};

}  // namespace weir::bridge
