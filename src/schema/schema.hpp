// SPDX-License-Identifier: Apache-2.0
// The data model: dimensions, variables, attributes, as one rank has defined them, and what formats besides the classic
// ones have: strings as attributes, groups, further dimensions that may grow. A group is a part of a name: "ice/area"
// is the dimension, the variable, or the attribute of the file, called area in the group ice. Pure data: no MPI, no
// file. Ranks compare their schemas by bytes (serialize) and a difference is told in words (difference).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/name.hpp"
#include "schema/storage.hpp"
#include "schema/types.hpp"

namespace weir {

struct Dimension {
  std::string name;
  std::int64_t length;  // 0: the record dimension
  bool grows = false;   // unlimited in the file too, and has `length` elements now

  bool operator==(const Dimension&) const = default;
};

struct Attribute {
  std::string name;
  Type type;
  std::int64_t count;
  std::vector<std::byte> values;  // count elements of `type`, native byte order; of WEIR_STRING as text_list.hpp has it

  bool operator==(const Attribute&) const = default;
};

struct Variable {
  std::string name;
  Type type;
  std::vector<int> dims;  // slowest first
  std::vector<Attribute> attributes;
  Storage storage = {};  // of a packed format; classic ones have none

  bool operator==(const Variable&) const = default;
};

// How the file's parts are placed. Zero: without gaps, as netCDF-C does by itself.
struct Alignment {
  std::int64_t header_free_bytes = 0;
  std::int64_t variable_align_bytes = 0;
  std::int64_t record_align_bytes = 0;
};

class Schema {
 public:
  // Each throws Error(WEIR_EARGUMENT) with a sentence on: an empty, too long or repeated name, a name netCDF forbids
  // (leading or trailing space, control characters, bytes that are not UTF-8), a negative length, a second record
  // dimension, a record dimension that is not the first, a dimension of another group than the variable's and those
  // that hold it, an unknown variable, dimension or type, more than 2^63 bytes, an attribute whose count is negative, a
  // _FillValue of another type or count than 1. An attribute that is put again is replaced in its place. Names of
  // programs are kept in NFC; those that a file has (Name::stored) as they are, and only the same bytes repeat one.
  int add_dimension(const Name& name, std::int64_t length);
  // One that is unlimited in the file besides the record dimension, and has `length` elements, at least one.
  int add_growing_dimension(const Name& name, std::int64_t length);
  // Gives such a dimension more elements.
  void extend_dimension(int dim, std::int64_t length);
  int add_variable(const Name& name, Type type, std::span<const int> dims);
  void put_attribute(int var, const Name& name, Type type, std::int64_t count, const void* values);

  // Variable i is then that which had the number order[i].
  void order_variables(std::span<const int> order);

  // How a variable is kept. Throws Error(WEIR_EARGUMENT) on a scalar, and on what its dimensions, its type or a filter
  // do not take.
  void set_storage(int var, Storage storage);

  const std::vector<Dimension>& dimensions() const noexcept { return dimensions_; }
  const std::vector<Variable>& variables() const noexcept { return variables_; }
  // Throws Error(WEIR_EARGUMENT) on a number that is no variable's; so do all that take `var`.
  const Variable& variable(int var) const;
  // var = WEIR_GLOBAL: the file's own.
  const std::vector<Attribute>& attributes(int var) const;
  const Attribute* find_attribute(int var, std::string_view name) const;
  // All three find a name in any form of Unicode (find_name); -1 where there is none. "/ice/area" is "ice/area".
  int find_dimension(std::string_view name) const;
  int find_variable(std::string_view name) const;
  int record_dimension() const noexcept;

  bool is_record(int var) const;
  // Lengths of the variable's dimensions without the record dimension; empty for a scalar.
  std::vector<std::int64_t> shape(int var) const;
  // Of its chunk, the record dimension included; empty for a scalar.
  std::vector<std::int64_t> chunk(int var) const;
  // Product of shape(var); 1 for a scalar.
  std::int64_t elements(int var) const;
  // Its _FillValue in external form, or the default of its type.
  ExternalValue fill_value(int var) const;

  // All of it in a fixed byte order that is the same on all ranks for equal schemas; deserialize(serialize(s)) == s.
  std::vector<std::byte> serialize() const;
  // Throws Error(WEIR_EFORMAT) on bytes that are not a schema.
  static Schema deserialize(std::span<const std::byte> bytes);

  bool operator==(const Schema&) const = default;

 private:
  std::optional<std::int64_t> bytes_of(Type type, std::span<const int> dims) const;

  std::vector<Dimension> dimensions_;
  std::vector<Variable> variables_;
  std::vector<Attribute> attributes_;
};

// Whether `shape` is that of the variable, or {1} and the variable a scalar. Allocates nothing.
bool has_shape(const Schema& schema, int var, std::span<const std::int64_t> shape);

// Bytes of the schema's header in classic format 1, 2 or 5, without bytes left free after it.
std::int64_t header_bytes(const Schema& schema, int format);

// The oldest classic format that can hold this file: 1, 2 or 5 (types and lengths that need CDF-5; a variable beyond
// 4 GiB - 4 bytes of a record or in all needs CDF-5; begins beyond 2 GiB need CDF-2).
int minimal_format(const Schema& schema, const Alignment& alignment);

// What the schema has that no classic format does, in words: strings, a group, a second dimension that grows; nullopt
// where it has nothing of that.
std::optional<std::string> classic_obstacle(const Schema& schema);

// What keeps classic format 1, 2 or 5 from holding the schema, with the name of the dimension, variable or attribute
// that is too much for it; nullopt where nothing does. Counts the exception that the last variable may be larger than
// the format's limit, which minimal_format leaves unused.
std::optional<std::string> format_obstacle(const Schema& schema, const Alignment& alignment, int format);

// The first difference in words, from the view of `mine`, for instance: dimension "lon" has length 180 here and 360 on
// rank 0. nullopt where there is none.
std::optional<std::string> difference(const Schema& mine, const Schema& theirs, std::string_view their_name);

// Copies the attributes of one schema to another one.

// Each as Schema::put_attribute. Throws as that.
inline void put_attribute(Schema& schema, int var, const Attribute& attribute) {
  schema.put_attribute(var, Name::stored(attribute.name), attribute.type, attribute.count, attribute.values.data());
}
inline void put_attributes(Schema& schema, int var, const std::vector<Attribute>& attributes) {
  for (const Attribute& attribute : attributes) put_attribute(schema, var, attribute);
}

}  // namespace weir
