// SPDX-License-Identifier: Apache-2.0
// One call of cfio2_put_vara, read and checked: what a program says of a variable each time it puts it. Local.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "plan/box.hpp"
#include "schema/schema.hpp"

namespace weir::cfio2 {

// The call as it was made. Indices from 0, slowest dimension first; `values` stay the caller's.
struct Arguments {
  const char* filename;
  const char* var_name;
  int datatype;
  int ndims;
  const char* const* dim_name;
  const std::int64_t* global;
  const std::int64_t* start;
  const std::int64_t* count;
  const void* values;
  bool append;
};

struct Put {
  std::string path;  // without "./" and the like, so that a file has one name
  std::string name;
  Type type = WEIR_INT;
  std::vector<std::string> dims;
  Shape global;  // a first length of 0: the record dimension
  Shape start, count;
  const void* values = nullptr;
  bool append = false;

  bool is_record() const noexcept { return !global.empty() && global[0] == 0; }
  bool empty() const noexcept;
  // Elements of this rank's part.
  std::int64_t length() const noexcept { return empty() ? 0 : elements(count); }
  // put of double "salt" (z 5, y 6, x 7) into h.nc
  std::string in_words() const;
};

// Fills `put` as far as the call can be read, and says what is wrong with it.
Status read_arguments(const Arguments& call, Put& put);

// A path as it names a file here; Error(WEIR_EARGUMENT) where there is none.
std::string file_path(const char* filename);

// Weir's type of a cfio2_data_type; Error(WEIR_EARGUMENT) on a number that is none.
Type type_of(int datatype);

// This rank's part of one record (of the whole, where there is no record dimension).
struct OwnBox {
  Shape shape, start, count;
  bool empty() const noexcept { return !count.empty() && elements(count) == 0; }
  bool whole() const noexcept { return count == shape; }
  bool operator==(const OwnBox&) const = default;
  std::string in_words() const;
};
OwnBox own_box(const Put& put);

}  // namespace weir::cfio2
