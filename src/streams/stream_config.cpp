// SPDX-License-Identifier: Apache-2.0
#include "streams/stream_config.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "calendar/time_axis.hpp"
#include "schema/name.hpp"
#include "schema/types.hpp"
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
constexpr std::array field_keys{std::string_view("of"),           std::string_view("as"),
                                std::string_view("type"),         std::string_view("digits"),
                                std::string_view("scale_factor"), std::string_view("add_offset"),
                                std::string_view("max_error"),    std::string_view("attributes")};
constexpr std::array part_keys{std::string_view("from"), std::string_view("to"),    std::string_view("first"),
                               std::string_view("last"), std::string_view("every"), std::string_view("at")};

constexpr std::array align_words{std::pair{std::string_view("calendar"), AlignedTo::calendar},
                                 std::pair{std::string_view("start"), AlignedTo::start}};
constexpr std::array stamp_words{std::pair{std::string_view("middle"), TimeStamp::middle},
                                 std::pair{std::string_view("end"), TimeStamp::end}};
constexpr std::array existing_words{std::pair{std::string_view("replace"), ExistingFiles::replace},
                                    std::pair{std::string_view("refuse"), ExistingFiles::refuse}};
constexpr std::array unfinished_words{std::pair{std::string_view("drop"), false},
                                      std::pair{std::string_view("write"), true}};
constexpr std::array type_words{
    std::pair{std::string_view("byte"), WEIR_BYTE},   std::pair{std::string_view("short"), WEIR_SHORT},
    std::pair{std::string_view("int"), WEIR_INT},     std::pair{std::string_view("int64"), WEIR_INT64},
    std::pair{std::string_view("ubyte"), WEIR_UBYTE}, std::pair{std::string_view("ushort"), WEIR_USHORT},
    std::pair{std::string_view("uint"), WEIR_UINT},   std::pair{std::string_view("uint64"), WEIR_UINT64},
    std::pair{std::string_view("float"), WEIR_FLOAT}, std::pair{std::string_view("double"), WEIR_DOUBLE}};

constexpr int most_digits = 15;
constexpr int best_zlib_level = 9, best_zstd_level = 22;

// Attributes that other keys set.
constexpr std::array set_by_keys{std::pair{std::string_view("scale_factor"), "give it as a key of the field"},
                                 std::pair{std::string_view("add_offset"), "give it as a key of the field"},
                                 std::pair{std::string_view("cell_methods"), "it follows from as"},
                                 std::pair{std::string_view("_FillValue"), "the model gives it to the field"}};

std::vector<std::pair<std::string_view, Operation>> operation_words() {
  std::vector<std::pair<std::string_view, Operation>> words;
  for (int number = 0; number <= static_cast<int>(Operation::count); ++number)
    words.emplace_back(name(static_cast<Operation>(number)), static_cast<Operation>(number));
  return words;
}

// Return whether an expansion of a pattern fails, as a sentence.
void check_pattern(const Setting& setting, const std::string& pattern, const Split& split = {}) {
  setting.guard([&] {
    const TimeAxis any("days since 2000-01-01", "");
    const EndOf next_day = [](Instant instant) { return instant + microseconds_a_day; };
    return expand_pattern(pattern, any, 0, "field", split.interval ? next_day : EndOf());
  });
}

std::vector<std::pair<std::string, std::string>> parse_attributes(const Setting& setting, bool of_field) {
  setting.require_map("{name: text}");
  std::vector<std::pair<std::string, std::string>> attributes;
  for (const Setting& attribute : setting.entries()) {
    const std::string& name = attribute.key();
    if (const auto fault = name_fault(name)) attribute.refuse(formatted("the name {}; give another", *fault));
    for (const auto& [taken, instead] : set_by_keys)
      if (of_field && name == taken)
        attribute.refuse(formatted("is no text attribute here; leave it out: {}", instead));
    attributes.emplace_back(name, attribute.text());
  }
  return attributes;
}

Interval parse_every(const Setting& setting) {
  return setting.guard([&] { return parse_interval(setting.text()); });
}

