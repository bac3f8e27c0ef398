// SPDX-License-Identifier: Apache-2.0
// Values as bytes or words, for other ranks and for files, and back. A struct lists its fields once, for both ways:
//
//   void fields(auto& archive, Either<Change> auto& change) { archive(change.offset, change.bytes); }
//
// A number, an enum and a bool take 8 bytes each. A list or text begins with the number of its entries; an optional
// value, with whether it is there. A struct that lists no fields consists of numbers without gaps, and is stored as it
// lies in memory. A reader checks every length against what is left. Pure, Local.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace weir {

// A struct to write, which is const, or one to read into.
template <class Value, class Struct>
concept Either = std::same_as<std::remove_const_t<Value>, Struct>;

template <class Value>
concept ArchivedNumber = std::is_integral_v<Value> || std::is_enum_v<Value>;

// Entries of a list that it holds as they lie in memory: bytes, whole words, and structs of numbers.
template <class Entry>
inline constexpr bool archived_as_it_is = std::has_unique_object_representations_v<Entry> &&
                                          (!ArchivedNumber<Entry> || sizeof(Entry) == 1 ||
                                           sizeof(Entry) == sizeof(std::int64_t));

inline std::int64_t word_in_order(std::int64_t word, std::endian order) noexcept {
  if (order == std::endian::native) return word;
  return static_cast<std::int64_t>(__builtin_bswap64(static_cast<std::uint64_t>(word)));
}

// Unit: std::byte, or std::int64_t for messages of words, where bytes are padded to whole words.
template <class Unit>
class ArchiveWriter {
 public:
  // Appends to `units`.
  explicit ArchiveWriter(std::vector<Unit>& units, std::endian order = std::endian::native)
      : units_(units), order_(order) {}

  template <class... Values>
  void operator()(const Values&... values) {
    (write(values), ...);
  }
  // Without their number.
  void raw(std::span<const std::byte> bytes) {
    std::byte* const into = room(bytes.size());
    if (!bytes.empty()) std::memcpy(into, bytes.data(), bytes.size());
  }
  // The same for bytes that the caller writes, before it archives more.
  std::byte* room(std::size_t bytes) {
    const std::size_t at = units_.size();
    units_.resize(at + (bytes + sizeof(Unit) - 1) / sizeof(Unit));
    return reinterpret_cast<std::byte*>(units_.data() + at);
  }

 private:
  template <class Value>
  void write(const Value& value) {
    if constexpr (requires { fields(*this, value); }) {
      fields(*this, value);
    } else if constexpr (ArchivedNumber<Value>) {
      word(static_cast<std::int64_t>(value));
    } else if constexpr (requires { value.has_value(); }) {
      word(value.has_value());
      if (value) write(*value);
    } else if constexpr (std::ranges::contiguous_range<const Value>) {
      list(std::span(std::ranges::data(value), std::ranges::size(value)));
    } else {
      static_assert(std::has_unique_object_representations_v<Value>, "fields() is to list what this holds");
      raw(std::as_bytes(std::span(&value, 1)));
    }
  }
  template <class Entry>
  void list(std::span<const Entry> entries) {
    word(std::ssize(entries));
    if constexpr (archived_as_it_is<Entry>)
      if (!ArchivedNumber<Entry> || sizeof(Entry) == 1 || order_ == std::endian::native)
        return raw(std::as_bytes(entries));
    for (const Entry& entry : entries) write(entry);
  }
  void word(std::int64_t value) {
    value = word_in_order(value, order_);
    if constexpr (std::same_as<Unit, std::int64_t>)
      units_.push_back(value);
    else
      raw(std::as_bytes(std::span(&value, 1)));
  }

  std::vector<Unit>& units_;
  std::endian order_;
};

// The error for what ends too early; `how` it does, where the sentence is to say it.
struct ArchiveRefusal {
  Code code = WEIR_EINTERNAL;
  std::string (*sentence)(const std::string& how) = [](const std::string& how) {
    return formatted("what another rank has sent ends too early: {}", how);
  };
};

// Reads in the order of writing. Throws the refusal where there is no more.
class ArchiveReader {
 public:
  explicit ArchiveReader(std::span<const std::byte> bytes, ArchiveRefusal refusal = {},
                         std::endian order = std::endian::native)
      : rest_(bytes), unit_bytes_(1), refusal_(refusal), order_(order) {}
  explicit ArchiveReader(std::span<const std::int64_t> words)
      : rest_(std::as_bytes(words)), unit_bytes_(sizeof(std::int64_t)) {}

