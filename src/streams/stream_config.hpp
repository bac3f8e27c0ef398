// SPDX-License-Identifier: Apache-2.0
// What the configuration says of streams: the keys `streams` and `restart`, checked as far as they can be without the
// model's fields. streams/stream_plan.hpp puts fields and streams together. docs/streams.md is for users. Pure, Local.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "accumulate/operation.hpp"
#include "base/config.hpp"
#include "calendar/interval.hpp"
#include "streams/error_bound.hpp"

namespace weir {

// One entry of `fields`: which fields, and what becomes of each. `fields: [sst, "ice_*"]`, `{sst: mean}`,
// `{sst_max: {of: sst, as: maximum}}`.
struct FieldChoice {
  std::string name;  // in the file; a pattern (*, ?, [...]) if `of` is empty
  std::string of;    // the field; "": as `name`
  Operation operation = Operation::instant;
  std::optional<int> type;              // netCDF's number of the type in the file: float, double, short, ...
  int digits = 0;                       // significant decimal digits that are kept; 0: all
  std::optional<ErrorBound> max_error;  // of what the file holds
  std::optional<double> scale_factor;   // packed: value = packed * scale_factor + add_offset
  std::optional<double> add_offset;
  std::vector<std::pair<std::string, std::string>> attributes;  // text attributes, added or replaced
  int line = 0;                                                 // of the configuration; 0: unknown

  bool operator==(const FieldChoice&) const = default;
};

// A part of a dimension: elements first to last (both included), each `step`-th. `to_the_end`: the dimension's last.
struct IndexRange {
  static constexpr std::int64_t to_the_end = INT64_MAX;
  std::int64_t first = 0, last = 0, step = 1;
  bool operator==(const IndexRange&) const = default;
};
// Or the elements whose coordinate is in [first, last].
struct CoordinateRange {
  double first = 0, last = 0;
  bool operator==(const CoordinateRange&) const = default;
};
// Or a list of elements (`levels: [0, 10]`).
using IndexList = std::vector<std::int64_t>;
struct DimensionPart {
  std::string dimension;
  std::variant<IndexRange, CoordinateRange, IndexList> part;
  bool operator==(const DimensionPart&) const = default;
};

// When a file ends and the next begins: never, at the boundaries of an interval, after a number of records or bytes.
struct Split {
  std::optional<Interval> interval;
  std::int64_t records = 0;
  std::int64_t bytes = 0;
  bool never() const noexcept { return !interval && records == 0 && bytes == 0; }
  bool operator==(const Split&) const = default;
};

// How often the records of the file that grows are committed: at the boundaries of an interval, or after a number.
struct CommitEvery {
  std::optional<Interval> interval;
  std::int64_t records = 1;
  bool operator==(const CommitEvery&) const = default;
};

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

// Whether the name of a choice is a pattern.
bool is_pattern(std::string_view name) noexcept;

}  // namespace weir
