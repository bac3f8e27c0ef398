// SPDX-License-Identifier: Apache-2.0
#include "formats/chunked/packer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <utility>

#include "base/text.hpp"
#include "formats/chunked/blosc.hpp"
#include "formats/chunked/filter.hpp"
#include "rearrange/byteswap.hpp"
#include "rearrange/copy.hpp"

namespace weir {

namespace {

constexpr double bits_per_digit = std::numbers::ln10 / std::numbers::ln2;

// Values of one type; the masks are for the bits of the mantissa that go.
template <class Real, class Bits>
class Quantizer {
 public:
  Quantizer(const Quantization& how, const ExternalValue& fill) : how_(how) {
    Bits bits = 0;
    for (std::size_t byte = 0; byte < sizeof bits; ++byte)
      bits = static_cast<Bits>(bits << 8 | std::to_integer<Bits>(fill[byte]));
    fill_ = std::bit_cast<Real>(bits);
  }

  void run(std::span<std::byte> values, std::int64_t first) const {
    const int kept = how_.kind == QuantizeKind::bit_groom
                         ? static_cast<int>(std::ceil(how_.digits * bits_per_digit)) + 1
                         : how_.digits;
    for (std::size_t at = 0; at < values.size(); at += sizeof(Real), ++first) {
      Bits bits;
      std::memcpy(&bits, values.data() + at, sizeof bits);
      const Real value = std::bit_cast<Real>(bits);
      if (value == fill_ || value == 0 || !std::isfinite(value)) continue;
      if (how_.kind == QuantizeKind::bit_groom)
        bits = groomed(bits, kept, first % 2 != 0);
      else if (how_.kind == QuantizeKind::bit_round)
        bits = rounded(bits, kept);
      else
        bits = rounded(bits, bits_of_digits(value));
      std::memcpy(values.data() + at, &bits, sizeof bits);
    }
  }

 private:
  static constexpr int mantissa_bits = std::numeric_limits<Real>::digits - 1;
  // The bits behind the first `kept` of the mantissa.
  static Bits rest_behind(int kept) {
    return kept >= mantissa_bits ? Bits{0} : static_cast<Bits>((Bits{1} << (mantissa_bits - std::max(kept, 0))) - 1);
  }

  // Zeros in one value, ones in the next, so that the mean stays.
  static Bits groomed(Bits bits, int kept, bool odd) {
    const Bits rest = rest_behind(kept);
    return odd ? bits | rest : bits & static_cast<Bits>(~rest);
  }

  static Bits rounded(Bits bits, int kept) {
    const Bits rest = rest_behind(kept);
    return (bits + (rest ^ (rest >> 1))) & static_cast<Bits>(~rest);
  }

  // Those of the mantissa that the value needs for its decimal digits.
  int bits_of_digits(Real value) const {
    int exponent = 0;
    const double log_of_mantissa = std::log10(std::fabs(std::frexp(static_cast<double>(value), &exponent)));
    const int before_point =
        static_cast<int>(std::floor(exponent * (std::numbers::ln2 / std::numbers::ln10) + log_of_mantissa)) + 1;
    const int last_bit = static_cast<int>(std::floor(bits_per_digit * (before_point - how_.digits)));
    return std::abs(static_cast<int>(std::floor(exponent - bits_per_digit * log_of_mantissa)) - last_bit) - 1;
  }

