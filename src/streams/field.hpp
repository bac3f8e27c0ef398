// SPDX-License-Identifier: Apache-2.0
// The fields that a model has defined. A field is sent as it is computed; a fixed field (a coordinate, a mask) is set
// once. Pure, Local.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "schema/schema.hpp"

namespace weir {

// Returns the letters of a text attribute, without NULs at its end.
std::string text_of(const Attribute& attribute);

struct Field {
  std::string name;
  Type type;                            // in files, unless a stream says another
  std::vector<std::string> dimensions;  // by name, slowest first
  std::vector<std::int64_t> shape;      // their lengths
  int layout = -1;                      // of Layouts; -1: a scalar, which rank 0 holds
  std::vector<Attribute> attributes;
  bool fixed = false;             // weir_set_field has given its values
  std::vector<std::byte> values;  // of a fixed field: this rank's elements, of `values_type`
  Type values_type = WEIR_DOUBLE;
};

// All fields of an instance.
class Fields {
 public:
  // Adds a field and returns its number.
  // Errors: WEIR_EARGUMENT for a name that netCDF forbids or that a field has already, a dimension whose length
  // differs from that in another field (names both), two dimensions of one name, a type that is no number.
  int add(Field field);
  // Errors: WEIR_EARGUMENT for an unknown number.
  const Field& at(int number) const;
  Field& at(int number);
  // -1: there is none.
  int find(std::string_view name) const noexcept;
  int count() const noexcept { return static_cast<int>(fields_.size()); }
  const std::vector<Field>& all() const noexcept { return fields_; }

 private:
  std::vector<Field> fields_;
};

}  // namespace weir
