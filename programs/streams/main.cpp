// SPDX-License-Identifier: Apache-2.0
// weir-streams CONFIG [--fields FIELDS] ...: checks the streams of a configuration as a model's start would, and tells
// what a run with them writes. Exit code 0: they are right; 1: they are not; 2: the command line was wrong.
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "fields_file.hpp"
#include "plain_options.hpp"
#include "streams/stream_config.hpp"
#include "streams/stream_estimate.hpp"
#include "streams/stream_plan.hpp"

namespace {

using Json = nlohmann::ordered_json;
using weir::Instant;
using weir::bench::PlainOptions;
using weir::bench::WrongLine;

constexpr const char* usage =
    "weir-streams CONFIG [--fields FIELDS] [--days N | --until DATE] [--step \"1 hour\"] [--ranks N] [--json]\n"
    "Checks the streams of a configuration as weir_init and weir_start_streams do, and tells which files a run makes.\n"
    "  CONFIG       a YAML file with the key streams, or its text\n"
    "  --fields     a YAML file of what the model sends: sst: {type: float, dimensions: {lat: 180, lon: 360}}\n"
    "               and time: {units: hours since 1990-01-01, calendar: noleap, start: 1990-01-01}; without it only\n"
    "               what needs no fields is checked\n"
    "  --days       length of the run\n"
    "  --until      date of its end\n"
    "  --step       time between samples of a field (default: 1 hour)\n"
    "  --units      of the model's time, in place of those of FIELDS (default: seconds since the start)\n"
    "  --calendar   of the model's time, in place of that of FIELDS (default: standard)\n"
    "  --start      date of the run's begin, in place of that of FIELDS (default: the date of the units)\n"
    "  --ranks      ranks that share the fields (default: 1)\n"
    "  --json       print JSON\n";

// What the options say of the model's time and the run.
struct Run {
  weir::TimeAxis axis;
  weir::PlannedRun run;
  bool has_end = false;
  int ranks = 1;
};

std::optional<std::string> option(const PlainOptions& line, const std::string& name) {
  const auto found = line.given.find(name);
  return found == line.given.end() ? std::nullopt : std::optional(found->second);
}

double real_number(const std::string& name, const std::string& text) {
  std::size_t read = 0;
  double number = 0;
  try {
    number = std::stod(text, &read);
  } catch (const std::exception&) {
    read = 0;
  }
  if (read == 0 || read != text.size() || !(number > 0))
    throw WrongLine(weir::formatted("{} needs a number above 0, not \"{}\"", name, text));
  return number;
}

Instant step_of(const std::string& text) {
  const weir::Interval step = weir::parse_interval(text);
  if (step.unit != weir::Interval::Unit::microseconds)
    throw WrongLine(weir::formatted("--step needs seconds to days, not \"{}\"", text));
  return step.count;
}

Run run_of(const PlainOptions& line, const weir::streams::ModelFields& model) {
  const auto either = [&](const char* name, const std::optional<std::string>& of_file) {
    const auto given = option(line, name);
    return given ? given : of_file;
  };
  const auto units = either("units", model.units), start = either("start", model.start);
  const std::string calendar = either("calendar", model.calendar).value_or("");
  Run run{weir::TimeAxis(units.value_or(weir::formatted("seconds since {}", start.value_or("2000-01-01"))), calendar),
          {}};
  const auto date = [&](const std::string& text) {
    return run.axis.instant(weir::parse_date(run.axis.calendar(), text));
  };
  if (start) run.run.start = date(*start);
  run.run.step = step_of(option(line, "step").value_or("1 hour"));
  const auto days = option(line, "days"), until = option(line, "until");
  if (days && until) throw WrongLine("--days and --until both give the run's end; leave one out");
  run.has_end = days || until;
  if (days)
    run.run.end = run.run.start +
                  static_cast<Instant>(real_number("--days", *days) * static_cast<double>(weir::microseconds_a_day));
  if (until) run.run.end = date(*until);
  if (run.has_end && run.run.end <= run.run.start)
    throw WrongLine(weir::formatted("the run ends at {} and begins at {}; give a later end",
                                    run.axis.in_words(run.run.end), run.axis.in_words(run.run.start)));
  if (const auto ranks = option(line, "ranks"))
    run.ranks = static_cast<int>(weir::bench::whole_number("--ranks", *ranks, 1, 1 << 30));
  return run;
}

// "1.2 GiB"
std::string size_in_words(std::int64_t bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; size >= 1000 && unit + 1 < units.size(); ++unit) size /= 1024;
  return unit == 0 ? weir::formatted("{} B", bytes) : weir::formatted("{:.1f} {}", size, units[unit]);
}

