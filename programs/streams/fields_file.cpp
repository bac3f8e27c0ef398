// SPDX-License-Identifier: Apache-2.0
#include "fields_file.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "streams/setting.hpp"

namespace weir::streams {
namespace {

constexpr std::array field_keys{std::string_view("type"), std::string_view("dimensions"),
                                std::string_view("attributes"), std::string_view("fixed"), std::string_view("values")};
constexpr std::array time_keys{std::string_view("units"), std::string_view("calendar"), std::string_view("start")};
constexpr std::array ends_keys{std::string_view("from"), std::string_view("to")};
constexpr std::array answers{std::pair{std::string_view("no"), false}, std::pair{std::string_view("yes"), true}};

Type read_type(const Setting& setting) {
  std::vector<std::pair<std::string_view, Type>> types;
  for (int type = WEIR_BYTE; type <= WEIR_UINT64; ++type)
    if (type_is_valid(type) && type != WEIR_CHAR)
      types.emplace_back(type_name(static_cast<Type>(type)), static_cast<Type>(type));
  return setting.word<Type>(types);
}

// A list, or values between two ends at even distances.
std::vector<double> read_values(const Setting& setting, const Field& field) {
  if (field.shape.size() != 1)
    setting.refuse("values are for a field of one dimension; give fixed: yes in their place");
  const auto count = static_cast<std::size_t>(field.shape[0]);
  std::vector<double> values;
  if (setting.value().is_list) {
    for (const Setting& item : setting.items()) values.push_back(item.number());
    if (values.size() != count)
      setting.refuse(
          formatted("has {} values, and {} has {} elements; give one each", values.size(), field.dimensions[0], count));
    return values;
  }
  setting.require_map("[0.5, 1.5, ...], or {from: 0.5, to: 359.5}");
  setting.check_keys(ends_keys);
  const double from = setting.need("from", "0.5").number(), to = setting.need("to", "359.5").number();
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(count == 1 ? from : from + (to - from) * static_cast<double>(i) / static_cast<double>(count - 1));
  return values;
}

Attribute attribute_of(const std::string& name, Type type, std::size_t count, const void* values) {
  const auto* const bytes = static_cast<const std::byte*>(values);
  return {name,
          type,
          static_cast<std::int64_t>(count),
          {bytes, bytes + count * static_cast<std::size_t>(type_bytes(type))}};
}

// Text, but for those that are numbers in every file.
Attribute read_attribute(const Setting& setting) {
  static constexpr std::array numbers{std::string_view("_FillValue"), std::string_view("missing_value"),
                                      std::string_view("valid_min"), std::string_view("valid_max"),
                                      std::string_view("valid_range")};
  const std::string& name = setting.key();
  if (std::find(numbers.begin(), numbers.end(), name) == numbers.end())
    return attribute_of(name, WEIR_CHAR, setting.text().size(), setting.text().data());
  std::vector<double> values;
  if (!setting.value().is_list) values.push_back(setting.number());
  if (setting.value().is_list)
    for (const Setting& item : setting.items()) values.push_back(item.number());
  return attribute_of(name, WEIR_DOUBLE, values.size(), values.data());
}

void read_field(const Setting& setting, ModelFields& model) {
  setting.require_map("{type: float, dimensions: {lat: 180, lon: 360}}");
  setting.check_keys(field_keys);
  Field field;
  field.name = setting.key();
  field.type = WEIR_DOUBLE;
  if (const auto type = setting.find("type")) field.type = read_type(*type);
  if (const auto dimensions = setting.find("dimensions")) {
    dimensions->require_map("{lat: 180, lon: 360}");
    for (const Setting& dimension : dimensions->entries()) {
      field.dimensions.push_back(dimension.key());
      field.shape.push_back(dimension.whole(1));
    }
  }
  if (const auto attributes = setting.find("attributes")) {
    attributes->require_map("{units: K}");
    for (const Setting& each : attributes->entries()) field.attributes.push_back(read_attribute(each));
  }
  const auto fixed = setting.find("fixed"), values = setting.find("values");
  field.fixed = values || (fixed && fixed->word<bool>(answers));
  std::vector<double> given;
  if (values) given = read_values(*values, field);
  const int number = setting.guard([&] { return model.fields.add(field); });
  if (values) model.values[number] = std::move(given);
}

void read_time(const Setting& setting, ModelFields& model) {
  setting.require_map("{units: \"hours since 1990-01-01\", calendar: noleap, start: \"1990-01-01\"}");
  setting.check_keys(time_keys);
  if (const auto units = setting.find("units")) model.units = units->text();
  if (const auto calendar = setting.find("calendar")) model.calendar = calendar->text();
  if (const auto start = setting.find("start")) model.start = start->text();
}

}  // namespace

ModelFields read_fields(const ConfigValue& file) {
  ModelFields model;
  for (const Setting& entry : Setting(file, "", "", file.place, "field ").entries())
    entry.key() == "time" ? read_time(entry, model) : read_field(entry, model);
  return model;
}

}  // namespace weir::streams
