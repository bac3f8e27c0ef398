// SPDX-License-Identifier: Apache-2.0
#include "write/zarr/kept_records.hpp"

#include <algorithm>
#include <utility>

namespace weir {

Status KeptRecords::write(std::span<const std::byte> notes, Durability durability,
                          std::vector<ZarrFolder::Pending>& files) try {
  std::map<int, Files> all;
  for (const auto& [head, values] : in_order(notes)) put(head, values, all[static_cast<int>(head.var)]);
  Packer packer;
  for (auto& [var, parts] : all) {
    const std::string& name = schema_.variable(var).name;
    for (auto& [file, part] : parts) {
      const std::vector<std::byte> bytes = part.packed(packer);
      if (Status status = write_pending(folder_ + "/" + name, file, bytes, durability); !status.ok()) return status;
      files.push_back({name, file});
    }
  }
  return {};
} catch (const Error& error) {
  return {error.code(), error.what(), -1};
}

// In pieces that lie in one file, in one row of it.
void KeptRecords::put(const DeferredValues::Head& head, std::span<const std::byte> values, Files& files) {
  const int var = static_cast<int>(head.var);
  const ZarrArray& array = arrays_[static_cast<std::size_t>(var)];
  const std::int64_t size = type_bytes(schema_.variable(var).type);
  const Shape shape = array.shape.empty() ? Shape{1} : array.shape;
  const Shape part = array.shape.empty() ? Shape{1} : array.shard;
  const std::vector<std::int64_t> in_shape = strides(shape), in_part = strides(part);
  const std::size_t last = shape.size() - 1;
  Shape index(shape.size()), inside(shape.size());
  const std::int64_t end = (head.first + head.bytes) / size;
  for (std::int64_t at = head.first / size, run = 0; at < end; at += run) {
    for (std::size_t d = 0; d < shape.size(); ++d) {
      index[d] = at / in_shape[d] % shape[d];
      inside[d] = index[d] % part[d];
    }
    run = std::min({end - at, shape[last] - index[last], part[last] - inside[last]});
    const std::int64_t first = head.record % array.records * elements(part) + offset(inside, in_part);
    const auto from =
        values.subspan(static_cast<std::size_t>(at * size - head.first), static_cast<std::size_t>(run * size));
    std::copy(from.begin(), from.end(), part_of(var, head.record, index, files).elements().begin() + first * size);
  }
}

KeptPart& KeptRecords::part_of(int var, std::int64_t record, IndexView index, Files& files) {
  const ZarrArray& array = arrays_[static_cast<std::size_t>(var)];
  const std::string name = file_name(array, record, index);
  if (const auto known = files.find(name); known != files.end()) return known->second;
  KeptPart& part = files.try_emplace(name, array, type_bytes(schema_.variable(var).type)).first->second;
  part.read(folder_ + "/" + schema_.variable(var).name + "/" + name, record / array.records * array.records, unpacker_);
  return part;
}

}  // namespace weir
