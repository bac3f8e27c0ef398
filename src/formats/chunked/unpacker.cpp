// SPDX-License-Identifier: Apache-2.0
#include "formats/chunked/unpacker.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "formats/chunked/blosc.hpp"
#include "formats/chunked/filter.hpp"
#include "formats/chunked/packer.hpp"
#include "rearrange/byteswap.hpp"

namespace weir {

namespace {

// More than any packer adds to what it cannot make smaller.
constexpr std::size_t most_growth(std::size_t bytes) {
  return bytes + bytes / 8 + (64 << 10);
}

bool fletcher32_fits(std::span<const std::byte> with_sum) {
  if (with_sum.size() < checksum_bytes) return false;
  const std::uint32_t sum = fletcher32(with_sum.first(with_sum.size() - checksum_bytes));
  const auto told = with_sum.last(checksum_bytes);
  for (std::size_t byte = 0; byte < told.size(); ++byte)
    if (told[byte] != static_cast<std::byte>(sum >> 8 * byte)) return false;
  return true;
}

bool is_sum(unsigned filter) {
  return filter == fletcher32_filter || filter == crc32c_codec;
}

}  // namespace

std::string unknown_filter(std::span<const FilterStep> filters) {
  const LackingFilter lacking = lacking_filter(filters);
  switch (lacking.what) {
    case Lack::nothing:
      return {};
    case Lack::deflate:
      return "it is deflated, and this Weir was built without libdeflate";
    case Lack::zstd:
      return "it is packed by zstd, and this Weir was built without it";
    case Lack::filter:
      break;
  }
  return formatted(
      "it went through HDF5's filter {}, which Weir does not have: make a copy without it (nccopy -F none)",
      lacking.id);
}

// The buffer in which `form` does not lie.
std::span<std::byte> Unpacker::room_beside(std::span<const std::byte> form, std::size_t bytes) {
  std::vector<std::byte>& first = scratch_[0];
  const bool in_first = form.data() >= first.data() && form.data() < first.data() + first.size();
  std::vector<std::byte>& room = scratch_[in_first ? 1 : 0];
  if (room.size() < bytes) room.resize(bytes);
  return std::span(room).first(bytes);
}

// Bytes written to `to`; 0 where it cannot be.
std::size_t Unpacker::inflate(unsigned filter, std::span<const std::byte> from, std::span<std::byte> to) {
  if (filter == blosc_codec) return unpack_blosc(inflater_, from, sorted_, to);
  return inflater_.inflate(squeezed_form(filter), from, to);
}

// The filters in reverse: what was packed lies in `to` then, or in a buffer of this.
std::string Unpacker::undo(Form& form, const StoredArray& array, std::uint32_t skipped, int element_bytes,
                           std::span<std::byte> to) {
  std::vector<const FilterStep*> steps;  // that change the bytes, in reverse
  for (std::size_t i = array.filters.size(); i-- > 0;)
    if ((skipped >> i & 1) == 0) steps.push_back(&array.filters[i]);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const FilterStep& step = *steps[i];
    if (is_sum(step.id)) {
      if (form.bytes.size() < checksum_bytes) return "is too short for its checksum";
      if (step.id == crc32c_codec && !ends_with_crc32c(form.bytes)) return "does not match its checksum (crc32c)";
      if (step.id != crc32c_codec && !fletcher32_fits(form.bytes)) return "does not match its checksum (fletcher32)";
      form.bytes = form.bytes.first(form.bytes.size() - checksum_bytes);
      continue;
    }
    const bool last = i + 1 == steps.size();
    if (step.id == shuffle_filter) {
      const std::span<std::byte> room =
          last && form.bytes.size() == to.size() ? to : room_beside(form.bytes, form.bytes.size());
      const std::size_t size = step.values.empty() ? static_cast<std::size_t>(element_bytes) : step.values[0];
      const bool turns = form.turned && last && size == static_cast<std::size_t>(element_bytes);
      if (unshuffle(form.bytes, room.data(), size, turns)) form.turned = false;
      form.bytes = room;
      continue;
    }
    const std::span<std::byte> room = last ? to : room_beside(form.bytes, most_growth(to.size()));
    const std::size_t got = inflate(step.id, form.bytes, room);
    if (got == 0) return "does not decompress";
    form.bytes = room.first(got);
  }
  return {};
}

std::string Unpacker::unpack(std::span<const std::byte> packed, const StoredArray& array, std::uint32_t skipped,
                             int element_bytes, std::span<std::byte> to) {
  Form form{packed, array.little_endian};
  if (std::string problem = undo(form, array, skipped, element_bytes, to); !problem.empty()) return problem;
  if (form.bytes.size() != to.size()) return formatted("has {} bytes instead of {}", form.bytes.size(), to.size());
  if (form.bytes.data() != to.data()) std::copy(form.bytes.begin(), form.bytes.end(), to.begin());
  if (form.turned) byteswap_in_place(to, element_bytes);
  return {};
}

std::string Unpacker::unpack_up_to(std::span<const std::byte> packed, const StoredArray& array, int element_bytes,
                                   std::span<std::byte>& to) {
  Form form{packed, array.little_endian};
  if (std::string problem = undo(form, array, 0, element_bytes, to); !problem.empty()) return problem;
  if (form.bytes.size() > to.size())
    return formatted("has {} bytes, and at most {} are looked for", form.bytes.size(), to.size());
  to = to.first(form.bytes.size());
  if (form.bytes.data() != to.data()) std::copy(form.bytes.begin(), form.bytes.end(), to.begin());
  if (form.turned) byteswap_in_place(to, element_bytes);
  return {};
}

}  // namespace weir
