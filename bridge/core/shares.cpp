// SPDX-License-Identifier: Apache-2.0
#include "core/shares.hpp"

#include <algorithm>
#include <cstring>

#include "rearrange/copy.hpp"

namespace weir::bridge {

namespace {

class Cutter {
 public:
  Cutter(const Schema& schema, std::vector<Share>& shares) : schema_(schema), shares_(shares) {}

  void cut(const LocalSlabs& part) {
    const bool records = schema_.is_record(part.var);
    const auto* at = static_cast<const std::byte*>(part.values);
    for (const Slab& slab : part.slabs) {
      const std::int64_t elements = slab.elements();
      if (elements == 0) continue;
      const std::int64_t count = records ? slab.count[0] : 1;
      const auto bytes = static_cast<std::size_t>(elements / count * type_bytes(part.type));
      for (std::int64_t r = 0; r < count; ++r, at += bytes) {
        const std::int64_t step = records && !slab.stride.empty() ? slab.stride[0] : 1;
        Share& share = share_of(part, records ? slab.start[0] + r * step : 0);
        share.slabs.push_back(within_record(slab, records));
        share.chunks.emplace_back(at, bytes);
      }
    }
  }

 private:
  // Calls put few variables and records, mostly one after another: the one wanted is among the last.
  Share& share_of(const LocalSlabs& part, std::int64_t record) {
    int turn = 0;
    for (std::size_t i = shares_.size(); i-- > 0;) {
      Share& share = shares_[i];
      if (share.key.var != part.var || share.key.record != record) continue;
      if (share.type == part.type) return share;
      turn = std::max(turn, share.key.turn + 1);
    }
    shares_.push_back({{record, part.var, turn}, part.type, {}, {}, {}});
    return shares_.back();
  }

  static Slab within_record(const Slab& slab, bool records) {
    if (!records && !slab.count.empty()) return slab;
    const auto rest = [&](const Shape& all) { return all.empty() ? Shape() : Shape(all.begin() + records, all.end()); };
    Slab inner{rest(slab.start), rest(slab.count), rest(slab.stride)};
    if (inner.count.empty()) inner = {{0}, {1}, {}};
    return inner;
  }

  const Schema& schema_;
  std::vector<Share>& shares_;
};

}  // namespace

std::int64_t Share::elements() const noexcept {
  std::int64_t count = 0;
  for (const Slab& slab : slabs) count += slab.elements();
  return count;
}

const void* Share::values(std::vector<std::byte>& room) const {
  const std::byte* end = chunks.front().data();
  const bool joined = std::all_of(chunks.begin(), chunks.end(), [&](std::span<const std::byte> chunk) {
    const bool continues = chunk.data() == end;
    end = chunk.data() + chunk.size();
    return continues;
  });
  if (joined) return chunks.front().data();
  room.clear();
  for (const auto& chunk : chunks) room.insert(room.end(), chunk.begin(), chunk.end());
  return room.data();
}

std::int64_t misfits(const void* values, std::int64_t elements, Type memory, Type external, Infinities infinities) {
  if (memory == external) return 0;
  constexpr std::int64_t step = 4096;
  std::byte encoded[step * 8];
  std::int64_t count = 0;
  for (std::int64_t done = 0; done < elements; done += step) {
    CopyProgram program;
    program.runs.push_back({0, 0, std::min(step, elements - done)});
    const auto* from = static_cast<const std::byte*>(values) + done * type_bytes(memory);
    count += encode(program, from, memory, encoded, external, {}, StoreHint::cached, infinities).count;
  }
  return count;
}

Shape shape_of(const Schema& schema, int var) {
  Shape shape = schema.shape(var);
  if (shape.empty()) shape = {1};
  return shape;
}

std::vector<Share> cut_into_shares(const Schema& schema, std::span<const LocalSlabs> parts) {
  std::vector<Share> shares;
  Cutter cutter(schema, shares);
  for (const LocalSlabs& part : parts) cutter.cut(part);
  std::sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) { return a.key < b.key; });
  for (Share& share : shares) share.part = LayoutBook::part(shape_of(schema, share.key.var), share.slabs);
  return shares;
}

}  // namespace weir::bridge
