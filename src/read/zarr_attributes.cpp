// SPDX-License-Identifier: Apache-2.0
#include "read/zarr_attributes.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/base64.hpp"
#include "schema/name.hpp"
#include "schema/text_list.hpp"
#include "write/zarr/data_types.hpp"

namespace weir {

namespace {

constexpr Type guesses[] = {WEIR_INT, WEIR_INT64, WEIR_UINT64, WEIR_DOUBLE};
// Of the variable's own type.
constexpr std::string_view alike[] = {"_FillValue", "missing_value", "valid_min", "valid_max", "valid_range"};

struct Elements {
  Type type;
  std::vector<std::byte> bytes;
};

bool is_of_numbers(const Json& value) {
  if (!value.is_array()) return value.is_number();
  return std::all_of(value.begin(), value.end(), [](const Json& each) { return each.is_number(); });
}

std::optional<Elements> with_type_of(const Json& value, Type type) {
  auto bytes = elements_of(value, type);
  return bytes ? std::optional(Elements{type, std::move(*bytes)}) : std::nullopt;
}

// xarray has it as the bytes of a double, whatever the array's real type is.
std::optional<Elements> encoded_fill(const Json& value, Type type) {
  if (!value.is_string() || (type != WEIR_FLOAT && type != WEIR_DOUBLE)) return std::nullopt;
  auto bytes = from_base64(value.get_ref<const std::string&>());
  if (!bytes || bytes->size() != sizeof(double)) return std::nullopt;
  if constexpr (std::endian::native == std::endian::big) std::reverse(bytes->begin(), bytes->end());
  if (type == WEIR_DOUBLE) return Elements{type, std::move(*bytes)};
  double number = 0;
  std::memcpy(&number, bytes->data(), sizeof number);
  const auto single = std::bit_cast<std::array<std::byte, sizeof(float)>>(static_cast<float>(number));
  return Elements{type, {single.begin(), single.end()}};
}

std::optional<Elements> guess(const Json& value) {
  if (!is_of_numbers(value)) return std::nullopt;
  for (const Type type : guesses)
    if (auto found = with_type_of(value, type)) return found;
  return std::nullopt;
}

// One text, or a list of them; nullopt where it is another thing, or a text has a zero in it.
std::optional<std::vector<std::byte>> texts_of(const Json& value) {
  std::vector<const char*> texts;
  const auto add = [&](const Json& each) {
    if (!each.is_string()) return false;
    const auto& text = each.get_ref<const std::string&>();
    texts.push_back(text.c_str());
    return text.find('\0') == std::string::npos;
  };
  const bool all = value.is_array() ? std::all_of(value.begin(), value.end(), add) : add(value);
  return all ? std::optional(join_texts(texts)) : std::nullopt;
}

class Attributes {
 public:
  Attributes(Schema& schema, int var, const Json& types) : schema_(schema), var_(var), types_(types) {}

  void add(const std::string& name, const Json& value) {
    const auto noted = noted_type(name);
    const bool of_variable =
        var_ != WEIR_GLOBAL && std::find(std::begin(alike), std::end(alike), name) != std::end(alike);
    std::optional<Elements> elements;
    if (noted) elements = with_type_of(value, *noted);
    if (!elements && of_variable) elements = in_type_of_variable(name, value);
    if (of_variable && name == "_FillValue") {
      if (elements && std::ssize(elements->bytes) == type_bytes(elements->type)) put(name, *elements);
      return;
    }
    if (!elements) elements = guess(value);
    if (elements) return put(name, *elements);
    if (value.is_array() || noted == WEIR_STRING) return put_texts(name, value);
    if (!value.is_string()) return;
    const auto& text = value.get_ref<const std::string&>();
    schema_.put_attribute(var_, Name::stored(name), WEIR_CHAR, std::ssize(text), text.data());
  }

 private:
  std::optional<Type> noted_type(const std::string& name) const {
    if (!types_.is_object() || !types_.contains(name) || !types_.at(name).is_string()) return std::nullopt;
    return zarr_type(types_.at(name).get_ref<const std::string&>());
  }

  std::optional<Elements> in_type_of_variable(const std::string& name, const Json& value) const {
    const Type type = schema_.variable(var_).type;
    if (name == "_FillValue")
      if (auto fill = encoded_fill(value, type)) return fill;
    if (value.is_string() && name != "_FillValue") return std::nullopt;
    return with_type_of(value, type);
  }

  void put(const std::string& name, const Elements& elements) {
    const std::int64_t count = std::ssize(elements.bytes) / type_bytes(elements.type);
    schema_.put_attribute(var_, Name::stored(name), elements.type, count, elements.bytes.data());
  }

  void put_texts(const std::string& name, const Json& value) {
    const auto count = value.is_array() ? static_cast<std::int64_t>(value.size()) : 1;
    if (const auto texts = texts_of(value))
      schema_.put_attribute(var_, Name::stored(name), WEIR_STRING, count, texts->data());
  }

  Schema& schema_;
  int var_;
  const Json& types_;
};

}  // namespace

void add_attributes(Schema& schema, int var, const Json& attributes, const Json& types, const std::string& prefix) {
  if (!attributes.is_object()) return;
  Attributes all(schema, var, types);
  for (const auto& [name, value] : attributes.items())
    if (!name_fault(name) && !path_fault(prefix + name)) all.add(prefix + name, value);
}

}  // namespace weir
