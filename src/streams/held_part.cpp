// SPDX-License-Identifier: Apache-2.0
#include "streams/held_part.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace weir {

namespace {

// An element that is kept: where it is in the model's buffer, and in the flat part of the array.
struct KeptElement {
  std::int64_t in_memory;
  std::int64_t in_part;
};

// Adds the kept elements of a box whose first element is at `base` in memory.
class KeptElements {
 public:
  KeptElements(IndexView shape, const KeptIndices& kept)
      : kept_(kept), part_strides_(strides(part_shape(shape, kept))) {
    for (std::size_t d = 0; d < kept_.size(); ++d) {
      if (!kept_[d].empty()) continue;
      kept_[d].resize(static_cast<std::size_t>(shape[d]));
      std::iota(kept_[d].begin(), kept_[d].end(), 0);
    }
  }

  void add(Box box, std::int64_t base, IndexView memory_strides) { add(box, memory_strides, 0, base, 0); }
  // Of an array laid out flat.
  void add_run(IndexView shape, Box run, std::int64_t base, std::int64_t memory_stride) {
    const std::vector<std::int64_t> array_strides = strides(shape);
    for (std::int64_t i = run.lo[0]; i < run.hi[0]; ++i) {
      std::int64_t rest = i, in_part = 0;
      bool keeps = true;
      for (std::size_t d = 0; keeps && d < shape.size(); ++d) {
        const std::int64_t index = rest / array_strides[d];
        rest -= index * array_strides[d];
        const auto found = std::lower_bound(kept_[d].begin(), kept_[d].end(), index);
        keeps = found != kept_[d].end() && *found == index;
        in_part += (found - kept_[d].begin()) * part_strides_[d];
      }
      if (keeps) elements_.push_back({base + (i - run.lo[0]) * memory_stride, in_part});
    }
  }

  // By their place in memory.
  std::vector<KeptElement> take() {
    std::sort(elements_.begin(), elements_.end(),
              [](const KeptElement& a, const KeptElement& b) { return a.in_memory < b.in_memory; });
    return std::move(elements_);
  }

 private:
  void add(Box box, IndexView memory_strides, std::size_t d, std::int64_t in_memory, std::int64_t in_part) {
    if (d == kept_.size()) return elements_.push_back({in_memory, in_part});
    const std::vector<std::int64_t>& kept = kept_[d];
    for (auto k = std::lower_bound(kept.begin(), kept.end(), box.lo[d]); k != kept.end() && *k < box.hi[d]; ++k)
      add(box, memory_strides, d + 1, in_memory + (*k - box.lo[d]) * memory_strides[d],
          in_part + (k - kept.begin()) * part_strides_[d]);
  }

  KeptIndices kept_;
  std::vector<std::int64_t> part_strides_;
  std::vector<KeptElement> elements_;
};

}  // namespace

Shape part_shape(IndexView shape, const KeptIndices& kept) {
  Shape part(shape.begin(), shape.end());
  for (std::size_t d = 0; d < kept.size(); ++d)
    if (!kept[d].empty()) part[d] = static_cast<std::int64_t>(kept[d].size());
  return part;
}

HeldPart held_part(const Layout& layout, const KeptIndices& kept) {
  if (kept.empty()) return {held_runs(layout), compact(layout)};
  const Shape& shape = layout.shape();
  KeptElements elements(shape, kept);
  for (std::size_t piece = 0; piece < layout.pieces().size(); ++piece) {
    const Box box = layout.pieces()[piece];
    if (layout.flat())
      elements.add_run(shape, box, layout.base(piece), layout.memory_strides(piece)[0]);
    else
      elements.add(box, layout.base(piece), layout.memory_strides(piece));
  }
  HeldPart part;
  std::vector<std::int64_t> offsets;
  for (const KeptElement& element : elements.take()) {
    if (part.runs.empty() || part.runs.back().offset + part.runs.back().length != element.in_memory)
      part.runs.push_back({element.in_memory, 0});
    ++part.runs.back().length;
    offsets.push_back(element.in_part);
  }
  part.layout = Layout::map(part_shape(shape, kept), offsets);
  return part;
}

void gather(std::span<const HeldRun> runs, const void* from, std::int64_t element_bytes, void* to) noexcept {
  auto* out = static_cast<std::byte*>(to);
  for (const HeldRun& run : runs) {
    const auto bytes = static_cast<std::size_t>(run.length * element_bytes);
    std::memcpy(out, static_cast<const std::byte*>(from) + run.offset * element_bytes, bytes);
    out += bytes;
  }
}

}  // namespace weir
