// SPDX-License-Identifier: Apache-2.0
#include "formats/zarr/stored_array.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "formats/zarr/documents.hpp"

namespace weir {

namespace {

// "0x7fc00000": the bits of a real number, the most significant first.
template <class Real>
std::optional<Real> real_of_bits(const std::string& text) {
  std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t> bits = 0;
  if (!text.starts_with("0x") || text.size() != 2 + 2 * sizeof bits) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), bits, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return std::bit_cast<Real>(bits);
}

template <class Real>
std::optional<Real> real_of(const Json& value) {
  using Limits = std::numeric_limits<Real>;
  if (value.is_number()) return static_cast<Real>(value.get<double>());
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  if (text == "NaN") return Limits::quiet_NaN();
  if (text == "Infinity") return Limits::infinity();
  if (text == "-Infinity") return -Limits::infinity();
  return real_of_bits<Real>(text);
}

template <class Whole>
std::optional<Whole> whole_of(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (std::in_range<Whole>(number)) return static_cast<Whole>(number);
  } else if (value.is_number_integer()) {
    const auto number = value.get<std::int64_t>();
    if (std::in_range<Whole>(number)) return static_cast<Whole>(number);
  }
  return std::nullopt;
}

template <class Element>
std::optional<Element> element_of(const Json& value) {
  if constexpr (std::is_same_v<Element, char>)
    return std::nullopt;
  else if constexpr (std::is_floating_point_v<Element>)
    return real_of<Element>(value);
  else
    return whole_of<Element>(value);
}

bool add_element(const Json& value, Type type, std::vector<std::byte>& elements) {
  return with_type(type, [&](auto sample) {
    const auto element = element_of<decltype(sample)>(value);
    if (!element) return false;
    const auto bytes = std::bit_cast<std::array<std::byte, sizeof sample>>(*element);
    elements.insert(elements.end(), bytes.begin(), bytes.end());
    return true;
  });
}

}  // namespace

std::optional<std::vector<std::byte>> elements_of(const Json& value, Type type) {
  std::vector<std::byte> elements;
  if (!value.is_array()) return add_element(value, type, elements) ? std::optional(elements) : std::nullopt;
  for (const Json& each : value)
    if (!add_element(each, type, elements)) return std::nullopt;
  return elements;
}

std::optional<ExternalValue> fill_of(const Json& value, Type type) {
  ExternalValue fill{};
  if (type == WEIR_CHAR) {
    if (!value.is_string()) return std::nullopt;
    const auto bytes = from_base64(value.get_ref<const std::string&>());
    if (!bytes || bytes->size() > 1) return std::nullopt;
    std::copy(bytes->begin(), bytes->end(), fill.begin());
    return fill;
  }
  auto element = value.is_array() ? std::nullopt : elements_of(value, type);
  if (!element) return std::nullopt;
  if constexpr (std::endian::native == std::endian::little) std::reverse(element->begin(), element->end());
  std::copy(element->begin(), element->end(), fill.begin());
  return fill;
}