using Row = std::vector<std::string>;

// Columns as wide as their widest entry; the second one to the left, the others to the right.
void print_table(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(widths[i] - row[i].size(), ' ');
      line += (i == 0 ? "" : "  ") + (i < 2 ? row[i] + blanks : blanks + row[i]);
    }
    while (line.ends_with(' ')) line.pop_back();
    std::printf("%s\n", line.c_str());
  }
}

std::int64_t records_of(const weir::StreamEstimate& stream) {
  std::int64_t records = 0;
  for (const auto& file : stream.files) records += file.records;
  return records;
}

std::int64_t bytes_of(const weir::StreamEstimate& stream) {
  std::int64_t bytes = 0;
  for (const auto& file : stream.files) bytes += file.bytes;
  return bytes;
}

constexpr std::size_t shown_files = 4;

void print_estimates(const std::vector<weir::StreamEstimate>& streams) {
  std::vector<Row> rows{{"stream", "files", "records", "size", "memory a rank"}};
  std::size_t files = 0;
  std::int64_t bytes = 0, rank_bytes = 0;
  for (const weir::StreamEstimate& stream : streams) {
    rows.push_back({stream.name, weir::formatted("{} file(s)", stream.files.size()), std::to_string(records_of(stream)),
                    size_in_words(bytes_of(stream)), size_in_words(stream.rank_bytes)});
    for (std::size_t i = 0; i < stream.files.size(); ++i) {
      const auto& file = stream.files[i];
      if (stream.files.size() > shown_files && i == 2)
        rows.push_back({"", weir::formatted("  ... {} more", stream.files.size() - 3), "", "", ""});
      if (stream.files.size() > shown_files && i >= 2 && i + 1 < stream.files.size()) continue;
      rows.push_back({"", "  " + file.name, std::to_string(file.records), size_in_words(file.bytes), ""});
    }
    files += stream.files.size();
    bytes += bytes_of(stream);
    rank_bytes += stream.rank_bytes;
  }
  rows.push_back({"all", weir::formatted("{} file(s)", files), "", size_in_words(bytes), size_in_words(rank_bytes)});
  print_table(rows);
}

Json json_of(const std::vector<weir::StreamEstimate>& streams) {
  Json all = Json::array();
  for (const weir::StreamEstimate& stream : streams) {
    Json files = Json::array();
    for (const auto& file : stream.files)
      files.push_back({{"name", file.name}, {"records", file.records}, {"bytes", file.bytes}});
    all.push_back({{"name", stream.name},
                   {"files", files},
                   {"records", records_of(stream)},
                   {"bytes", bytes_of(stream)},
                   {"bytes_per_rank", stream.rank_bytes}});
  }
  return Json{{"streams", all}};
}

// Whether the run makes as many records as each stream expects, of each sequence of files.
void check_expected(const std::vector<weir::PlannedFile>& plan, const std::vector<weir::StreamEstimate>& streams) {
  for (const weir::StreamEstimate& stream : streams) {
    std::int64_t expected = 0;
    for (const weir::PlannedFile& file : plan)
      if (file.stream.name == stream.name) expected += file.stream.expected;
    weir::require(expected == 0 || expected == records_of(stream), WEIR_ECONFIG,
                  "stream {}: the run makes {} record(s), and expected says {}; correct expected, or the run's length",
                  stream.name, records_of(stream), expected);
  }
}

