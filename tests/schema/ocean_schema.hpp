// SPDX-License-Identifier: Apache-2.0
// A small schema with a record dimension, a scalar and attributes, for the tests of schemas.
#pragma once

#include <vector>

#include "schema/schema.hpp"

namespace weir {

using Dims = std::vector<int>;

inline Schema ocean() {
  Schema schema;
  schema.add_dimension("time", 0);
  schema.add_dimension("lat", 90);
  schema.add_dimension("lon", 180);
  schema.add_variable("time", WEIR_DOUBLE, Dims{0});
  schema.add_variable("temp", WEIR_FLOAT, Dims{0, 1, 2});
  schema.add_variable("depth", WEIR_SHORT, Dims{1, 2});
  schema.add_variable("run", WEIR_INT, Dims{});
  schema.put_attribute(1, "units", WEIR_CHAR, 1, "K");
  const double range[] = {-2.0, 40.0};
  schema.put_attribute(1, "valid_range", WEIR_DOUBLE, 2, range);
  schema.put_attribute(WEIR_GLOBAL, "title", WEIR_CHAR, 5, "ocean");
  return schema;
}

}  // namespace weir
