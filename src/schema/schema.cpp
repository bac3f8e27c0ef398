// SPDX-License-Identifier: Apache-2.0
#include "schema/schema.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/error.hpp"
#include "base/text.hpp"
#include "schema/text_list.hpp"

namespace weir {
namespace {

constexpr std::string_view fill_attribute = "_FillValue";
constexpr std::int64_t padding_bytes = 3;  // the format rounds each part up to 4 bytes
constexpr std::int64_t largest_attribute_bytes = INT32_MAX - padding_bytes;  // PnetCDF counts header bytes with int

void check_name(const char* kind, std::string_view name, bool may_have_groups = true) {
  const auto fault = may_have_groups ? path_fault(name) : name_fault(name);
  if (!fault) return;
  // What is shown must be printable wherever the message goes.
  std::string shown(name.substr(0, 40));
  if (!is_utf8(shown)) shown = "...";
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, '?');
  throw Error(WEIR_EARGUMENT,
              "the {} name \"{}\" {}; netCDF names begin with a letter, digit or underscore and hold no control "
              "character or space at the end, and '/' only after the name of a group",
              kind, shown, *fault);
}

template <class Named>
void check_new_name(const char* kind, const std::vector<Named>& list, const Name& given) {
  const std::string& name = given.text();
  check_name(kind, name);
  const int there = find_name(list, name);
  const bool repeats = there >= 0 && (!given.is_stored() || list[static_cast<std::size_t>(there)].name == name);
  require(!repeats, WEIR_EARGUMENT, "the {} \"{}\" is defined already; give each {} a name of its own", kind, name,
          kind);
}

[[noreturn]] void refuse_size(std::string_view variable) {
  throw Error(WEIR_EARGUMENT, "variable \"{}\" would be larger than 2^63 bytes; make its dimensions shorter", variable);
}

void check_type(std::string_view whose, Type type) {
  require(type_is_valid(type), WEIR_EARGUMENT, "{} has the type {}{}; give WEIR_BYTE (1) to WEIR_UINT64 (11)", whose,
          static_cast<int>(type), type == WEIR_STRING ? ", which only attributes have" : ", which is not a valid type");
}

}  // namespace

int Schema::add_dimension(const Name& given, std::int64_t length) {
  check_new_name("dimension", dimensions_, given);
  const std::string& name = given.text();
  require(length >= 0, WEIR_EARGUMENT, "dimension \"{}\" has length {}; give 1 or more, or WEIR_UNLIMITED (0)", name,
          length);
  const int record = record_dimension();
  require(length > 0 || record < 0, WEIR_EARGUMENT,
          "dimension \"{}\" would be a second record dimension beside {}; give it a length: puts make one dimension "
          "longer (others of netCDF-4 and Zarr: weir_def_dim_unlimited)",
          name, record < 0 ? "" : in_quotes(dimensions_[static_cast<std::size_t>(record)].name));
  dimensions_.push_back({name, length});
  return static_cast<int>(dimensions_.size()) - 1;
}

int Schema::add_growing_dimension(const Name& given, std::int64_t length) {
  check_new_name("dimension", dimensions_, given);
  const std::string& name = given.text();
  require(length > 0, WEIR_EARGUMENT,
          "the unlimited dimension \"{}\" has length {}; give 1 or more: it can be made longer (weir_extend_dim)", name,
          length);
  dimensions_.push_back({name, length, true});
  return static_cast<int>(dimensions_.size()) - 1;
}

void Schema::extend_dimension(int dim, std::int64_t length) {
  require(dim >= 0 && dim < static_cast<int>(dimensions_.size()), WEIR_EARGUMENT,
          "there is no such dimension; use what weir_def_dim_unlimited returned");
  Dimension& dimension = dimensions_[static_cast<std::size_t>(dim)];
  const std::string whose = formatted("dimension \"{}\"", dimension.name);
  require(dimension.grows, WEIR_EARGUMENT,
          whose + (dimension.length == 0 ? " is the record dimension, which puts make longer"
                                         : " is not unlimited; define it by weir_def_dim_unlimited"));
  require(length >= dimension.length, WEIR_EARGUMENT, "{} has {} elements and cannot be made shorter, to {}", whose,
          dimension.length, length);
  const std::int64_t before = std::exchange(dimension.length, length);
  for (const Variable& variable : variables_) {
    if (bytes_of(variable.type, variable.dims)) continue;
    dimension.length = before;
    refuse_size(variable.name);
  }
}

int Schema::add_variable(const Name& given, Type type, std::span<const int> dims) {
  check_new_name("variable", variables_, given);
  const std::string& name = given.text();
  const std::string whose = formatted("variable \"{}\"", name);
  check_type(whose, type);
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const int dim = dims[i];
    require(dim >= 0 && dim < static_cast<int>(dimensions_.size()), WEIR_EARGUMENT,
            "{} uses a dimension that the file does not have; use what weir_def_dim returned", whose);
    const Dimension& dimension = dimensions_[static_cast<std::size_t>(dim)];
    require(dimension.length > 0 || i == 0, WEIR_EARGUMENT,
            "{} has the record dimension \"{}\" within its dimensions; it can only be the slowest: the first in C, the "
            "last in Fortran",
            whose, dimension.name);
    require(name.starts_with(group_prefix(dimension.name)), WEIR_EARGUMENT,
            "{} has the dimension \"{}\" of another group; define that in the variable's own group, or in one that "
            "holds it",
            whose, dimension.name);
  }
  if (!bytes_of(type, dims)) refuse_size(name);
  variables_.push_back({name, type, {dims.begin(), dims.end()}, {}, {}});
  return static_cast<int>(variables_.size()) - 1;
}

