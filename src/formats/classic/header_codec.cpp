// SPDX-License-Identifier: Apache-2.0
#include "formats/classic/header_codec.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "rearrange/convert.hpp"
#include "schema/file_offsets.hpp"

namespace weir {
namespace {

class Encoder {
 public:
  Encoder(const Schema& schema, const Geometry& geometry)
      : schema_(schema),
        geometry_(geometry),
        count_bytes_(geometry.format == 5 ? 8 : 4),
        offset_bytes_(geometry.format == 1 ? 4 : 8) {
    bytes_.reserve(static_cast<std::size_t>(header_bytes(schema, geometry.format)));
  }

  std::vector<std::byte> encode() {
    for (const char letter : {'C', 'D', 'F'}) bytes_.push_back(static_cast<std::byte>(letter));
    bytes_.push_back(static_cast<std::byte>(geometry_.format));
    number(geometry_.records, count_bytes_);
    list(dimension_tag, schema_.dimensions().size());
    for (const Dimension& dimension : schema_.dimensions()) {
      name(dimension.name);
      number(dimension.length, count_bytes_);
    }
    attributes(schema_.attributes(WEIR_GLOBAL));
    list(variable_tag, schema_.variables().size());
    for (int var = 0; var < static_cast<int>(schema_.variables().size()); ++var) variable(var);
    return std::move(bytes_);
  }

 private:
  void number(std::int64_t value, std::int64_t bytes) {
    for (std::int64_t left = bytes - 1; left >= 0; --left)
      bytes_.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(value) >> 8 * left));
  }
  void pad() { bytes_.resize(static_cast<std::size_t>(padded_bytes(std::ssize(bytes_)))); }
  // An empty list has no tag.
  void list(std::int64_t tag, std::size_t entries) {
    number(entries == 0 ? 0 : tag, 4);
    number(static_cast<std::int64_t>(entries), count_bytes_);
  }
  void name(const std::string& text) {
    number(std::ssize(text), count_bytes_);
    const auto* first = reinterpret_cast<const std::byte*>(text.data());
    bytes_.insert(bytes_.end(), first, first + text.size());
    pad();
  }
  void attributes(const std::vector<Attribute>& all) {
    list(attribute_tag, all.size());
    for (const Attribute& attribute : all) {
      name(attribute.name);
      number(attribute.type, 4);
      number(attribute.count, count_bytes_);
      const std::size_t at = bytes_.size();
      bytes_.resize(at + attribute.values.size());
      with_type(attribute.type, [&](auto zero) { values<decltype(zero)>(attribute.values, bytes_.data() + at); });
      pad();
    }
  }
  template <class Value>
  static void values(const std::vector<std::byte>& native, std::byte* external) {
    for (std::size_t at = 0; at < native.size(); at += sizeof(Value))
      store<ByteOrder::big>(external + at, load<Value, ByteOrder::native>(native.data() + at));
  }
  void variable(int var) {
    const Variable& each = schema_.variable(var);
    name(each.name);
    number(std::ssize(each.dims), count_bytes_);
    for (const int dim : each.dims) number(dim, count_bytes_);
    attributes(each.attributes);
    number(each.type, 4);
    const std::int64_t size = padded_bytes(variable_bytes(schema_, var));
    constexpr std::int64_t beyond = std::numeric_limits<std::uint32_t>::max();  // what older formats say instead
    number(geometry_.format == 5 ? size : std::min(size, beyond), count_bytes_);
    number(geometry_.begin[static_cast<std::size_t>(var)], offset_bytes_);
  }

  const Schema& schema_;
  const Geometry& geometry_;
  std::int64_t count_bytes_, offset_bytes_;
  std::vector<std::byte> bytes_;
};

}  // namespace

std::vector<std::byte> encode_header(const Schema& schema, const Geometry& geometry) {
  return Encoder(schema, geometry).encode();
}

namespace {

// The bytes have been walked: every count and type is a possible one, and what it counts is there.
class Decoder {
 public:
  explicit Decoder(const HeaderImage& image)
      : image_(image), count_bytes_(image.format == 5 ? 8 : 4), offset_bytes_(image.format == 1 ? 4 : 8) {}

  DefinedFile decode() {
    at_ = 4 + static_cast<std::size_t>(count_bytes_);
    for (std::int64_t left = list(); left > 0; --left) {
      const Name its_name = name();
      defined_.schema.add_dimension(its_name, number(count_bytes_));
    }
    attributes(WEIR_GLOBAL);
    for (std::int64_t left = list(); left > 0; --left) variable();
    return std::move(defined_);
  }

