// SPDX-License-Identifier: Apache-2.0
#include "streams/field_definitions.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/text.hpp"

namespace weir {

FieldDefinitions::FieldDefinitions(const Comm& comm, const Layouts& layouts) : comm_(comm), layouts_(layouts) {}

template <class Define>
void FieldDefinitions::define(Define define) {
  try {
    define();
  } catch (const Error& error) {
    refused_.merge({error.code(), formatted("rank {}: {}", comm_.number(), error.what())});
    throw;
  }
}

int FieldDefinitions::define_field(std::string_view name, Type type, const std::vector<std::string>& dimensions,
                                   int layout) {
  int number = -1;
  define([&] {
    Field field;
    field.name = Name(name).text();
    field.type = type;
    field.dimensions = dimensions;
    if (!dimensions.empty()) {
      field.layout = layout;
      field.shape = layouts_.at(layout).shape();
      require(field.shape.size() == dimensions.size(), WEIR_EARGUMENT,
              "the field {} has {} dimension(s), and its layout is of an array with {}: give a name for each", name,
              dimensions.size(), field.shape.size());
    }
    number = fields_.add(std::move(field));
  });
  return number;
}

void FieldDefinitions::put_attribute(int field, const Name& name, Type type, std::int64_t count, const void* values) {
  define([&] {
    // A schema checks it as it checks a file's.
    Schema schema;
    int variable = WEIR_GLOBAL;
    if (field != WEIR_GLOBAL) {
      const Field& of = fields_.at(field);
      variable = schema.add_variable(of.name, of.type, {});
    }
    schema.put_attribute(variable, name, type, count, values);
    const Attribute& made = schema.attributes(variable).front();
    std::vector<Attribute>& all = field == WEIR_GLOBAL ? attributes_ : fields_.at(field).attributes;
    const auto former =
        std::find_if(all.begin(), all.end(), [&](const Attribute& each) { return each.name == made.name; });
    if (former == all.end())
      all.push_back(made);
    else
      *former = made;
  });
}

void FieldDefinitions::set_field(int number, Type type, const void* values) {
  define([&] {
    Field& field = fields_.at(number);
    require(type_is_valid(type) && (type == WEIR_CHAR) == (field.type == WEIR_CHAR), WEIR_EARGUMENT,
            "the values of the field {} have a type that does not become {}", field.name, type_name(field.type));
    const std::int64_t length = field.layout < 0 ? 1 : layouts_.at(field.layout).buffer_length();
    const auto bytes = static_cast<std::size_t>(length * type_bytes(type));
    require(values != nullptr || bytes == 0 || (field.layout < 0 && comm_.rank() > 0), WEIR_EARGUMENT,
            "the values of the field {} are NULL", field.name);
    field.values.assign(bytes, std::byte{});
    if (values != nullptr && bytes > 0) std::memcpy(field.values.data(), values, bytes);
    field.values_type = type;
    field.fixed = true;
  });
}

std::vector<std::string> FieldDefinitions::in_words() const {
  std::vector<std::string> lines;
  for (const Field& field : fields_.all()) {
    std::string line =
        formatted("the {} {} {}(", field.fixed ? "fixed field" : "field", type_name(field.type), field.name);
    for (std::size_t d = 0; d < field.dimensions.size(); ++d)
      line += formatted("{}{} = {}", d > 0 ? ", " : "", field.dimensions[d], field.shape[d]);
    line += ")";
    for (const Attribute& attribute : field.attributes) line += formatted(", attribute {}", attribute.name);
    lines.push_back(line);
  }
  return lines;
}

std::uint64_t FieldDefinitions::signature() const {
  std::uint64_t sum = 0;
  for (const std::string& line : in_words()) sum = mix(sum, line);
  const auto add = [&](const std::vector<Attribute>& attributes) {
    for (const Attribute& attribute : attributes) {
      sum = mix(mix(sum, attribute.name), static_cast<std::uint64_t>(attribute.type));
      sum = mix(sum, std::string_view(reinterpret_cast<const char*>(attribute.values.data()), attribute.values.size()));
    }
  };
  add(attributes_);
  for (const Field& field : fields_.all()) {
    add(field.attributes);
    sum = mix(sum, static_cast<std::uint64_t>(field.layout));
  }
  return sum;
}

}  // namespace weir