// nullopt where no file holds so many.
std::optional<std::int64_t> Schema::bytes_of(Type type, std::span<const int> dims) const {
  std::int64_t bytes = type_bytes(type);
  for (const int dim : dims) {
    const std::int64_t length = dimensions_[static_cast<std::size_t>(dim)].length;
    if (length == 0) continue;
    if (__builtin_mul_overflow(bytes, length, &bytes) || bytes > INT64_MAX - padding_bytes) return std::nullopt;
  }
  return bytes;
}

void Schema::put_attribute(int var, const Name& given, Type type, std::int64_t count, const void* values) {
  const std::string& name = given.text();
  const bool is_global = var == WEIR_GLOBAL;
  if (!is_global) variable(var);  // throws where there is none
  auto& list = is_global ? attributes_ : variables_[static_cast<std::size_t>(var)].attributes;
  check_name("attribute", name, is_global);
  const std::string whose = formatted(
      "attribute \"{}\"{}", name,
      is_global ? " of the file" : formatted(" of variable \"{}\"", variables_[static_cast<std::size_t>(var)].name));
  if (type != WEIR_STRING) check_type(whose, type);
  require(count >= 0, WEIR_EARGUMENT, "{} has the count {}; give 0 or more values", whose, count);
  require(count <= largest_attribute_bytes / type_bytes(type), WEIR_EARGUMENT,
          "{} has {} values; an attribute holds less than 2 GiB", whose, count);
  require(count == 0 || values != nullptr, WEIR_EARGUMENT, "{} has no values; give a pointer to them", whose);
  if (!is_global && name == fill_attribute) {
    const Variable& variable = variables_[static_cast<std::size_t>(var)];
    require(type == variable.type && count == 1, WEIR_EARGUMENT,
            "{} has {} value(s) of type {}; give one value of the variable's own type {}", whose, count,
            type_name(type), type_name(variable.type));
  }
  Attribute attribute{name, type, count, {}};
  const bool texts = type == WEIR_STRING && count > 0;
  attribute.values.resize(texts ? text_bytes(values, static_cast<std::size_t>(count))
                                : static_cast<std::size_t>(count * type_bytes(type)));
  if (count > 0) std::memcpy(attribute.values.data(), values, attribute.values.size());
  const int known = find_name(list, name);
  if (known < 0 || (given.is_stored() && list[static_cast<std::size_t>(known)].name != name)) {
    list.push_back(std::move(attribute));
  } else {
    list[static_cast<std::size_t>(known)] = std::move(attribute);
  }
}

void Schema::order_variables(std::span<const int> order) {
  std::vector<Variable> ordered;
  for (const int var : order) ordered.push_back(variable(var));
  variables_ = std::move(ordered);
}

const Variable& Schema::variable(int var) const {
  require(var >= 0 && var < static_cast<int>(variables_.size()), WEIR_EARGUMENT,
          "there is no such variable, the file has {}; use what weir_def_var returned", variables_.size());
  return variables_[static_cast<std::size_t>(var)];
}

const std::vector<Attribute>& Schema::attributes(int var) const {
  return var == WEIR_GLOBAL ? attributes_ : variable(var).attributes;
}

const Attribute* Schema::find_attribute(int var, std::string_view name) const {
  const auto& list = attributes(var);
  const int found = find_name(list, name);
  return found < 0 ? nullptr : &list[static_cast<std::size_t>(found)];
}

int Schema::find_dimension(std::string_view name) const {
  return find_name(dimensions_, from_root(name));
}

int Schema::find_variable(std::string_view name) const {
  return find_name(variables_, from_root(name));
}

int Schema::record_dimension() const noexcept {
  const auto found =
      std::find_if(dimensions_.begin(), dimensions_.end(), [](const Dimension& d) { return d.length == 0; });
  return found == dimensions_.end() ? -1 : static_cast<int>(found - dimensions_.begin());
}

bool Schema::is_record(int var) const {
  const auto& dims = variable(var).dims;
  return !dims.empty() && dimensions_[static_cast<std::size_t>(dims[0])].length == 0;
}

std::vector<std::int64_t> Schema::shape(int var) const {
  std::vector<std::int64_t> lengths;
  for (const int dim : variable(var).dims) {
    const std::int64_t length = dimensions_[static_cast<std::size_t>(dim)].length;
    if (length > 0) lengths.push_back(length);
  }
  return lengths;
}

std::int64_t Schema::elements(int var) const {
  std::int64_t product = 1;
  for (const int dim : variable(var).dims) {
    const std::int64_t length = dimensions_[static_cast<std::size_t>(dim)].length;
    if (length > 0) product *= length;
  }
  return product;
}

ExternalValue Schema::fill_value(int var) const {
  const Type type = variable(var).type;
  const Attribute* fill = find_attribute(var, fill_attribute);
  if (fill == nullptr) return default_fill(type);
  ExternalValue value{};
  std::copy(fill->values.begin(), fill->values.end(), value.begin());
  if constexpr (std::endian::native == std::endian::little)
    std::reverse(value.begin(), value.begin() + type_bytes(type));
  return value;
}

bool has_shape(const Schema& schema, int var, std::span<const std::int64_t> shape) {
  std::size_t at = 0;
  for (const int dim : schema.variable(var).dims) {
    const std::int64_t length = schema.dimensions()[static_cast<std::size_t>(dim)].length;
    if (length == 0) continue;
    if (at == shape.size() || shape[at] != length) return false;
    ++at;
  }
  return at == shape.size() || (at == 0 && shape.size() == 1 && shape[0] == 1);
}

}  // namespace weir
