// SPDX-License-Identifier: Apache-2.0
// A record next to a file, made by hand: words of the machine, texts after their length, behind the FNV-1a sum of all
// that follows it, the mark and the length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace weir {

inline std::vector<std::byte> bytes_of(const std::string& text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

class RecordBytes {
 public:
  RecordBytes& word(std::int64_t value) {
    text_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  RecordBytes& text(const std::string& value) {
    word(std::ssize(value));
    text_ += value;
    return *this;
  }
  std::vector<std::byte> sealed(std::int64_t mark) const {
    RecordBytes summed;
    summed.word(mark).text(text_);
    std::uint64_t sum = 14695981039346656037ULL;
    for (const char c : summed.text_) sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    return bytes_of(RecordBytes().word(static_cast<std::int64_t>(sum)).text_ + summed.text_);
  }

 private:
  std::string text_;
};

}  // namespace weir
