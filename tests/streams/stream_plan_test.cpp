// SPDX-License-Identifier: Apache-2.0
// Streams, fields and time put together: what the files have, what a run writes, and each refusal's sentence.
#include "streams/stream_plan.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>

#include "base/error.hpp"
#include "streams/record_times.hpp"
#include "streams/stream_estimate.hpp"

namespace weir {
namespace {

Attribute words(const std::string& name, const std::string& text) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(text.data());
  return {name, WEIR_CHAR, static_cast<std::int64_t>(text.size()), {bytes, bytes + text.size()}};
}

template <class Number>
Attribute numbers(const std::string& name, Type type, const std::vector<Number>& values) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(values.data());
  return {name, type, static_cast<std::int64_t>(values.size()), {bytes, bytes + values.size() * sizeof(Number)}};
}

struct Model {
  Fields fields;
  TimeAxis axis{"hours since 1990-01-01", "noleap"};
  std::vector<Attribute> attributes;
  std::vector<std::string> asked;  // coordinates whose values the plan wanted

  void add(const std::string& name, Type type, const std::vector<std::string>& dimensions,
           const std::vector<std::int64_t>& shape, std::vector<Attribute> given = {}, bool fixed = false) {
    Field field;
    field.name = name;
    field.type = type;
    field.dimensions = dimensions;
    field.shape = shape;
    field.attributes = std::move(given);
    field.fixed = fixed;
    fields.add(std::move(field));
  }

  // A field over the values 0.5, 1.5, ...
  std::vector<double> values(int field) {
    asked.push_back(fields.at(field).name);
    std::vector<double> result(static_cast<std::size_t>(fields.at(field).shape[0]));
    std::iota(result.begin(), result.end(), 0.5);
    return result;
  }

  std::vector<PlannedFile> plan(const std::string& text) {
    const Config config = load_config(text.c_str());
    return plan_streams(
        parse_streams(config.streams, config.restart), fields, axis, 0, [&](int field) { return values(field); },
        attributes);
  }

  std::string refused(const std::string& text) {
    try {
      plan(text);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), WEIR_ECONFIG);
      return error.what();
    }
    return "nothing is refused";
  }
};

Model ocean() {
  Model model;
  model.add("lat", WEIR_DOUBLE, {"lat"}, {4}, {words("units", "degrees_north"), words("bounds", "lat_bnds")}, true);
  model.add("lat_bnds", WEIR_DOUBLE, {"lat", "bnds"}, {4, 2}, {}, true);
  model.add("lon", WEIR_DOUBLE, {"lon"}, {6}, {words("units", "degrees_east")}, true);
  model.add("lev", WEIR_DOUBLE, {"lev"}, {3}, {}, true);
  model.add("areacello", WEIR_FLOAT, {"lat", "lon"}, {4, 6}, {}, true);
  model.add("mask", WEIR_INT, {"lat", "lon"}, {4, 6}, {}, true);
  model.add("sst", WEIR_FLOAT, {"lat", "lon"}, {4, 6},
            {words("units", "K"), words("cell_measures", "area: areacello"), words("standard_name", "sea_temperature"),
             numbers<float>("_FillValue", WEIR_FLOAT, {1e20F}), numbers<float>("valid_range", WEIR_FLOAT, {0, 400})});
  model.add("salt", WEIR_DOUBLE, {"lev", "lat", "lon"}, {3, 4, 6}, {words("units", "m s-1")});
  model.add("ice_area", WEIR_FLOAT, {"lat", "lon"}, {4, 6});
  model.add("ice_days", WEIR_SHORT, {"lat", "lon"}, {4, 6});
  model.add("energy", WEIR_DOUBLE, {}, {});
  return model;
}

std::string stream_of(const std::string& keys, const std::string& file = "o.nc") {
  return "streams:\n  daily: {file: \"" + file + "\", every: 1 day, " + keys + "}\n";
}

std::string text_at(const Schema& schema, int var, const std::string& name) {
  const Attribute* const found = schema.find_attribute(var, name);
  if (found == nullptr) return "none";
  return {reinterpret_cast<const char*>(found->values.data()), found->values.size()};
}

