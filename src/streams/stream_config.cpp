// SPDX-License-Identifier: Apache-2.0
#include "streams/stream_config.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "calendar/time_axis.hpp"
#include "streams/setting.hpp"

namespace weir {

namespace {

constexpr std::array stream_keys{
    std::string_view("file"),       std::string_view("every"),      std::string_view("align"),
    std::string_view("split"),      std::string_view("format"),     std::string_view("compression"),
    std::string_view("as"),         std::string_view("fields"),     std::string_view("box"),
    std::string_view("from"),       std::string_view("until"),      std::string_view("valid_fraction"),
    std::string_view("stamp"),      std::string_view("weighted"),   std::string_view("existing"),
    std::string_view("unfinished"), std::string_view("attributes"), std::string_view("compression_level"),
    std::string_view("of"),         std::string_view("keep"),       std::string_view("type"),
    std::string_view("commit"),     std::string_view("expected"),   std::string_view("done_marker")};
constexpr std::array align_words{std::pair{std::string_view("calendar"), AlignedTo::calendar},
                                 std::pair{std::string_view("start"), AlignedTo::start}};
constexpr std::array stamp_words{std::pair{std::string_view("middle"), TimeStamp::middle},
                                 std::pair{std::string_view("end"), TimeStamp::end}};
constexpr std::array existing_words{std::pair{std::string_view("replace"), ExistingFiles::replace},
                                    std::pair{std::string_view("refuse"), ExistingFiles::refuse}};
constexpr std::array unfinished_words{std::pair{std::string_view("drop"), false},
                                      std::pair{std::string_view("write"), true}};
constexpr int best_zlib_level = 9, best_zstd_level = 22;

// Refuses a pattern that does not become a name.
void check_pattern(const Setting& setting, const std::string& pattern, const Split& split = {}) {
  setting.guard([&] {
    const TimeAxis any("days since 2000-01-01", "");
    const EndOf next_day = [](Instant instant) { return instant + microseconds_a_day; };
    return expand_pattern(pattern, any, 0, "field", split.interval ? next_day : EndOf());
  });
}

Interval parse_every(const Setting& setting) {
  return setting.guard([&] { return parse_interval(setting.text()); });
}

std::int64_t parse_expected(const Setting& setting) {
  const std::string text(trimmed(setting.text()));
  const auto records = parse_records(setting, text);
  if (!records) setting.refuse(formatted("\"{}\" is no number of records; give \"400 records\"", text));
  return *records;
}

std::string parse_date_text(const Setting& setting) {
  const std::string text(trimmed(setting.text()));
  // The model's calendar is not known yet: a date that no calendar has is refused.
  for (const Calendar calendar : {Calendar::all_leap, Calendar::day_360}) {
    try {
      parse_date(calendar, text);
      return text;
    } catch (const Error& error) {
      if (calendar == Calendar::day_360) setting.refuse(formatted("{}", error.what()));
    }
  }
  return text;
}

// In a calendar that has every date of any.
Date date_for_order(const std::string& text) {
  try {
    return parse_date(Calendar::all_leap, text);
  } catch (const Error&) {
    return parse_date(Calendar::day_360, text);
  }
}

void check_split(const Setting& setting, const StreamConfig& stream) {
  if (stream.split.never()) return;
  const std::string given = setting.find("split")->text();
  if (!has_time(stream.file))
    setting.find("split")->refuse(
        formatted("{} makes several files, and file: \"{}\" is one name; put the time of a file's begin into it, as in "
                  "\"history_{{time:%Y-%m-%d}}.nc\"",
                  given, stream.file));
  const Interval& every = stream.every;
  if (!stream.split.interval || every.unit == Interval::Unit::steps || at_least_as_long(*stream.split.interval, every))
    return;
  const bool certain = at_least_as_long(every, *stream.split.interval);
  setting.find("split")->refuse(
      formatted("{} {} shorter than every: {}, so that files would have no record; give split an interval that is at "
                "least as long, or a number of records",
                in_words(*stream.split.interval), certain ? "is" : "may be", in_words(every)));
}

void check_commit(const Setting& setting, const StreamConfig& stream) {
  const Interval& every = stream.every;
  if (!stream.commit.interval || every.unit == Interval::Unit::steps ||
      at_least_as_long(*stream.commit.interval, every))
    return;
  setting.find("commit")->refuse(formatted(
      "{} {} shorter than every: {}, which makes the records; give commit an interval that is at least as long, "
      "or a number of records",
      in_words(*stream.commit.interval), at_least_as_long(every, *stream.commit.interval) ? "is" : "may be",
      in_words(every)));
}

void check_packing(const Setting& setting, const StreamConfig& stream) {
  const auto level = setting.find("compression_level");
  if (level && stream.compression == CompressionKind::none)
    level->refuse(formatted("{} is for compression, which is none; give compression: zlib or zstd, or leave it out",
                            level->text()));
  if (level && stream.compression == CompressionKind::zlib && stream.compression_level > best_zlib_level)
    level->refuse(formatted("{} is above {}, the highest of compression: zlib; give 0 to {}, or compression: zstd",
                            level->text(), best_zlib_level, best_zlib_level));
  if (stream.format != FormatKind::automatic) return;
  if (stream.compression != CompressionKind::none)
    setting.find("compression")
        ->refuse(formatted("{} is for netCDF-4 and Zarr, and format is auto, which is classic; give format: netcdf4 or "
                           "zarr, or leave compression out",
                           setting.find("compression")->text()));
  for (const FieldChoice& choice : stream.fields)
    if (choice.digits > 0)
      setting.refuse(formatted("fields: {}: digits: {} is for netCDF-4 and Zarr, which compress what it saves, and "
                               "format is auto, which is classic; give format: netcdf4 or zarr, or leave digits out",
                               choice.name, choice.digits),
                     choice.line);
}

void check_operations(const Setting& setting, StreamConfig& stream) {
  const auto is_instant = [](const FieldChoice& choice) { return choice.operation == Operation::instant; };
  const auto instant = std::find_if(stream.fields.begin(), stream.fields.end(), is_instant);
  const auto interval = std::find_if_not(stream.fields.begin(), stream.fields.end(), is_instant);
  if (interval == stream.fields.end()) {
    if (stream.stamp == TimeStamp::middle)
      setting.find("stamp")->refuse(
          "middle is for intervals, and all fields are instants; give stamp: end, or as: mean");
    for (const char* const key : {"valid_fraction", "weighted", "unfinished"})
      if (const auto found = setting.find(key))
        found->refuse(
            formatted("{} is for means and other operations, and all fields are instants; leave it out, or "
                      "give as: mean",
                      found->text()));
  } else if (instant != stream.fields.end() && stream.stamp != TimeStamp::end && !has_field(stream.file)) {
    setting.refuse(
        formatted("fields: \"{}\" is instant and \"{}\" is {}: an interval's record is stamped at its middle, "
                  "an instant at the end; give stamp: end, or two streams",
                  instant->name, interval->name, name(interval->operation)),
        std::max(instant->line, interval->line));
  }
}

// A file tells neither its run's start nor what the run before has put.
void parse_source(const Setting& setting, StreamConfig& stream, bool keeps_unfinished) {
  const auto of = setting.find("of"), keep = setting.find("keep");
  if (keep && !of)
    keep->refuse(formatted("{} is for the records of the file that of names; give of: history.nc, or leave it out",
                           keep->text()));
  if (!of) return;
  stream.of = of->text();
  if (trimmed(stream.of).empty()) of->refuse("names no file; give the name that the program gives it, or leave it out");
  if (keep) stream.keep = keep->word<bool>(answer_words);
  if (keeps_unfinished)
    of->refuse(formatted("{} feeds a stream that no restart keeps; leave the key restart out", stream.of));
  if (stream.every.unit == Interval::Unit::steps)
    setting.find("every")->refuse(
        formatted("{} counts from the run's start, which the file {} does not tell; give an interval of time",
                  in_words(stream.every), stream.of));
  if (stream.align == AlignedTo::start)
    setting.find("align")->refuse(
        formatted("start is the run's, which the file {} does not tell; give align: calendar", stream.of));
}

void parse_times(const Setting& setting, StreamConfig& stream) {
  const auto from = setting.find("from"), until = setting.find("until");
  if (from) stream.from = parse_date_text(*from);
  if (until) stream.until = parse_date_text(*until);
  if (from && until && date_for_order(stream.until) <= date_for_order(stream.from))
    setting.refuse(
        formatted("from: {} is not before until: {}; give the earlier date as from", stream.from, stream.until),
        until->value().line);
}

void check_stream_name(const Setting& setting) {
  const std::string& name = setting.key();
  const auto allowed = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
           letter == '_' || letter == '-';
  };
  if (name.empty() || !std::all_of(name.begin(), name.end(), allowed))
    setting.refuse(formatted("\"{}\" cannot be the name of a stream; give letters, digits, _ and -", name));
}

StreamConfig parse_stream(const Setting& setting, bool keeps_unfinished) {
  check_stream_name(setting);
  setting.require_map("{file: \"history.nc\", every: 1 day, fields: [sst]}");
  setting.check_keys(stream_keys);
  StreamConfig stream;
  stream.name = setting.key();
  stream.line = setting.value().line;
  const Setting file = setting.need("file", "\"history_{time:%Y-%m}.nc\"");
  stream.file = file.text();
  if (trimmed(stream.file).empty()) file.refuse("is empty; give a file's name");
  stream.every = parse_every(setting.need("every", "1 day"));
  if (const auto align = setting.find("align")) stream.align = align->word<AlignedTo>(align_words);
  parse_source(setting, stream, keeps_unfinished);
  if (const auto split = setting.find("split")) stream.split = parse_split(*split);
  check_pattern(file, stream.file, stream.split);
  if (const auto commit = setting.find("commit")) stream.commit = parse_commit(*commit);
  if (const auto expected = setting.find("expected")) stream.expected = parse_expected(*expected);
  const auto as = setting.find("as"), type = setting.find("type");
  if (type) stream.type = parse_type(*type);
  const Operation usual = as ? parse_operation(*as) : Operation::instant;
  stream.fields = parse_fields(setting.need("fields", "[sst, ssh]"), {usual, stream.type});
  if (const auto box = setting.find("box")) {
    box->require_map("{lat: [120, 240], lon: {from: 0.5, to: 80.5}}");
    for (const Setting& entry : box->entries()) stream.box.push_back(parse_part(entry));
  }
  parse_times(setting, stream);
  if (const auto fraction = setting.find("valid_fraction")) stream.valid_fraction = fraction->number(0, 1);
  if (const auto weighted = setting.find("weighted")) stream.weighted = weighted->word<bool>(answer_words);
  if (const auto stamp = setting.find("stamp")) stream.stamp = stamp->word<TimeStamp>(stamp_words);
  if (const auto format = setting.find("format")) stream.format = format->word<FormatKind>(format_words);
  if (const auto compression = setting.find("compression"))
    stream.compression = compression->word<CompressionKind>(compression_words);
  if (const auto level = setting.find("compression_level"))
    stream.compression_level = static_cast<int>(level->whole(0, best_zstd_level));
  const auto existing = setting.find("existing");
  stream.existing = existing           ? existing->word<ExistingFiles>(existing_words)
                    : keeps_unfinished ? ExistingFiles::refuse
                                       : ExistingFiles::replace;
  if (const auto unfinished = setting.find("unfinished")) stream.unfinished = unfinished->word<bool>(unfinished_words);
  if (const auto marker = setting.find("done_marker")) stream.done_marker = marker->word<bool>(answer_words);
  if (const auto attributes = setting.find("attributes")) stream.attributes = parse_attributes(*attributes, false);
  check_split(setting, stream);
  check_commit(setting, stream);
  check_packing(setting, stream);
  check_operations(setting, stream);
  return stream;
}

void check_restart(const Setting& setting, const std::string& restart) {
  if (restart.empty()) return;
  if (!has_time(restart))
    setting.refuse(
        formatted("\"{}\" is one name for all restarts of a run; put the time into it, as in "
                  "\"streams_{{time}}.nc\"",
                  restart));
  if (has_field(restart))
    setting.refuse(formatted("\"{}\" has {{field}}, and one file keeps all fields; leave {{field}} out", restart));
  check_pattern(setting, restart);
}

}  // namespace

