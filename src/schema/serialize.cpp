// SPDX-License-Identifier: Apache-2.0
// A schema as bytes (base/archive.hpp): big-endian, attribute values in their own width; the length of a dimension that
// grows is its negative. A mark at the beginning tells foreign bytes, and whether scales are attached. How variables
// are stored follows at the end, where anything was said of it.
#include <algorithm>
#include <bit>

#include "base/archive.hpp"
#include "base/error.hpp"
#include "schema/schema.hpp"

namespace weir {
namespace {

constexpr std::int64_t no_level = INT64_MIN;
constexpr std::int64_t schema_mark = 0x5745495253434831;             // "WEIRSCH1"
constexpr std::int64_t unattached_schema_mark = 0x5745495253434855;  // "WEIRSCHU": its scales are not attached

// Turns each `width` bytes around where the machine is little-endian; the same way back.
void swap_to_big_endian(std::span<std::byte> bytes, int width) {
  if constexpr (std::endian::native == std::endian::big) return;
  const auto step = static_cast<std::size_t>(width);
  for (std::size_t i = 0; i + step <= bytes.size(); i += step) std::ranges::reverse(bytes.subspan(i, step));
}

std::string ends_too_early(const std::string& how) {
  return formatted("the bytes of a schema end too early: {}", how);
}

std::int64_t word_of(const std::optional<int>& level) {
  return level ? *level : no_level;
}

std::optional<int> level_of(std::int64_t word) {
  if (word == no_level) return std::nullopt;
  return static_cast<int>(std::clamp<std::int64_t>(word, INT32_MIN, INT32_MAX));
}

void write_attributes(ArchiveWriter<std::byte>& archive, const std::vector<Attribute>& list) {
  archive(list.size());
  for (const Attribute& attribute : list) {
    archive(attribute.name, attribute.type, attribute.count);
    if (attribute.type == WEIR_STRING) archive(attribute.values.size());
    std::vector<std::byte> external = attribute.values;
    swap_to_big_endian(external, type_bytes(attribute.type));
    archive.raw(external);
  }
}

// Of an attribute; of a variable the schema is asked.
Type read_type(ArchiveReader& archive) {
  const auto value = archive.get<std::int64_t>();
  require(value >= WEIR_BYTE && value <= WEIR_STRING, WEIR_EFORMAT,
          "the bytes of a schema name the type {}, which is not a valid type", value);
  return static_cast<Type>(value);
}

void read_texts(ArchiveReader& archive, Schema& schema, int var, const std::string& name) {
  const auto texts = archive.get<std::int64_t>();
  const auto values = archive.view<std::byte>();
  const auto ends = std::count(values.begin(), values.end(), std::byte{0});
  require(ends == texts && (values.empty() || values.back() == std::byte{0}), WEIR_EFORMAT,
          "the bytes of a schema have an attribute of {} texts with {} ends", texts, ends);
  schema.put_attribute(var, Name::stored(name), WEIR_STRING, texts, values.data());
}

void read_attributes(ArchiveReader& archive, Schema& schema, int var) {
  for (std::size_t left = archive.count(24); left > 0; --left) {
    const auto name = archive.get<std::string>();
    const Type type = read_type(archive);
    if (type == WEIR_STRING) {
      read_texts(archive, schema, var, name);
      continue;
    }
    const auto size = static_cast<std::size_t>(type_bytes(type)), elements = archive.count(size);
    const auto external = archive.take(elements * size);
    std::vector<std::byte> values(external.begin(), external.end());
    swap_to_big_endian(values, type_bytes(type));
    schema.put_attribute(var, Name::stored(name), type, static_cast<std::int64_t>(elements), values.data());
  }
}

}  // namespace

template <Either<Storage> Any>
void fields(auto& archive, Any& storage) {
  const std::optional<Quantization>& quantization = storage.quantization;
  std::int64_t deflate_level = word_of(storage.deflate_level), zstd_level = word_of(storage.zstd_level);
  std::int64_t kind = quantization ? static_cast<std::int64_t>(quantization->kind) : 0;
  int digits = quantization ? quantization->digits : 0;
  archive(storage.chunk, storage.shuffle, storage.fletcher32, deflate_level, zstd_level, kind, digits);
  if constexpr (!std::is_const_v<Any>) {
    storage.deflate_level = level_of(deflate_level);
    storage.zstd_level = level_of(zstd_level);
    require(kind >= 0 && kind <= 3, WEIR_EFORMAT, "the bytes of a schema name a way to quantize that is not known");
    if (kind > 0) storage.quantization = {static_cast<QuantizeKind>(kind), std::max(digits, 0)};
  }
}

namespace {

Schema read_schema(std::span<const std::byte> bytes) {
  ArchiveReader archive(bytes, {WEIR_EFORMAT, ends_too_early}, std::endian::big);
  Schema schema;
  const auto mark = archive.get<std::int64_t>();
  require(mark == schema_mark || mark == unattached_schema_mark, WEIR_EFORMAT, "the bytes are not those of a schema");
  if (mark == unattached_schema_mark) schema.leave_scales_unattached();
  for (std::size_t left = archive.count(16); left > 0; --left) {
    const Name name = Name::stored(archive.get<std::string>());
    const auto length = archive.get<std::int64_t>();
    length<0 && length> INT64_MIN ? schema.add_growing_dimension(name, -length) : schema.add_dimension(name, length);
  }
  read_attributes(archive, schema, WEIR_GLOBAL);
  for (std::size_t left = archive.count(32); left > 0; --left) {
    const Name name = Name::stored(archive.get<std::string>());
    const Type type = read_type(archive);
    const auto dims = archive.get<std::vector<int>>();
    read_attributes(archive, schema, schema.add_variable(name, type, dims));
  }
  if (!archive.at_end())
    for (int var = 0; var < static_cast<int>(schema.variables().size()); ++var)
      if (Storage storage = archive.get<Storage>(); storage.any()) schema.set_storage(var, std::move(storage));
  require(archive.at_end(), WEIR_EFORMAT, "bytes follow the end of a schema");
  return schema;
}

}  // namespace

std::vector<std::byte> Schema::serialize() const {
  std::vector<std::byte> bytes;
  ArchiveWriter archive(bytes, std::endian::big);
  archive(attaches_scales_ ? schema_mark : unattached_schema_mark, dimensions_.size());
  for (const Dimension& dimension : dimensions_)
    archive(dimension.name, dimension.grows ? -dimension.length : dimension.length);
  write_attributes(archive, attributes_);
  archive(variables_.size());
  for (const Variable& variable : variables_) {
    archive(variable.name, variable.type, variable.dims);
    write_attributes(archive, variable.attributes);
  }
  if (std::any_of(variables_.begin(), variables_.end(), [](const Variable& v) { return v.storage.any(); }))
    for (const Variable& variable : variables_) archive(variable.storage);
  return bytes;
}

Schema Schema::deserialize(std::span<const std::byte> bytes) {
  try {
    return read_schema(bytes);
  } catch (const Error& error) {
    if (error.code() == WEIR_EFORMAT) throw;
    throw Error(WEIR_EFORMAT, "the bytes of a schema describe an impossible one: {}", error.what());
  }
}

}  // namespace weir