template <class Number>
Number number_at(const Schema& schema, const std::string& var, const std::string& name) {
  const Attribute* const found = schema.find_attribute(schema.find_variable(var), name);
  if (found == nullptr || found->values.size() != sizeof(Number)) throw std::runtime_error(var + " has no " + name);
  Number value;
  std::memcpy(&value, found->values.data(), sizeof value);
  return value;
}

std::vector<std::string> names_of(const Schema& schema) {
  std::vector<std::string> names;
  for (const Variable& variable : schema.variables()) names.push_back(variable.name);
  return names;
}

TEST(StreamPlan, GivesAFileItsTimeItsOutputsAndWhatBelongsToThem) {
  Model model = ocean();
  model.attributes = {words("institution", "a centre"), words("title", "a model")};
  const auto files = model.plan(stream_of("as: mean, fields: [sst, energy], attributes: {title: a run}"));
  ASSERT_EQ(files.size(), 1U);
  const PlannedFile& file = files[0];
  EXPECT_EQ(file.name, "daily");
  EXPECT_EQ(file.pattern, "o.nc");
  EXPECT_EQ(file.mode, 0);
  EXPECT_EQ(file.stream.stamp, TimeStamp::middle);
  EXPECT_EQ(names_of(file.schema),
            (std::vector<std::string>{"time", "time_bnds", "lat", "lat_bnds", "lon", "areacello", "sst", "energy"}));
  const Schema& schema = file.schema;
  EXPECT_EQ(schema.dimensions().size(), 4U) << "time, bnds, lat, lon";
  EXPECT_EQ(text_at(schema, file.time_variable, "units"), "hours since 1990-01-01");
  EXPECT_EQ(text_at(schema, file.time_variable, "calendar"), "noleap");
  EXPECT_EQ(text_at(schema, file.time_variable, "bounds"), "time_bnds");
  EXPECT_EQ(schema.variable(file.bounds_variable).name, "time_bnds");
  EXPECT_EQ(text_at(schema, WEIR_GLOBAL, "Conventions"), "CF-1.11");
  EXPECT_EQ(text_at(schema, WEIR_GLOBAL, "institution"), "a centre");
  EXPECT_EQ(text_at(schema, WEIR_GLOBAL, "title"), "a run");
  ASSERT_EQ(file.outputs.size(), 2U);
  EXPECT_EQ(schema.variable(file.outputs[0].variable).name, "sst");
  EXPECT_TRUE(schema.is_record(file.outputs[1].variable));
  EXPECT_EQ(schema.shape(file.outputs[0].variable), (std::vector<std::int64_t>{4, 6}));
  EXPECT_EQ(text_at(schema, file.outputs[0].variable, "cell_methods"), "time: mean");
  EXPECT_EQ(file.fixed.size(), 4U);
  EXPECT_TRUE(file.outputs[0].kept.empty());
  EXPECT_EQ(file.record_bytes, 8 + 16 + 4 * 6 * 4 + 8);
  EXPECT_EQ(
      text_at(with_step(file, {3'600'000'000, Interval::Unit::microseconds}), file.outputs[0].variable, "cell_methods"),
      "time: mean (interval: 1 hour)");
}

TEST(StreamPlan, GivesInstantsNoBounds) {
  Model model = ocean();
  const PlannedFile file = model.plan(stream_of("fields: [ice_days, mask], format: zarr"))[0];
  EXPECT_EQ(file.mode, WEIR_ZARR);
  EXPECT_EQ(file.bounds_variable, -1);
  EXPECT_EQ(file.stream.stamp, TimeStamp::end);
  EXPECT_EQ(names_of(file.schema), (std::vector<std::string>{"time", "lat", "lat_bnds", "lon", "mask", "ice_days"}));
  EXPECT_EQ(text_at(file.schema, file.outputs[0].variable, "cell_methods"), "time: point");
  EXPECT_EQ(text_at(file.schema, file.time_variable, "bounds"), "none");
  EXPECT_EQ(file.schema.find_attribute(file.outputs[0].variable, "_FillValue"), nullptr) << "samples go as they are";
  EXPECT_EQ(text_at(with_step(file, {1, Interval::Unit::months}), file.outputs[0].variable, "cell_methods"),
            "time: point");
}

TEST(StreamPlan, GivesOutputsTheTypeAndAttributesOfTheirOperation) {
  Model model = ocean();
  const PlannedFile file = model.plan(stream_of(
      "fields: {mean: {of: ice_days, as: mean}, most: {of: ice_days, as: maximum}, spread: {of: sst, as: variance}, "
      "flow: {of: salt, as: variance}, n: {of: sst, as: count}, double: {of: sst, as: mean, type: double}}"))[0];
  const Schema& schema = file.schema;
  const auto type_at = [&](const char* name) { return schema.variable(schema.find_variable(name)).type; };
  EXPECT_EQ(type_at("mean"), WEIR_DOUBLE) << "a mean of whole numbers is none";
  EXPECT_EQ(type_at("most"), WEIR_SHORT);
  EXPECT_EQ(type_at("n"), WEIR_INT);
  EXPECT_EQ(type_at("double"), WEIR_DOUBLE);
  EXPECT_EQ(number_at<float>(schema, "spread", "_FillValue"), 1e20F);
  EXPECT_EQ(number_at<double>(schema, "double", "_FillValue"), static_cast<double>(1e20F));
  EXPECT_EQ(file.outputs[5].fill, static_cast<double>(1e20F));
  EXPECT_EQ(number_at<double>(schema, "mean", "_FillValue"), 9.9692099683868690e+36);
  EXPECT_EQ(number_at<std::int16_t>(schema, "most", "_FillValue"), -32767);
  EXPECT_EQ(text_at(schema, schema.find_variable("spread"), "units"), "K2");
  EXPECT_EQ(text_at(schema, schema.find_variable("flow"), "units"), "(m s-1)2");
  EXPECT_EQ(text_at(schema, schema.find_variable("n"), "units"), "1");
  EXPECT_EQ(text_at(schema, schema.find_variable("n"), "standard_name"), "sea_temperature number_of_observations");
  EXPECT_EQ(text_at(schema, schema.find_variable("n"), "cell_methods"), "none");
  EXPECT_EQ(text_at(schema, schema.find_variable("most"), "cell_methods"), "time: maximum");
  EXPECT_EQ(schema.find_attribute(schema.find_variable("spread"), "valid_range"), nullptr);
  EXPECT_NE(schema.find_attribute(schema.find_variable("double"), "valid_range"), nullptr);
}

TEST(StreamPlan, PacksByGivenNumbersOrTheFieldsRange) {
  Model model = ocean();
  const PlannedFile file = model.plan(
      stream_of("as: mean, fields: {a: {of: salt, scale_factor: 0.5}, b: {of: sst, type: short}, c: {of: sst, type: "
                "ubyte}}"))[0];
  EXPECT_EQ(file.outputs[0].scale_factor, 0.5);
  EXPECT_EQ(file.outputs[0].add_offset, 0);
  EXPECT_EQ(file.outputs[0].fill, -32767);
  EXPECT_EQ(number_at<double>(file.schema, "a", "scale_factor"), 0.5);
  EXPECT_EQ(number_at<std::int16_t>(file.schema, "b", "_FillValue"), -32767);
  const PlannedOutput& found = file.outputs[1];
  EXPECT_NEAR(-32766 * *found.scale_factor + *found.add_offset, 0, 1e-9);
  EXPECT_NEAR(32767 * *found.scale_factor + *found.add_offset, 400, 1e-9);
  EXPECT_EQ(file.outputs[2].fill, 255);
  EXPECT_EQ(file.outputs[2].add_offset, 0);
  EXPECT_EQ(file.schema.find_attribute(found.variable, "valid_range"), nullptr) << "it is not of packed values";
  EXPECT_EQ(model.refused(stream_of("fields: {salt: {type: short}}")),
            "stream daily: fields: salt: type: short holds whole numbers, and instant of \"salt\" gives double; give "
            "scale_factor and add_offset, or let the model give the field a valid_range (configuration text, line 2)");
  EXPECT_EQ(model.refused(stream_of("fields: {sst: {as: variance, type: short}}")),
            "stream daily: fields: sst: type: short holds whole numbers, and variance of \"sst\" gives float; give "
            "scale_factor and add_offset (configuration text, line 2)");
}

TEST(StreamPlan, StoresAsTheStreamSays) {
  Model model = ocean();
  model.add("wide", WEIR_FLOAT, {"y", "x"}, {100, 100});
  const PlannedFile file = model.plan(stream_of(
      "format: netcdf4, compression: zstd, compression_level: 5, fields: {wide: {digits: 3}, sst: instant}"))[0];
  EXPECT_EQ(file.mode, WEIR_NETCDF4);
  const Storage& wide = file.schema.variable(file.outputs[0].variable).storage;
  EXPECT_EQ(wide.zstd_level, 5);
  EXPECT_TRUE(wide.shuffle);
  EXPECT_EQ(wide.quantization, (Quantization{QuantizeKind::granular_bit_round, 3}));
  EXPECT_FALSE(file.schema.variable(file.outputs[1].variable).storage.any()) << "so few bytes are not worth it";
  EXPECT_EQ(
      model.refused(stream_of("format: zarr, fields: {sst: {digits: 9}}")),
      "stream daily: variable \"sst\" cannot keep 9 significant digits; give 1 to 7 (configuration text, line 2)");
}

TEST(StreamPlan, TakesPatternsInTheModelsOrder) {
  Model model = ocean();
  const PlannedFile file = model.plan(stream_of("as: mean, fields: {\"ice_*\": maximum, \"[se]*\": mean}"))[0];
  std::vector<std::string> names;
  for (const PlannedOutput& output : file.outputs) names.push_back(file.schema.variable(output.variable).name);
  EXPECT_EQ(names, (std::vector<std::string>{"ice_area", "ice_days", "sst", "salt", "energy"}));
  EXPECT_EQ(file.outputs[0].operation, Operation::maximum);
}

TEST(StreamPlan, MakesAFileOfEachField) {
  Model model = ocean();
  const auto files = model.plan(stream_of("fields: [sst, energy]", "{field}_{time:%Y}.nc"));
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].name, "daily.sst");
  EXPECT_EQ(files[0].pattern, "sst_{time:%Y}.nc");
  EXPECT_EQ(files[1].name, "daily.energy");
  EXPECT_EQ(names_of(files[1].schema), (std::vector<std::string>{"time", "energy"}));
  const auto mixed = model.plan(stream_of("fields: {sst: mean, energy: instant}", "{field}.nc"));
  EXPECT_EQ(mixed[0].stream.stamp, TimeStamp::middle);
  EXPECT_EQ(mixed[1].stream.stamp, TimeStamp::end);
  EXPECT_EQ(mixed[1].bounds_variable, -1);
  model.add("ice/area", WEIR_FLOAT, {}, {});
  EXPECT_EQ(model.refused(stream_of("fields: [ice/area]", "{field}.nc")),
            "stream daily: file: {field} stands for \"ice/area\" too, which cannot be part of a file's name; give the "
            "output another name: {name: {of: \"ice/area\"}} (configuration text, line 2)");
}

TEST(StreamPlan, CutsABox) {
  Model model = ocean();
  const PlannedFile file =
      model.plan(stream_of("fields: [salt, energy], box: {lat: [1, 2], lon: {from: 1, to: 4}, lev: {every: 2}}"))[0];
  EXPECT_EQ(model.asked, std::vector<std::string>{"lon"});
  EXPECT_EQ(file.outputs[0].kept, (KeptIndices{{0, 2}, {1, 2}, {1, 2, 3}}));
  EXPECT_TRUE(file.outputs[1].kept.empty());
  EXPECT_EQ(file.schema.shape(file.outputs[0].variable), (std::vector<std::int64_t>{2, 2, 3}));
  for (const PlannedFixed& fixed : file.fixed) {
    if (model.fields.at(fixed.field).name == "lat_bnds") {
      EXPECT_EQ(fixed.kept, (KeptIndices{{1, 2}, {}}));
    }
  }
  const PlannedFile boxless = model.plan(stream_of("fields: [sst], box: {lat: [0, 3]}"))[0];
  EXPECT_TRUE(boxless.outputs[0].kept.empty());
  EXPECT_EQ(model.plan(stream_of("fields: [salt], box: {lev: {at: [0, 2]}}"))[0].outputs[0].kept,
            (KeptIndices{{0, 2}, {}, {}}));
}

TEST(StreamPlan, RefusesABoxThatIsNotThere) {
  Model model = ocean();
  const std::string end = " (configuration text, line 2)";
  const auto refused = [&](const std::string& box) {
    return model.refused(stream_of("fields: [sst], box: {" + box + "}"));
  };
  EXPECT_EQ(refused("lev: [0, 1]"),
            "stream daily: box: no field of the stream has a dimension \"lev\": did you mean "
            "\"lat\"?" +
                end);
  EXPECT_EQ(refused("depth: [0, 1]"),
            "stream daily: box: no field of the stream has a dimension \"depth\": the dimensions are lat, lon" + end);
  EXPECT_EQ(refused("lat: [0, 4]"),
            "stream daily: box: lat: there is no element 4: the dimension has 4 elements, numbered from 0 to 3" + end);
  EXPECT_EQ(refused("lat: {first: 4}"),
            "stream daily: box: lat: there is no element 4: the dimension has 4 elements, numbered from 0 to 3" + end);
  EXPECT_EQ(refused("lat: {at: [0, 9]}"),
            "stream daily: box: lat: there is no element 9: the dimension has 4 elements, numbered from 0 to 3" + end);
  EXPECT_EQ(refused("lat: {from: 10, to: 20}"),
            "stream daily: box: lat: no value lies from 10 to 20; the values of lat go from 0.5 to 3.5" + end);
  model.add("wave", WEIR_FLOAT, {"frequency"}, {9});
  EXPECT_EQ(
      model.refused(stream_of("fields: [wave], box: {frequency: {from: 1, to: 2}}")),
      "stream daily: box: frequency: the model sets no fixed field \"frequency\" over this dimension, so that its "
      "elements have no values; give elements: [first, last]" +
          end);
}

TEST(StreamPlan, GivesAllFieldsTheTypeOfTheStreamAndLeavesFixedOnes) {
  Model model = ocean();
  const PlannedFile file =
      model.plan(stream_of("type: double, as: mean, fields: {sst: , salt: {type: float}, mask: }"))[0];
  EXPECT_EQ(file.schema.variable(file.outputs[0].variable).type, WEIR_DOUBLE);
  EXPECT_EQ(file.schema.variable(file.outputs[1].variable).type, WEIR_FLOAT);
  EXPECT_EQ(file.schema.variable(file.schema.find_variable("mask")).type,
            model.fields.at(model.fields.find("mask")).type);
}

TEST(StreamPlan, RefusesFieldsThatAreNotThere) {
  Model model = ocean();
  const std::string end = " (configuration text, line 2)";
  const auto refused = [&](const std::string& fields) {
    return model.refused(stream_of("as: mean, fields: " + fields));
  };
  EXPECT_EQ(refused("[ssst]"),
            "stream daily: fields: ssst: the model has no field \"ssst\": did you mean \"sst\"?" + end);
  EXPECT_EQ(
      refused("{hot: {of: temperature}}"),
      "stream daily: fields: hot: the model has no field \"temperature\": the fields are lat, lat_bnds, lon, lev, "
      "areacello, mask, sst, salt, ice_area, ice_days, energy" +
          end);
  EXPECT_EQ(refused("[\"snow_*\"]"),
            "stream daily: fields: \"snow_*\" matches no field that the model sends; it sends sst, salt, ice_area, "
            "ice_days, energy" +
                end);
  EXPECT_EQ(refused("[mask]"),
            "stream daily: fields: all of them are fixed fields, so that no record is written; name a "
            "field that the model sends" +
                end);
  EXPECT_EQ(refused("{sst: mean, flag: {of: mask}}"),
            "stream daily: fields: flag: \"mask\" is a fixed field, which is put once and as it is; name it alone, "
            "without of, type, digits, packing and attributes" +
                end);
}

TEST(StreamPlan, RefusesNamesThatAreTaken) {
  Model model = ocean();
  const std::string end = " (configuration text, line 2)";
  const auto refused = [&](const std::string& fields) { return model.refused(stream_of("fields: " + fields)); };
  EXPECT_EQ(
      refused("[\"ice_*\", ice_area]"),
      "stream daily: fields: \"ice_area\" comes from \"ice_*\" (line 2) and from \"ice_area\" (line 2); leave it out "
      "of one of them" +
          end);
  EXPECT_EQ(refused("{mask: {of: sst}}"),
            "stream daily: fields: \"mask\" is the name of a fixed field; give the output another one" + end);
  EXPECT_EQ(
      refused("{bnds: {of: sst}}"),
      "stream daily: fields: \"bnds\" is the name of a dimension of field \"lat_bnds\", whose coordinate is a fixed "
      "field; give the output another name" +
          end);
  EXPECT_EQ(refused("{time: {of: sst}}"),
            "stream daily: fields: a file has a variable \"time\" of its own; give the output another name: "
            "{time_of_model: {of: sst}}" +
                end);
  EXPECT_EQ(refused("{\"a/b/\": {of: sst}}").find("stream daily: "), 0U);
  model.add("old", WEIR_FLOAT, {"time", "lat"}, {5, 4});
  EXPECT_EQ(refused("[old]"),
            "stream daily: field \"old\" has a dimension called time, which is the record dimension of "
            "the stream's files; give the model's dimension another name" +
                end);
  Model three;
  three.add("corners", WEIR_FLOAT, {"bnds"}, {3});
  EXPECT_EQ(
      three.refused(stream_of("as: mean, fields: [corners]")),
      "stream daily: field \"corners\" has a dimension called bnds of length 3, and the bounds of time have one of "
      "length 2; give the model's dimension another name" +
          end);
}

TEST(StreamPlan, KnowsTheCalendarsDates) {
  Model model = ocean();
  const PlannedFile file = model.plan(stream_of("fields: [sst], from: 1990-02-01, until: 1990-03-01"))[0];
  EXPECT_EQ(file.from, 31 * microseconds_a_day);
  EXPECT_EQ(file.until, 59 * microseconds_a_day);
  const std::string february = model.refused(stream_of("fields: [sst], from: 1992-02-29"));
  EXPECT_EQ(february.find("stream daily: from: "), 0U) << february;
  EXPECT_NE(february.find("noleap"), std::string::npos) << february;
}

TEST(StreamPlan, RefusesFilesOfOneName) {
  Model model = ocean();
  const std::string two =
      "streams:\n  a: {file: \"x_{time:%Y}.nc\", every: 1 day, fields: [sst]}\n"
      "  b: {file: \"x_{time:%Y}.{time:nc}\", every: 1 day, fields: [sst]}\n";
  EXPECT_EQ(model.refused(two),
            "stream b: file: its first file is \"x_1990.nc\", as that of stream a; give it another name (configuration "
            "text, line 3)");
  EXPECT_EQ(
      model.refused("restart: \"x_{time:%Y}.nc\"\n" + stream_of("fields: [sst]", "x_1990.nc")),
      "stream daily: file: its first file is \"x_1990.nc\", as that of restart; give it another name (configuration "
      "text, line 3)");
  EXPECT_EQ(
      model.refused(stream_of("fields: [sst], split: 1 day", "x_{time:%Y-%m}.nc")),
      "stream daily: split: the files that begin at 1990-01-01 00:00:00 and at 1990-01-02 00:00:00 are both called "
      "\"x_1990-01.nc\"; put a finer time into file, as in {time:%Y-%m-%dT%H} (configuration text, line 2)");
  EXPECT_EQ(
      model.refused(stream_of("fields: [sst], split: 10 records", "x_{time:%Y-%m}.nc")),
      "stream daily: split: the files that begin at 1990-01-01 00:00:00 and at 1990-01-11 00:00:00 are both called "
      "\"x_1990-01.nc\"; put a finer time into file, as in {time:%Y-%m-%dT%H} (configuration text, line 2)");
  EXPECT_EQ(
      model.refused(stream_of("fields: [sst], split: 1 month", "x_{time:%m}.nc")),
      "stream daily: split: the files that begin at 1990-01-01 00:00:00 and at 1991-01-01 00:00:00 are both called "
      "\"x_01.nc\"; put the year into file, as in {time:%Y-%m} (configuration text, line 2)");
  EXPECT_EQ(model.plan(stream_of("fields: [sst], until: 1990-12-31, split: 1 month", "x_{time:%m}.nc")).size(), 1U);
  EXPECT_EQ(
      model.refused("streams: {hourly: {file: \"x_{time:%m-%dT%H}.nc\", every: 1 hour, split: 1 hour, fields: [sst]}}"),
      "stream hourly: split: the files that begin at 1990-01-01 00:00:00 and at 1991-01-01 00:00:00 are both called "
      "\"x_01-01T00.nc\"; put the year into file, as in {time:%Y-%m} (configuration text, line 1)");
}

// Records follow each other without a gap, and each is in the file of the split interval that holds its end.
RC_GTEST_PROP(RecordsInTurn, FollowEachOtherIntoTheirFiles, ()) {
  static const std::vector<std::string> intervals{"1 hour",  "6 hours",  "1 day", "5 days",
                                                  "1 month", "1 season", "1 year"};
  static const std::vector<std::string> calendars{"standard", "noleap", "360_day", "julian"};
  Model model = ocean();
  model.axis = TimeAxis("days since 1989-11-17 03:00", calendars[*rc::gen::inRange<std::size_t>(0, calendars.size())]);
  const auto every = *rc::gen::inRange<std::size_t>(0, intervals.size());
  const auto split = *rc::gen::inRange(every, intervals.size());
  const std::string align = *rc::gen::arbitrary<bool>() ? "start" : "calendar";
  const std::string operation = *rc::gen::arbitrary<bool>() ? "mean" : "instant";
  const std::string text =
      formatted("streams: {{s: {{file: \"x_{{time}}.nc\", every: {}, split: {}, align: {}, as: {}, fields: [sst]}}}}",
                intervals[every], intervals[split], align, operation);
  const PlannedFile file = model.plan(text)[0];
  const Instant start = *rc::gen::inRange<Instant>(-1000, 1000) * 3600 * microseconds_a_second;
  const Boundaries ends(model.axis, parse_interval(intervals[every]), file.stream.align, start);
  const Boundaries files(model.axis, parse_interval(intervals[split]), file.stream.align, start);
  RecordTimes times(file, model.axis, start, 0);
  Instant before = start, label = INT64_MIN;
  for (int record = 0; record < 50 && times.next(); ++record) {
    RC_ASSERT(times.begin() == (operation == "instant" ? times.end() : before));
    RC_ASSERT(times.end() > before || (record == 0 && operation == "instant"));
    RC_ASSERT(ends.end_of(times.end()) == times.end());
    RC_ASSERT(times.label() == files.begin_of(std::max(times.end(), start + 1)));
    RC_ASSERT(times.opens_file() == (times.label() != label));
    RC_ASSERT(times.name() == expand_pattern(file.pattern, model.axis, times.label(), ""));
    before = times.end();
    label = times.label();
  }
  RC_ASSERT(before > start);
}

std::vector<StreamEstimate> estimated(Model& model, const std::string& text, int days, Instant step_hours = 1) {
  return estimate_streams(model.plan(text), model.axis,
                          {0, days * microseconds_a_day, step_hours * 3600 * microseconds_a_second}, 4);
}

TEST(StreamEstimates, CountFilesRecordsAndBytes) {
  Model model = ocean();
  const auto streams = estimated(model, stream_of("fields: {sst: mean}, split: 1 month", "x_{time:%Y-%m}.nc"), 60);
  ASSERT_EQ(streams.size(), 1U);
  const PlannedFile file = model.plan(stream_of("fields: {sst: mean}, split: 1 month", "x_{time:%Y-%m}.nc"))[0];
  const auto bytes = [&](std::int64_t records) { return file.fixed_bytes + records * file.record_bytes; };
  EXPECT_EQ(streams[0].files,
            (std::vector<FileEstimate>{
                {"x_1990-01.nc", 31, bytes(31)}, {"x_1990-02.nc", 28, bytes(28)}, {"x_1990-03.nc", 1, bytes(1)}}));
  EXPECT_EQ(streams[0].rank_bytes, 6 * 2 * 8) << "24 elements on 4 ranks, their sums and weights";
}

TEST(StreamEstimates, NameFilesByTheirEndToo) {
  Model model = ocean();
  const auto streams =
      estimated(model, stream_of("fields: {sst: mean}, split: 1 month", "x_{time:%Y%m%d}-{end:%Y%m%d}.nc"), 32);
  ASSERT_EQ(streams[0].files.size(), 2U);
  EXPECT_EQ(streams[0].files[0].name, "x_19900101-19900131.nc");
  EXPECT_EQ(streams[0].files[1].name, "x_19900201-19900228.nc");
}

TEST(StreamEstimates, CountInstantsFromTheStart) {
  Model model = ocean();
  const auto instants = estimated(model, stream_of("fields: [sst], split: 2 records", "x_{time:%Y%m%d}.nc"), 4);
  std::vector<std::pair<std::string, std::int64_t>> files;
  for (const FileEstimate& file : instants[0].files) files.emplace_back(file.name, file.records);
  EXPECT_EQ(files, (std::vector<std::pair<std::string, std::int64_t>>{
                       {"x_19900101.nc", 2}, {"x_19900103.nc", 2}, {"x_19900105.nc", 1}}));
  EXPECT_EQ(instants[0].rank_bytes, 0);
}

TEST(StreamEstimates, SplitByBytes) {
  Model model = ocean();
  const PlannedFile file = model.plan(stream_of("fields: {energy: mean}", "x_{time}.nc"))[0];
  const std::int64_t limit = file.fixed_bytes + 3 * file.record_bytes + 1;
  const auto streams = estimated(
      model, stream_of("fields: {energy: mean}, split: " + std::to_string(limit) + " B", "x_{time:%Y%m%d}.nc"), 7);
  std::vector<std::int64_t> records;
  for (const FileEstimate& each : streams[0].files) records.push_back(each.records);
  EXPECT_EQ(records, (std::vector<std::int64_t>{3, 3, 1}));
}

TEST(StreamEstimates, CountWhatTheEndCutsOffAndWhatIsOutOfTheDates) {
  Model model = ocean();
  const std::string months = "streams: {m: {file: m.nc, every: 1 month, as: mean, fields: [sst], ";
  EXPECT_EQ(estimated(model, months + "unfinished: write}}", 40)[0].files[0].records, 2);
  EXPECT_EQ(estimated(model, months + "unfinished: drop}}", 40)[0].files[0].records, 1);
  EXPECT_EQ(estimated(model, months + "unfinished: write}}", 20)[0].files[0].records, 1);
  EXPECT_TRUE(estimated(model, months + "unfinished: drop}}", 20)[0].files.empty());
  EXPECT_EQ(estimated(model, stream_of("as: mean, fields: [sst], from: 1990-01-03, until: 1990-01-06"), 40)[0]
                .files[0]
                .records,
            3);
  EXPECT_EQ(estimated(model, "streams: {s: {file: s.nc, every: 10 steps, fields: [sst]}}", 1, 2)[0].files[0].records,
            1);
}

TEST(StreamEstimates, WantStepsThatMeetTheIntervals) {
  Model model = ocean();
  try {
    estimated(model, stream_of("fields: {sst: mean}"), 10, 7);
    FAIL() << "24 hours are no multiple of 7";
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "stream daily: no sample meets 1990-01-02 00:00:00, where an interval of 1 day ends: samples come every 7 "
        "hours; give an interval that the model's steps meet");
  }
}

TEST(StreamEstimates, GroupTheFilesOfATime) {
  Model model = ocean();
  const auto streams =
      estimated(model, stream_of("as: mean, fields: [sst, energy], split: 1 month", "{field}_{time:%Y-%m}.nc"), 40);
  ASSERT_EQ(streams.size(), 1U);
  std::vector<std::string> names;
  for (const FileEstimate& file : streams[0].files) names.push_back(file.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"sst_1990-01.nc", "energy_1990-01.nc", "sst_1990-02.nc", "energy_1990-02.nc"}));
}

}  // namespace
}  // namespace weir
