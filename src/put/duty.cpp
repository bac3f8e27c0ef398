// SPDX-License-Identifier: Apache-2.0
#include "put/duty.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "rearrange/tile.hpp"

namespace weir {

namespace {

// The duty's tiles of one file; without memory where there is no staging.
std::vector<ReadyTile>& tiles_of(PutDuty& duty, const OpenFile* file, const Staging* staging) {
  std::vector<ReadyTile>& ready = duty.ready;
  ready.clear();
  for (const Entry& entry : duty.entries) {
    if (entry.file != file) continue;
    for (const HeldTile& tile : duty.tiles) {
      const Plan& plan = tile_plan(entry, tile);
      const Round& round = plan.rounds[entry.round];
      if (round.tile_elements == 0) continue;
      std::byte* memory = staging ? staging->own_tile(tile.place, entry.place.tile) : nullptr;
      if (memory) fill_holes(round, memory, entry.fill, plan.element_bytes);
      ready.push_back({entry.var, entry.record, &plan, entry.round, memory});
    }
  }
  return ready;
}

std::vector<Entry> of_file(const PutDuty& duty, const OpenFile* file) {
  std::vector<Entry> entries;
  std::copy_if(duty.entries.begin(), duty.entries.end(), std::back_inserter(entries),
               [&](const Entry& entry) { return entry.file == file; });
  return entries;
}

// The files of a duty, each once.
template <class Visit>
void for_each_file(const PutDuty& duty, Visit visit) {
  for (std::size_t i = 0; i < duty.entries.size(); ++i) {
    OpenFile* file = duty.entries[i].file;
    const bool handled = std::any_of(duty.entries.begin(), duty.entries.begin() + static_cast<std::ptrdiff_t>(i),
                                     [&](const Entry& entry) { return entry.file == file; });
    if (!handled && file->failure.ok()) visit(*file);
  }
}

}  // namespace

bool stores(const PutDuty& duty) {
  return std::any_of(duty.entries.begin(), duty.entries.end(),
                     [](const Entry& entry) { return entry.file->output->stores(); });
}

bool must_prepare(PutDuty& duty) {
  bool wanted = false;
  for_each_file(duty,
                [&](OpenFile& file) { wanted = wanted || file.output->must_prepare(tiles_of(duty, &file, nullptr)); });
  return wanted;
}

void prepare_tiles(PutDuty& duty) {
  for_each_file(duty, [&](OpenFile& file) { file.output->prepare(tiles_of(duty, &file, nullptr)); });
}

void write_tiles(PutDuty& duty, const Staging& staging, int rank_number) {
  for_each_file(duty, [&](OpenFile& file) {
    const std::vector<ReadyTile>& ready = tiles_of(duty, &file, &staging);
    if (ready.empty() && !file.output->collective()) return;
    Status status = file.output->write(ready);
    if (status.ok()) return;
    status.message = "rank " + std::to_string(rank_number) + ": writing of " + in_words(of_file(duty, &file)) + ": " +
                     status.message;
    status.subject = file.serial;
    duty.failures.push_back(std::move(status));
  });
}

}  // namespace weir
