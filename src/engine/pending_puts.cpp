// SPDX-License-Identifier: Apache-2.0
#include "engine/pending_puts.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "base/error.hpp"
#include "rearrange/copy.hpp"

namespace weir {

namespace {

constexpr std::size_t most_names = 2;

}  // namespace

std::string in_words(const std::vector<Entry>& entries) {
  std::size_t names = 0;
  std::string text;
  const Entry* before = nullptr;
  for (const Entry& entry : entries) {
    if (before && before->var == entry.var && before->record == entry.record && entry.round > 0) continue;
    before = &entry;
    if (++names > most_names) continue;
    const Schema& schema = entry.file->schema;
    text += (text.empty() ? "\"" : ", \"") + schema.variables()[static_cast<std::size_t>(entry.var)].name + "\"";
    if (schema.is_record(entry.var)) text += formatted(" record {}", entry.file->counting.number(entry.record));
  }
  if (entries.empty()) return "nothing";
  if (names > most_names) text += formatted(" and {} more", names - most_names);
  return formatted("{} into {}", text, entries.front().file->path);
}

RangeFailure stage(const Cycle& cycle, const Entry& entry, const Buffer& buffer, Staging& staging, const Reach& reach) {
  const StoreHint store_hint = entry.file->past_page_cache() ? StoreHint::streaming : StoreHint::cached;
  RangeFailure failure;
  std::int64_t packed = entry.reservation.packed;
  for (const Outgoing& out : entry.steps().outgoing) {
    if (!is_packed(cycle, out.owner_or_slot, reach)) {
      const Slot holder = cycle.holder(out.owner_or_slot);
      std::byte* tile = staging.tile(reach.number(holder.rank), holder.tile_buffer, entry.reservation.tile);
      failure.merge(encode(out.to_tile, buffer.values, buffer.memory_type, tile, buffer.external_type, entry.fill,
                           store_hint, entry.file->infinities));
    } else {
      std::byte* message = staging.packed(packed);
      failure.merge(encode(out.to_packed, buffer.values, buffer.memory_type, message, buffer.external_type, entry.fill,
                           StoreHint::cached, entry.file->infinities));
      packed += out.count * entry.plan->element_bytes;
    }
  }
  return failure;
}

void Batch::drop_failed() {
  std::erase_if(entries_, [](const Entry& entry) { return !entry.file->failure.ok(); });
}

bool writes_collectively(const std::vector<Entry>& entries) noexcept {
  return std::any_of(entries.begin(), entries.end(),
                     [](const Entry& entry) { return entry.file->output->collective(); });
}

namespace {

// The pending write's tiles of one file; without memory where there is no staging.
std::vector<ReadyTile>& tiles_of(PendingPuts& pending, const OpenFile* file, const Staging* staging) {
  std::vector<ReadyTile>& ready = pending.ready;
  ready.clear();
  each_tile(pending.entries.size(), pending.tiles, [&](std::size_t number, const HeldTile& tile) {
    const Entry& entry = pending.entries[number];
    if (entry.file != file) return;
    const TilePlan& plan = entry.tile(tile);
    if (plan.elements == 0) return;
    std::byte* memory = staging ? staging->own_tile(tile.tile_buffer, entry.reservation.tile) : nullptr;
    if (memory) fill_holes(plan, memory, entry.fill, entry.plan->element_bytes);
    ready.push_back({entry.var, entry.record, entry.plan, &plan, memory});
  });
  return ready;
}

std::vector<Entry> of_file(const PendingPuts& pending, const OpenFile* file) {
  std::vector<Entry> entries;
  std::copy_if(pending.entries.begin(), pending.entries.end(), std::back_inserter(entries),
               [&](const Entry& entry) { return entry.file == file; });
  return entries;
}

// The files of a pending write, each once.
template <class Visit>
void for_each_file(const PendingPuts& pending, Visit visit) {
  for (std::size_t i = 0; i < pending.entries.size(); ++i) {
    OpenFile* file = pending.entries[i].file;
    const bool handled = std::any_of(pending.entries.begin(), pending.entries.begin() + static_cast<std::ptrdiff_t>(i),
                                     [&](const Entry& entry) { return entry.file == file; });
    if (!handled && file->failure.ok()) visit(*file);
  }
}

// One file's share of a write, as a span of its own that says the bytes.
Status write_traced(OpenFile& file, std::span<const ReadyTile> ready, TraceLane& lane) {
  Span span(lane, Step::write, {.file = file.serial});
  const std::int64_t before = file.output->bytes_written();
  Status status = file.output->write(ready);
  span.detail().bytes = file.output->bytes_written() - before;
  return status;
}

}  // namespace

bool uses_storage(const PendingPuts& pending) {
  return std::any_of(pending.entries.begin(), pending.entries.end(),
                     [](const Entry& entry) { return entry.file->output->uses_storage(); });
}

bool must_prepare(PendingPuts& pending) {
  bool wanted = false;
  for_each_file(pending, [&](OpenFile& file) {
    wanted = wanted || file.output->must_prepare(tiles_of(pending, &file, nullptr));
  });
  return wanted;
}

void prepare_tiles(PendingPuts& pending) {
  for_each_file(pending, [&](OpenFile& file) { file.output->prepare(tiles_of(pending, &file, nullptr)); });
}

void write_tiles(PendingPuts& pending, const Staging& staging, int rank_number, TraceLane& lane) {
  for_each_file(pending, [&](OpenFile& file) {
    const auto write = [&]() -> Status {
      const std::vector<ReadyTile>& ready = tiles_of(pending, &file, &staging);
      if (ready.empty() && !file.output->collective()) return {};
      file.output->trace_by(lane);
      return write_traced(file, ready, lane);
    };
    Status status = outcome_to_agree_on(write);
    if (status.ok()) return;
    status.message =
        formatted("rank {}: writing of {}: {}", rank_number, in_words(of_file(pending, &file)), status.message);
    status.scope = Scope::of(file.serial);
    pending.failures.push_back(std::move(status));
  });
}

}  // namespace weir
