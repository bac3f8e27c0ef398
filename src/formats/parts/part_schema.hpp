// SPDX-License-Identifier: Apache-2.0
// The definitions of a part file: an ordinary CDF-5 file with what one rank owns of each variable, and enough to join
// the parts (weir merge). parts/part_file.cpp writes it, programs/merge reads it. Pure, Local.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "formats/output_file.hpp"
#include "plan/plan.hpp"
#include "schema/schema.hpp"

namespace weir {

// Returns what weir_check is for a part with the other attributes.
std::int64_t check_sum(const Schema& part);

// What a part file has:
//
//   global  weir_schema   the whole file's definitions, by Schema::serialize()
//           weir_rank, weir_ranks
//           weir_format, weir_fill_mode, weir_alignment
//                         of the whole file, as it was asked for; the alignment as weir_set_alignment's three numbers
//           weir_check    a check sum of these: they decide how large the merged file becomes
//   scalar  weir_parts    the number of part files
//   weir_record(time)     no data: it gives a part the whole file's number of records, also without values
//   a variable            its name, type and attributes. If the rank owns one box of it, over dimensions of the box's
//                         lengths (lat_10_20: from 10 to below 20); else over one dimension of the elements owned, and
//                         its attribute weir_regions names the table of its boxes
//   weir_regions_0(boxes, bounds)
//                         lower, then upper, bounds of each box; of the flat array if there are two bounds and the
//                         variable has another number of dimensions
class PartSchema {
 public:
  // For this rank, and the file of `options`. `whole` outlives this.
  PartSchema(const Schema& whole, const OutputOptions& options);

  // Adds a variable as this rank owns it by `plan`. Returns false if it is there already, or the rank owns nothing of
  // it.
  bool add(int var, const Plan& plan);
  // Whether this rank owns the same of a variable by `plan` as by the plan with which it was added.
  bool owns_the_same(int var, const Plan& plan) const;
  const Schema& schema() const noexcept { return part_; }
  // Returns the number of a whole file's variable in the part; -1 if it is not there.
  int part_variable(int var) const noexcept;
  int parts_variable() const noexcept { return parts_; }
  // A table of regions: the number of its variable, and its values.
  struct Table {
    int variable;
    std::size_t ndims;  // of each box
    std::vector<std::int64_t> bounds;
  };
  const std::vector<Table>& tables() const noexcept { return tables_; }

 private:
  void put_number(const char* attribute, std::int32_t value);
  int dimension(const std::string& name, std::int64_t length);
  std::size_t add_table(const std::vector<Region>& regions);

  const Schema& whole_;
  Schema part_;
  int parts_ = -1;
  std::map<int, int> variables_;
  std::vector<Table> tables_;
  std::map<int, std::size_t> table_of_;  // by a whole file's variable
};

}  // namespace weir
