// SPDX-License-Identifier: Apache-2.0
#include "rearrange/copy.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

#include "rearrange/kernel.hpp"
#include "rearrange/kernel_table.hpp"

namespace weir {

void fill_holes(const TilePlan& plan, std::byte* tile, const ExternalValue& fill, int element_bytes) noexcept {
  for (const Stretch& hole : plan.fills) fill_elements(tile + hole.at * element_bytes, hole.count, fill, element_bytes);
}

RangeFailure encode(const CopyProgram& program, const void* source, Type memory_type, std::byte* target,
                    Type external_type, const ExternalValue& fill, StoreHint store_hint,
                    Infinities infinities) noexcept {
  const Kernel kernel =
      kernel_between<ByteOrder::native, ByteOrder::big>(memory_type, external_type, infinities, store_hint);
  return execute(program, kernel, static_cast<const std::byte*>(source), target, fill);
}

namespace {

// The memory type's default fill value in native order.
ExternalValue native_fill(Type memory_type) noexcept {
  ExternalValue value = default_fill(memory_type);
  if constexpr (std::endian::native == std::endian::little) {
    std::reverse(value.begin(), value.begin() + type_bytes(memory_type));
  }
  return value;
}

}  // namespace

RangeFailure decode(const CopyProgram& program, const std::byte* source, Type external_type, void* target,
                    Type memory_type, Infinities infinities) noexcept {
  const Kernel kernel = kernel_between<ByteOrder::big, ByteOrder::native>(external_type, memory_type, infinities);
  return execute(program, kernel, source, static_cast<std::byte*>(target), native_fill(memory_type));
}

// Copies bytes unchanged: pieces that are in external form already, and fill values.

namespace {

template <std::size_t Bytes>
Kernel copy_kernel() noexcept {
  return kernel_of<CopyElement<Bytes, ByteOrder::native>>();
}

Kernel copy_kernel(int element_bytes) noexcept {
  switch (element_bytes) {
    case 1:
      return copy_kernel<1>();
    case 2:
      return copy_kernel<2>();
    case 4:
      return copy_kernel<4>();
    default:
      return copy_kernel<8>();
  }
}

}  // namespace

void unpack(const CopyProgram& program, const std::byte* source, std::byte* target, int element_bytes) noexcept {
  execute(program, copy_kernel(element_bytes), source, target, ExternalValue{});
}

void fill_elements(std::byte* target, std::int64_t count, const ExternalValue& value, int element_bytes) noexcept {
  if (count <= 0) return;
  const auto total_bytes = static_cast<std::size_t>(count) * static_cast<std::size_t>(element_bytes);
  // Doubled up to a stamp that stays in the first cache, then stamped.
  constexpr std::size_t stamp_bytes = 4096;
  std::size_t filled_bytes = static_cast<std::size_t>(element_bytes);
  std::memcpy(target, value.data(), filled_bytes);
  while (filled_bytes < total_bytes) {
    const std::size_t next_bytes = std::min({filled_bytes, stamp_bytes, total_bytes - filled_bytes});
    std::memcpy(target + filled_bytes, target, next_bytes);
    filled_bytes += next_bytes;
  }
}

namespace {

// Edge of a tile, in elements: its source and target lines stay in the first cache together.
constexpr std::int64_t tile_edge = 32;
// Rows shorter than this cost more to begin than to copy.
constexpr std::int64_t short_row = 8;

struct Walk {
  const Kernel& kernel;
  const ExternalValue& fill;
  Misfits misfits;
};

// A block and the two of its loops that make its planes; the same one twice if it has only one.
struct Choice {
  const Block& block;
  std::size_t inner;
  std::size_t outer;
};

bool is_transpose(const Plane& plane) {
  return std::abs(plane.outer.source_stride) < std::abs(plane.inner.source_stride);
}

// The part of a plane that begins at (inner, outer) and has at most the given counts.
Plane part(const Plane& plane, std::int64_t inner, std::int64_t outer,
           const std::pair<std::int64_t, std::int64_t>& most) {
  Plane tile = plane;
  tile.source += inner * plane.inner.source_stride + outer * plane.outer.source_stride;
  tile.target += inner * plane.inner.target_stride + outer * plane.outer.target_stride;
  tile.inner.count = std::min(most.first, plane.inner.count - inner);
  tile.outer.count = std::min(most.second, plane.outer.count - outer);
  return tile;
}

constexpr std::int64_t line_bytes = 64;

template <int for_writing>
void prefetch(const std::byte* first, std::int64_t stride, std::int64_t rows, std::int64_t row_bytes) {
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t at = 0; at < row_bytes; at += line_bytes)
      __builtin_prefetch(first + row * stride + at, for_writing);
  }
}

