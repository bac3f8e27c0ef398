// SPDX-License-Identifier: Apache-2.0
#include "commit/checked_words.hpp"

#include <cstring>

#include "base/error.hpp"

namespace weir {

namespace {

constexpr std::size_t word_bytes = sizeof(std::int64_t);
constexpr std::size_t head_words = 3;  // sum, mark, bytes behind them

// FNV-1a.
std::uint64_t sum_of(std::span<const std::byte> bytes) {
  std::uint64_t sum = 14695981039346656037ULL;
  for (const std::byte byte : bytes) sum = (sum ^ std::to_integer<std::uint64_t>(byte)) * 1099511628211ULL;
  return sum;
}

template <class Word>
Word word_at(std::span<const std::byte> bytes, std::size_t number) {
  Word word;
  std::memcpy(&word, bytes.data() + number * word_bytes, word_bytes);
  return word;
}

}  // namespace

// The sum and the length come at the end.
CheckedWords::CheckedWords(std::int64_t mark) : bytes_(head_words * word_bytes) {
  std::memcpy(bytes_.data() + word_bytes, &mark, word_bytes);
}

void CheckedWords::add(std::int64_t word) {
  const auto* first = reinterpret_cast<const std::byte*>(&word);
  bytes_.insert(bytes_.end(), first, first + word_bytes);
}

void CheckedWords::add(std::span<const std::byte> bytes) {
  add(std::ssize(bytes));
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

void CheckedWords::add(const std::string& text) {
  add(std::as_bytes(std::span(text)));
}

const std::vector<std::byte>& CheckedWords::sealed() {
  const auto behind = static_cast<std::int64_t>(bytes_.size() - head_words * word_bytes);
  std::memcpy(bytes_.data() + 2 * word_bytes, &behind, word_bytes);
  const std::uint64_t sum = sum_of(std::span(bytes_).subspan(word_bytes));
  std::memcpy(bytes_.data(), &sum, word_bytes);
  return bytes_;
}

std::optional<CheckedReader> CheckedReader::open(std::span<const std::byte> bytes, std::int64_t mark) {
  if (bytes.size() < head_words * word_bytes) return std::nullopt;
  const auto behind = word_at<std::uint64_t>(bytes, 2);
  if (word_at<std::int64_t>(bytes, 1) != mark || behind > bytes.size() - head_words * word_bytes) return std::nullopt;
  const auto whole = bytes.first(head_words * word_bytes + behind);
  if (word_at<std::uint64_t>(bytes, 0) != sum_of(whole.subspan(word_bytes))) return std::nullopt;
  return CheckedReader(whole.subspan(head_words * word_bytes));
}

std::span<const std::byte> CheckedReader::take(std::int64_t count) {
  require(count >= 0 && count <= std::ssize(rest_), WEIR_EFORMAT,
          "a record that a run has left next to a file is truncated");
  const auto taken = rest_.first(static_cast<std::size_t>(count));
  rest_ = rest_.subspan(taken.size());
  return taken;
}

std::int64_t CheckedReader::word() {
  return word_at<std::int64_t>(take(word_bytes), 0);
}

std::vector<std::byte> CheckedReader::bytes() {
  const auto taken = take(word());
  return {taken.begin(), taken.end()};
}

std::string CheckedReader::text() {
  const auto taken = take(word());
  return {reinterpret_cast<const char*>(taken.data()), taken.size()};
}

}  // namespace weir
