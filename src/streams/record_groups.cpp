// SPDX-License-Identifier: Apache-2.0
#include "streams/record_groups.hpp"

#include <string>

#include "base/error.hpp"
#include "base/text.hpp"

namespace weir {

std::optional<std::int64_t> parse_records(const Setting& setting, std::string_view text) {
  for (const std::string_view word : {"records", "record"}) {
    if (!text.ends_with(word)) continue;
    const auto count = parse_whole(text.substr(0, text.size() - word.size()));
    if (!count || *count < 1) setting.refuse(formatted("\"{}\" is no number of records; give \"100 records\"", text));
    return count;
  }
  return std::nullopt;
}

Split parse_split(const Setting& setting) {
  const std::string text(trimmed(setting.text()));
  if (const auto records = parse_records(setting, text)) return {.interval = std::nullopt, .records = *records};
  if (const auto number = parse_whole(text))
    setting.refuse(formatted("{} has no unit; give \"{} records\", an interval (\"1 month\") or a size (\"2 GiB\")",
                             text, *number));
  if (const auto bytes = parse_bytes(text)) {
    if (*bytes < 1) setting.refuse(formatted("\"{}\" leaves no room for a record; give a size above 0", text));
    return {.interval = std::nullopt, .bytes = *bytes};
  }
  Split split;
  try {
    split.interval = parse_interval(text);
  } catch (const Error& error) {
    setting.refuse(formatted("{}; give an interval, records (\"100 records\") or a size (\"2 GiB\")", error.what()));
  }
  if (split.interval->unit == Interval::Unit::steps)
    setting.refuse(formatted("a file does not end after steps; give \"{} records\", an interval of time or a size",
                             split.interval->count));
  return split;
}

CommitEvery parse_commit(const Setting& setting) {
  const std::string text(trimmed(setting.text()));
  CommitEvery commit;
  if (const auto records = parse_records(setting, text)) {
    commit.records = *records;
    return commit;
  }
  if (const auto number = parse_whole(text))
    setting.refuse(formatted("{} has no unit; give \"{} records\" or an interval (\"10 days\")", text, *number));
  try {
    commit.interval = parse_interval(text);
  } catch (const Error& error) {
    setting.refuse(formatted("{}; give an interval, or records (\"4 records\")", error.what()));
  }
  if (commit.interval->unit == Interval::Unit::steps)
    setting.refuse(
        formatted("steps make no record; give \"{} records\", or an interval of time", commit.interval->count));
  return commit;
}

}  // namespace weir
