// SPDX-License-Identifier: Apache-2.0
#include "streams/stream_plan.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "base/text.hpp"
#include "streams/file_schema.hpp"
#include "streams/record_times.hpp"
#include "streams/setting.hpp"

namespace weir {

namespace {

// The names of files are compared as far as this.
constexpr std::size_t compared_files = 1000;
constexpr int compared_records = 100'000;

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known, const char* what) {
  const auto nearest = nearest_word(word, known);
  return nearest ? formatted("did you mean \"{}\"?", *nearest)
                 : formatted("the {} are {}", what, known.empty() ? "none" : join_words(known));
}

// Plans one stream.
class StreamPlanner {
 public:
  StreamPlanner(const StreamConfig& stream, const std::string& place, const Fields& fields, const TimeAxis& axis)
      : stream_(stream), place_(place), fields_(fields), axis_(axis) {}

  std::vector<PlannedFile> files(const CoordinateValues& coordinate_values, const std::vector<Attribute>& attributes);
  // Refuses a split whose files have one name.
  void check_names(const PlannedFile& file, Instant start) const;
  [[noreturn]] void refuse(const std::string& what, int line = 0) const {
    throw Error(WEIR_ECONFIG,
                formatted("stream {}: {}{}", stream_.name, what, origin_of(place_, line > 0 ? line : stream_.line)));
  }

 private:
  void choose();
  void choose_pattern(const FieldChoice& choice);
  void choose_one(const FieldChoice& choice);
  void add(ChosenField chosen);
  void choose_fixed(int field, const FieldChoice& choice);
  void keep(const DimensionPart& part, const CoordinateValues& coordinate_values);
  std::vector<std::int64_t> indices(const DimensionPart& part, std::int64_t length,
                                    const CoordinateValues& coordinate_values) const;
  std::vector<std::int64_t> indices(const std::string& dimension, const CoordinateRange& range,
                                    const CoordinateValues& coordinate_values) const;
  std::optional<Instant> instant_of(const char* key, const std::string& text) const;
  std::vector<const Field*> fields_of_content() const;
  PlannedFile file(FileContent content, const std::string& name, const std::string& pattern) const;

  const StreamConfig& stream_;
  const std::string& place_;
  const Fields& fields_;
  const TimeAxis& axis_;
  FileContent content_;
  std::optional<Instant> from_, until_;
};

void StreamPlanner::add(ChosenField chosen) {
  const int line = chosen.choice->line;
  for (const ChosenField& before : content_.sent)
    if (same_name(before.name, chosen.name))
      refuse(
          formatted("fields: \"{}\" comes from \"{}\"{} and from \"{}\"{}; leave it out of one of them", chosen.name,
                    before.choice->name, origin_of("", before.choice->line), chosen.choice->name, origin_of("", line)),
          line);
  for (const std::string_view own : {time_name, bounds_name})
    if (same_name(chosen.name, own))
      refuse(formatted("fields: a file has a variable \"{}\" of its own; give the output another name: {{{}_of_model: "
                       "{{of: {}}}}}",
                       own, own, fields_.at(chosen.field).name),
             line);
  for (const Field& field : fields_.all()) {
    if (field.fixed && same_name(field.name, chosen.name))
      refuse(formatted("fields: \"{}\" is the name of a fixed field; give the output another one", chosen.name), line);
    for (const std::string& dimension : field.dimensions)
      if (same_name(dimension, chosen.name))
        refuse(
            formatted("fields: \"{}\" is the name of a dimension of field \"{}\", whose coordinate is a fixed field; "
                      "give the output another name",
                      chosen.name, field.name),
            line);
  }
  content_.sent.push_back(std::move(chosen));
}

void StreamPlanner::choose_pattern(const FieldChoice& choice) {
  bool any = false;
  std::vector<std::string_view> sent;
  for (int number = 0; number < fields_.count(); ++number) {
    const Field& field = fields_.at(number);
    if (field.fixed) continue;
    sent.push_back(field.name);
    if (fnmatch(choice.name.c_str(), field.name.c_str(), 0) != 0) continue;
    any = true;
    add({number, field.name, &choice});
  }
  if (!any)
    refuse(formatted("fields: \"{}\" matches no field that the model sends; it sends {}", choice.name,
                     sent.empty() ? "none" : join_words(sent)),
           choice.line);
}

// A fixed field is put as it is.
void StreamPlanner::choose_fixed(int field, const FieldChoice& choice) {
  FieldChoice plain;
  plain.name = choice.name;
  plain.operation = choice.operation;
  if (choice.type == stream_.type) plain.type = choice.type;
  plain.line = choice.line;
  if (!(plain == choice))
    refuse(formatted("fields: {}: \"{}\" is a fixed field, which is put once and as it is; name it alone, without of, "
                     "type, digits, packing and attributes",
                     choice.name, fields_.at(field).name),
           choice.line);
  content_.fixed.push_back(field);
}

void StreamPlanner::choose_one(const FieldChoice& choice) {
  const std::string& wanted = choice.of.empty() ? choice.name : choice.of;
  const int number = fields_.find(wanted);
  if (number < 0) {
    std::vector<std::string_view> known;
    for (const Field& field : fields_.all()) known.push_back(field.name);
    refuse(formatted("fields: {}: the model has no field \"{}\": {}", choice.name, wanted,
                     did_you_mean(wanted, known, "fields")),
           choice.line);
  }
  if (fields_.at(number).fixed) return choose_fixed(number, choice);
  add({number, choice.name, &choice});
}

void StreamPlanner::choose() {
  for (const FieldChoice& choice : stream_.fields)
    choice.of.empty() && is_pattern(choice.name) ? choose_pattern(choice) : choose_one(choice);
  if (content_.sent.empty())
    refuse("fields: all of them are fixed fields, so that no record is written; name a field that the model sends",
           stream_.fields.front().line);
}

std::vector<const Field*> StreamPlanner::fields_of_content() const {
  std::vector<const Field*> all;
  for (const ChosenField& chosen : content_.sent) all.push_back(&fields_.at(chosen.field));
  for (const int fixed : content_.fixed) all.push_back(&fields_.at(fixed));
  return all;
}

std::vector<std::int64_t> StreamPlanner::indices(const std::string& dimension, const CoordinateRange& range,
                                                 const CoordinateValues& coordinate_values) const {
  const int number = fields_.find(dimension);
  if (number < 0 || !fields_.at(number).fixed || fields_.at(number).dimensions.size() != 1 ||
      !same_name(fields_.at(number).dimensions[0], dimension))
    refuse(
        formatted("box: {}: the model sets no fixed field \"{}\" over this dimension, so that its elements have no "
                  "values; give elements: [first, last]",
                  dimension, dimension));
  const std::vector<double> values = coordinate_values(number);
  std::vector<std::int64_t> found;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] >= range.first && values[i] <= range.last) found.push_back(static_cast<std::int64_t>(i));
  if (found.empty()) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    refuse(formatted("box: {}: no value lies from {} to {}; the values of {} go from {} to {}", dimension, range.first,
                     range.last, dimension, *least, *most));
  }
  return found;
}

