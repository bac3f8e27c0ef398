// SPDX-License-Identifier: Apache-2.0
#include "request.hpp"

#include <cfio2.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/text.hpp"
#include "definitions.hpp"

namespace weir::cfio2 {

namespace {

std::string list(const Shape& values) {
  std::string text = "(";
  for (std::size_t i = 0; i < values.size(); ++i) text += (i ? ", " : "") + std::to_string(values[i]);
  return text + ")";
}

Shape read_shape(const std::int64_t* values, int ndims, const char* what) {
  require(ndims == 0 || values != nullptr, WEIR_EARGUMENT, "{} is NULL", what);
  return {values, values + ndims};
}

// Whether the part lies in the whole. The record dimension has no end.
void check_part(const Put& put) {
  for (std::size_t d = 0; d < put.dims.size(); ++d) {
    const std::string dim = formatted("dimension \"{}\"", put.dims[d]);
    require(put.global[d] >= 0, WEIR_EARGUMENT, "{} has the global length {}; give 1 or more, or 0 for records", dim,
            put.global[d]);
    require(put.count[d] >= 0 && put.start[d] >= 0, WEIR_EARGUMENT,
            "{}: start {} (from 0) and count {}; neither can be negative", dim, put.start[d], put.count[d]);
    const bool is_open = d == 0 && put.is_record();
    require(put.empty() || is_open || put.start[d] <= put.global[d] - put.count[d], WEIR_EARGUMENT,
            "{}: start {} (from 0) and count {} go beyond its global length {}", dim, put.start[d], put.count[d],
            put.global[d]);
  }
  require(put.empty() || put.values != nullptr, WEIR_EARGUMENT, "the buffer is NULL, but the part is not empty");
}

void read_rest(const Arguments& call, Put& put) {
  put.type = type_of(call.datatype);
  require(call.ndims >= 0, WEIR_EARGUMENT, "ndims is {}; it is 0 or more", call.ndims);
  require(call.ndims == 0 || call.dim_name != nullptr, WEIR_EARGUMENT, "dim_name is NULL");
  for (int d = 0; d < call.ndims; ++d) {
    require(call.dim_name[d] != nullptr, WEIR_EARGUMENT, "dim_name[{}] is NULL", d);
    put.dims.emplace_back(call.dim_name[d]);
  }
  put.global = read_shape(call.global, call.ndims, "global");
  put.start = read_shape(call.start, call.ndims, "start");
  put.count = read_shape(call.count, call.ndims, "count");
  put.values = call.values;
  check_part(put);
  Schema alone;
  define_from_put(alone, put);  // what netCDF forbids is heard now
}

}  // namespace

bool Put::empty() const noexcept {
  return std::find(count.begin(), count.end(), 0) != count.end();
}

std::string Put::in_words() const {
  std::string text = formatted("put of {} \"{}\" (", type_name(type), name);
  for (std::size_t d = 0; d < dims.size() && d < global.size(); ++d)
    text += (d ? ", " : "") + dims[d] + " " + (global[d] == 0 ? std::string("unlimited") : std::to_string(global[d]));
  return formatted("{}) into {}", text, path);
}

std::string file_path(const char* filename) {
  require(filename != nullptr && *filename != '\0', WEIR_EARGUMENT, "the file's name is missing");
  return std::filesystem::path(filename).lexically_normal().string();
}

Type type_of(int datatype) {
  constexpr std::array types{WEIR_INT,   WEIR_FLOAT,  WEIR_DOUBLE, WEIR_BYTE,  WEIR_CHAR,  WEIR_SHORT,
                             WEIR_UBYTE, WEIR_USHORT, WEIR_UINT,   WEIR_INT64, WEIR_UINT64};
  static_assert(types.size() == cfio2_data_type_uint64 + 1 && types[cfio2_data_type_double] == WEIR_DOUBLE);
  require(datatype >= 0 && datatype < static_cast<int>(types.size()), WEIR_EARGUMENT,
          "the datatype {} is not a CFIO2 data type; give cfio2_data_type_int (0) to cfio2_data_type_uint64 (10)",
          datatype);
  return types[static_cast<std::size_t>(datatype)];
}

Status read_arguments(const Arguments& call, Put& put) {
  put.append = call.append;
  try {
    put.path = file_path(call.filename);
    require(call.var_name != nullptr && *call.var_name != '\0', WEIR_EARGUMENT, "the variable's name is missing");
    put.name = call.var_name;
    read_rest(call, put);
    return {};
  } catch (const Error& error) {
    const std::string what = put.name.empty() ? "" : formatted(" of \"{}\"", put.name);
    return {error.code(), formatted("cfio2_put_vara{} into {}: {}", what, put.path, error.what())};
  }
}

// A scalar is an array of one element.
OwnBox own_box(const Put& put) {
  const std::ptrdiff_t skip = put.is_record() ? 1 : 0;
  OwnBox box{{put.global.begin() + skip, put.global.end()},
             {put.start.begin() + skip, put.start.end()},
             {put.count.begin() + skip, put.count.end()}};
  if (box.shape.empty()) box = {{1}, {0}, {1}};
  if (put.empty()) box.start = box.count = Shape(box.shape.size(), 0);
  return box;
}

std::string OwnBox::in_words() const {
  return empty() ? "nothing" : formatted("start {}, count {}", list(start), list(count));
}

}  // namespace weir::cfio2