// A tile's lines lie too far apart for the machine's own prefetching. Asking for them a tile ahead speeds up index
// swaps that do not fit the cache (index_swap in research/micro/rearrange.cpp) and costs those that do fit nothing.
void prefetch(const Plane& tile, const Kernel& kernel) {
  prefetch<0>(tile.source, tile.inner.source_stride, tile.inner.count, tile.outer.count * kernel.source_bytes);
  prefetch<1>(tile.target, tile.outer.target_stride, tile.outer.count, tile.inner.count * kernel.target_bytes);
}

// Tile by tile, so that a cache line fetched for one row is still there for the next. Within a tile the order is free:
// the longer loop goes inside.
void copy_tiled(Walk& walk, const Plane& plane) {
  const std::int64_t inner_edge = std::min(tile_edge, plane.inner.count);
  const std::int64_t outer_edge = tile_edge * tile_edge / inner_edge;
  for (std::int64_t outer = 0; outer < plane.outer.count; outer += outer_edge) {
    for (std::int64_t inner = 0; inner < plane.inner.count; inner += inner_edge) {
      Plane tile = part(plane, inner, outer, {inner_edge, outer_edge});
      const std::int64_t next = inner + inner_edge;
      if (next < plane.inner.count) prefetch(part(plane, next, outer, {inner_edge, outer_edge}), walk.kernel);
      if (tile.inner.count < short_row && tile.outer.count > tile.inner.count) std::swap(tile.inner, tile.outer);
      walk.kernel.copy_plane(tile, walk.fill, walk.misfits);
    }
  }
}

void copy_plane(Walk& walk, const Plane& plane) {
  if (is_transpose(plane) || (plane.inner.count < short_row && plane.outer.count > plane.inner.count)) {
    copy_tiled(walk, plane);
  } else {
    walk.kernel.copy_plane(plane, walk.fill, walk.misfits);
  }
}

Loop in_bytes(const Loop& loop, const Kernel& kernel) {
  return {loop.count, loop.source_stride * kernel.source_bytes, loop.target_stride * kernel.target_bytes};
}

// The innermost loop runs along the target. Its partner is the loop that runs along the source where that is another
// one (an index swap), else the next loop outwards.
Choice choose_plane(const Block& block) {
  const auto& loops = block.loops;
  const std::size_t inner = loops.size() - 1;
  std::size_t outer = loops.size() > 1 ? inner - 1 : inner;
  std::int64_t nearest = std::abs(loops[inner].source_stride);
  for (std::size_t i = 0; i < inner; ++i) {
    const std::int64_t stride = std::abs(loops[i].source_stride);
    if (stride == 0 || stride >= nearest) continue;
    nearest = stride;
    outer = i;
  }
  return {block, inner, outer};
}

// Depth by depth over the loops outside the plane. Recursion needs no memory but the stack's: one frame a dimension.
void copy_block(Walk& walk, const Choice& choice, std::size_t depth, const Plane& plane) {
  while (depth == choice.inner || depth == choice.outer) ++depth;
  if (depth >= choice.block.loops.size()) return copy_plane(walk, plane);
  const Loop loop = in_bytes(choice.block.loops[depth], walk.kernel);
  Plane next = plane;
  for (std::int64_t i = 0; i < loop.count; ++i) {
    copy_block(walk, choice, depth + 1, next);
    next.source += loop.source_stride;
    next.target += loop.target_stride;
  }
}

void copy_block(Walk& walk, const Block& block, const std::byte* source, std::byte* target) {
  const auto& loops = block.loops;
  if (std::ranges::any_of(loops, [](const Loop& loop) { return loop.count <= 0; })) return;
  Plane plane{source + block.source * walk.kernel.source_bytes,
              target + block.target * walk.kernel.target_bytes,
              {1, walk.kernel.source_bytes, walk.kernel.target_bytes},
              {1, 0, 0}};
  if (loops.empty()) return walk.kernel.copy_plane(plane, walk.fill, walk.misfits);
  const Choice choice = choose_plane(block);
  plane.inner = in_bytes(loops[choice.inner], walk.kernel);
  if (choice.outer != choice.inner) plane.outer = in_bytes(loops[choice.outer], walk.kernel);
  copy_block(walk, choice, 0, plane);
}

}  // namespace

RangeFailure execute(const CopyProgram& program, const Kernel& kernel, const std::byte* source, std::byte* target,
                     const ExternalValue& fill) noexcept {
  Walk walk{kernel, fill, {}};
  for (const Block& block : program.blocks) copy_block(walk, block, source, target);
  if (!program.runs.empty()) kernel.copy_runs({program.runs, source, target}, fill, walk.misfits);
  if (kernel.order_stores) kernel.order_stores();
  if (walk.misfits.count == 0) return {};
  return {walk.misfits.count, (walk.misfits.lowest - source) / kernel.source_bytes};
}

}  // namespace weir
