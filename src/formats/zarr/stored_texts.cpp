// SPDX-License-Identifier: Apache-2.0
#include "formats/zarr/stored_texts.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "formats/chunked/unpacker.hpp"
#include "formats/zarr/store.hpp"

namespace weir {

namespace {

// Of a chunk; and of all, with what of them lies beyond the array.
constexpr std::int64_t most_unpacked_bytes = 64 << 20, most_unpacked_elements = 1 << 20,
                       most_unpacked_in_all = 4 * most_unpacked_elements, most_chunks = 1 << 16;
constexpr std::size_t length_bytes = 4;

[[noreturn]] void leave_out(const std::string& why) {
  throw Error(WEIR_EFORMAT, why);
}

std::uint32_t word_at(std::span<const std::byte> bytes, std::size_t at, bool little_endian) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < length_bytes; ++i)
    word = word << 8 | std::to_integer<std::uint32_t>(bytes[at + (little_endian ? length_bytes - 1 - i : i)]);
  return word;
}

// False: there is no such code point.
bool add_utf8(std::uint32_t point, std::string& text) {
  if (point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) return false;
  const int more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  constexpr std::uint32_t first[] = {0, 0xC0, 0xE0, 0xF0};
  text += static_cast<char>(first[more] | point >> 6 * more);
  for (int i = more; i-- > 0;) text += static_cast<char>(0x80 | (point >> 6 * i & 0x3F));
  return true;
}

// One element of a fixed length, without the zeros at its end. False where it is none.
bool take_element(std::span<const std::byte> element, TextForm form, std::string& text) {
  if (form == TextForm::bytes) {
    text.assign(reinterpret_cast<const char*>(element.data()), element.size());
  } else {
    for (std::size_t at = 0; at < element.size(); at += utf32_bytes)
      if (!add_utf8(word_at(element, at, false), text)) return false;
  }
  text.erase(text.find_last_not_of('\0') + 1);
  return true;
}

// How many chunks there are along each dimension. Throws where they, or what they unpack to, are too many to go
// through.
Shape grid_of(const StoredArray& array, const ZarrStrings& texts) {
  const auto each =
      elements_up_to(array.chunk, std::min(most_unpacked_elements, most_unpacked_bytes / texts.element_bytes));
  if (!each || !elements_up_to(array.files->part, most_unpacked_in_all))
    leave_out(
        "its elements are strings, and a chunk holds more of them than Weir supports: make a copy with smaller ones");
  Shape grid(array.chunk.size());
  for (std::size_t d = 0; d < grid.size(); ++d)
    grid[d] = array.lengths[d] / array.chunk[d] + (array.lengths[d] % array.chunk[d] != 0 ? 1 : 0);
  if (!elements_up_to(grid, std::min(most_chunks, most_unpacked_in_all / *each)))
    leave_out("its elements are strings, in more chunks than Weir reads of them: make a copy with one");
  return grid;
}

class ReadTexts {
 public:
  ReadTexts(const OpenedFolder& folder, const StoredArray& array, const ZarrStrings& texts)
      : array_(array),
        texts_(texts),
        grid_(grid_of(array, texts)),
        store_({folder.path, folder.identity, table_of(array)}) {}

  // count: of elements, in all lengths.
  FixedTexts read(std::int64_t count) {
    all_.resize(static_cast<std::size_t>(count));
    read_chunks();
    fill_beyond();
    const std::vector<std::string_view> views(all_.begin(), all_.end());
    auto fixed = fixed_texts(views);
    if (!fixed) leave_out(strings_too_many);
    return *std::move(fixed);
  }

 private:
  // Files that are damaged are those of this array, as long as the folder is the one that was opened.
  void read_chunks() try {
    store_.check();
    for (std::int64_t number = 0; number < elements(grid_); ++number) place(read_chunk(number), first_of(number));
  } catch (const Error& error) {
    if (error.code() != WEIR_EIO) throw;
    store_.check();
    leave_out(formatted("its elements are strings, which cannot be read: {}", error.what()));
  }

  // The first dimension alone is longer than the array's.
  void fill_beyond() {
    for (std::int64_t at = elements(array_.lengths); at < std::ssize(all_); ++at) keep(texts_.fill, at);
  }

  static std::shared_ptr<const StoredTables> table_of(const StoredArray& array) {
    auto tables = std::make_shared<StoredTables>();
    tables->arrays.push_back(array);
    return tables;
  }

  // The index in the array of a chunk's first element.
  Shape first_of(std::int64_t number) const {
    Shape at(grid_.size());
    for (std::size_t d = grid_.size(); d-- > 0; number /= grid_[d]) at[d] = number % grid_[d] * array_.chunk[d];
    return at;
  }