  // A number too large for its type becomes the largest of it, one too small the smallest.
  template <class... Values>
  void operator()(Values&... values) {
    (read(values), ...);
  }
  template <class Value>
  Value get() {
    Value value{};
    read(value);
    return value;
  }
  // A list that stays where it is. Of numbers: of words.
  template <class Entry>
  std::span<const Entry> view() {
    static_assert(archived_as_it_is<Entry>);
    const std::size_t entries = count(sizeof(Entry));
    return {reinterpret_cast<const Entry*>(take(entries * sizeof(Entry)).data()), entries};
  }
  // How many entries follow; each takes `entry_bytes` at the least.
  std::size_t count(std::size_t entry_bytes) {
    const std::int64_t value = word();
    if (value < 0 || static_cast<std::uint64_t>(value) > rest_.size() / entry_bytes)
      throw Error(refusal_.code,
                  refusal_.sentence(formatted("a count of {} stands before {} bytes", value, rest_.size())));
    return static_cast<std::size_t>(value);
  }
  std::span<const std::byte> take(std::size_t bytes) {
    if (bytes > rest_.size())
      throw Error(refusal_.code, refusal_.sentence(formatted("{} are asked for and {} are left", bytes, rest_.size())));
    const auto taken = rest_.first(bytes);
    rest_ = rest_.subspan(std::min((bytes + unit_bytes_ - 1) / unit_bytes_ * unit_bytes_, rest_.size()));
    return taken;
  }
  // Without their number.
  void raw(std::span<std::byte> into) {
    const auto from = take(into.size());
    if (!into.empty()) std::memcpy(into.data(), from.data(), into.size());
  }
  bool at_end() const noexcept { return rest_.empty(); }

 private:
  template <class Value>
  void read(Value& value) {
    if constexpr (requires { fields(*this, value); }) {
      fields(*this, value);
    } else if constexpr (ArchivedNumber<Value>) {
      value = narrow<Value>(word());
    } else if constexpr (requires { value.has_value(); }) {
      value.reset();
      if (word() != 0) read(value.emplace());
    } else if constexpr (requires { value.resize(0); }) {
      using Entry = std::ranges::range_value_t<Value>;
      value.resize(count(archived_as_it_is<Entry> ? sizeof(Entry) : sizeof(std::int64_t)));
      entries(std::span(value));
    } else if constexpr (std::ranges::contiguous_range<Value>) {
      if (count(1) != std::ranges::size(value)) throw Error(refusal_.code, refusal_.sentence("an array"));
      entries(std::span(value));
    } else {
      static_assert(std::has_unique_object_representations_v<Value>, "fields() is to list what this holds");
      raw(std::as_writable_bytes(std::span(&value, 1)));
    }
  }
  template <class Entry, std::size_t extent>
  void entries(std::span<Entry, extent> into) {
    if constexpr (archived_as_it_is<Entry>)
      if (!ArchivedNumber<Entry> || sizeof(Entry) == 1 || order_ == std::endian::native)
        return raw(std::as_writable_bytes(into));
    for (Entry& entry : into) read(entry);
  }
  std::int64_t word() {
    std::int64_t value = 0;
    raw(std::as_writable_bytes(std::span(&value, 1)));
    return word_in_order(value, order_);
  }
  template <class Number>
  static Number narrow(std::int64_t word) {
    if constexpr (std::is_enum_v<Number>)
      return static_cast<Number>(narrow<std::underlying_type_t<Number>>(word));
    else if constexpr (std::same_as<Number, bool>)
      return word != 0;
    else if constexpr (sizeof(Number) == sizeof word)
      return static_cast<Number>(word);
    else
      return static_cast<Number>(
          std::clamp<std::int64_t>(word, std::numeric_limits<Number>::min(), std::numeric_limits<Number>::max()));
  }

  std::span<const std::byte> rest_;
  std::size_t unit_bytes_;
  ArchiveRefusal refusal_;
  std::endian order_ = std::endian::native;
};

template <class Pair>
requires requires {
  typename Pair::second_type;
}
void fields(auto& archive, Pair& pair) {
  archive(pair.first, pair.second);
}

void fields(auto& archive, Either<Status> auto& status) {
  archive(status.code, status.scope.kind, status.scope.serial, status.message);
}

template <class Value>
std::vector<std::byte> serialize(const Value& value) {
  std::vector<std::byte> bytes;
  ArchiveWriter archive(bytes);
  archive(value);
  return bytes;
}

// What serialize() has made. Throws Error(WEIR_EINTERNAL) where it was not that.
template <class Value>
Value deserialize(std::span<const std::byte> bytes) {
  ArchiveReader archive(bytes);
  Value value = archive.get<Value>();
  require(archive.at_end(), WEIR_EINTERNAL, "what another rank has sent does not end where it should");
  return value;
}

// Words for or from another rank (or itself).
struct Message {
  int peer;
  std::vector<std::int64_t> words;
};
using Messages = std::vector<Message>;

}  // namespace weir
