// SPDX-License-Identifier: Apache-2.0
// What the configuration says of streams: the keys `streams` and `restart`, checked as far as they can be without the
// model's fields. streams/stream_plan.hpp puts fields and streams together. docs/streams.md is for users. Pure, Local.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/config.hpp"
#include "calendar/interval.hpp"
#include "streams/dimension_part.hpp"
#include "streams/field_choice.hpp"
#include "streams/record_groups.hpp"

namespace weir {

enum class TimeStamp { middle, end };
enum class ExistingFiles { replace, refuse };

struct StreamConfig {
  std::string name;
  std::string file;  // a pattern: {time:%Y-%m}, {end:%Y-%m}, {field}
  std::string of;    // a pattern of the program's files whose variables are its fields; "": fields that are sent
  std::optional<bool> keep;  // whether these files keep their records; unset: they do
  Interval every;
  AlignedTo align = AlignedTo::calendar;
  Split split;
  CommitEvery commit;
  std::int64_t expected = 0;  // records of a run; 0: any number
  std::optional<int> type;    // of the fields that name none, as FieldChoice::type
  std::vector<FieldChoice> fields;
  std::vector<DimensionPart> box;
  std::string from, until;         // dates; "": the run's start, and its end
  double valid_fraction = 0;       // least share of valid samples; 0: one sample is enough
  bool weighted = false;           // samples count by the time since the sample before
  std::optional<TimeStamp> stamp;  // "": middle for intervals, end for instants
  FormatKind format = FormatKind::automatic;
  CompressionKind compression = CompressionKind::none;
  int compression_level = 1;
  std::optional<ExistingFiles> existing;  // parse_streams() sets it
  std::optional<bool> done_marker;        // unset: as the configuration says of the file
  bool unfinished = false;                // an interval that the run's end cuts off is written, with its own bounds
  std::vector<std::pair<std::string, std::string>> attributes;  // of the file
  int line = 0;

  bool operator==(const StreamConfig&) const = default;
};

struct StreamsConfig {
  std::vector<StreamConfig> streams;
  std::string restart;  // a pattern of the file that keeps unfinished intervals; "": none
  std::string place;    // of the configuration, for messages; "": unknown

  bool operator==(const StreamsConfig&) const = default;
};

// Reads the value of the key `streams`, and of the key `restart`.
// Errors: WEIR_ECONFIG; names the stream, the key, the nearest known key or the allowed values, and the line.
StreamsConfig parse_streams(const ConfigValue& streams, const std::string& restart);

}  // namespace weir
