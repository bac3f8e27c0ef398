// SPDX-License-Identifier: Apache-2.0
#include "core/layout_book.hpp"

#include <algorithm>

#include "core/shares.hpp"
#include "instance/instance.hpp"
#include "mpi/agree.hpp"

namespace weir::bridge {

namespace {

constexpr std::size_t most_layouts = 256;  // kept, before the oldest is forgotten
constexpr std::size_t most_seen = 65536;   // remembered, before all are forgotten

std::uint64_t signature_of(const LayoutBook::SlabWords& part) {
  std::uint64_t sum = 1;
  for (std::int64_t word : part) sum = mix(sum, static_cast<std::uint64_t>(word));
  return sum;
}

bool is_strided(const Slab& slab) {
  return std::any_of(slab.stride.begin(), slab.stride.end(), [](std::int64_t each) { return each != 1; });
}

// The slab's elements, as numbers in an array of these distances.
void add_offsets(const Slab& slab, IndexView distances, std::vector<std::int64_t>& offsets) {
  Shape at(slab.count.size(), 0);
  for (std::int64_t left = slab.elements(); left > 0; --left) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < at.size(); ++d)
      offset += (slab.start[d] + at[d] * (slab.stride.empty() ? 1 : slab.stride[d])) * distances[d];
    offsets.push_back(offset);
    for (std::size_t d = at.size(); d-- > 0 && ++at[d] == slab.count[d];) at[d] = 0;
  }
}

Layout layout_of(IndexView shape, std::span<const Slab> slabs) {
  if (std::any_of(slabs.begin(), slabs.end(), is_strided)) {
    std::vector<std::int64_t> offsets;
    const Shape distances = strides(shape);
    for (const Slab& slab : slabs) add_offsets(slab, distances, offsets);
    return Layout::map(shape, offsets);
  }
  std::vector<std::int64_t> starts, counts;
  for (const Slab& slab : slabs) {
    starts.insert(starts.end(), slab.start.begin(), slab.start.end());
    counts.insert(counts.end(), slab.count.begin(), slab.count.end());
  }
  return Layout::boxes(shape, starts, counts, {});
}

}  // namespace

LayoutBook::SlabWords LayoutBook::part(IndexView shape, std::span<const Slab> slabs) {
  SlabWords words(shape.begin(), shape.end());
  words.reserve((1 + 3 * slabs.size()) * (shape.size() + 1));
  for (const Slab& slab : slabs) {
    words.push_back(is_strided(slab) ? -2 : -1);
    words.insert(words.end(), slab.start.begin(), slab.start.end());
    words.insert(words.end(), slab.count.begin(), slab.count.end());
    if (is_strided(slab)) words.insert(words.end(), slab.stride.begin(), slab.stride.end());
  }
  return words;
}

int LayoutBook::find(const SlabWords& part) const {
  const auto found = numbers_.find(part);
  return found == numbers_.end() ? -1 : found->second;
}

bool LayoutBook::never_seen(std::span<const Share> shares) {
  if (seen_.size() > most_seen) seen_.clear();
  bool unseen = false;
  for (const Share& share : shares)
    if (share.layout < 0 && seen_.insert(signature_of(share.part)).second) unseen = true;
  return unseen;
}

int LayoutBook::define(IndexView shape, std::span<const Slab> slabs) {
  return add(shape, slabs, true);
}

int LayoutBook::define_once_each(IndexView shape, std::span<const Slab> slabs) {
  std::int64_t signature = 0;
  if (!slabs.empty()) signature = static_cast<std::int64_t>(signature_of(part(shape, slabs)) >> 1) | 1;
  const Comm& comm = weir_.comm();
  const auto all = allgather(comm, std::span(&signature, 1), weir_.pipeline().deadline(), "layout of a put");
  const bool first = std::find(all.begin(), all.end(), signature) - all.begin() == comm.rank();
  return add(shape, slabs, first);
}

int LayoutBook::add(IndexView shape, std::span<const Slab> slabs, bool hold) {
  if (parts_.size() >= most_layouts) forget_oldest();
  const int number =
      weir_.define_layout(shape, [&] { return layout_of(shape, hold ? slabs : std::span<const Slab>()); });
  if (!hold && !slabs.empty()) yielded_.insert(number);
  SlabWords mine = slabs.empty() ? SlabWords() : part(shape, slabs);
  if (!mine.empty()) numbers_[mine] = number;
  parts_.emplace(number, std::move(mine));
  return number;
}

void LayoutBook::forget_oldest() {
  const auto oldest = parts_.begin();
  const auto found = numbers_.find(oldest->second);
  if (found != numbers_.end() && found->second == oldest->first) numbers_.erase(found);
  hopeless_.erase(oldest->first);
  yielded_.erase(oldest->first);
  weir_.free_layout(oldest->first);
  parts_.erase(oldest);
}

}  // namespace weir::bridge
