// SPDX-License-Identifier: Apache-2.0
// What a model would tell Weir before it starts its streams, from a YAML file:
//
//     time: {units: "hours since 1990-01-01", calendar: noleap, start: "1990-01-01"}
//     sst: {type: float, dimensions: {lat: 180, lon: 360}, attributes: {units: K}}
//     lat: {dimensions: {lat: 180}, values: {from: -89.5, to: 89.5}}
//
// A field with values, or with `fixed: yes`, is fixed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/config.hpp"
#include "streams/field.hpp"

namespace weir::streams {

struct ModelFields {
  Fields fields;
  std::map<int, std::vector<double>> values;  // of fixed fields of one dimension
  std::optional<std::string> units, calendar, start;
};

// Errors: WEIR_ECONFIG, WEIR_EARGUMENT; names the field and the line.
ModelFields read_fields(const ConfigValue& file);

}  // namespace weir::streams