StreamsConfig parse_streams(const ConfigValue& streams, const std::string& restart) {
  StreamsConfig config;
  config.place = streams.place;
  config.restart = restart;
  ConfigValue restart_value;
  restart_value.text = restart;
  // The environment may have set it alone, so the streams' place is not its own.
  check_restart(Setting(restart_value, "restart", "restart", ""), restart);
  const Setting all(streams, "streams", "", streams.place, "stream ");
  for (const Setting& entry : all.entries()) {
    StreamConfig stream = parse_stream(entry, !restart.empty());
    for (const StreamConfig& before : config.streams)
      if (before.file == stream.file)
        entry.refuse(formatted("file: \"{}\" is the file of stream {} too (line {}); give each stream files of its own",
                               stream.file, before.name, before.line));
    for (const StreamConfig& before : config.streams)
      if (!stream.of.empty() && before.of == stream.of && before.keep && stream.keep && before.keep != stream.keep)
        entry.find("keep")->refuse(formatted("is {}, and {} for the same file in stream {} (line {}); give one of them",
                                             *stream.keep ? "yes" : "no", *before.keep ? "yes" : "no", before.name,
                                             before.line));
    config.streams.push_back(std::move(stream));
  }
  for (const StreamConfig& stream : config.streams)
    if (stream.file == restart)
      all.refuse(formatted("stream {}: file: \"{}\" is the value of restart too; give them two names", stream.name,
                           stream.file),
                 stream.line);
  return config;
}

}  // namespace weir