  Quantization how_;
  Real fill_;
};

}  // namespace

void quantize(const Quantization& how, std::span<std::byte> values, int element_bytes, std::int64_t first,
              const ExternalValue& fill) {
  if (element_bytes == 4)
    Quantizer<float, std::uint32_t>(how, fill).run(values, first);
  else
    Quantizer<double, std::uint64_t>(how, fill).run(values, first);
}

Packer::Source packer_source(const Schema& schema, int var, const Stretch& stretch, std::byte* memory,
                             std::span<const FilterStep> filters) {
  constexpr bool little_endian = std::endian::native == std::endian::little;
  const Variable& variable = schema.variable(var);
  const int size = type_bytes(variable.type);
  Packer::Source source{memory, stretch.element, size, schema.fill_value(var), filters, little_endian};
  if (!variable.storage.quantization) return source;
  const std::span<std::byte> values(memory, static_cast<std::size_t>(stretch.count * size));
  if (little_endian) byteswap_in_place(values, size);
  quantize(*variable.storage.quantization, values, size, stretch.element, source.fill);
  if (little_endian) std::reverse(source.fill.begin(), source.fill.begin() + size);
  source.turned = false;
  return source;
}

std::string missing_filter(std::span<const FilterStep> filters) {
  const LackingFilter lacking = lacking_filter(filters);
  switch (lacking.what) {
    case Lack::nothing:
      return {};
    case Lack::deflate:
      return "this Weir was built without libdeflate, so it cannot deflate";
    case Lack::zstd:
      return "this Weir was built without zstd";
    case Lack::filter:
      break;
  }
  return formatted("Weir does not have HDF5's filter {}", lacking.id);
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

// Bytes of the tile, which lie in one piece where the chunk does: where it is whole, and as long as the variable in all
// dimensions but the first in which it is longer than one. Else 0.
std::int64_t bytes_in_one_piece(const ChunkGrid& grid, const Chunk& chunk, int element_bytes) {
  const std::int64_t whole = grid.chunk_elements();
  if (Box{chunk.lo, chunk.hi}.volume() < whole) return 0;
  std::int64_t inner = 1;
  for (std::size_t d = grid.shape().size(); d-- > 0;) {
    inner *= grid.chunk()[d];
    if (grid.chunk()[d] < grid.shape()[d]) break;
  }
  return inner == whole ? whole * element_bytes : 0;
}

}  // namespace

void gather(const ChunkGrid& grid, const Chunk& chunk, const Packer::Source& source, std::byte* target) {
  const Shape& lengths = grid.chunk();
  const std::vector<std::int64_t> in_tile = strides(grid.shape()), in_chunk = strides(lengths);
  const std::int64_t size = source.element_bytes, n = std::ssize(lengths);
  if (Box{chunk.lo, chunk.hi}.volume() < grid.chunk_elements())
    fill_elements(target, grid.chunk_elements(), source.fill, source.element_bytes);
  std::int64_t inner = n - 1;  // from this dimension on both are without gaps
  const auto at = [](const auto& list, std::int64_t d) { return list[static_cast<std::size_t>(d)]; };
  while (inner > 0 && at(lengths, inner) == at(grid.shape(), inner)) --inner;
  const std::int64_t run = (at(chunk.hi, inner) - at(chunk.lo, inner)) * at(in_tile, inner) * size;
  Shape index = chunk.lo;
  for (;;) {
    std::int64_t to = 0;
    for (std::size_t d = 0; d < index.size(); ++d) to += (index[d] - chunk.lo[d]) * in_chunk[d];
    std::memcpy(target + to * size, source.tile + (offset(index, in_tile) - source.first) * size,
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

// As external elements: in the tile, or gathered where they lie apart there.
Packer::Form Packer::first_form(const ChunkGrid& grid, const Chunk& chunk, const Source& source, PackedBatch& batch) {
  if (const std::int64_t bytes = bytes_in_one_piece(grid, chunk, source.element_bytes); bytes > 0) {
    std::byte* const first =
        source.tile + (offset(chunk.lo, strides(grid.shape())) - source.first) * source.element_bytes;
    return {{first, static_cast<std::size_t>(bytes)}, Place::tile};
  }
  const std::int64_t bytes = grid.chunk_elements() * source.element_bytes;
  const bool changes = !source.filters.empty();
  const auto to = changes ? scratch_[0].at_least(bytes) : batch.room(bytes);
  gather(grid, chunk, source, to.data());
  return {to.first(static_cast<std::size_t>(bytes)), changes ? Place::scratch : Place::room};
}

std::int64_t Packer::pack(const ChunkGrid& grid, const Chunk& chunk, const Source& source, PackedBatch& batch) {
  Form form = first_form(grid, chunk, source, batch);
  bool turned = source.turned;  // still; shuffling swaps them too
  const auto turn = [&] {
    if (std::exchange(turned, false)) byteswap_in_place(form.bytes, source.element_bytes);
  };
  std::int64_t skipped = 0;
  for (std::size_t step = 0; step < source.filters.size(); ++step) {
    const FilterStep& filter = source.filters[step];
    if (filter.id == shuffle_filter) {
      const std::span<std::byte> to = scratch_beside(form).at_least(std::ssize(form.bytes));
      shuffle(form.bytes, source.element_bytes, std::exchange(turned, false), to.data());
      form = {to.first(form.bytes.size()), Place::scratch};
      continue;
    }
    turn();
    if (filter.id == fletcher32_filter)
      add_sum(form, fletcher32(form.bytes));
    else if (filter.id == crc32c_codec)
      add_sum(form, crc32c(form.bytes));
    else if (!compress(filter, source.element_bytes, form, batch))
      skipped |= std::int64_t{1} << step;
  }
  turn();
  if (form.place == Place::scratch)
    std::copy(form.bytes.begin(), form.bytes.end(), batch.room(std::ssize(form.bytes)).begin());
  if (form.place == Place::tile)
    batch.add_from_elsewhere(form.bytes);
  else
    batch.add_from_room(std::ssize(form.bytes));
  return skipped;
}

UninitializedBuffer& Packer::scratch_beside(const Form& form) noexcept {
  return scratch_[scratch_[0].has(form.bytes.data()) ? 1 : 0];
}

void Packer::add_sum(Form& form, std::uint32_t sum) {
  const std::int64_t bytes = std::ssize(form.bytes);
  const std::span<std::byte> to = scratch_beside(form).at_least(bytes + checksum_bytes);
  std::copy(form.bytes.begin(), form.bytes.end(), to.begin());
  for (int byte = 0; byte < checksum_bytes; ++byte)
    to[static_cast<std::size_t>(bytes + byte)] = static_cast<std::byte>(sum >> 8 * byte);
  form = {to.first(static_cast<std::size_t>(bytes + checksum_bytes)), Place::scratch};
}

// Into the room. False where it does not become smaller, as it has to by HDF5's filters, or where the compressor fails.
bool Packer::compress(const FilterStep& filter, int element_bytes, Form& form, PackedBatch& batch) {
  if (form.place == Place::room) {
    const std::span<std::byte> to = scratch_beside(form).at_least(std::ssize(form.bytes));
    std::copy(form.bytes.begin(), form.bytes.end(), to.begin());
    form = {to.first(form.bytes.size()), Place::scratch};
  }
  const bool blosc = filter.id == blosc_codec, hdf5 = filter.id < gzip_codec;
  const unsigned id = blosc ? filter.values[0] : filter.id;
  const int level = filter.values.empty() ? 1 : static_cast<int>(filter.values[blosc ? 1 : 0]);
  const CompressedFormat kind = squeezed_form(id);
  const BloscRule rule{kind, level, element_bytes};
  const std::size_t most = blosc ? blosc_bound(rule, form.bytes.size()) : Compressor::bound(kind, form.bytes.size());
  const std::span<std::byte> to = batch.room(static_cast<std::int64_t>(most));
  const std::size_t got = blosc ? pack_blosc(compressor_, rule, form.bytes, scratch_beside(form), to)
                                : compressor_.compress(kind, level, form.bytes, to);
  if (got == 0 || (hdf5 && got >= form.bytes.size())) return false;
  form = {to.first(got), Place::room};
  return true;
}

}  // namespace weir