  // None where no rank wrote it. What a chunk holds has the length that its elements have, or lengths and no more text
  // than may be.
  std::vector<std::string> read_chunk(std::int64_t number) {
    const std::int64_t count = elements(array_.chunk);
    const auto place = store_.find(0, number);
    if (!place) return {};
    const std::int64_t most = texts_.form == TextForm::lengths_before
                                  ? (count + 1) * static_cast<std::int64_t>(length_bytes) + most_text_bytes
                                  : count * texts_.element_bytes;
    if (place->bytes > 2 * most + most_text_bytes) leave_out(strings_too_many);
    std::vector<std::byte> packed(static_cast<std::size_t>(place->bytes)), room(static_cast<std::size_t>(most));
    store_.read(place->file, place->address, packed);
    std::span<std::byte> bytes(room);
    const int unit = texts_.form == TextForm::code_points ? utf32_bytes : 1;
    const std::string problem = unpacker_.unpack_up_to(packed, array_, unit, bytes);
    const std::string file = formatted("its elements are strings, and \"{}\"", store_.path(place->file));
    if (!problem.empty()) leave_out(formatted("{} is damaged or holds more than 1 MiB of them: it {}", file, problem));
    std::vector<std::string> found(static_cast<std::size_t>(count));
    if (const char* const fault = take(bytes, found)) leave_out(file + fault);
    return found;
  }

  // What is wrong with the bytes of a chunk, after its name; nullptr where nothing is.
  const char* take(std::span<const std::byte> bytes, std::vector<std::string>& found) const {
    constexpr const char* damaged = " is damaged: it does not hold as many as a chunk has";
    if (texts_.form == TextForm::lengths_before) return take_with_lengths(bytes, found) ? nullptr : damaged;
    const auto each = static_cast<std::size_t>(texts_.element_bytes);
    if (bytes.size() != found.size() * each) return damaged;
    for (std::size_t i = 0; i < found.size(); ++i)
      if (!take_element(bytes.subspan(i * each, each), texts_.form, found[i]))
        return " has an invalid code point, such as half of a surrogate pair";
    return nullptr;
  }

  // Their number, then the length and the bytes of each.
  static bool take_with_lengths(std::span<const std::byte> bytes, std::vector<std::string>& found) {
    if (bytes.size() < length_bytes || word_at(bytes, 0, true) != found.size()) return false;
    bytes = bytes.subspan(length_bytes);
    for (std::string& text : found) {
      if (bytes.size() < length_bytes || word_at(bytes, 0, true) > bytes.size() - length_bytes) return false;
      const std::size_t length = word_at(bytes, 0, true);
      text.assign(reinterpret_cast<const char*>(bytes.data()) + length_bytes, length);
      bytes = bytes.subspan(length_bytes + length);
    }
    return bytes.empty();
  }

  // The chunk's elements, but for those beyond the array; of a chunk that no rank wrote as many fill values.
  void place(const std::vector<std::string>& chunk, const Shape& first) {
    const std::vector<std::int64_t> steps = strides(array_.lengths), within = strides(array_.chunk);
    Shape inside(first.size()), at(first.size());
    for (std::size_t d = 0; d < first.size(); ++d) inside[d] = std::min(array_.chunk[d], array_.lengths[d] - first[d]);
    const std::int64_t begin = offset(first, steps);
    for (std::int64_t left = elements(inside); left > 0; --left) {
      keep(chunk.empty() ? texts_.fill : chunk[static_cast<std::size_t>(offset(at, within))],
           begin + offset(at, steps));
      for (std::size_t d = at.size(); d-- > 0;) {
        if (++at[d] < inside[d]) break;
        at[d] = 0;
      }
    }
  }

  void keep(const std::string& text, std::int64_t at) {
    bytes_ += std::ssize(text);
    if (bytes_ > most_text_bytes) leave_out(strings_too_many);
    all_[static_cast<std::size_t>(at)] = text;
  }

  const StoredArray& array_;
  const ZarrStrings& texts_;
  Shape grid_;  // of chunks
  ZarrStore store_;
  Unpacker unpacker_;
  std::vector<std::string> all_;
  std::int64_t bytes_ = 0;  // of those
};

}  // namespace

FixedTexts read_texts(const OpenedFolder& folder, const StoredArray& array, const ZarrStrings& texts,
                      const Shape& lengths) {
  const auto count = elements_up_to(lengths, most_text_bytes);
  if (!count) leave_out(strings_too_many);
  return ReadTexts(folder, array, texts).read(*count);
}

}  // namespace weir
