// SPDX-License-Identifier: Apache-2.0
// What a part file looks like: an ordinary CDF-5 file that holds of each variable what one rank owns, and enough to put
// the parts together again (weir merge). Pure, Local.
//
//   global  weir_schema   the whole file's definitions, as Schema::serialize gives them
//           weir_rank, weir_ranks
//           weir_format, weir_fill_mode, weir_alignment (of the whole file, as it was asked for; the alignment's three
//           numbers as those of weir_set_alignment)
//           weir_check    a check sum of these: what they say decides how large the merged file becomes
//   scalar  weir_parts    how many part files there are
//   weir_record(time)     nothing: by it a part counts the whole file's records, also where it has none of their values
//   T       the variable's own name, type and attributes. Where the rank owns one box of it,
//           over dimensions of the box's lengths (lat_10_20: from 10 to below 20),
//           else over one dimension of the elements owned.
//           attribute weir_regions names the table of the boxes it is made of:
//   weir_regions_0(boxes, bounds)  lower then upper bounds of each box; of the flat array if there are only two and the
//           variable has another number of dimensions
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "formats/output_file.hpp"
#include "plan/plan.hpp"
#include "schema/schema.hpp"

namespace weir {

// What weir_check is of a part that has the other attributes.
std::int64_t check_sum(const Schema& part);

class PartSchema {
 public:
  // Of this rank, and the file that `options` ask for.
  PartSchema(const Schema& whole, const OutputOptions& options);

  // Adds a variable as `plan` has this rank own it; false if it is there already, or the rank owns nothing of it.
  bool add(int var, const Plan& plan);
  // Whether `plan` has this rank own of a variable that is there what the plan did by which it was added.
  bool owns_the_same(int var, const Plan& plan) const;
  const Schema& schema() const noexcept { return part_; }
  // Number of a whole file's variable in the part; -1 where it is not there.
  int part_variable(int var) const noexcept;
  int parts_variable() const noexcept { return parts_; }
  // The region tables: number of the variable and its values.
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
  std::map<int, std::size_t> table_of_;  // of a whole file's variable
};

}  // namespace weir
