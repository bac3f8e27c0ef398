// SPDX-License-Identifier: Apache-2.0
// The part files of one file (see src/formats/parts/part_schema.hpp), as weir-merge reads them. A part may be damaged:
// what it says is believed only as far as its own length, its check sum and what it says elsewhere bear it out, so that
// no memory is taken and nothing is written beyond what whole parts would need. Local.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "formats/definition.hpp"
#include "schema/schema.hpp"

namespace weir {

class PartReader {
 public:
  // Throws Error where the file is no part, or its definitions of the whole are damaged.
  explicit PartReader(const std::string& path);

  const std::string& path() const noexcept { return path_; }
  Schema whole() const;
  // Throws Error where it is no part of the file that `first` is a part of, which is defined as `whole`; where it has
  // something of no variable of that; or where boxes are not inside the variable or not as large as what it has of it.
  void check(const PartReader& first, const Schema& whole) const;
  int whole_format() const { return number("weir_format"); }
  weir_fill_mode fill_mode() const;
  Alignment alignment() const;
  // How many parts its commit counted.
  std::int64_t parts() const;
  std::int64_t records() const noexcept { return file_.geometry.records; }
  // Of the file, behind the last record that it counts.
  std::int64_t bytes_behind() const;
  // Number of a variable in the part by the name it has in the whole; -1 where the part has nothing of it.
  int variable(const std::string& name) const { return file_.schema.find_variable(name); }
  std::int64_t elements(int var) const { return file_.schema.elements(var); }
  // Lower and upper bounds of the boxes it has of the variable, and how many dimensions they have.
  std::vector<std::int64_t> bounds(int var) const;
  int bounds_ndims(int var) const;
  // One record of what it has, in native form and the variable's type, to `values`.
  void read(int var, std::int64_t record, void* values) const;

 private:
  const Attribute& attribute(const char* name, Type type, std::int64_t count) const;
  std::int32_t number(const char* name) const;
  int table(int var) const;
  void check_variable(int var, const Schema& whole) const;
  void check_boxes(int var, const std::vector<std::int64_t>& shape) const;
  [[noreturn]] void damaged(const std::string& what) const;

  std::string path_;
  DefinedFile file_;
};

// OUT.nc.0000, OUT.nc.0001, ... that lie besides OUT.nc, ascending.
std::vector<std::string> find_parts(const std::string& path);

}  // namespace weir
