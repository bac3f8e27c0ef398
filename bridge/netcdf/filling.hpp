// SPDX-License-Identifier: Apache-2.0
// netCDF's classic layer fills elements that no rank writes: fixed variables when the definitions end, every variable
// of a record when the record begins. PnetCDF does the first and not the second, and either costs a second write of
// every byte. Here a variable (or one record of it) is filled only when a put turns out not to cover it, or when no put
// came.
//
// All ranks make the same calls of such a file in the same order, so all of them know alike what is begun.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weir::bridge {

struct NetcdfFile;

class Filling {
 public:
  // nc_set_fill, nc_def_var_fill: of the file and of one variable.
  bool file_fills() const noexcept { return fills_; }
  void set_file(bool fills, int nvars);
  bool fills(int var) const noexcept;
  void set_var(int var, bool fills);

  // Nothing is filled here: the rank that makes the file does that.
  void leave() noexcept { left_ = true; }
  // Of a file that exists: its records, and its fixed variables, are not to be filled.
  void keep(NetcdfFile& file);

  // Before a put of this rank's part of `var`: fills what it begins and does not cover. A part that lies outside, or
  // is not convertible to the variable's type, is nothing. Collective.
  int before_put(NetcdfFile& file, int var, const std::size_t* start, const std::size_t* count,
                 const std::ptrdiff_t* stride, bool convertible);
  // Fills what no put has begun. Collective.
  int finish_fills(NetcdfFile& file);

 private:
  std::vector<bool>& begun(int var);
  bool is_begun(int var, std::int64_t record);
  int begin(NetcdfFile& file, int var, std::int64_t record, bool covered);

  bool fills_ = true, left_ = false;
  std::vector<bool> no_fill_;             // of each variable that has one of its own
  std::vector<std::vector<bool>> begun_;  // of each variable: its records; [0] of a fixed one
  std::int64_t settled_records_ = 0;      // below it all are begun
};

}  // namespace weir::bridge