// What a configuration says, where nothing is known of the fields.
void tell_configuration(const weir::StreamsConfig& config, bool as_json) {
  Json all = Json::array();
  std::vector<Row> rows{{"stream", "file", "every"}};
  for (const weir::StreamConfig& stream : config.streams) {
    all.push_back({{"name", stream.name}, {"file", stream.file}, {"every", weir::in_words(stream.every)}});
    rows.push_back({stream.name, stream.file, weir::in_words(stream.every)});
  }
  if (as_json) return static_cast<void>(std::printf("%s\n", Json{{"streams", all}}.dump(2).c_str()));
  print_table(rows);
}

// The same where no end of the run is given: a record's size and the memory.
void tell_plan(const std::vector<weir::PlannedFile>& plan, const std::vector<weir::StreamEstimate>& estimates,
               bool as_json) {
  Json all = Json::array();
  std::vector<Row> rows{{"stream", "file", "every", "size of a record", "memory a rank"}};
  for (const weir::StreamEstimate& stream : estimates) {
    std::int64_t bytes = 0;
    const weir::StreamConfig* config = nullptr;
    for (const weir::PlannedFile& file : plan) {
      if (file.stream.name != stream.name) continue;
      bytes += file.record_bytes;
      config = &file.stream;
    }
    const std::string every = weir::in_words(config->every);
    all.push_back({{"name", stream.name},
                   {"file", config->file},
                   {"every", every},
                   {"bytes_per_record", bytes},
                   {"bytes_per_rank", stream.rank_bytes}});
    rows.push_back({stream.name, config->file, every, size_in_words(bytes), size_in_words(stream.rank_bytes)});
  }
  if (as_json) return static_cast<void>(std::printf("%s\n", Json{{"streams", all}}.dump(2).c_str()));
  print_table(rows);
}

void tell(const PlainOptions& line) {
  const bool as_json = line.given.contains("json");
  const weir::Config configuration = weir::load_config(line.words.front().c_str());
  const weir::StreamsConfig config = weir::parse_streams(configuration.streams, configuration.restart);
  if (config.streams.empty())
    throw weir::Error(WEIR_ECONFIG, "{} has no streams; give the key streams", line.words.front());
  const auto fields = option(line, "fields");
  if (!fields) {
    for (const char* const name : {"days", "until", "step", "units", "calendar", "start", "ranks"})
      if (line.given.contains(name)) throw WrongLine(weir::formatted("--{} needs --fields", name));
    return tell_configuration(config, as_json);
  }
  const weir::streams::ModelFields model = weir::streams::read_fields(weir::load_map(*fields));
  const Run run = run_of(line, model);
  const auto values = [&](int field) {
    const auto found = model.values.find(field);
    weir::require(
        found != model.values.end(), WEIR_ECONFIG,
        "the values of {} are needed for a box in its values; give them in {}: {}: {{values: {{from: 0.5, to: "
        "80.5}}}}",
        model.fields.at(field).name, *fields, model.fields.at(field).name);
    return found->second;
  };
  const std::vector<weir::PlannedFile> plan = weir::plan_streams(config, model.fields, run.axis, run.run.start, values);
  weir::PlannedRun whole = run.run;
  if (!run.has_end) whole.end = whole.start;
  const std::vector<weir::StreamEstimate> estimates = weir::estimate_streams(plan, run.axis, whole, run.ranks);
  if (!run.has_end) return tell_plan(plan, estimates, as_json);
  if (as_json)
    std::printf("%s\n", json_of(estimates).dump(2).c_str());
  else
    print_estimates(estimates);
  check_expected(plan, estimates);
}

}  // namespace

int main(int argc, char** argv) {
  const PlainOptions line = weir::bench::read_options(
      argc, argv, {"fields=", "days=", "until=", "step=", "units=", "calendar=", "start=", "ranks=", "json"});
  if (line.given.contains("help")) {
    std::fputs(usage, stdout);
    return 0;
  }
  try {
    if (!line.wrong.empty()) throw WrongLine(line.wrong);
    if (line.words.size() != 1) throw WrongLine("give CONFIG, one file");
    tell(line);
  } catch (const WrongLine& error) {
    std::fprintf(stderr, "weir-streams: %s\n%s", error.what(), usage);
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "weir-streams: %s\n", error.what());
    return 1;
  }
  return 0;
}
