// SPDX-License-Identifier: Apache-2.0
#include "formats/zarr/documents.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "formats/zarr/array.hpp"
#include "schema/name.hpp"
#include "schema/text_list.hpp"

namespace weir {

namespace {

void add_groups_of(std::string_view path, std::vector<std::string>& groups) {
  for (std::size_t end = path.find('/'); end != path.npos; end = path.find('/', end + 1))
    if (std::find(groups.begin(), groups.end(), path.substr(0, end)) == groups.end())
      groups.emplace_back(path.substr(0, end));
}

}  // namespace

std::vector<std::string> groups_of(const Schema& schema) {
  std::vector<std::string> groups;
  for (const Dimension& dimension : schema.dimensions()) add_groups_of(dimension.name, groups);
  for (const Variable& variable : schema.variables()) add_groups_of(variable.name, groups);
  for (const Attribute& attribute : schema.attributes(WEIR_GLOBAL)) add_groups_of(attribute.name, groups);
  for (const std::string& group : groups) {
    check_zarr_name("group", group);
    require(schema.find_variable(group) < 0, WEIR_EARGUMENT,
            "\"{}\" is a variable and a group, and both would be one folder; rename one", group);
  }
  return groups;
}

std::vector<std::string> new_folders(const Schema& before, const Schema& after, int first) {
  const std::vector<std::string> there = groups_of(before);
  std::vector<std::string> folders;
  for (const std::string& group : groups_of(after))
    if (std::find(there.begin(), there.end(), group) == there.end()) folders.push_back(group);
  for (int var = first; var < static_cast<int>(after.variables().size()); ++var)
    folders.push_back(after.variable(var).name);
  return folders;
}

// Source: the Zarr core specification, version 3.1 (zarr-specs.readthedocs.io), its codecs sharding_indexed, bytes,
// gzip, zstd, blosc and crc32c; and for what has no specification zarr-python 3 and xarray: consolidated metadata, the
// data type of text, and how _FillValue is written.

using Json = nlohmann::ordered_json;

namespace {

constexpr int most_blosc_level = 9;

Json codec(const char* name, Json configuration = nullptr) {
  Json text{{"name", name}};
  if (!configuration.is_null()) text["configuration"] = std::move(configuration);
  return text;
}

Json bytes_codec(int element_bytes) {
  if (element_bytes == 1) return codec("bytes");
  return codec("bytes", {{"endian", std::endian::native == std::endian::little ? "little" : "big"}});
}

Json codec_of(const FilterStep& step) {
  if (step.id == crc32c_codec) return codec("crc32c");
  if (step.id != blosc_codec) {
    const int level = static_cast<int>(step.values[0]);
    if (step.id == gzip_codec) return codec("gzip", {{"level", level}});
    return codec("zstd", {{"level", level}, {"checksum", false}});
  }
  const int level = std::clamp(static_cast<int>(step.values[1]), 0, most_blosc_level);
  return codec("blosc", {{"cname", step.values[0] == deflate_filter ? "zlib" : "zstd"},
                         {"clevel", level},
                         {"shuffle", "shuffle"},
                         {"typesize", step.values[2]},
                         {"blocksize", 0}});
}

Json data_type(Type type) {
  if (type != WEIR_CHAR) return zarr_type_name(type);
  return {{"name", zarr_text_type}, {"configuration", {{"length_bytes", 1}}}};
}

// JSON has no numbers for what is not finite.
Json real(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "NaN" : (value > 0 ? "Infinity" : "-Infinity");
}

template <class Value>
Json number(Value value) {
  if constexpr (std::is_floating_point_v<Value>)
    return real(static_cast<double>(value));
  else
    return static_cast<std::conditional_t<std::is_signed_v<Value>, std::int64_t, std::uint64_t>>(value);
}

template <class Value>
Value value_at(const std::byte* bytes) {
  Value value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// A text that ends with zeros is, as its element, one without them.
std::string text_element(std::byte value) {
  return value == std::byte{0} ? "" : to_base64(std::span(&value, 1));
}

Json fill_value(const Schema& schema, int var) {
  const Type type = schema.variable(var).type;
  ExternalValue external = schema.fill_value(var);
  if (type == WEIR_CHAR) return text_element(external[0]);
  if constexpr (std::endian::native == std::endian::little)
    std::reverse(external.begin(), external.begin() + type_bytes(type));
  return with_type(type, [&](auto sample) { return number(value_at<decltype(sample)>(external.data())); });
}

Json text_of(std::string text, const Attribute& attribute, const std::string& whose) {
  require(is_utf8(text), WEIR_EARGUMENT,
          "attribute \"{}\" of {} is not UTF-8 text, and Zarr holds no other text; write it in UTF-8, or as bytes",
          attribute.name, whose);
  return text;
}

// A single value stands for itself.
Json one_or_all(Json list) {
  return list.size() == 1 ? list[0] : list;
}

// As xarray's FillValueCoder has it.
Json fill_attribute(const Attribute& attribute) {
  return with_type(attribute.type, [&](auto sample) -> Json {
    const auto value = value_at<decltype(sample)>(attribute.values.data());
    if constexpr (!std::is_floating_point_v<decltype(sample)>) return number(value);
    auto bits = std::bit_cast<std::array<std::byte, sizeof(double)>>(static_cast<double>(value));
    if constexpr (std::endian::native == std::endian::big) std::reverse(bits.begin(), bits.end());
    return to_base64(bits);
  });
}

Json attribute_value(const Attribute& attribute, const std::string& whose) {
  if (attribute.type == WEIR_CHAR)
    return text_of({reinterpret_cast<const char*>(attribute.values.data()), attribute.values.size()}, attribute, whose);
  if (attribute.type == WEIR_STRING) {
    Json list = Json::array();
    for (const char* const text : texts_in(attribute.values)) list.push_back(text_of(text, attribute, whose));
    return one_or_all(std::move(list));
  }
  return with_type(attribute.type, [&](auto sample) -> Json {
    Json list = Json::array();
    for (std::size_t at = 0; at < attribute.values.size(); at += sizeof sample)
      list.push_back(number(value_at<decltype(sample)>(&attribute.values[at])));
    return one_or_all(std::move(list));
  });
}

// As netCDF-C has it.
void add_quantization(Json& attributes, const Quantization& how) {
  static constexpr const char* names[] = {"BitGroomNumberOfSignificantDigits",
                                          "GranularBitRoundNumberOfSignificantDigits",
                                          "BitRoundNumberOfSignificantBits"};
  attributes[std::string("_Quantize") + names[static_cast<int>(how.kind) - 1]] = how.digits;
}

// prefix: of the group whose attributes they are; "" of a variable's.
Json attributes(const Schema& schema, int var, std::string_view prefix) {
  Json all = Json::object();
  for (const Attribute& attribute : schema.attributes(var)) {
    if (group_prefix(attribute.name) != prefix) continue;
    if (Json value = attribute_document(schema, var, attribute); !value.is_null())
      all[std::string(last_name(attribute.name))] = std::move(value);
  }
  if (var != WEIR_GLOBAL && schema.variable(var).storage.quantization)
    add_quantization(all, *schema.variable(var).storage.quantization);
  return all;
}

Json chunk_codecs(const ZarrArray& array, int element_bytes) {
  Json codecs = Json::array({bytes_codec(element_bytes)});
  for (const FilterStep& step : array.codecs) codecs.push_back(codec_of(step));
  return codecs;
}

// Lengths of `part` with one of `records` before them, where the array has records.
Json lengths(const ZarrArray& array, const Shape& part, std::int64_t records) {
  Json list = Json::array();
  if (array.record) list.push_back(records);
  for (const std::int64_t length : part) list.push_back(length);
  return list;
}

Json codecs(const ZarrArray& array, int element_bytes) {
  if (!array.indexed) return chunk_codecs(array, element_bytes);
  return Json::array({codec("sharding_indexed", {{"chunk_shape", lengths(array, array.chunk, array.chunk_records)},
                                                 {"codecs", chunk_codecs(array, element_bytes)},
                                                 {"index_codecs", {bytes_codec(8), codec("crc32c")}},
                                                 {"index_location", "end"}})});
}

Json types_of(const std::vector<Attribute>& attributes) {
  Json types = Json::object();
  for (const Attribute& attribute : attributes)
    if (attribute.type != WEIR_CHAR || attribute.name == "_FillValue")
      types[attribute.name] = zarr_type_name(attribute.type);
  return types;
}

}  // namespace

Json array_document(const Schema& schema, int var, const ZarrArray& array, std::int64_t records) {
  const Variable& variable = schema.variable(var);
  Json names = Json::array();
  for (const int dim : variable.dims)
    names.push_back(std::string(last_name(schema.dimensions()[static_cast<std::size_t>(dim)].name)));
  return {{"zarr_format", 3},
          {"node_type", "array"},
          {"shape", lengths(array, array.shape, records)},
          {"data_type", data_type(variable.type)},
          {"chunk_grid",
           {{"name", "regular"}, {"configuration", {{"chunk_shape", lengths(array, array.shard, array.records)}}}}},
          {"chunk_key_encoding", {{"name", "default"}, {"configuration", {{"separator", "."}}}}},
          {"fill_value", fill_value(schema, var)},
          {"codecs", codecs(array, type_bytes(variable.type))},
          {"attributes", attributes(schema, var, "")},
          {"dimension_names", names},
          {"storage_transformers", Json::array()}};
}

// fill_value has that of text, and xarray opens no folder where this is too.
Json attribute_document(const Schema& schema, int var, const Attribute& attribute) {
  const bool global = var == WEIR_GLOBAL, fill = !global && attribute.name == "_FillValue";
  if (fill) return attribute.type == WEIR_CHAR ? Json() : fill_attribute(attribute);
  return attribute_value(attribute, global ? "the file" : formatted("variable \"{}\"", schema.variable(var).name));
}

Json told_to_weir(const Schema& schema) {
  Json dimensions = Json::array();
  for (const Dimension& dimension : schema.dimensions()) {
    dimensions.push_back({{"name", dimension.name}, {"length", dimension.length}});
    if (dimension.grows) dimensions.back()["unlimited"] = true;
  }
  Json types = Json::object(), dims_in_groups = Json::object();
  for (const Variable& variable : schema.variables()) {
    if (!variable.attributes.empty()) types[variable.name] = types_of(variable.attributes);
    if (group_prefix(variable.name).empty()) continue;
    Json& paths = dims_in_groups[variable.name] = Json::array();
    for (const int dim : variable.dims) paths.push_back(schema.dimensions()[static_cast<std::size_t>(dim)].name);
  }
  Json told{{"dimensions", std::move(dimensions)},
            {"group_attribute_types", types_of(schema.attributes(WEIR_GLOBAL))},
            {"attribute_types", std::move(types)}};
  if (!dims_in_groups.empty()) told["variable_dimensions"] = std::move(dims_in_groups);
  return told;
}

Json group_document(const Schema& schema, const std::string& group) {
  const std::string prefix = group.empty() ? "" : group + "/";
  return {{"zarr_format", 3}, {"node_type", "group"}, {"attributes", attributes(schema, WEIR_GLOBAL, prefix)}};
}

std::vector<ZarrDocument> zarr_documents(const Schema& schema, const std::vector<ZarrArray>& arrays,
                                         std::int64_t records) {
  std::vector<ZarrDocument> documents;
  Json all = Json::object();
  for (int var = 0; var < static_cast<int>(arrays.size()); ++var) {
    const std::string& name = schema.variable(var).name;
    all[name] = array_document(schema, var, arrays[static_cast<std::size_t>(var)], records);
    documents.push_back({name, all[name].dump(zarr_indent)});
  }
  for (const std::string& name : groups_of(schema)) {
    all[name] = group_document(schema, name);
    documents.push_back({name, all[name].dump(zarr_indent)});
  }
  Json group = group_document(schema, "");
  group["consolidated_metadata"] = {
      {"kind", "inline"}, {"must_understand", false}, {"metadata", all}, {"weir", told_to_weir(schema)}};
  documents.push_back({"", group.dump(zarr_indent)});
  return documents;
}

}  // namespace weir
