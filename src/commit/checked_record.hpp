// SPDX-License-Identifier: Apache-2.0
// Records next to a file for the next run to read: what base/archive.hpp makes of a struct, after a checksum over all
// of it, so that a truncated record, or another program's file, is not mistaken for one. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/archive.hpp"

namespace weir {

inline constexpr std::size_t record_head_bytes = 24;  // the checksum, the mark, how many bytes follow

// Writes the head of a record that is whole but for it.
void seal(std::int64_t mark, std::span<std::byte> record);
// The length of a record that begins with this head, by what the head says. Nothing is checked: unseal() does.
std::size_t sealed_bytes(std::span<const std::byte, record_head_bytes> head);
// The bytes behind the head; nullopt: not all of it is there, or it is of another kind. What stands behind it does not
// matter.
std::optional<std::span<const std::byte>> unseal(std::int64_t mark, std::span<const std::byte> sealed);

// mark: what kind of record it is.
template <class Record>
std::vector<std::byte> sealed_record(std::int64_t mark, const Record& record) {
  std::vector<std::byte> bytes(record_head_bytes);
  ArchiveWriter archive(bytes);
  archive(record);
  seal(mark, bytes);
  return bytes;
}

// Throws Error(WEIR_EFORMAT) where the checksum holds and the record is truncated all the same.
template <class Record>
std::optional<Record> read_sealed_record(std::int64_t mark, std::span<const std::byte> sealed) {
  const auto bytes = unseal(mark, sealed);
  if (!bytes) return std::nullopt;
  const auto truncated = [](const std::string&) {
    return std::string("a record that a run has left next to a file is truncated");
  };
  return ArchiveReader(*bytes, {WEIR_EFORMAT, truncated}).get<Record>();
}

}  // namespace weir