namespace {

constexpr std::int64_t most_chunk_bytes = std::int64_t{1} << 32, most_file_bytes = std::int64_t{1} << 60;
constexpr unsigned most_gzip_level = 9;
constexpr const char* text_codec = "vlen-utf8";

// What has a name, and perhaps a configuration: a codec, a grid, a type.
std::string name_of(const Json& named) {
  return named.is_string() ? named.get<std::string>() : named.at("name").get<std::string>();
}

Json configuration_of(const Json& named) {
  return named.is_object() ? named.value("configuration", Json::object()) : Json::object();
}

[[noreturn]] void refuse(const std::string& why) {
  throw Error(WEIR_EFORMAT, why);
}

Shape lengths_of(const Json& list, std::int64_t least) {
  const auto lengths = list.get<Shape>();
  for (const std::int64_t length : lengths)
    if (length < least) refuse(formatted("its zarr.json has a length of {}", length));
  return lengths;
}

std::string unknown_codec(const std::string& name) {
  return formatted(
      "its chunks went through the codec \"{}\", which Weir does not have: make a copy without it (by xarray or zarr)",
      name);
}

// The bytes of elements, the first codec of a chain. False where it is another codec.
bool take_bytes(const Json& codec, bool& little_endian) {
  if (name_of(codec) != "bytes") return false;
  const auto endian = configuration_of(codec).value("endian", std::string("little"));
  if (endian != "little" && endian != "big") refuse(formatted("its zarr.json has the byte order \"{}\"", endian));
  little_endian = endian == "little";
  return true;
}

// 0 where it says none: a library's own choice.
unsigned level_in(const Json& configuration, const char* name) {
  return static_cast<unsigned>(configuration.value(name, 0));
}

std::string add_blosc(const Json& configuration, int element_bytes, std::vector<FilterStep>& filters) {
  const auto inner = configuration.value("cname", std::string());
  const auto shuffle = configuration.value("shuffle", std::string("noshuffle"));
  if (inner != "zlib" && inner != "zstd") return unknown_codec(formatted("blosc, {}", inner));
  if (shuffle != "shuffle" && shuffle != "noshuffle") return unknown_codec(formatted("blosc, {}", shuffle));
  filters.push_back({blosc_codec,
                     {inner == "zlib" ? deflate_filter : zstd_filter, level_in(configuration, "clevel"),
                      static_cast<unsigned>(element_bytes)}});
  return {};
}

// What goes through the codecs.
struct CodedElements {
  int bytes;          // of each
  bool with_lengths;  // they are strings with their lengths before them: the first codec is another one
};

// The codecs of a chunk. Returns why it cannot be read; empty where it can.
std::string take_codecs(const Json& codecs, CodedElements of, StoredArray& array) {
  bool is_bytes = false;
  for (const Json& codec : codecs) {
    const std::string name = name_of(codec);
    if (!is_bytes) {
      is_bytes = of.with_lengths ? name == text_codec : take_bytes(codec, array.little_endian);
      if (!is_bytes && (name == "bytes" || name == text_codec))
        return formatted("its zarr.json has the codec \"{}\" for elements of another type", name);
      if (!is_bytes) return unknown_codec(name);
    } else if (name == "gzip") {
      array.filters.push_back({gzip_codec, {std::min(level_in(configuration_of(codec), "level"), most_gzip_level)}});
    } else if (name == "zstd") {
      array.filters.push_back({zstd_codec, {level_in(configuration_of(codec), "level")}});
    } else if (name == "crc32c") {
      array.filters.push_back({crc32c_codec, {}});
    } else if (name == "blosc") {
      if (std::string problem = add_blosc(configuration_of(codec), of.bytes, array.filters); !problem.empty())
        return problem;
    } else {
      return unknown_codec(name);
    }
  }
  return is_bytes ? std::string()
                  : formatted("its zarr.json names no codec \"{}\"", of.with_lengths ? text_codec : "bytes");
}

// nullopt: an index in a form that Weir does not have.
std::optional<ShardIndexForm> index_form(const Json& configuration) {
  const Json& codecs = configuration.at("index_codecs");
  const auto location = configuration.value("index_location", std::string("end"));
  ShardIndexForm form{location == "end", true, false};
  if ((location != "end" && location != "start") || codecs.empty() || codecs.size() > 2) return std::nullopt;
  if (!take_bytes(codecs.at(0), form.little_endian)) return std::nullopt;
  form.summed = codecs.size() == 2;
  if (form.summed && name_of(codecs.at(1)) != "crc32c") return std::nullopt;
  return form;
}

std::string take_shards(const Json& configuration, CodedElements of, StoredArray& array) {
  array.chunk = lengths_of(configuration.at("chunk_shape"), 1);
  array.files->index = index_form(configuration);
  if (!array.files->index) return "the index of its shards has a form that Weir does not know";
  const Shape& part = array.files->part;
  if (array.chunk.size() != part.size()) refuse("its zarr.json has chunks of other dimensions than its shards");
  for (std::size_t d = 0; d < part.size(); ++d)
    if (part[d] % array.chunk[d] != 0) refuse("its zarr.json has shards that hold no whole number of chunks");
  return take_codecs(configuration.at("codecs"), of, array);
}

ChunkKeys keys_of(const Json& encoding) {
  const std::string name = name_of(encoding);
  const bool older = name == "v2";
  if (!older && name != "default") refuse(formatted("its chunks have names of the kind \"{}\"", name));
  const auto separator = configuration_of(encoding).value("separator", std::string(older ? "." : "/"));
  if (separator != "/" && separator != ".")
    refuse(formatted("its chunks have names with the separator \"{}\"", separator));
  return {older ? "" : "c", separator[0]};
}

// How the array lies in files. Returns why it cannot be read; empty where it can.
std::string take_layout(const Json& document, CodedElements of, StoredArray& array) {
  const Json& grid = document.at("chunk_grid");
  if (name_of(grid) != "regular") return formatted("its chunks lie in a grid of the kind \"{}\"", name_of(grid));
  if (!document.value("storage_transformers", Json::array()).empty())
    return "it uses a storage transformer, which Weir does not support";
  array.files->part = array.chunk = lengths_of(configuration_of(grid).at("chunk_shape"), 1);
  if (array.chunk.size() != array.lengths.size()) refuse("its zarr.json has chunks of other dimensions than the array");
  array.files->keys = keys_of(document.at("chunk_key_encoding"));
  const Json& codecs = document.at("codecs");
  const bool shards = codecs.size() == 1 && name_of(codecs.at(0)) == "sharding_indexed";
  return shards ? take_shards(configuration_of(codecs.at(0)), of, array) : take_codecs(codecs, of, array);
}

// Of strings; nullopt of other elements.
std::optional<ZarrStrings> texts_of(const Json& type, const Json& fill) {
  const std::string name = name_of(type);
  const std::int64_t bytes = configuration_of(type).value("length_bytes", std::int64_t{1});
  ZarrStrings texts;
  if (name == "string")
    texts = {TextForm::lengths_before, 1, {}};
  else if (name == "fixed_length_utf32" && bytes > 0 && bytes % utf32_bytes == 0)
    texts = {TextForm::code_points, bytes, {}};
  else if (name == zarr_text_type && bytes > 1)
    texts = {TextForm::bytes, bytes, {}};
  else
    return std::nullopt;
  if (!fill.is_string()) refuse("its fill_value does not match its data type");
  texts.fill = fill.get<std::string>();
  if (texts.form == TextForm::bytes) {
    const auto decoded = from_base64(texts.fill);
    if (!decoded) refuse("its fill_value does not match its data type");
    texts.fill.assign(reinterpret_cast<const char*>(decoded->data()), decoded->size());
  }
  if (texts.form != TextForm::lengths_before) texts.fill.erase(texts.fill.find_last_not_of('\0') + 1);
  return texts;
}

Type type_of(const Json& type) {
  const std::string name = name_of(type);
  const auto known = zarr_type(name);
  const bool text = known == WEIR_CHAR;
  if (!known || known == WEIR_STRING || (text && configuration_of(type).value("length_bytes", 0) != 1))
    refuse(formatted("its elements are of the type \"{}\", which Weir does not read", name));
  return *known;
}

std::vector<std::string> dims_of(const Json& document, const Shape& lengths) {
  std::vector<std::string> dims;
  const Json names = document.value("dimension_names", Json());
  for (std::size_t d = 0; d < lengths.size(); ++d) {
    const bool named = names.is_array() && d < names.size() && names.at(d).is_string();
    dims.push_back(named ? names.at(d).get<std::string>() : formatted("dim_{}", lengths[d]));
  }
  return dims;
}

bool is_within(const Shape& lengths, Type type, std::int64_t most_bytes) {
  return elements_up_to(lengths, most_bytes / type_bytes(type)).has_value();
}

void take(const Json& document, ZarrVariable& variable) {
  if (document.value("zarr_format", 0) != 3) refuse("it is not of Zarr version 3");
  variable.texts = texts_of(document.at("data_type"), document.at("fill_value"));
  variable.type = variable.texts ? WEIR_CHAR : type_of(document.at("data_type"));
  StoredArray& array = variable.array;
  array.lengths = lengths_of(document.at("shape"), 0);
  variable.dims = dims_of(document, array.lengths);
  variable.attributes = document.value("attributes", Json::object());
  const auto fill = variable.texts ? std::optional<ExternalValue>(ExternalValue{})
                                   : fill_of(document.at("fill_value"), variable.type);
  if (!fill) refuse("its fill_value does not match its data type");
  array.fill = *fill;
  array.files = ChunkFiles{variable.name, {}, {}, std::nullopt};
  const bool wide = variable.texts && variable.texts->form == TextForm::code_points;
  const bool with_lengths = variable.texts && variable.texts->form == TextForm::lengths_before;
  array.obstacle = take_layout(document, {wide ? utf32_bytes : type_bytes(variable.type), with_lengths}, array);
  if (!is_within(array.files->part, variable.type, most_file_bytes))
    refuse("its zarr.json describes files that are too long");
  if (array.obstacle.empty() && !is_within(array.chunk, variable.type, most_chunk_bytes))
    array.obstacle = "it has chunks of more than 4 GiB";
}

}  // namespace

ZarrVariable zarr_variable(const std::string& name, const Json& document) {
  ZarrVariable variable{name};
  try {
    take(document, variable);
  } catch (const Error& error) {
    variable.refused = error.what();
  } catch (const Json::exception& error) {
    variable.refused = formatted("its zarr.json is not as version 3 has it: {}", error.what());
  }
  return variable;
}

}  // namespace weir
