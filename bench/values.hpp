// SPDX-License-Identifier: Apache-2.0
// What stands in each element of each file: a cheap hash of variable, record and place, exact in the variable's type
// and never a fill value; so any part of any file can be checked by any rank without the others' data. Where the
// workload wants a model's values, floating-point variables have a smooth field instead, with the hash in their last
// bits, which packs as a model's output does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "workload.hpp"

namespace weir::bench {

// Names one variable and record.
struct Field {
  int variable;
  std::int64_t record;
};

// Makes them, on any rank. Local.
class FieldValues {
 public:
  explicit FieldValues(const Workload& work);
  // Writes the values of `length` elements from file offset `offset` on.
  void make(Field field, Run run, std::byte* values) const;

 private:
  template <typename T>
  void make_smooth(Field field, Run run, std::byte* values) const;

  const Workload& work_;
  std::vector<std::vector<std::vector<double>>> waves_;  // by variable, by axis, by index
};

// Writes `count` times the fill value of the variable: its _FillValue, else netCDF's default. Local.
void make_fill(const Variable& variable, std::int64_t count, std::byte* values);

// This rank's data of every variable and record, in the order of memory. Variables of rank 0 alone are on every rank.
class FieldData {
 public:
  explicit FieldData(const Workload& work);
  // Records are ignored for variables without record dimension.
  [[nodiscard]] const std::byte* at(int variable, std::int64_t record) const;

 private:
  std::vector<std::vector<std::vector<std::byte>>> values_;  // by variable, by record
};

}  // namespace weir::bench