std::vector<std::int64_t> StreamPlanner::indices(const DimensionPart& part, std::int64_t length,
                                                 const CoordinateValues& coordinate_values) const {
  if (const auto* values = std::get_if<CoordinateRange>(&part.part))
    return indices(part.dimension, *values, coordinate_values);
  std::vector<std::int64_t> found;
  if (const auto* list = std::get_if<IndexList>(&part.part)) {
    found = *list;
  } else {
    const auto& range = std::get<IndexRange>(part.part);
    const bool to_the_end = range.last == IndexRange::to_the_end;
    const std::int64_t last = to_the_end ? std::max(range.first, length - 1) : range.last;
    if (last < length)
      for (std::int64_t index = range.first; index <= last; index += range.step) found.push_back(index);
    else
      found = {last};
  }
  if (found.back() >= length)
    refuse(formatted("box: {}: there is no element {}: the dimension has {} elements, numbered from 0 to {}",
                     part.dimension, found.back(), length, length - 1));
  return found;
}

void StreamPlanner::keep(const DimensionPart& part, const CoordinateValues& coordinate_values) {
  std::vector<std::string_view> known;
  for (const Field* field : fields_of_content())
    for (std::size_t d = 0; d < field->dimensions.size(); ++d) {
      if (!same_name(field->dimensions[d], part.dimension)) {
        if (std::find(known.begin(), known.end(), field->dimensions[d]) == known.end())
          known.push_back(field->dimensions[d]);
        continue;
      }
      const std::vector<std::int64_t> kept = indices(part, field->shape[d], coordinate_values);
      if (static_cast<std::int64_t>(kept.size()) < field->shape[d]) content_.kept.push_back({part.dimension, kept});
      return;
    }
  refuse(formatted("box: no field of the stream has a dimension \"{}\": {}", part.dimension,
                   did_you_mean(part.dimension, known, "dimensions")));
}

std::optional<Instant> StreamPlanner::instant_of(const char* key, const std::string& text) const {
  if (text.empty()) return std::nullopt;
  try {
    return axis_.instant(parse_date(axis_.calendar(), text));
  } catch (const Error& error) {
    refuse(formatted("{}: {}", key, error.what()));
  }
}

PlannedFile StreamPlanner::file(FileContent content, const std::string& name, const std::string& pattern) const {
  PlannedFile file;
  file.stream = stream_;
  file.name = name;
  file.pattern = pattern;
  file.from = from_;
  file.until = until_;
  int line = 0;
  try {
    define_file(file, content, fields_, axis_, line);
  } catch (const Error& error) {
    refuse(error.what(), line);
  }
  return file;
}

