// SPDX-License-Identifier: Apache-2.0
#include "streams/field.hpp"

#include <utility>

#include "base/error.hpp"
#include "schema/name.hpp"

namespace weir {

namespace {

void check_dimensions(const Field& field) {
  require(field.dimensions.size() == field.shape.size(), WEIR_EARGUMENT,
          "field \"{}\" has {} names of dimensions, and its layout has {} dimensions; give a name for each", field.name,
          field.dimensions.size(), field.shape.size());
  for (std::size_t d = 0; d < field.dimensions.size(); ++d) {
    const auto fault = path_fault(field.dimensions[d]);
    require(!fault, WEIR_EARGUMENT, "field \"{}\": the name \"{}\" of dimension {} {}; give another", field.name,
            field.dimensions[d], d, fault.value_or(""));
    require(field.shape[d] >= 1, WEIR_EARGUMENT, "field \"{}\": dimension \"{}\" has length {}; give at least 1",
            field.name, field.dimensions[d], field.shape[d]);
    for (std::size_t e = 0; e < d; ++e)
      require(!same_name(field.dimensions[e], field.dimensions[d]), WEIR_EARGUMENT,
              "field \"{}\" has two dimensions called \"{}\"; give each a name of its own", field.name,
              field.dimensions[d]);
  }
}

void check_lengths(const Field& field, const Field& other) {
  for (std::size_t d = 0; d < field.dimensions.size(); ++d)
    for (std::size_t e = 0; e < other.dimensions.size(); ++e)
      require(!same_name(field.dimensions[d], other.dimensions[e]) || field.shape[d] == other.shape[e], WEIR_EARGUMENT,
              "dimension \"{}\" has length {} in field \"{}\" and {} in field \"{}\"; give two lengths two names",
              field.dimensions[d], field.shape[d], field.name, other.shape[e], other.name);
}

}  // namespace

std::string text_of(const Attribute& attribute) {
  std::string text(reinterpret_cast<const char*>(attribute.values.data()), attribute.values.size());
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

int Fields::add(Field field) {
  const auto fault = path_fault(field.name);
  require(!fault, WEIR_EARGUMENT, "a field cannot be called \"{}\": the name {}; give another", field.name,
          fault.value_or(""));
  require(find(field.name) < 0, WEIR_EARGUMENT, "there is a field called \"{}\" already; give this one another name",
          field.name);
  require(type_is_valid(field.type) && field.type != WEIR_CHAR, WEIR_EARGUMENT,
          "field \"{}\" has the type {}, which is no number; give WEIR_FLOAT, WEIR_DOUBLE or another number's type",
          field.name, type_is_valid(field.type) || field.type == WEIR_STRING ? type_name(field.type) : "?");
  check_dimensions(field);
  for (const Field& other : fields_) check_lengths(field, other);
  fields_.push_back(std::move(field));
  return count() - 1;
}

const Field& Fields::at(int number) const {
  require(number >= 0 && number < count(), WEIR_EARGUMENT, "there is no field with number {}; there are {} fields",
          number, count());
  return fields_[static_cast<std::size_t>(number)];
}

Field& Fields::at(int number) {
  return const_cast<Field&>(std::as_const(*this).at(number));
}

int Fields::find(std::string_view name) const noexcept {
  return find_name(fields_, name);
}

}  // namespace weir
