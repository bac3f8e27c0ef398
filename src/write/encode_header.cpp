// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <limits>

#include "rearrange/convert.hpp"
#include "write/header_codec.hpp"

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

}  // namespace weir
