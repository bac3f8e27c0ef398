// SPDX-License-Identifier: Apache-2.0
#include "core/small_writes.hpp"

#include <iterator>

#include "base/archive.hpp"
#include "rearrange/copy.hpp"

namespace weir::bridge {

namespace {

// A message: how many shares; of each its record, variable and runs, then their bytes.
struct PlacedRun {
  std::int64_t offset, bytes;
};
constexpr std::int64_t words_of_share = 3, words_of_run = 2;

bool has_steps(const Slab& slab) {
  return !slab.stride.empty() && slab.stride.back() != 1;
}

std::int64_t runs_of(const Slab& slab) noexcept {
  return has_steps(slab) ? slab.elements() : slab.elements() / slab.count.back();
}

// Each stretch of the slab's last dimension: its first element in an array of `shape`, and how many.
template <class Body>
void each_run(const Slab& slab, IndexView shape, Body body) {
  const Shape distances = strides(shape);
  const std::int64_t length = has_steps(slab) ? 1 : slab.count.back();
  Shape at(slab.count.size(), 0);
  for (std::int64_t left = slab.elements(); left > 0; left -= length) {
    std::int64_t element = 0;
    for (std::size_t d = 0; d < at.size(); ++d)
      element += (slab.start[d] + at[d] * (slab.stride.empty() ? 1 : slab.stride[d])) * distances[d];
    body(element, length);
    at.back() += length;
    for (std::size_t d = at.size(); --d > 0 && at[d] == slab.count[d]; ++at[d - 1]) at[d] = 0;
  }
}

SmallWrites::BytesByOffset read_rank(ArchiveReader& archive, SmallWrites::Call& call) {
  SmallWrites::BytesByOffset places;
  for (auto shares = archive.get<std::int64_t>(); shares > 0; --shares) {
    const auto record = archive.get<std::int64_t>();
    call.where.insert({archive.get<int>(), record});
    const auto runs = archive.view<PlacedRun>();
    std::int64_t bytes = 0;
    for (const PlacedRun& run : runs) bytes += run.bytes;
    const auto* from = archive.take(static_cast<std::size_t>(bytes)).data();
    for (const PlacedRun& run : runs) {
      if (!places.emplace(run.offset, std::vector(from, from + run.bytes)).second) call.overlaps = true;
      from += run.bytes;
    }
  }
  return places;
}

bool overlap(const SmallWrites::BytesByOffset& places) {
  std::int64_t end = INT64_MIN;
  for (const auto& [offset, bytes] : places) {
    if (offset < end) return true;
    end = offset + std::ssize(bytes);
  }
  return false;
}

}  // namespace

std::int64_t SmallWrites::words(std::span<const Share> shares) noexcept {
  std::int64_t words = 1;
  for (const Share& share : shares) {
    words += words_of_share + share.elements();  // of at most a word each in the file
    for (const Slab& slab : share.slabs) words += words_of_run * runs_of(slab);
  }
  return words;
}

std::vector<std::int64_t> SmallWrites::message(const Schema& schema, const Geometry& geometry,
                                               std::span<const Share> shares, Infinities infinities,
                                               std::int64_t& misfits) {
  std::vector<std::int64_t> words;
  ArchiveWriter archive(words);
  archive(shares.size());
  std::vector<std::byte> room;
  misfits = 0;
  for (const Share& share : shares) {
    const auto var = static_cast<std::size_t>(share.key.var);
    const Type external = schema.variables()[var].type;
    const std::int64_t size = type_bytes(external);
    const std::int64_t begin = geometry.first_byte(share.key.var, share.key.record);
    std::vector<PlacedRun> runs;
    for (const Slab& slab : share.slabs)
      each_run(slab, shape_of(schema, share.key.var), [&](std::int64_t element, std::int64_t length) {
        runs.push_back({begin + element * size, length * size});
      });
    archive(share.key.record, share.key.var, runs);
    std::byte* bytes = archive.room(static_cast<std::size_t>(share.elements() * size));
    CopyProgram program;
    program.runs.push_back({0, 0, share.elements()});
    misfits += encode(program, share.values(room), share.type, bytes, external, schema.fill_value(share.key.var),
                      StoreHint::cached, infinities)
                   .count;
  }
  return words;
}

SmallWrites::Call SmallWrites::read(std::span<const std::int64_t> messages) {
  Call call;
  for (ArchiveReader archive(messages); !archive.at_end();) {
    for (auto& [place, bytes] : read_rank(archive, call)) {
      const auto [found, is_new] = call.places.try_emplace(place, bytes);
      if (!is_new && found->second.size() != bytes.size()) call.overlaps = true;
    }
  }
  call.overlaps = call.overlaps || overlap(call.places);
  return call;
}

bool SmallWrites::lies_across(const Call& call) const {
  for (const auto& [place, bytes] : call.places) {
    const auto same = places_.find(place);
    if (same != places_.end() && same->second.size() == bytes.size()) continue;
    const auto after = places_.lower_bound(place);
    if (after != places_.end() && after->first < place + std::ssize(bytes)) return true;
    if (after == places_.begin()) continue;
    const auto before = std::prev(after);
    if (before->first + std::ssize(before->second) > place) return true;
  }
  return false;
}

void SmallWrites::add(Call call) {
  where_.merge(call.where);
  for (auto& [place, bytes] : call.places) {
    const std::int64_t count = std::ssize(bytes);
    if (places_.insert_or_assign(place, std::move(bytes)).second) bytes_ += count;
  }
}

std::vector<Extent> SmallWrites::extents() const {
  std::vector<Extent> extents;
  for (const auto& [place, bytes] : places_) extents.push_back({place, std::ssize(bytes), bytes.data()});
  return extents;
}

void SmallWrites::clear() noexcept {
  where_.clear();
  places_.clear();
  bytes_ = 0;
}

}  // namespace weir::bridge
