// SPDX-License-Identifier: Apache-2.0
#include "write/zarr/kept_records.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/descriptor.hpp"
#include "write/packing/crc32c.hpp"

namespace weir {

namespace {

// From the file's big-endian to this machine's, which zarr.json tells.
void turn(std::span<std::byte> bytes, int element_bytes) {
  if constexpr (std::endian::native == std::endian::big) return;
  for (std::size_t at = 0; at < bytes.size(); at += static_cast<std::size_t>(element_bytes))
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                 bytes.begin() + static_cast<std::ptrdiff_t>(at) + element_bytes);
}

}  // namespace

Status KeptRecords::write(std::span<const std::byte> notes, const std::string& folder, Durability durability,
                          std::vector<ZarrFolder::Pending>& files) const try {
  std::map<Place, std::vector<std::byte>> chunks;
  for (const auto& [head, values] : in_order(notes)) {
    const Place place{head.var, kept_name(arrays_[static_cast<std::size_t>(head.var)], head.record)};
    auto chunk = chunks.find(place);
    if (chunk == chunks.end()) chunk = chunks.emplace(place, read(folder, place)).first;
    put(head, values, chunk->second);
  }
  for (auto& [place, chunk] : chunks) {
    const std::string& name = schema_.variable(static_cast<int>(place.first)).name;
    const auto sum = crc32c_codec_bytes(chunk);
    chunk.insert(chunk.end(), sum.begin(), sum.end());
    if (Status status = write_pending(folder + "/" + name, place.second, chunk, durability); !status.ok())
      return status;
    files.push_back({name, place.second});
  }
  return {};
} catch (const Error& error) {
  return {error.code(), error.what(), -1};
}

// The chunk as it is in the folder, without its sum; of fill value where there is none yet.
std::vector<std::byte> KeptRecords::read(const std::string& folder, const Place& place) const {
  const int var = static_cast<int>(place.first);
  const ZarrArray& array = arrays_[static_cast<std::size_t>(var)];
  const int size = type_bytes(schema_.variable(var).type);
  std::vector<std::byte> chunk(static_cast<std::size_t>(schema_.elements(var) * array.records * size));
  const std::string path = folder + "/" + schema_.variable(var).name + "/" + place.second;
  if (::access(path.c_str(), F_OK) == 0) {
    open_to_read(path).read(chunk.data(), std::ssize(chunk), 0);
    return chunk;
  }
  const ExternalValue fill = schema_.fill_value(var);
  for (std::size_t at = 0; at < chunk.size(); at += static_cast<std::size_t>(size))
    std::copy_n(fill.begin(), size, chunk.begin() + static_cast<std::ptrdiff_t>(at));
  turn(chunk, size);
  return chunk;
}

void KeptRecords::put(const KeptNotes::Head& head, std::span<const std::byte> values,
                      std::vector<std::byte>& chunk) const {
  const int var = static_cast<int>(head.var);
  const ZarrArray& array = arrays_[static_cast<std::size_t>(var)];
  const int size = type_bytes(schema_.variable(var).type);
  const std::int64_t at = head.record % array.records * schema_.elements(var) * size + head.first;
  std::copy(values.begin(), values.end(), chunk.begin() + at);
  turn(std::span(chunk).subspan(static_cast<std::size_t>(at), values.size()), size);
}

}  // namespace weir