// "100 records"; nullopt: it is something else.
std::optional<std::int64_t> parse_records(const Setting& setting, std::string_view text) {
  for (const std::string_view word : {"records", "record"}) {
    if (!text.ends_with(word)) continue;
    const auto count = parse_whole(text.substr(0, text.size() - word.size()));
    if (!count || *count < 1) setting.refuse(formatted("\"{}\" is no number of records; give \"100 records\"", text));
    return count;
  }
  return std::nullopt;
}

std::int64_t parse_expected(const Setting& setting) {
  const std::string text(trimmed(setting.text()));
  const auto records = parse_records(setting, text);
  if (!records) setting.refuse(formatted("\"{}\" is no number of records; give \"400 records\"", text));
  return *records;
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

IndexList parse_elements(const Setting& setting) {
  IndexList elements;
  for (const Setting& item : setting.items()) {
    const std::int64_t element = item.whole(0);
    if (!elements.empty() && element <= elements.back())
      item.refuse(formatted("element {} comes after {}; give elements in ascending order, each once", element,
                            elements.back()));
    elements.push_back(element);
  }
  if (elements.empty()) setting.refuse("has no elements; give at least one");
  return elements;
}

IndexRange checked_range(const Setting& setting, IndexRange range) {
  if (range.first > range.last)
    setting.refuse(formatted("element {} is behind element {}; give the first one first", range.first, range.last));
  return range;
}

// [first, last]
IndexRange parse_first_and_last(const Setting& setting) {
  const auto items = setting.items();
  const bool whole =
      std::all_of(items.begin(), items.end(), [](const Setting& item) { return parse_whole(item.text()).has_value(); });
  if (items.size() != 2 || !whole)
    setting.refuse(
        "is not [first, last] in whole numbers; give two elements, {from: 0.5, to: 80.5} for coordinate values, or "
        "{at: [0, 10]} for a list of elements");
  return checked_range(setting, {items[0].whole(0), items[1].whole(0), 1});
}

DimensionPart parse_part(const Setting& setting) {
  DimensionPart part{setting.key(), IndexRange()};
  if (setting.value().is_list) {
    part.part = parse_first_and_last(setting);
    return part;
  }
  setting.require_map("{from: 0.5, to: 80.5}, {first: 0, last: 10, every: 2}, {at: [0, 10]} or [first, last]");
  setting.check_keys(part_keys);
  const auto from = setting.find("from"), to = setting.find("to"), first = setting.find("first");
  const auto last = setting.find("last"), every = setting.find("every"), at = setting.find("at");
  const bool by_values = from || to, by_range = first || last || every;
  if (int{by_values} + int{by_range} + int{at.has_value()} != 1)
    setting.refuse("mixes ways to choose; give one of {from, to}, {first, last, every} and {at}");
  if (at) part.part = parse_elements(*at);
  if (by_values) {
    if (!from || !to) setting.refuse(formatted("has no \"{}\"; give both from and to", from ? "to" : "from"));
    const CoordinateRange range{from->number(), to->number()};
    if (range.first > range.last)
      setting.refuse(formatted("from: {} is above to: {}; give the lower value first", from->text(), to->text()));
    part.part = range;
  }
  if (by_range)
    part.part = checked_range(setting, {first ? first->whole(0) : 0, last ? last->whole(0) : IndexRange::to_the_end,
                                        every ? every->whole(1) : 1});
  return part;
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

void parse_packing(const Setting& setting, FieldChoice& choice) {
  const auto scale = setting.find("scale_factor"), offset = setting.find("add_offset"), digits = setting.find("digits");
  if (scale) choice.scale_factor = scale->number();
  if (offset) choice.add_offset = offset->number();
  if (choice.scale_factor && *choice.scale_factor == 0)
    scale->refuse("0 makes all values equal; give the step between two values");
  if (offset && !scale) offset->refuse("packs values only with scale_factor; give both, or leave it out");
  if (scale && choice.type && is_real_type(static_cast<Type>(*choice.type)))
    setting.refuse(
        formatted("scale_factor: {} packs values into whole numbers, and type is {}; give type: short, or leave "
                  "scale_factor out",
                  scale->text(), type_name(static_cast<Type>(*choice.type))));
  if (scale && !choice.type) choice.type = WEIR_SHORT;
  if (const auto most = setting.find("max_error")) {
    const std::string& text = most->text();
    choice.max_error = most->guard([&] { return parse_error_bound(text); });
    if (digits)
      setting.refuse(formatted("has digits: {} and max_error: {}; leave one of them out", digits->text(), text));
    if (choice.operation == Operation::count)
      most->refuse(formatted("{} is for values, and as: count gives whole numbers; leave it out", text));
  }
  if (!digits) return;
  choice.digits = static_cast<int>(digits->whole(1, most_digits));
  if (choice.type && !is_real_type(static_cast<Type>(*choice.type)))
    setting.refuse(formatted("digits: {} is for float and double, and type is {}{}; leave one of them out",
                             choice.digits, type_name(static_cast<Type>(*choice.type)),
                             scale ? formatted(" by scale_factor: {}", scale->text()) : ""));
  if (choice.operation == Operation::count)
    setting.refuse(formatted("digits: {} is for float and double, and as: count gives whole numbers; leave digits out",
                             choice.digits));
}

// What the stream says of fields that do not say it themselves.
struct UsualChoice {
  Operation operation = Operation::instant;
  std::optional<int> type;
};

FieldChoice parse_choice(const Setting& setting, const UsualChoice& usual) {
  FieldChoice choice;
  choice.name = setting.key();
  choice.operation = usual.operation;
  choice.type = usual.type;
  choice.line = setting.value().line;
  if (trimmed(choice.name).empty()) setting.refuse("a field has no name; give one");
  if (setting.value().is_list) setting.refuse("is a list; give an operation (mean), or {as: mean, ...}");
  if (!setting.value().is_map) {
    if (!setting.value().text.empty()) choice.operation = setting.word<Operation>(operation_words());
    return choice;
  }
  setting.check_keys(field_keys);
  if (const auto as = setting.find("as")) choice.operation = as->word<Operation>(operation_words());
  if (const auto of = setting.find("of")) {
    choice.of = of->text();
    if (trimmed(choice.of).empty()) of->refuse("names no field; give its name, or leave it out");
    if (is_pattern(choice.of))
      of->refuse(formatted("\"{}\" is a pattern; give one field, or the pattern as the name without of", choice.of));
    if (is_pattern(choice.name))
      setting.refuse(formatted("is a pattern, and of: {} is one field; give the output a name", choice.of));
  }
  if (usual.type && is_real_type(static_cast<Type>(*usual.type)) && setting.find("scale_factor"))
    choice.type.reset();  // the field is packed
  if (const auto type = setting.find("type")) choice.type = type->word<Type>(type_words);
  parse_packing(setting, choice);
  if (const auto attributes = setting.find("attributes")) choice.attributes = parse_attributes(*attributes, true);
  return choice;
}

std::vector<FieldChoice> parse_fields(const Setting& setting, const UsualChoice& usual) {
  std::vector<FieldChoice> choices;
  if (setting.value().is_list) {
    for (const Setting& item : setting.items()) {
      if (item.value().is_map || item.value().is_list)
        item.refuse("a list has names alone; to say more of a field give a map: {sst: mean, salt: {as: mean}}");
      FieldChoice choice;
      choice.name = item.text();
      choice.operation = usual.operation;
      choice.type = usual.type;
      choice.line = item.value().line;
      if (trimmed(choice.name).empty()) item.refuse("a field has no name; give one");
      choices.push_back(std::move(choice));
    }
  } else {
    setting.require_map("[sst, salt], {sst: mean, salt: {as: maximum}} or {\"*\": mean}");
    for (const Setting& entry : setting.entries()) choices.push_back(parse_choice(entry, usual));
  }
  if (choices.empty()) setting.refuse("names no field; give at least one, or \"*\" for all");
  for (auto choice = choices.begin(); choice != choices.end(); ++choice) {
    const auto before =
        std::find_if(choices.begin(), choice, [&](const FieldChoice& other) { return other.name == choice->name; });
    if (before != choice)
      setting.refuse(formatted("\"{}\" is given twice, in lines {} and {}; keep one of them, or give one another name: "
                               "{{{}_2: {{of: {}}}}}",
                               choice->name, before->line, choice->line, choice->name, choice->name),
                     choice->line);
  }
  return choices;
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
  if (type) stream.type = type->word<Type>(type_words);
  const Operation usual = as ? as->word<Operation>(operation_words()) : Operation::instant;
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

bool is_pattern(std::string_view name) noexcept {
  return name.find_first_of("*?[") != name.npos;
}

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
