// SPDX-License-Identifier: Apache-2.0
// The keys `streams` and `restart`: what they may say, and each refusal's sentence.
#include "streams/stream_config.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

#include "base/config_keys.hpp"

namespace weir {
namespace {

StreamsConfig parsed(const std::string& text) {
  const Config config = load_config(text.c_str());
  return parse_streams(config.streams, config.restart);
}

std::string refusal(const std::string& text) {
  try {
    parsed(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), WEIR_ECONFIG);
    return error.what();
  }
  return "nothing is refused";
}

// A stream with these keys, each in a line of its own from line 3 on; file and every are there.
std::string stream_with(const std::string& keys) {
  std::string text = "streams:\n  daily:\n    file: \"ocean.nc\"\n    every: 1 day\n";
  for (std::size_t begin = 0; begin < keys.size();) {
    const auto end = std::min(keys.find('\n', begin), keys.size());
    text += "    " + keys.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  return text;
}

void expect_refused(const std::string& keys, const std::string& sentence) {
  EXPECT_EQ(refusal(stream_with(keys)), sentence) << keys;
}

constexpr const char* whole = R"(
restart: "streams_{time}.nc"
streams:
  daily:
    file: "ocean_{time:%Y-%m}.nc"
    every: 1 day
    align: start
    split: 1 month
    format: netcdf4
    compression: zstd
    compression_level: 3
    as: mean
    fields:
      sst:
      sst_max: {of: sst, as: maximum, attributes: {long_name: warmest}}
      salt: {digits: 3}
      mld: {scale_factor: 0.5, add_offset: 10}
      "ice_*": minimum
    box: {lat: [120, 240], lon: {from: 0.5, to: 80.5}, lev: {at: [0, 10]}, member: {every: 2}, x: {first: 3, last: 9}}
    from: "1990-01-01"
    until: 1995-02-30
    valid_fraction: 0.5
    weighted: yes
    stamp: end
    unfinished: write
    attributes: {title: "an ocean"}
  snapshots:
    file: "snap_{time}.zarr"
    format: zarr
    every: 6 hours
    split: 100 records
    existing: replace
    fields: [sst, ssh]
  pieces: {file: "{field}_{time:%Y%m%d}.nc", every: 10 steps, split: 2 GiB, fields: ["*"]}
)";

TEST(StreamConfig, HasAllThatTheFileSays) {
  const StreamsConfig config = parsed(whole);
  EXPECT_EQ(config.restart, "streams_{time}.nc");
  EXPECT_EQ(config.place, "configuration text");
  ASSERT_EQ(config.streams.size(), 3U);
  const StreamConfig& daily = config.streams[0];
  EXPECT_EQ(daily.name, "daily");
  EXPECT_EQ(daily.line, 4);
  EXPECT_EQ(daily.file, "ocean_{time:%Y-%m}.nc");
  EXPECT_EQ(daily.every, parse_interval("1 day"));
  EXPECT_EQ(daily.align, AlignedTo::start);
  EXPECT_EQ(daily.split.interval, parse_interval("1 month"));
  EXPECT_EQ(daily.format, FormatKind::netcdf4);
  EXPECT_EQ(daily.compression, CompressionKind::zstd);
  EXPECT_EQ(daily.compression_level, 3);
  EXPECT_EQ(daily.from, "1990-01-01");
  EXPECT_EQ(daily.until, "1995-02-30");
  EXPECT_EQ(daily.valid_fraction, 0.5);
  EXPECT_TRUE(daily.weighted);
  EXPECT_TRUE(daily.unfinished);
  EXPECT_EQ(daily.stamp, TimeStamp::end);
  EXPECT_EQ(daily.existing, ExistingFiles::refuse) << "a run that restarts keeps what it finds";
  EXPECT_EQ(daily.attributes, (std::vector<std::pair<std::string, std::string>>{{"title", "an ocean"}}));
  const StreamConfig& snapshots = config.streams[1];
  EXPECT_EQ(snapshots.existing, ExistingFiles::replace);
  EXPECT_EQ(snapshots.split.records, 100);
  EXPECT_FALSE(snapshots.stamp.has_value());
  EXPECT_EQ(config.streams[2].split.bytes, 2LL << 30);
  EXPECT_EQ(config.streams[2].every.unit, Interval::Unit::steps);
  EXPECT_EQ(parsed(stream_with("fields: [sst]")).streams[0].existing, ExistingFiles::replace);
}

TEST(StreamConfig, HasAllFields) {
  const std::vector<FieldChoice> fields = parsed(whole).streams[0].fields;
  ASSERT_EQ(fields.size(), 5U);
  EXPECT_EQ(fields[0].operation, Operation::mean) << "that of the stream";
  EXPECT_EQ(fields[0].line, 14);
  EXPECT_EQ(fields[1].of, "sst");
  EXPECT_EQ(fields[1].operation, Operation::maximum);
  EXPECT_EQ(fields[1].attributes.front().second, "warmest");
  EXPECT_EQ(fields[2].digits, 3);
  EXPECT_EQ(fields[3].scale_factor, 0.5);
  EXPECT_EQ(fields[3].add_offset, 10);
  EXPECT_EQ(fields[3].type, WEIR_SHORT) << "packed values are shorts";
  EXPECT_EQ(fields[4].name, "ice_*");
  EXPECT_EQ(fields[4].operation, Operation::minimum);
  EXPECT_EQ(parsed(whole).streams[1].fields[1].operation, Operation::instant);
}

TEST(StreamConfig, HasAllPartsOfABox) {
  const std::vector<DimensionPart> box = parsed(whole).streams[0].box;
  ASSERT_EQ(box.size(), 5U);
  EXPECT_EQ(std::get<IndexRange>(box[0].part), (IndexRange{120, 240, 1}));
  EXPECT_EQ(std::get<CoordinateRange>(box[1].part), (CoordinateRange{0.5, 80.5}));
  EXPECT_EQ(std::get<IndexList>(box[2].part), (IndexList{0, 10}));
  EXPECT_EQ(std::get<IndexRange>(box[3].part), (IndexRange{0, IndexRange::to_the_end, 2}));
  EXPECT_EQ(std::get<IndexRange>(box[4].part), (IndexRange{3, 9, 1}));
}

TEST(StreamConfig, ComesFromTheEnvironmentToo) {
  ::setenv("WEIR_STREAMS", "{daily: {file: a.nc, every: 1 day, fields: [sst]}}", 1);
  EXPECT_EQ(parsed("").streams[0].fields[0].name, "sst");
  ::setenv("WEIR_STREAMS", "{daily: {file: a.nc, evry: 1 day, fields: [sst]}}", 1);
  EXPECT_EQ(refusal(""),
            "stream daily: unknown key \"evry\": did you mean \"every\"? (environment variable WEIR_STREAMS, line 1)");
  ::unsetenv("WEIR_STREAMS");
  ::setenv("WEIR_RESTART", "again.nc", 1);
  EXPECT_EQ(refusal(stream_with("fields: [sst]")),
            "restart: \"again.nc\" is one name for all restarts of a run; put the time into it, as in "
            "\"streams_{time}.nc\"");
  ::unsetenv("WEIR_RESTART");
}

TEST(StreamConfig, IsShownWhole) {
  const auto show = [](const char* text) { return config_key("streams").show(load_config(text)); };
  EXPECT_EQ(show("streams: {a: {file: \"x_{time}.nc\", fields: [sst, \"b, c\"]}}"),
            "{a: {file: \"x_{time}.nc\", fields: [sst, \"b, c\"]}}");
  EXPECT_EQ(show("strategy: rows"), "");
  EXPECT_EQ(config_key("restart").show(load_config("restart: \"r_{time}.nc\"")), "r_{time}.nc");
}

TEST(StreamConfig, ListsAreOfStreamsAlone) {
  const std::string sentence =
      "expected a single value, found a list or map; give a single value (configuration text, ";
  EXPECT_EQ(refusal("strategy: [rows]"), "strategy: " + sentence + "line 1)");
  EXPECT_EQ(refusal("hints: {cb_nodes: [4]}"), "hints: " + sentence + "line 1)");
  EXPECT_EQ(refusal("files: {\"*.nc\": [off]}"), "files: " + sentence + "line 1)");
  EXPECT_EQ(refusal("restart: [a]"), "restart: " + sentence + "line 1)");
  EXPECT_EQ(
      refusal("streams: [daily]"),
      "streams: a list is not a map; give {name: {file: ..., every: ..., fields: ...}} (configuration text, line 1)");
  EXPECT_EQ(refusal("files: {\"*.nc\": {streams: {}}}"),
            "files: \"*.nc\": a rule has no streams; give streams outside of files (configuration text, line 1)");
}

TEST(StreamConfig, KeysAreKnown) {
  expect_refused(
      "fields: [sst]\nevery: 2 days",
      "stream daily: every: is given twice, in lines 4 and 6; keep one of them (configuration text, line 6)");
  expect_refused("feilds: [sst]",
                 "stream daily: unknown key \"feilds\": did you mean \"fields\"? (configuration text, line 5)");
  expect_refused("fields: {sst: {scale: 1}}",
                 "stream daily: fields: sst: unknown key \"scale\": the keys are of, as, type, digits, scale_factor, "
                 "add_offset, max_error, attributes (configuration text, line 5)");
  expect_refused("", "stream daily: has no \"fields\"; give one: fields: [sst, ssh] (configuration text, line 2)");
  EXPECT_EQ(refusal("streams: {daily: {every: 1 day}}"),
            "stream daily: has no \"file\"; give one: file: \"history_{time:%Y-%m}.nc\" (configuration text, line 1)");
  EXPECT_EQ(refusal("streams: {daily: ocean.nc}"),
            "stream daily: \"ocean.nc\" is not a map; give {file: \"history.nc\", every: 1 day, fields: [sst]} "
            "(configuration text, line 1)");
  EXPECT_EQ(
      refusal("streams: {\"a b\": {}}"),
      "stream a b: \"a b\" cannot be the name of a stream; give letters, digits, _ and - (configuration text, line "
      "1)");
}

TEST(StreamConfig, ValuesAreAllowed) {
  const std::string end = " (configuration text, line 6)";
  const auto refuses = [&](const std::string& key, const std::string& sentence) {
    expect_refused("fields: {sst: mean}\n" + key, "stream daily: " + sentence + end);
  };
  refuses("align: begin", "align: \"begin\" is not one of calendar, start");
  refuses("format: netcdf3", "format: \"netcdf3\" is not one of auto, netcdf4, zarr; did you mean \"netcdf4\"?");
  refuses("compression: gzip", "compression: \"gzip\" is not one of none, zlib, zstd");
  refuses("stamp: begin", "stamp: \"begin\" is not one of middle, end");
  refuses("existing: keep", "existing: \"keep\" is not one of replace, refuse");
  refuses("unfinished: yes", "unfinished: \"yes\" is not one of drop, write");
  refuses("weighted: true", "weighted: \"true\" is not one of no, yes");
  refuses("valid_fraction: 2", "valid_fraction: 2 is impossible; give a number from 0 to 1");
  refuses("valid_fraction: half", "valid_fraction: \"half\" is not a number; give one");
  refuses("as: [mean]", "as: expected a single value, found a list; give a single value");
  refuses("attributes: title", "attributes: \"title\" is not a map; give {name: text}");
  refuses("attributes: {\"a/b\": c}", "attributes: a/b: the name contains '/'; give another");
  refuses("as: average",
          "as: \"average\" is not one of instant, mean, minimum, maximum, sum, rms, variance, "
          "standard_deviation, count");
}

TEST(StreamConfig, IntervalsAndSplitsAreSuch) {
  EXPECT_EQ(refusal("streams: {daily: {file: a.nc, every: 1 fortnight, fields: [sst]}}").find("stream daily: every: "),
            0U);
  const auto refuses = [](const std::string& split, const std::string& sentence) {
    EXPECT_EQ(refusal("streams: {daily: {file: \"a_{time}.nc\", every: 1 day, fields: [sst], split: " + split + "}}"),
              "stream daily: split: " + sentence + " (configuration text, line 1)");
  };
  refuses("1 hour",
          "1 hour is shorter than every: 1 day, so that files would have no record; give split an interval that is at "
          "least as long, or a number of records");
  refuses("100", "100 has no unit; give \"100 records\", an interval (\"1 month\") or a size (\"2 GiB\")");
  refuses("0 records", "\"0 records\" is no number of records; give \"100 records\"");
  refuses("10 steps", "a file does not end after steps; give \"10 records\", an interval of time or a size");
  refuses("0 MiB", "\"0 MiB\" leaves no room for a record; give a size above 0");
  EXPECT_NE(refusal("streams: {d: {file: \"a_{time}.nc\", every: 1 day, fields: [s], split: 1 mouth}}")
                .find("did you mean \"month\"?; give an interval, records (\"100 records\") or a size (\"2 GiB\")"),
            std::string::npos)
      << refusal("streams: {d: {file: \"a_{time}.nc\", every: 1 day, fields: [s], split: 1 mouth}}");
  EXPECT_EQ(refusal("streams: {daily: {file: \"a_{time}.nc\", every: 30 days, fields: [sst], split: 1 month}}"),
            "stream daily: split: 1 month may be shorter than every: 30 days, so that files would have no record; give "
            "split an interval that is at least as long, or a number of records (configuration text, line 1)");
  expect_refused(
      "fields: [sst]\nsplit: 1 month",
      "stream daily: split: 1 month makes several files, and file: \"ocean.nc\" is one name; put the time of a "
      "file's begin into it, as in \"history_{time:%Y-%m-%d}.nc\" (configuration text, line 6)");
}

TEST(StreamConfig, NamesTheEndOfFilesThatEndWithAnInterval) {
  const auto stream = [](const std::string& split) {
    return "streams: {a: {file: \"s_{time:%Y%m}-{end:%Y%m}.nc\", every: 1 day, fields: [sst]" + split + "}}";
  };
  EXPECT_EQ(parsed(stream(", split: 1 month")).streams[0].file, "s_{time:%Y%m}-{end:%Y%m}.nc");
  for (const char* const split : {"", ", split: 100 records", ", split: 2 GiB"})
    EXPECT_EQ(
        refusal(stream(split)),
        "stream a: file: \"s_{time:%Y%m}-{end:%Y%m}.nc\": {end:%Y%m} is for files that end with an interval; give "
        "split: 1 month or another interval, or leave it out (configuration text, line 1)")
        << split;
}

TEST(StreamConfig, SaysHowOftenToCommitAndWhatToExpect) {
  const StreamConfig plain = parsed(stream_with("fields: [sst]")).streams[0];
  EXPECT_EQ(plain.commit, (CommitEvery{std::nullopt, 1}));
  EXPECT_EQ(plain.expected, 0);
  const StreamConfig told = parsed(stream_with("fields: [sst]\ncommit: 4 records\nexpected: 400 records")).streams[0];
  EXPECT_EQ(told.commit.records, 4);
  EXPECT_EQ(told.expected, 400);
  EXPECT_EQ(parsed(stream_with("fields: [sst]\ncommit: 10 days")).streams[0].commit.interval,
            parse_interval("10 days"));
  const auto refuses = [](const std::string& key, const std::string& sentence) {
    expect_refused("fields: [sst]\n" + key, "stream daily: " + sentence + " (configuration text, line 6)");
  };
  refuses("commit: 4", "commit: 4 has no unit; give \"4 records\" or an interval (\"10 days\")");
  refuses("commit: 0 records", "commit: \"0 records\" is no number of records; give \"100 records\"");
  refuses("commit: 4 steps", "commit: steps make no record; give \"4 records\", or an interval of time");
  refuses("commit: 6 hours",
          "commit: 6 hours is shorter than every: 1 day, which makes the records; give commit an interval that is at "
          "least as long, or a number of records");
  refuses("expected: 400", "expected: \"400\" is no number of records; give \"400 records\"");
  refuses("expects: 400", "unknown key \"expects\": did you mean \"expected\"?");
}

TEST(StreamConfig, GivesFieldsTheTypeOfTheStream) {
  const auto fields = parsed(stream_with("type: double\nformat: netcdf4\nfields:\n  {a: , b: {type: float}, "
                                         "c: {scale_factor: 0.1}}"))
                          .streams[0]
                          .fields;
  EXPECT_EQ(fields[0].type, WEIR_DOUBLE);
  EXPECT_EQ(fields[1].type, WEIR_FLOAT);
  EXPECT_EQ(fields[2].type, WEIR_SHORT) << "packed values are shorts";
  const StreamConfig bytes = parsed(stream_with("type: byte\nfields:\n  {a: {scale_factor: 0.1}}")).streams[0];
  EXPECT_EQ(bytes.fields[0].type, WEIR_BYTE);
  EXPECT_EQ(parsed(stream_with("type: double\nfields: [a, b]")).streams[0].fields[1].type, WEIR_DOUBLE);
  expect_refused("type: flaot\nfields: [a]",
                 "stream daily: type: \"flaot\" is not one of byte, short, int, int64, ubyte, ushort, uint, uint64, "
                 "float, double; did you mean \"float\"? (configuration text, line 5)");
}

TEST(StreamConfig, ContradictionsNameBothValues) {
  const std::string end = " (configuration text, line 6)";
  const auto refuses = [&](const std::string& keys, const std::string& sentence) {
    expect_refused(keys, "stream daily: " + sentence + end);
  };
  refuses("fields: [sst]\ncompression: zstd",
          "compression: zstd is for netCDF-4 and Zarr, and format is auto, which is classic; give format: netcdf4 or "
          "zarr, or leave compression out");
  refuses("fields: [sst]\ncompression_level: 3",
          "compression_level: 3 is for compression, which is none; give compression: zlib or zstd, or leave it out");
  refuses("fields: [sst]\ncompression_level: 12\nformat: zarr\ncompression: zlib",
          "compression_level: 12 is above 9, the highest of compression: zlib; give 0 to 9, or compression: zstd");
  refuses("fields: [sst]\nstamp: middle",
          "stamp: middle is for intervals, and all fields are instants; give stamp: end, or as: mean");
  refuses(
      "fields: [sst]\nvalid_fraction: 0.5",
      "valid_fraction: 0.5 is for means and other operations, and all fields are instants; leave it out, or give as: "
      "mean");
  refuses(
      "fields:\n  {sst: mean, ssh: instant}",
      "fields: \"ssh\" is instant and \"sst\" is mean: an interval's record is stamped at its middle, an instant at "
      "the end; give stamp: end, or two streams");
  refuses("fields:\n  {sst: {as: mean, digits: 3}}",
          "fields: sst: digits: 3 is for netCDF-4 and Zarr, which compress what it saves, and format is auto, which is "
          "classic; give format: netcdf4 or zarr, or leave digits out");
  EXPECT_EQ(parsed(stream_with("fields: {sst: mean, ssh: instant}\nstamp: end")).streams.size(), 1U);
}

TEST(StreamConfig, PackingIsPossible) {
  const auto refuses = [&](const std::string& field, const std::string& sentence) {
    expect_refused("format: zarr\nfields: {" + field + "}",
                   "stream daily: fields: " + sentence + " (configuration text, line 6)");
  };
  refuses("sst: {scale_factor: 0.01, type: float}",
          "sst: scale_factor: 0.01 packs values into whole numbers, and type is float; give type: short, or leave "
          "scale_factor out");
  refuses("sst: {scale_factor: 0}", "sst: scale_factor: 0 makes all values equal; give the step between two values");
  refuses("sst: {add_offset: 10}", "sst: add_offset: packs values only with scale_factor; give both, or leave it out");
  refuses("sst: {scale_factor: 0.01, digits: 3}",
          "sst: digits: 3 is for float and double, and type is short by scale_factor: 0.01; leave one of them out");
  refuses("sst: {type: int, digits: 3}",
          "sst: digits: 3 is for float and double, and type is int; leave one of them out");
  refuses("sst: {as: count, digits: 3}",
          "sst: digits: 3 is for float and double, and as: count gives whole numbers; leave digits out");
  refuses("sst: {digits: 16}", "sst: digits: 16 is impossible; give 1 to 15");
  refuses("sst: {type: char}",
          "sst: type: \"char\" is not one of byte, short, int, int64, ubyte, ushort, uint, uint64, float, double");
  refuses("sst: {attributes: {scale_factor: 2}}",
          "sst: attributes: scale_factor: is no text attribute here; leave it out: give it as a key of the field");
}

TEST(StreamConfig, FieldsAreNamedOnce) {
  expect_refused(
      "fields: [sst, ssh, sst]",
      "stream daily: fields: \"sst\" is given twice, in lines 5 and 5; keep one of them, or give one another "
      "name: {sst_2: {of: sst}} (configuration text, line 5)");
  expect_refused("fields: {sst: mean, sst: maximum}",
                 "stream daily: fields: sst: is given twice, in lines 5 and 5; keep one of them (configuration text, "
                 "line 5)");
  expect_refused("fields: []",
                 "stream daily: fields: names no field; give at least one, or \"*\" for all "
                 "(configuration text, line 5)");
  expect_refused("fields: sst",
                 "stream daily: fields: \"sst\" is not a map; give [sst, salt], {sst: mean, salt: {as: "
                 "maximum}} or {\"*\": mean} (configuration text, line 5)");
  expect_refused(
      "fields: [{sst: mean}]",
      "stream daily: fields: a list has names alone; to say more of a field give a map: {sst: mean, salt: {as: "
      "mean}} (configuration text, line 5)");
  expect_refused("fields: {\"ice_*\": {of: sst}}",
                 "stream daily: fields: ice_*: is a pattern, and of: sst is one field; give the output a name "
                 "(configuration text, line 5)");
  expect_refused("fields: {ice: {of: \"ice_*\"}}",
                 "stream daily: fields: ice: of: \"ice_*\" is a pattern; give one field, or the pattern as the name "
                 "without of (configuration text, line 5)");
  expect_refused(
      "fields: {sst: [mean]}",
      "stream daily: fields: sst: is a list; give an operation (mean), or {as: mean, ...} (configuration text, "
      "line 5)");
  expect_refused(
      "fields: {sst: meen}",
      "stream daily: fields: sst: \"meen\" is not one of instant, mean, minimum, maximum, sum, rms, variance, "
      "standard_deviation, count; did you mean \"mean\"? (configuration text, line 5)");
}

TEST(StreamConfig, BoxesAreBoxes) {
  const auto refuses = [&](const std::string& part, const std::string& sentence) {
    expect_refused("fields: [sst]\nbox: {lat: " + part + "}",
                   "stream daily: box: lat: " + sentence + " (configuration text, line 6)");
  };
  const std::string list =
      "is not [first, last] in whole numbers; give two elements, {from: 0.5, to: 80.5} for coordinate values, or {at: "
      "[0, 10]} for a list of elements";
  refuses("[1]", list);
  refuses("[0.5, 80.5]", list);
  refuses("[20, 10]", "element 20 is behind element 10; give the first one first");
  refuses("{from: 5, to: 1}", "from: 5 is above to: 1; give the lower value first");
  refuses("{from: 5}", "has no \"to\"; give both from and to");
  refuses("{from: 5, every: 2}", "mixes ways to choose; give one of {from, to}, {first, last, every} and {at}");
  refuses("{}", "mixes ways to choose; give one of {from, to}, {first, last, every} and {at}");
  refuses("{at: [3, 3]}", "at: element 3 comes after 3; give elements in ascending order, each once");
  refuses("{at: []}", "at: has no elements; give at least one");
  refuses("{every: 0}", "every: 0 is impossible; give 1 or more");
  refuses("{first: -1}", "first: -1 is impossible; give 0 or more");
  refuses("5",
          "\"5\" is not a map; give {from: 0.5, to: 80.5}, {first: 0, last: 10, every: 2}, {at: [0, 10]} or [first, "
          "last]");
}

TEST(StreamConfig, DatesAreInOrder) {
  expect_refused("fields: [sst]\nfrom: 1995-01-01\nuntil: 1990-01-01",
                 "stream daily: from: 1995-01-01 is not before until: 1990-01-01; give the earlier date as from "
                 "(configuration text, line 7)");
  EXPECT_EQ(refusal(stream_with("fields: [sst]\nfrom: spring")).find("stream daily: from: "), 0U);
  EXPECT_EQ(refusal(stream_with("fields: [sst]\nuntil: 1990-02-31")).find("stream daily: until: "), 0U)
      << "a date that no calendar has";
}

TEST(StreamConfig, FilesHaveNamesOfTheirOwn) {
  EXPECT_EQ(
      refusal("streams:\n  a: {file: x.nc, every: 1 day, fields: [s]}\n  b: {file: x.nc, every: 1 day, fields: [s]}"),
      "stream b: file: \"x.nc\" is the file of stream a too (line 2); give each stream files of its own "
      "(configuration text, line 3)");
  EXPECT_EQ(
      refusal("restart: \"x_{time}.nc\"\nstreams:\n  a: {file: \"x_{time}.nc\", every: 1 day, fields: [s]}"),
      "stream a: file: \"x_{time}.nc\" is the value of restart too; give them two names (configuration text, line "
      "3)");
  EXPECT_EQ(refusal("streams:\n  a: {file: \"x_{tme}.nc\", every: 1 day, fields: [s]}").find("stream a: file: "), 0U);
  EXPECT_EQ(refusal("streams:\n  a: {file: \"\", every: 1 day, fields: [s]}"),
            "stream a: file: is empty; give a file's name (configuration text, line 2)");
  EXPECT_EQ(refusal("restart: \"{field}_{time}.nc\"\nstreams: {}").find("restart: \"{field}_{time}.nc\" has {field}"),
            0U);
}

}  // namespace
}  // namespace weir
