// SPDX-License-Identifier: Apache-2.0
// How a stream's records are grouped: into files (`split`) and commits (`commit`). Pure, Local.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "calendar/interval.hpp"
#include "streams/setting.hpp"

namespace weir {

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

// Read the keys of these names.
// Errors: WEIR_ECONFIG, with the place of the entry.
Split parse_split(const Setting& setting);
CommitEvery parse_commit(const Setting& setting);
// "100 records"; nullopt: it is something else.
std::optional<std::int64_t> parse_records(const Setting& setting, std::string_view text);

}  // namespace weir
