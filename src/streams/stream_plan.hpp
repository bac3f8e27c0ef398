// SPDX-License-Identifier: Apache-2.0
// What streams write: the configuration, the model's fields and its time axis put together, and checked. Each entry is
// one sequence of files of one kind; a stream with {field} in its pattern has one for each field. Pure, Local.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "accumulate/operation.hpp"
#include "calendar/interval.hpp"
#include "schema/schema.hpp"
#include "streams/field.hpp"
#include "streams/held_part.hpp"
#include "streams/stream_config.hpp"

namespace weir {

// A field's place in a file.
struct PlannedOutput {
  int field = -1;     // of Fields
  int variable = -1;  // of the schema
  Operation operation = Operation::instant;
  KeptIndices kept;                    // of the field's array
  std::optional<double> scale_factor;  // packed: (value - add_offset) / scale_factor, rounded
  std::optional<double> add_offset;
  std::optional<Rounding> rounding;  // within max_error
  double fill = 0;                   // what the variable holds where no sample was valid, before packing it is not used
};
// A fixed field's place.
struct PlannedFixed {
  int field = -1;
  int variable = -1;
  KeptIndices kept;
};

struct PlannedFile {
  StreamConfig stream;  // its stamp is set
  std::string name;     // "daily"; of a stream with {field} "daily.sst"
  std::string pattern;  // of its path; {field} is replaced, {time} is not
  Schema schema;
  int mode = 0;  // of weir_create: the format
  int time_variable = -1;
  int bounds_variable = -1;  // -1: instants have none
  std::vector<PlannedOutput> outputs;
  std::vector<PlannedFixed> fixed;
  std::optional<Instant> from, until;
  // Bytes of one record, and of all that is no record, without compression.
  std::int64_t record_bytes = 0, fixed_bytes = 0;
};

// Returns the values of a one-dimensional fixed field, the same on all ranks.
using CoordinateValues = std::function<std::vector<double>(int field)>;

// Puts all together. `start`: when the run begins. `attributes`: what the model gives to all files; the stream's own
// replace them.
// Errors: WEIR_ECONFIG for a field that is unknown (with the nearest name), a pattern that matches nothing, two outputs
// of one name, a name that is a dimension's or a fixed field's, a date that the calendar does not have, `from` after
// `until`, a box outside its dimension, two streams whose files have one name, a split in which two files have one
// name.
std::vector<PlannedFile> plan_streams(const StreamsConfig& config, const Fields& fields, const TimeAxis& axis,
                                      Instant start, const CoordinateValues& coordinate_values,
                                      const std::vector<Attribute>& attributes = {});

// Returns the file's schema once the time between samples is known, which cell_methods say: "time: mean (interval: 1
// hour)".
Schema with_step(const PlannedFile& file, const Interval& step);

}  // namespace weir
