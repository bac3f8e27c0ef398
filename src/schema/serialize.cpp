// SPDX-License-Identifier: Apache-2.0
// A schema as bytes: numbers as 8 bytes and attribute values in their own width, all big-endian; a text is its length
// and its bytes; a list its length and its entries; the length of a dimension that grows is its negative. One mark at
// the beginning tells foreign bytes. How variables are stored follows at the end, where anything was said of it.
#include <algorithm>
#include <bit>
#include <cstring>

#include "base/error.hpp"
#include "schema/schema.hpp"

namespace weir {
namespace {

constexpr std::int64_t no_level = INT64_MIN;
constexpr std::int64_t schema_mark = 0x5745495253434831;  // "WEIRSCH1"

// Turns each `width` bytes around where the machine is little-endian; the same way back.
void swap_to_big_endian(std::span<std::byte> bytes, int width) {
  if constexpr (std::endian::native == std::endian::big) return;
  const auto step = static_cast<std::size_t>(width);
  for (std::size_t i = 0; i + step <= bytes.size(); i += step) std::ranges::reverse(bytes.subspan(i, step));
}

class ByteWriter {
 public:
  void number(std::int64_t value) {
    for (int shift = 56; shift >= 0; shift -= 8) bytes_.push_back(static_cast<std::byte>((value >> shift) & 0xFF));
  }
  void text(const std::string& text) {
    number(static_cast<std::int64_t>(text.size()));
    raw(std::as_bytes(std::span(text)));
  }
  void attributes(const std::vector<Attribute>& list) {
    number(static_cast<std::int64_t>(list.size()));
    for (const auto& attribute : list) {
      text(attribute.name);
      number(attribute.type);
      number(attribute.count);
      if (attribute.type == WEIR_STRING) number(static_cast<std::int64_t>(attribute.values.size()));
      raw(attribute.values);
      swap_to_big_endian(std::span(bytes_).last(attribute.values.size()), type_bytes(attribute.type));
    }
  }
  void storage(const Storage& storage) {
    number(static_cast<std::int64_t>(storage.chunk.size()));
    for (const std::int64_t length : storage.chunk) number(length);
    number(storage.shuffle ? 1 : 0);
    number(storage.fletcher32 ? 1 : 0);
    for (const std::optional<int>& level : {storage.deflate_level, storage.zstd_level})
      number(level ? *level : no_level);
    number(storage.quantization ? static_cast<std::int64_t>(storage.quantization->kind) : 0);
    number(storage.quantization ? storage.quantization->digits : 0);
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  void raw(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }

  std::vector<std::byte> bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  std::int64_t number() {
    std::uint64_t value = 0;
    for (const std::byte byte : take(8)) value = value << 8 | std::to_integer<std::uint64_t>(byte);
    return static_cast<std::int64_t>(value);
  }
  // How many entries follow; each takes `entry_bytes` at the least.
  std::size_t count(std::size_t entry_bytes) {
    const std::int64_t value = number();
    require(value >= 0 && static_cast<std::uint64_t>(value) <= rest_.size() / entry_bytes, WEIR_EFORMAT,
            "the bytes of a schema end too early: a count of " + std::to_string(value) + " stands before " +
                std::to_string(rest_.size()) + " bytes");
    return static_cast<std::size_t>(value);
  }
  std::string text() {
    const auto bytes = take(count(1));
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  // Of an attribute; of a variable the schema is asked.
  Type type() {
    const std::int64_t value = number();
    require(value >= WEIR_BYTE && value <= WEIR_STRING, WEIR_EFORMAT,
            "the bytes of a schema name the type " + std::to_string(value) + ", which is not a valid type");
    return static_cast<Type>(value);
  }
  void attributes(Schema& schema, int var) {
    for (std::size_t left = count(24); left > 0; --left) {
      const std::string name = text();
      const Type of = type();
      if (of == WEIR_STRING) {
        texts(schema, var, name);
        continue;
      }
      const auto elements = count(static_cast<std::size_t>(type_bytes(of)));
      const auto external = take(elements * static_cast<std::size_t>(type_bytes(of)));
      std::vector<std::byte> values(external.begin(), external.end());
      swap_to_big_endian(values, type_bytes(of));
      schema.put_attribute(var, Name::stored(name), of, static_cast<std::int64_t>(elements), values.data());
    }
  }
  void texts(Schema& schema, int var, const std::string& name) {
    const std::int64_t texts = number();
    const auto values = take(count(1));
    const auto ends = std::count(values.begin(), values.end(), std::byte{0});
    require(ends == texts && (values.empty() || values.back() == std::byte{0}), WEIR_EFORMAT,
            "the bytes of a schema have an attribute of " + std::to_string(texts) + " texts with " +
                std::to_string(ends) + " ends");
    schema.put_attribute(var, Name::stored(name), WEIR_STRING, texts, values.data());
  }
  Storage storage() {
    Storage storage;
    storage.chunk.resize(count(8));
    for (std::int64_t& length : storage.chunk) length = number();
    storage.shuffle = number() != 0;
    storage.fletcher32 = number() != 0;
    storage.deflate_level = level();
    storage.zstd_level = level();
    const std::int64_t kind = number(), digits = number();
    require(kind >= 0 && kind <= 3, WEIR_EFORMAT, "the bytes of a schema name a way to quantize that is not known");
    if (kind > 0)
      storage.quantization = {static_cast<QuantizeKind>(kind),
                              static_cast<int>(std::clamp<std::int64_t>(digits, 0, INT32_MAX))};
    return storage;
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::optional<int> level() {
    const std::int64_t value = number();
    if (value == no_level) return std::nullopt;
    return static_cast<int>(std::clamp<std::int64_t>(value, INT32_MIN, INT32_MAX));
  }
  std::span<const std::byte> take(std::size_t bytes) {
    require(bytes <= rest_.size(), WEIR_EFORMAT,
            "the bytes of a schema end too early: " + std::to_string(bytes) + " are asked for and " +
                std::to_string(rest_.size()) + " are left");
    const auto taken = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return taken;
  }

  std::span<const std::byte> rest_;
};

Schema read_schema(ByteReader& reader) {
  Schema schema;
  require(reader.number() == schema_mark, WEIR_EFORMAT, "the bytes are not those of a schema");
  for (std::size_t left = reader.count(16); left > 0; --left) {
    const Name name = Name::stored(reader.text());
    const std::int64_t length = reader.number();
    length<0 && length> INT64_MIN ? schema.add_growing_dimension(name, -length) : schema.add_dimension(name, length);
  }
  reader.attributes(schema, WEIR_GLOBAL);
  for (std::size_t left = reader.count(32); left > 0; --left) {
    const Name name = Name::stored(reader.text());
    const Type type = reader.type();
    std::vector<int> dims(reader.count(8));
    for (int& dim : dims) dim = static_cast<int>(std::clamp<std::int64_t>(reader.number(), -1, INT32_MAX));
    reader.attributes(schema, schema.add_variable(name, type, dims));
  }
  if (!reader.at_end())
    for (int var = 0; var < static_cast<int>(schema.variables().size()); ++var)
      if (Storage storage = reader.storage(); storage.any()) schema.set_storage(var, std::move(storage));
  require(reader.at_end(), WEIR_EFORMAT, "bytes follow the end of a schema");
  return schema;
}

}  // namespace

std::vector<std::byte> Schema::serialize() const {
  ByteWriter writer;
  writer.number(schema_mark);
  writer.number(static_cast<std::int64_t>(dimensions_.size()));
  for (const auto& dimension : dimensions_) {
    writer.text(dimension.name);
    writer.number(dimension.grows ? -dimension.length : dimension.length);
  }
  writer.attributes(attributes_);
  writer.number(static_cast<std::int64_t>(variables_.size()));
  for (const auto& variable : variables_) {
    writer.text(variable.name);
    writer.number(variable.type);
    writer.number(static_cast<std::int64_t>(variable.dims.size()));
    for (const int dim : variable.dims) writer.number(dim);
    writer.attributes(variable.attributes);
  }
  if (std::any_of(variables_.begin(), variables_.end(), [](const Variable& v) { return v.storage.any(); }))
    for (const auto& variable : variables_) writer.storage(variable.storage);
  return writer.take();
}

Schema Schema::deserialize(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  try {
    return read_schema(reader);
  } catch (const Error& error) {
    if (error.code() == WEIR_EFORMAT) throw;
    throw Error(WEIR_EFORMAT, "the bytes of a schema describe an impossible one: " + std::string(error.what()));
  }
}

}  // namespace weir