std::string with_field(std::string pattern, const std::string& field) {
  constexpr std::string_view word = "{field}";
  for (auto at = pattern.find(word); at != pattern.npos; at = pattern.find(word, at + field.size()))
    pattern.replace(at, word.size(), field);
  return pattern;
}

std::vector<PlannedFile> StreamPlanner::files(const CoordinateValues& coordinate_values,
                                              const std::vector<Attribute>& attributes) {
  from_ = instant_of("from", stream_.from);
  until_ = instant_of("until", stream_.until);
  if (from_ && until_ && *until_ <= *from_)
    refuse(formatted("from: {} is not before until: {}; give the earlier date as from", stream_.from, stream_.until));
  choose();
  for (const DimensionPart& part : stream_.box) keep(part, coordinate_values);
  content_.attributes = attributes;
  if (!has_field(stream_.file)) return {file(content_, stream_.name, stream_.file)};
  std::vector<PlannedFile> made;
  for (const ChosenField& chosen : content_.sent) {
    if (chosen.name.find_first_of("/{}") != chosen.name.npos)
      refuse(formatted("file: {{field}} stands for \"{}\" too, which cannot be part of a file's name; give the output "
                       "another name: {{name: {{of: \"{}\"}}}}",
                       chosen.name, fields_.at(chosen.field).name),
             chosen.choice->line);
    FileContent one = content_;
    one.sent = {chosen};
    made.push_back(file(std::move(one), stream_.name + "." + chosen.name, with_field(stream_.file, chosen.name)));
  }
  return made;
}

void StreamPlanner::check_names(const PlannedFile& file, Instant start) const {
  if (stream_.split.never()) return;
  std::map<std::string, Instant> labels;
  const auto compare = [&](const std::string& name, Instant label) {
    const auto [known, is_new] = labels.try_emplace(name, label);
    if (is_new) return;
    const bool repeats_a_year = axis_.date(known->second).year != axis_.date(label).year;
    refuse(formatted("split: the files that begin at {} and at {} are both called \"{}\"; put {}",
                     axis_.in_words(known->second), axis_.in_words(label), name,
                     repeats_a_year ? "the year into file, as in {time:%Y-%m}"
                                    : "a finer time into file, as in {time:%Y-%m-%dT%H}"));
  };
  RecordTimes times(file, axis_, start, 0);
  Instant last = 0;
  for (int records = 0; records < compared_records && labels.size() < compared_files && times.next(); ++records) {
    if (!times.opens_file()) continue;
    last = times.label();
    compare(times.name(), last);
  }
  if (labels.empty()) return;
  // More files than were compared may reach the next year.
  const Date date{axis_.date(start).year, 1, 1, 0}, later{date.year + 1, 1, 1, 0};
  if (last >= axis_.instant(later) || (file.until && *file.until <= axis_.instant(later))) return;
  labels.clear();
  std::optional<Boundaries> ends;
  if (stream_.split.interval) ends.emplace(axis_, *stream_.split.interval, stream_.align, start);
  for (const Instant label : {axis_.instant(date), axis_.instant(later)})
    compare(expand_pattern(file.pattern, axis_, label, "", ends_of(ends)), label);
}

// Two sequences whose first files have one name, or one that the restart file has.
void check_first_names(const std::vector<PlannedFile>& files, const StreamsConfig& config, const TimeAxis& axis,
                       Instant start) {
  std::map<std::string, std::string> owners;
  if (!config.restart.empty()) owners.emplace(expand_pattern(config.restart, axis, start, ""), "restart");
  for (const PlannedFile& file : files) {
    RecordTimes times(file, axis, start, 0);
    times.next();
    const auto [known, is_new] = owners.try_emplace(times.name(), formatted("stream {}", file.name));
    require(is_new, WEIR_ECONFIG, "stream {}: file: its first file is \"{}\", as that of {}; give it another name{}",
            file.name, known->first, known->second, origin_of(config.place, file.stream.line));
  }
}

}  // namespace

std::vector<PlannedFile> plan_streams(const StreamsConfig& config, const Fields& fields, const TimeAxis& axis,
                                      Instant start, const CoordinateValues& coordinate_values,
                                      const std::vector<Attribute>& attributes) {
  std::vector<PlannedFile> all;
  for (const StreamConfig& stream : config.streams) {
    StreamPlanner planner(stream, config.place, fields, axis);
    std::vector<PlannedFile> files = planner.files(coordinate_values, attributes);
    planner.check_names(files.front(), start);
    std::move(files.begin(), files.end(), std::back_inserter(all));
  }
  check_first_names(all, config, axis, start);
  return all;
}

}  // namespace weir
