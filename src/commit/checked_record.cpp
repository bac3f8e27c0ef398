// SPDX-License-Identifier: Apache-2.0
#include "commit/checked_record.hpp"

#include <cstdint>
#include <cstring>

#include "base/numbers.hpp"

namespace weir {

namespace {

struct Head {
  std::uint64_t sum;  // of all that follows
  std::int64_t mark;
  std::uint64_t bytes;  // behind the head
};
static_assert(sizeof(Head) == record_head_bytes);

std::uint64_t sum_of(std::span<const std::byte> bytes) {
  std::uint64_t sum = fnv_start;
  for (const std::byte byte : bytes) sum = fnv_add(sum, std::to_integer<std::uint64_t>(byte));
  return sum;
}

}  // namespace

void seal(std::int64_t mark, std::span<std::byte> record) {
  Head head{0, mark, record.size() - sizeof head};
  std::memcpy(record.data(), &head, sizeof head);
  head.sum = sum_of(record.subspan(sizeof head.sum));
  std::memcpy(record.data(), &head.sum, sizeof head.sum);
}

std::size_t sealed_bytes(std::span<const std::byte, record_head_bytes> head) {
  const auto bytes = ArchiveReader(head).get<Head>().bytes;
  return bytes > SIZE_MAX - sizeof(Head) ? SIZE_MAX : sizeof(Head) + static_cast<std::size_t>(bytes);
}

std::optional<std::span<const std::byte>> unseal(std::int64_t mark, std::span<const std::byte> sealed) {
  if (sealed.size() < sizeof(Head)) return std::nullopt;
  const Head head = ArchiveReader(sealed).get<Head>();
  if (head.mark != mark || head.bytes > sealed.size() - sizeof head) return std::nullopt;
  const auto whole = sealed.first(sizeof head + head.bytes);
  if (head.sum != sum_of(whole.subspan(sizeof head.sum))) return std::nullopt;
  return whole.subspan(sizeof head);
}

}  // namespace weir
