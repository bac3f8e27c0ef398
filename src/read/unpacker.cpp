// SPDX-License-Identifier: Apache-2.0
#include "read/unpacker.hpp"

#include <algorithm>
#include <utility>

#include "rearrange/turn_round.hpp"
#include "write/packing/packer.hpp"

#ifdef WEIR_DEFLATE
#include <libdeflate.h>
#endif
#ifdef WEIR_ZSTD
#include <zstd.h>
#endif

namespace weir {

namespace {

// More than any packer adds to what it cannot make smaller.
constexpr std::size_t most_growth(std::size_t bytes) {
  return bytes + bytes / 8 + (64 << 10);
}

// The inverse of HDF5's filter "shuffle". `turned`: into the other byte order.
template <std::size_t size>
void join_planes(std::span<const std::byte> from, std::byte* to, bool turned) {
  const std::size_t count = from.size() / size;
  const std::byte* planes[size];
  for (std::size_t byte = 0; byte < size; ++byte)
    planes[byte] = from.data() + (turned ? size - 1 - byte : byte) * count;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t byte = 0; byte < size; ++byte) to[i * size + byte] = planes[byte][i];
  std::copy(from.begin() + static_cast<std::ptrdiff_t>(count * size), from.end(), to + count * size);
}

// Elements of any other length.
void join_planes(std::span<const std::byte> from, std::byte* to, std::size_t size) {
  const std::size_t count = from.size() / size;
  for (std::size_t byte = 0; byte < size; ++byte)
    for (std::size_t i = 0; i < count; ++i) to[i * size + byte] = from[byte * count + i];
  std::copy(from.begin() + static_cast<std::ptrdiff_t>(count * size), from.end(), to + count * size);
}

// Whether elements are turned round by the way, as asked for.
bool unshuffle(std::span<const std::byte> from, std::byte* to, std::size_t size, bool turned) {
  if (size == 2) return join_planes<2>(from, to, turned), turned;
  if (size == 4) return join_planes<4>(from, to, turned), turned;
  if (size == 8) return join_planes<8>(from, to, turned), turned;
  return join_planes(from, to, std::max<std::size_t>(1, size)), false;
}

bool sum_fits(std::span<const std::byte> bytes, std::span<const std::byte> told) {
  const std::uint32_t sum = fletcher32(bytes);
  for (std::size_t byte = 0; byte < told.size(); ++byte)
    if (told[byte] != static_cast<std::byte>(sum >> 8 * byte)) return false;
  return true;
}

}  // namespace

std::string unknown_filter(std::span<const FilterStep> filters) {
  for (const FilterStep& filter : filters) {
    switch (filter.id) {
      case shuffle_filter:
      case fletcher32_filter:
        break;
      case deflate_filter:
#ifndef WEIR_DEFLATE
        return "it is deflated, and this Weir was built without libdeflate";
#endif
        break;
      case zstd_filter:
#ifndef WEIR_ZSTD
        return "it is packed by zstd, and this Weir was built without it";
#endif
        break;
      default:
        return "it went through HDF5's filter " + std::to_string(filter.id) +
               ", which Weir does not have: make a copy without it (nccopy -F none)";
    }
  }
  return {};
}

struct Unpacker::Workspaces {
#ifdef WEIR_DEFLATE
  struct FreeDeflate {
    void operator()(libdeflate_decompressor* it) const noexcept { libdeflate_free_decompressor(it); }
  };
  std::unique_ptr<libdeflate_decompressor, FreeDeflate> deflate;
#endif
#ifdef WEIR_ZSTD
  struct FreeZstd {
    void operator()(ZSTD_DCtx* it) const noexcept { ZSTD_freeDCtx(it); }
  };
  std::unique_ptr<ZSTD_DCtx, FreeZstd> zstd;
#endif
};

Unpacker::Unpacker() : workspaces_(std::make_unique<Workspaces>()) {}
Unpacker::~Unpacker() = default;

// The buffer in which `form` does not lie.
std::span<std::byte> Unpacker::room_beside(std::span<const std::byte> form, std::size_t bytes) {
  std::vector<std::byte>& first = scratch_[0];
  const bool in_first = form.data() >= first.data() && form.data() < first.data() + first.size();
  std::vector<std::byte>& room = scratch_[in_first ? 1 : 0];
  if (room.size() < bytes) room.resize(bytes);
  return std::span(room).first(bytes);
}

// Bytes written to `to`; 0 where it cannot be.
std::size_t Unpacker::inflate([[maybe_unused]] unsigned filter, [[maybe_unused]] std::span<const std::byte> from,
                              [[maybe_unused]] std::span<std::byte> to) {
#ifdef WEIR_DEFLATE
  if (filter == deflate_filter) {
    auto& deflate = workspaces_->deflate;
    if (!deflate) deflate.reset(libdeflate_alloc_decompressor());
    std::size_t got = 0;
    const bool well = deflate && libdeflate_zlib_decompress(deflate.get(), from.data(), from.size(), to.data(),
                                                            to.size(), &got) == LIBDEFLATE_SUCCESS;
    return well ? got : 0;
  }
#endif
#ifdef WEIR_ZSTD
  if (filter == zstd_filter) {
    auto& zstd = workspaces_->zstd;
    if (!zstd) zstd.reset(ZSTD_createDCtx());
    const std::size_t got = zstd ? ZSTD_decompressDCtx(zstd.get(), to.data(), to.size(), from.data(), from.size()) : 0;
    return ZSTD_isError(got) ? 0 : got;
  }
#endif
  return 0;
}

std::string Unpacker::unpack(std::span<const std::byte> packed, const StoredArray& array, std::uint32_t skipped,
                             int element_bytes, std::span<std::byte> to) {
  std::vector<const FilterStep*> steps;  // that change the bytes, in reverse
  for (std::size_t i = array.filters.size(); i-- > 0;)
    if ((skipped >> i & 1) == 0) steps.push_back(&array.filters[i]);
  std::span<const std::byte> form = packed;
  bool turned = array.little_endian;  // elements are still to be turned round
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const FilterStep& step = *steps[i];
    if (step.id == fletcher32_filter) {
      if (form.size() < checksum_bytes) return "is too short for its check sum";
      const auto bytes = form.first(form.size() - checksum_bytes);
      if (!sum_fits(bytes, form.last(checksum_bytes))) return "does not have its check sum (fletcher32)";
      form = bytes;
      continue;
    }
    const bool last = i + 1 == steps.size();
    if (step.id == shuffle_filter) {
      const std::span<std::byte> room = last && form.size() == to.size() ? to : room_beside(form, form.size());
      const std::size_t size = step.values.empty() ? static_cast<std::size_t>(element_bytes) : step.values[0];
      const bool turns = turned && last && size == static_cast<std::size_t>(element_bytes);
      if (unshuffle(form, room.data(), size, turns)) turned = false;
      form = room;
      continue;
    }
    const std::span<std::byte> room = last ? to : room_beside(form, most_growth(to.size()));
    const std::size_t got = inflate(step.id, form, room);
    if (got == 0) return "does not decompress";
    form = room.first(got);
  }
  if (form.size() != to.size())
    return "has " + std::to_string(form.size()) + " bytes instead of " + std::to_string(to.size());
  if (form.data() != to.data()) std::copy(form.begin(), form.end(), to.begin());
  if (turned) turn_round(to, element_bytes);
  return {};
}

}  // namespace weir
