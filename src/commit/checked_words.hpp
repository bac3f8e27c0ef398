// SPDX-License-Identifier: Apache-2.0
// Records next to a file for the next run to read: words, bytes and texts after a checksum over all of them, so that a
// truncated record, or another program's file, is not mistaken for one. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace weir {

class CheckedWords {
 public:
  // mark: what kind of file it is.
  explicit CheckedWords(std::int64_t mark);
  void add(std::int64_t word);
  // With their number before them.
  void add(std::span<const std::byte> bytes);
  void add(const std::string& text);
  // All of it, with its sum.
  const std::vector<std::byte>& sealed();

 private:
  std::vector<std::byte> bytes_;
};

// Reads them in the same order.
class CheckedReader {
 public:
  // nullopt: not all of it is there, or it is of another kind. What stands behind it does not matter.
  static std::optional<CheckedReader> open(std::span<const std::byte> bytes, std::int64_t mark);
  // Throws Error(WEIR_EFORMAT) where there is no more.
  std::int64_t word();
  std::vector<std::byte> bytes();
  std::string text();

 private:
  explicit CheckedReader(std::span<const std::byte> rest) : rest_(rest) {}
  std::span<const std::byte> take(std::int64_t count);

  std::span<const std::byte> rest_;
};

}  // namespace weir