 private:
  std::int64_t number(std::int64_t bytes) {
    std::uint64_t value = 0;
    for (; bytes > 0; --bytes) value = value << 8 | std::to_integer<std::uint64_t>(image_.bytes[at_++]);
    return static_cast<std::int64_t>(value);
  }
  std::int64_t list() {
    at_ += 4;
    return number(count_bytes_);
  }
  const std::byte* padded(std::int64_t bytes) {
    const std::byte* here = image_.bytes.data() + at_;
    at_ += static_cast<std::size_t>(padded_bytes(bytes));
    return here;
  }
  Name name() {
    const std::int64_t length = number(count_bytes_);
    const auto* text = reinterpret_cast<const char*>(padded(length));
    return Name::stored({text, static_cast<std::size_t>(length)});
  }
  void attributes(int var) {
    for (std::int64_t left = list(); left > 0; --left) {
      const Name its_name = name();
      const auto type = static_cast<Type>(number(4));
      const std::int64_t count = number(count_bytes_);
      const std::byte* external = padded(count * type_bytes(type));
      with_type(type, [&](auto zero) {
        using Value = decltype(zero);
        std::vector<Value> values(static_cast<std::size_t>(count));
        for (std::size_t i = 0; i < values.size(); ++i)
          values[i] = load<Value, ByteOrder::big>(external + i * sizeof(Value));
        defined_.schema.put_attribute(var, its_name, type, count, values.data());
      });
    }
  }
  // Its attributes stand before its type, without which there is no variable to give them to.
  void variable() {
    const Name its_name = name();
    std::vector<int> dims(static_cast<std::size_t>(number(count_bytes_)));
    for (int& dim : dims) dim = static_cast<int>(number(count_bytes_));
    const std::size_t of_attributes = at_;
    skip_attributes();
    const int var = defined_.schema.add_variable(its_name, static_cast<Type>(number(4)), dims);
    static_cast<void>(number(count_bytes_));  // its size follows from its dimensions
    defined_.geometry.begin.push_back(number(offset_bytes_));
    const std::size_t behind = std::exchange(at_, of_attributes);
    attributes(var);
    at_ = behind;
  }
  void skip_attributes() {
    for (std::int64_t left = list(); left > 0; --left) {
      padded(number(count_bytes_));
      const auto type = static_cast<Type>(number(4));
      padded(number(count_bytes_) * type_bytes(type));
    }
  }

  const HeaderImage& image_;
  std::int64_t count_bytes_, offset_bytes_;
  std::size_t at_ = 0;
  DefinedFile defined_;
};

// Bytes [begin, end) of a fixed variable, or of record 0 of another.
struct Place {
  std::int64_t begin, end;
  int var;
};

// Who appends to the file would write one over the other.
void check_places(const DefinedFile& defined, const std::string& path) {
  const Geometry& geometry = defined.geometry;
  std::vector<Place> places;
  for (int var = 0; var < static_cast<int>(geometry.begin.size()); ++var) {
    const std::int64_t begin = geometry.begin[static_cast<std::size_t>(var)];
    places.push_back({begin, saturated_sum(begin, variable_bytes(defined.schema, var)), var});
  }
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
  std::int64_t taken = geometry.header_bytes;
  for (const Place& place : places) {
    if (place.begin < taken && place.begin != place.end)
      throw Error(WEIR_EFORMAT,
                  "the header of \"{}\" is invalid: variable \"{}\" begins at byte {}, where {} is; restore the file",
                  path, defined.schema.variable(place.var).name, place.begin,
                  taken == geometry.header_bytes ? "the header" : "another variable");
    taken = std::max(taken, place.end);
  }
}

}  // namespace

DefinedFile decode_header(const HeaderImage& image, const std::string& path) {
  DefinedFile defined;
  try {
    defined = Decoder(image).decode();
    defined.geometry.record_bytes = place_variables(defined.schema, image.format).record_bytes;
  } catch (const Error& error) {
    if (error.code() != WEIR_EARGUMENT) throw;
    throw Error(WEIR_EFORMAT, "the header of \"{}\" is invalid: {}", path, error.what());
  }
  defined.geometry.format = image.format;
  derive_ends(defined.geometry, defined.schema, std::ssize(image.bytes));
  check_places(defined, path);
  return defined;
}

}  // namespace weir
