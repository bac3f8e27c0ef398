// SPDX-License-Identifier: Apache-2.0
#include "write/packing/packer.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "rearrange/tile.hpp"
#include "write/packing/blosc.hpp"
#include "write/packing/crc32c.hpp"

namespace weir {

std::string missing_filter(std::span<const FilterStep> filters) {
  for (const FilterStep& filter : filters) {
    switch (filter.id == blosc_codec ? filter.values.at(0) : filter.id) {
      case shuffle_filter:
      case fletcher32_filter:
      case crc32c_codec:
        break;
      case deflate_filter:
      case gzip_codec:
        if (!Squeezer::has(SqueezedForm::zlib)) return "this Weir was built without libdeflate, so it cannot deflate";
        break;
      case zstd_filter:
      case zstd_codec:
        if (!Squeezer::has(SqueezedForm::zstd)) return "this Weir was built without zstd";
        break;
      default:
        return "Weir does not have HDF5's filter " + std::to_string(filter.id);
    }
  }
  return {};
}

std::uint32_t fletcher32(std::span<const std::byte> bytes) noexcept {
  constexpr std::size_t most_words = 360;  // so many fit 32 bits before they are folded
  const auto at = [&](std::size_t i) { return std::to_integer<std::uint32_t>(bytes[i]); };
  const auto fold = [](std::uint32_t sum) { return (sum & 0xFFFF) + (sum >> 16); };
  std::uint32_t one = 0, two = 0;
  const std::size_t words = bytes.size() / 2;
  for (std::size_t word = 0; word < words;) {
    for (const std::size_t end = std::min(words, word + most_words); word < end; ++word) {
      one += at(2 * word) << 8 | at(2 * word + 1);
      two += one;
    }
    one = fold(one), two = fold(two);
  }
  if (bytes.size() % 2 != 0) {
    one += at(bytes.size() - 1) << 8;
    two += one;
    one = fold(one), two = fold(two);
  }
  one = fold(one), two = fold(two);
  return two << 16 | one;
}

namespace {

template <class Word, class Swap>
void swap_elements(std::span<std::byte> bytes, Swap swap) {
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(Word)) {
    Word word;
    std::memcpy(&word, bytes.data() + i, sizeof word);
    word = swap(word);
    std::memcpy(bytes.data() + i, &word, sizeof word);
  }
}

// From big-endian to this machine's.
void to_native(std::span<std::byte> bytes, int element_bytes) {
  if constexpr (std::endian::native == std::endian::big) return;
  if (element_bytes == 2) swap_elements<std::uint16_t>(bytes, [](std::uint16_t w) { return __builtin_bswap16(w); });
  if (element_bytes == 4) swap_elements<std::uint32_t>(bytes, [](std::uint32_t w) { return __builtin_bswap32(w); });
  if (element_bytes == 8) swap_elements<std::uint64_t>(bytes, [](std::uint64_t w) { return __builtin_bswap64(w); });
}

// All first bytes of this machine's elements, then all second ones, ...; then the bytes that make no element. `turned`:
// each element is in the other byte order.
template <int size>
void shuffle_elements(std::span<const std::byte> from, std::byte* to, bool turned) {
  constexpr std::size_t block = 2048;  // stays in the nearest cache while each of its bytes is taken
  const std::size_t count = from.size() / size;
  for (std::size_t first = 0; first < count; first += block) {
    const std::size_t last = std::min(count, first + block);
    for (int byte = 0; byte < size; ++byte) {
      const auto source = static_cast<std::size_t>(turned ? size - 1 - byte : byte);
      std::byte* const plane = to + static_cast<std::size_t>(byte) * count;
      for (std::size_t i = first; i < last; ++i) plane[i] = from[i * size + source];
    }
  }
  std::copy(from.begin() + static_cast<std::ptrdiff_t>(count * size), from.end(), to + count * size);
}

void append(std::vector<std::byte>& bytes, std::uint32_t sum) {
  for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<std::byte>(sum >> shift));
}

}  // namespace

void shuffle(std::span<const std::byte> from, int element_bytes, bool turned, std::byte* to) {
  if (element_bytes == 2) return shuffle_elements<2>(from, to, turned);
  if (element_bytes == 4) return shuffle_elements<4>(from, to, turned);
  if (element_bytes == 8) return shuffle_elements<8>(from, to, turned);
  std::copy(from.begin(), from.end(), to);
}

