// SPDX-License-Identifier: Apache-2.0
#include "core/type_map.hpp"

#include <utility>

#include "core/datatype_contents.hpp"

namespace weir::bridge {

namespace {

constexpr int most_depth = 64;
constexpr std::int64_t most_blocks = 1 << 19;  // read of one datatype, all that it is made of counted

std::int64_t extent_of(MPI_Datatype datatype) {
  MPI_Count low = 0, extent = 0;
  MPI_Type_get_extent_x(datatype, &low, &extent);
  return extent;
}

}  // namespace

class TypeReader {
 public:
  explicit TypeReader(TypeMap& map) : map_(map) {}

  std::optional<std::size_t> read(MPI_Datatype datatype, int depth = 0) {
    const DatatypeContents contents(datatype);
    left_ -= 1 + contents.blocks();
    if (left_ < 0 || depth > most_depth) return std::nullopt;
    if (contents.combiner == MPI_COMBINER_NAMED) return basic(datatype);
    std::vector<Subtype> parts;
    for (MPI_Datatype part : contents.parts) {
      const auto node = read(part, depth + 1);
      if (!node) return std::nullopt;
      parts.push_back({*node, extent_of(part)});
    }
    return parts.empty() ? map_.add({}) : make(contents, parts);
  }

 private:
  using Loop = TypeMap::Loop;
  struct Subtype {
    std::size_t node;
    std::int64_t extent;
  };

  std::optional<std::size_t> basic(MPI_Datatype datatype) {
    int bytes = 0;
    MPI_Type_size(datatype, &bytes);
    if (extent_of(datatype) != bytes) return std::nullopt;
    map_.nodes_.push_back({{0, bytes}, {}});
    return map_.nodes_.size() - 1;
  }

  std::optional<std::size_t> make(const DatatypeContents& contents, const std::vector<Subtype>& parts) {
    const std::vector<std::int64_t>& numbers = contents.numbers;
    const auto [node, extent] = parts.front();
    switch (contents.combiner) {
      case MPI_COMBINER_DUP:
      case MPI_COMBINER_RESIZED:
        return node;
      case MPI_COMBINER_CONTIGUOUS:
        return map_.add({{0, numbers[0], extent, node}});
      case MPI_COMBINER_VECTOR:
        return vector(numbers, numbers[2] * extent, parts.front());
      case MPI_COMBINER_HVECTOR:
        return vector(numbers, contents.places[0], parts.front());
      case MPI_COMBINER_SUBARRAY:
        return subarray(numbers, parts.front());
      case MPI_COMBINER_INDEXED:
      case MPI_COMBINER_HINDEXED:
      case MPI_COMBINER_INDEXED_BLOCK:
      case MPI_COMBINER_HINDEXED_BLOCK:
      case MPI_COMBINER_STRUCT:
        return blocks(contents, parts);
      default:
        return std::nullopt;
    }
  }

  // numbers: count, length of a block.
  std::size_t vector(const std::vector<std::int64_t>& numbers, std::int64_t stride, Subtype part) {
    const std::size_t block = map_.add({{0, numbers[1], part.extent, part.node}});
    return map_.add({{0, numbers[0], stride, block}});
  }

  // numbers: count; the blocks' lengths, or the one of all; the blocks' places, where they are not addresses.
  std::size_t blocks(const DatatypeContents& contents, const std::vector<Subtype>& parts) {
    const std::vector<std::int64_t>& numbers = contents.numbers;
    const auto count = static_cast<std::size_t>(numbers[0]);
    const bool one_length =
        contents.combiner == MPI_COMBINER_INDEXED_BLOCK || contents.combiner == MPI_COMBINER_HINDEXED_BLOCK;
    const std::size_t first_place = one_length ? 2 : 1 + count;
    std::vector<Loop> loops;
    for (std::size_t i = 0; i < count; ++i) {
      const Subtype& part = parts[parts.size() == 1 ? 0 : i];
      const std::int64_t begin = contents.places.empty() ? numbers[first_place + i] * part.extent : contents.places[i];
      loops.push_back({begin, numbers[one_length ? 1 : 1 + i], part.extent, part.node});
    }
    return map_.add(std::move(loops));
  }

  // numbers: dimensions; sizes, sizes of the part and its beginnings, of all dimensions each; order.
  std::size_t subarray(const std::vector<std::int64_t>& numbers, Subtype part) {
    const auto ndims = static_cast<std::size_t>(numbers[0]);
    std::int64_t distance = part.extent;
    std::size_t node = part.node;
    for (std::size_t i = 0; i < ndims; ++i) {
      const std::size_t d = 1 + (numbers.back() == MPI_ORDER_C ? ndims - 1 - i : i);
      node = map_.add({{numbers[2 * ndims + d] * distance, numbers[ndims + d], distance, node}});
      distance *= numbers[d];
    }
    return node;
  }

  TypeMap& map_;
  std::int64_t left_ = most_blocks;
};

std::optional<TypeMap> TypeMap::of(MPI_Datatype datatype) {
  TypeMap map;
  const auto root = TypeReader(map).read(datatype);
  if (!root) return std::nullopt;
  map.root_ = *root;
  return map;
}

std::optional<ByteRun> TypeMap::as_run(const Loop& loop) const {
  const Node& node = nodes_[loop.node];
  if (!node.loops.empty() || (loop.count > 1 && loop.stride != node.run.bytes)) return std::nullopt;
  return ByteRun{loop.begin + node.run.begin, loop.count * node.run.bytes};
}

std::optional<ByteRun> TypeMap::as_run(const std::vector<Loop>& loops) const {
  ByteRun all;
  for (const Loop& loop : loops) {
    const auto run = as_run(loop);
    if (!run || (all.bytes > 0 && run->begin != all.begin + all.bytes)) return std::nullopt;
    all = {all.bytes > 0 ? all.begin : run->begin, all.bytes + run->bytes};
  }
  return all;
}

// What is empty is left out, so that a walk comes to a run with each step.
std::size_t TypeMap::add(std::vector<Loop> loops) {
  std::erase_if(loops, [&](const Loop& loop) {
    const Node& node = nodes_[loop.node];
    return loop.count == 0 || (node.loops.empty() && node.run.bytes == 0);
  });
  if (const auto run = as_run(loops))
    nodes_.push_back({*run, {}});
  else
    nodes_.push_back({{}, std::move(loops)});
  return nodes_.size() - 1;
}

bool TypeMap::walk(std::size_t node, std::int64_t at, const Body& body) const {
  const auto& [run, loops] = nodes_[node];
  if (loops.empty()) return run.bytes == 0 || body({at + run.begin, run.bytes});
  for (const Loop& loop : loops) {
    if (const auto joined = as_run(loop)) {
      if (!body({at + joined->begin, joined->bytes})) return false;
      continue;
    }
    for (std::int64_t i = 0; i < loop.count; ++i)
      if (!walk(loop.node, at + loop.begin + i * loop.stride, body)) return false;
  }
  return true;
}

}  // namespace weir::bridge
