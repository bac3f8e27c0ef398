// SPDX-License-Identifier: Apache-2.0
#include "engine/own_read.hpp"

#include <algorithm>
#include <utility>

#include "plan/file_runs.hpp"

namespace weir {

namespace {

constexpr std::int64_t cached_gap_bytes = 8 << 10;  // of the cache: a copy of it takes as long as a call
constexpr std::int64_t short_run_bytes = 128;       // on the average: of shorter ones the gaps are what is read
constexpr std::int64_t few_bytes = 64 << 10;        // are read whatever their runs
constexpr std::int64_t most_times = 8;              // as much as is wanted

// Contiguous runs of the file order that a piece has at most.
std::int64_t runs_of(const Box& piece, const Shape& space) {
  const std::size_t inner = contiguous_from(piece, space);
  std::int64_t runs = 1;
  for (std::size_t d = 0; d < inner; ++d) runs *= piece.hi[d] - piece.lo[d];
  return runs;
}

// They grow part by part.
class GrownBlocks {
 public:
  GrownBlocks(OwnPlan& plan, std::int64_t most, std::int64_t gap) : plan_(plan), most_(most), gap_(gap) {}
  void add(const FileRun& part) {
    const bool continues = !plan_.blocks.empty() && part.element - end() <= gap_;
    const std::int64_t more = continues ? std::max<std::int64_t>(0, part.element + part.count - end()) : part.count;
    if (plan_.blocks.empty() || plan_.blocks.back().elements + more > most_)
      begin(part);
    else if (continues)
      lengthen(more);
    else
      plan_.blocks.back().stretches.push_back({part.element, grow(part.count), part.count});
    const Stretch& last = plan_.blocks.back().stretches.back();
    append(plan_.blocks.back().program,
           {last.at + part.element - last.element, part.memory, {{part.count, 1, part.memory_stride}}});
    plan_.elements_wanted += part.count;
  }

 private:
  std::int64_t end() const {
    const Stretch& last = plan_.blocks.back().stretches.back();
    return last.element + last.count;
  }
  std::int64_t grow(std::int64_t count) {
    plan_.elements_read += count;
    return std::exchange(plan_.blocks.back().elements, plan_.blocks.back().elements + count);
  }
  void begin(const FileRun& part) {
    plan_.blocks.emplace_back();
    plan_.blocks.back().stretches.push_back({part.element, grow(part.count), part.count});
  }
  void lengthen(std::int64_t count) {
    grow(count);
    plan_.blocks.back().stretches.back().count += count;
  }

  OwnPlan& plan_;
  std::int64_t most_, gap_;
};

TileToRead tile_of(const OwnReadRequest& wish, std::size_t block, std::byte* memory) {
  return {wish.var, wish.record, wish.plan->blocks[block].stretches, type_bytes(wish.external_type), memory};
}

}  // namespace

bool has_long_runs(const Layout& layout, int element_bytes) {
  const std::int64_t bytes = layout.elements_held() * element_bytes;
  if (bytes <= few_bytes) return true;
  const Shape space = layout.space();
  std::int64_t runs = 0;
  for (std::size_t p = 0; p < layout.pieces().size(); ++p) runs += runs_of(layout.pieces()[p], space);
  return bytes / runs >= short_run_bytes;
}

OwnPlan plan_own(const Layout& layout, int element_bytes, std::int64_t most_bytes) {
  OwnPlan plan;
  const std::int64_t most = std::max<std::int64_t>(1, most_bytes / element_bytes);
  GrownBlocks blocks(plan, most, cached_gap_bytes / element_bytes);
  for (const FileRun& part : file_runs(layout.flattened(), most)) blocks.add(part);
  return plan;
}

bool reads_little_more(const OwnPlan& plan, int element_bytes) noexcept {
  return plan.elements_read / most_times <= std::max(plan.elements_wanted, few_bytes / element_bytes);
}

std::int64_t memory_bytes(const OwnPlan& plan) noexcept {
  std::int64_t bytes = 0;
  for (const OwnPlan::Block& block : plan.blocks)
    bytes += static_cast<std::int64_t>(sizeof block + block.stretches.capacity() * sizeof block.stretches[0]) +
             memory_bytes(block.program);
  return bytes;
}

Status OwnRead::execute(const std::shared_ptr<TileSource>& source, const OwnReadRequest& wish, RangeFailure& failure) {
  parts_.tally.bytes_got += wish.plan->elements_wanted * type_bytes(wish.external_type);
  for (std::size_t b = 0; b < wish.plan->blocks.size(); ++b) {
    if (Status status = read(source, wish, b); !status.ok()) return status;
    const Span span(parts_.trace.main(), Step::get, parts_.tally.get_seconds, {});
    failure.merge(decode(wish.plan->blocks[b].program, memory_->data(), wish.external_type, wish.values,
                         wish.memory_type, wish.infinities));
  }
  if (wish.plan->blocks.empty() || source->is_whole()) return {};
  return parts_.storage.run([source] { return source->check(), Status(); }, "reading");
}

Status OwnRead::read(const std::shared_ptr<TileSource>& source, const OwnReadRequest& wish, std::size_t block) {
  const std::int64_t bytes = wish.plan->blocks[block].elements * type_bytes(wish.external_type);
  if (!memory_) memory_ = std::make_shared<std::vector<std::byte>>();
  memory_->resize(std::max(memory_->size(), static_cast<std::size_t>(bytes)));
  const Span span(parts_.trace.main(), Step::read, parts_.tally.read_seconds, {});
  if (source->try_read_cached(tile_of(wish, block, memory_->data()))) return {};
  const std::int64_t before = source->count().bytes;
  const auto call = [source, wish, block, memory = memory_] {
    const TileToRead tile = tile_of(wish, block, memory->data());
    source->read({&tile, 1});
    return Status();
  };
  Status status = parts_.storage.run(call, "reading");
  parts_.tally.bytes_read += source->count().bytes - before;
  return status;
}

}  // namespace weir