// The rows of the chunk, one after another, as external elements.
void Packer::gather(const ChunkGrid& grid, const Chunk& chunk, const Source& source) {
  const Shape& lengths = grid.chunk();
  const std::vector<std::int64_t> in_tile = strides(grid.shape()), in_chunk = strides(lengths);
  const std::int64_t size = source.element_bytes, n = std::ssize(lengths);
  bytes_.resize(static_cast<std::size_t>(grid.chunk_elements() * size));
  if (Box{chunk.lo, chunk.hi}.volume() < grid.chunk_elements())
    fill_elements(bytes_.data(), grid.chunk_elements(), source.fill, source.element_bytes);
  std::int64_t inner = n - 1;  // from this dimension on both are without gaps
  const auto at = [](const auto& list, std::int64_t d) { return list[static_cast<std::size_t>(d)]; };
  while (inner > 0 && at(lengths, inner) == at(grid.shape(), inner)) --inner;
  const std::int64_t run = (at(chunk.hi, inner) - at(chunk.lo, inner)) * at(in_tile, inner) * size;
  Shape index = chunk.lo;
  for (;;) {
    std::int64_t to = 0;
    for (std::size_t d = 0; d < index.size(); ++d) to += (index[d] - chunk.lo[d]) * in_chunk[d];
    std::memcpy(bytes_.data() + to * size, source.tile + (offset(index, in_tile) - source.first) * size,
                static_cast<std::size_t>(run));
    std::int64_t d = inner - 1;
    for (; d >= 0; --d) {
      const auto k = static_cast<std::size_t>(d);
      if (++index[k] < chunk.hi[k]) break;
      index[k] = chunk.lo[k];
    }
    if (d < 0) return;
  }
}

std::int64_t Packer::pack(const ChunkGrid& grid, const Chunk& chunk, const Source& source,
                          std::vector<std::byte>& packed) {
  gather(grid, chunk, source);
  const std::span<const FilterStep> filters = source.filters;
  // Where elements are shuffled first, that turns their bytes round as well.
  const bool shuffles_first = !filters.empty() && filters[0].id == shuffle_filter;
  if (!shuffles_first) to_native(bytes_, source.element_bytes);
  std::int64_t skipped = 0;
  for (std::size_t step = 0; step < filters.size(); ++step) {
    if (filters[step].id == shuffle_filter) {
      const bool turned = step == 0 && std::endian::native == std::endian::little;
      other_.resize(bytes_.size());
      shuffle(bytes_, source.element_bytes, turned, other_.data());
      bytes_.swap(other_);
    } else if (filters[step].id == fletcher32_filter) {
      append(bytes_, fletcher32(bytes_));
    } else if (filters[step].id >= gzip_codec) {
      if (!encode(filters[step], source.element_bytes)) skipped |= std::int64_t{1} << step;
    } else if (!squeeze(filters[step])) {
      skipped |= std::int64_t{1} << step;
    }
  }
  packed.insert(packed.end(), bytes_.begin(), bytes_.end());
  return skipped;
}

// False where it does not become smaller.
bool Packer::squeeze(const FilterStep& filter) {
  const int level = filter.values.empty() ? 1 : static_cast<int>(filter.values[0]);
  const SqueezedForm form = filter.id == deflate_filter ? SqueezedForm::zlib : SqueezedForm::zstd;
  other_.clear();
  if (!squeezer_.append(form, level, bytes_, other_) || other_.size() >= bytes_.size()) return false;
  bytes_.swap(other_);
  return true;
}

// False where it fails.
bool Packer::encode(const FilterStep& codec, int element_bytes) {
  if (codec.id == crc32c_codec) return append(bytes_, crc32c(bytes_)), true;
  const int level = static_cast<int>(codec.values[codec.id == blosc_codec ? 1 : 0]);
  other_.clear();
  bool done = false;
  if (codec.id == blosc_codec) {
    const SqueezedForm form = codec.values[0] == deflate_filter ? SqueezedForm::zlib : SqueezedForm::zstd;
    done = append_blosc(squeezer_, {form, level, element_bytes}, bytes_, other_);
  } else {
    const SqueezedForm form = codec.id == gzip_codec ? SqueezedForm::gzip : SqueezedForm::zstd;
    done = squeezer_.append(form, level, bytes_, other_);
  }
  bytes_.swap(other_);
  return done;
}

}  // namespace weir
