// SPDX-License-Identifier: Apache-2.0
// netCDF's data model: dimensions, variables and attributes, as one rank has defined them; and what other formats than
// the classic ones have: string attributes, groups, several dimensions that may grow. schema/storage.hpp has chunks and
// filters. Pure data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/archive.hpp"
#include "schema/name.hpp"
#include "schema/storage.hpp"
#include "schema/types.hpp"

namespace weir {

struct Dimension {
  std::string name;
  std::int64_t length;  // 0: the record dimension
  bool grows = false;   // unlimited in the file too; has `length` elements now

  bool operator==(const Dimension&) const = default;
};

struct Attribute {
  std::string name;
  Type type;
  std::int64_t count;
  std::vector<std::byte> values;  // count elements of `type`, native byte order; WEIR_STRING: as in text_list.hpp

  bool operator==(const Attribute&) const = default;
};

struct Variable {
  std::string name;
  Type type;
  std::vector<int> dims;  // slowest first
  std::vector<Attribute> attributes;
  Storage storage = {};  // of a packed format

  bool operator==(const Variable&) const = default;
};

// How the parts of a file are placed. Zero: without gaps, as netCDF-C does.
struct Alignment {
  std::int64_t header_free_bytes = 0;
  std::int64_t variable_align_bytes = 0;
  std::int64_t record_align_bytes = 0;
};

// A group is a part of a name: "ice/area" is the dimension, variable or attribute called area in the group ice. Ranks
// compare schemas by bytes (serialize()), and describe a difference in words (difference()).
class Schema {
 public:
  // Add to the schema, and return the number. put_attribute() replaces an attribute of the same name. Names of programs
  // are kept in NFC, names of files (Name::stored()) as they are.
  // Errors: WEIR_EARGUMENT for an empty, too long or repeated name, or one that netCDF forbids (leading or trailing
  // space, control characters, bytes that are not UTF-8); a negative length; a second record dimension, or one that is
  // not the first; a dimension of a group that does not hold the variable; an unknown variable, dimension or type; more
  // than 2^63 bytes; a negative count; a _FillValue of another type or count than 1.
  int add_dimension(const Name& name, std::int64_t length);
  // Adds a dimension that is unlimited in the file in addition to the record dimension, with `length` elements, at
  // least one.
  int add_growing_dimension(const Name& name, std::int64_t length);
  // Gives such a dimension more elements.
  void extend_dimension(int dim, std::int64_t length);
  int add_variable(const Name& name, Type type, std::span<const int> dims);
  void put_attribute(int var, const Name& name, Type type, std::int64_t count, const void* values);

  // Reorders the variables: number i becomes what had the number order[i].
  void order_variables(std::span<const int> order);

  // Sets how a variable is stored.
  // Errors: WEIR_EARGUMENT for a scalar, or settings that its dimensions, its type or a filter do not allow.
  void set_storage(int var, Storage storage);

  // Whether variables of a netCDF-4 file refer to their dimensions as HDF5's dimension scales, and the scales to the
  // variables. So it is in netCDF-C's files, but those of NC_NODIMSCALE_ATTACH; netCDF-C reads both.
  bool attaches_scales() const noexcept { return attaches_scales_; }
  void leave_scales_unattached() noexcept { attaches_scales_ = false; }

  const std::vector<Dimension>& dimensions() const noexcept { return dimensions_; }
  const std::vector<Variable>& variables() const noexcept { return variables_; }
  // Returns a variable.
  // Errors: WEIR_EARGUMENT for an unknown number, as in all methods with `var`.
  const Variable& variable(int var) const;
  // Returns the attributes of a variable, or of the file (WEIR_GLOBAL).
  const std::vector<Attribute>& attributes(int var) const;
  const Attribute* find_attribute(int var, std::string_view name) const;
  // Find a name in any form of Unicode (find_name()); -1: there is none. "/ice/area" is "ice/area".
  int find_dimension(std::string_view name) const;
  int find_variable(std::string_view name) const;
  int record_dimension() const noexcept;

  bool is_record(int var) const;
  // Returns the lengths of the variable's dimensions without the record dimension; empty for a scalar.
  std::vector<std::int64_t> shape(int var) const;
  // Returns the lengths of its chunk, with the record dimension; empty for a scalar.
  std::vector<std::int64_t> chunk(int var) const;
  // Returns the product of shape(var); 1 for a scalar.
  std::int64_t elements(int var) const;
  // Returns its _FillValue in external form, else the default of its type.
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
  bool attaches_scales_ = true;
};

template <Either<Schema> Any>
void fields(auto& archive, Any& schema) {
  if constexpr (std::is_const_v<Any>)
    archive(schema.serialize());
  else
    schema = Schema::deserialize(archive.template view<std::byte>());
}

// Whether `shape` is the variable's, or {1} for a scalar. Allocates nothing.
bool has_shape(const Schema& schema, int var, std::span<const std::int64_t> shape);

// Returns the bytes of the schema's header in classic format 1, 2 or 5, without free bytes after it.
std::int64_t header_bytes(const Schema& schema, int format);

// Returns the oldest classic format that can hold this file: 1, 2 or 5. CDF-5 for its types and lengths, and for a
// variable beyond 4 GiB - 4 bytes, in a record or in all; CDF-2 for offsets beyond 2 GiB.
int minimal_format(const Schema& schema, const Alignment& alignment);

// Returns, in words, what the schema has that no classic format does: strings, a group, a second dimension that grows;
// nullopt if nothing.
std::optional<std::string> classic_obstacle(const Schema& schema);

// Returns, in words, what keeps classic format 1, 2 or 5 from holding the schema, with the name of the dimension,
// variable or attribute; nullopt if nothing. The last variable may be larger than the format's limit, which
// minimal_format() does not use.
std::optional<std::string> format_obstacle(const Schema& schema, const Alignment& alignment, int format);

// Returns the first difference in words, seen from `mine`: dimension "lon" has length 180 here and 360 on rank 0.
// nullopt: none.
std::optional<std::string> difference(const Schema& mine, const Schema& theirs, std::string_view their_name);

// Copy attributes from one schema to another. As Schema::put_attribute().
inline void put_attribute(Schema& schema, int var, const Attribute& attribute) {
  schema.put_attribute(var, Name::stored(attribute.name), attribute.type, attribute.count, attribute.values.data());
}
inline void put_attributes(Schema& schema, int var, const std::vector<Attribute>& attributes) {
  for (const Attribute& attribute : attributes) put_attribute(schema, var, attribute);
}

}  // namespace weir
