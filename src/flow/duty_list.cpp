// SPDX-License-Identifier: Apache-2.0
#include "flow/duty_list.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace weir {

Duty* DutyList::make(const Cycle& cycle, std::int64_t tile_bytes, int relayed, bool collective) {
  tiles_.clear();
  find_tiles(cycle);
  if (!collective && tiles_.empty()) return nullptr;
  if (spare_.empty()) spare_.push_back(std::make_unique<Duty>());
  duties_.push_back(std::move(spare_.back()));
  spare_.pop_back();
  Duty& duty = *duties_.back();
  duty.cycle = cycle.number;
  duty.entries = cycle.batch.entries();
  duty.tiles = tiles_;
  duty.seats = cycle.seats;
  duty.place = cycle.place;
  duty.collective = collective;
  duty.seconds = duty.hidden_seconds = 0;
  duty.forced = duty.done = false;
  duty.relayed = relayed;
  duty.missing = relayed + contributions(duty, cycle);
  for (const HeldTile& tile : duty.tiles) parts_.staging.hold(tile.place, tile_bytes);
  return &duty;
}

// Of this rank: the seats that it has, or the tile that the plan gives it.
void DutyList::find_tiles(const Cycle& cycle) {
  const auto& entries = cycle.batch.entries();
  const bool owns = cycle.fixed && std::any_of(entries.begin(), entries.end(),
                                               [](const Entry& entry) { return entry.steps().tile_elements > 0; });
  if (owns) tiles_.push_back({parts_.comm.rank(), cycle.place});
  for (std::size_t s = 0; s < cycle.seats.size(); ++s)
    if (cycle.seats[s].rank == parts_.comm.rank()) tiles_.push_back({static_cast<int>(s), cycle.seats[s].place});
}

// Those that come in messages: this rank's own too, if it gave them to a relay.
std::int64_t DutyList::contributions(const Duty& duty, const Cycle& cycle) const {
  const bool given_away = cycle.relay >= 0 && cycle.relay != parts_.comm.rank();
  std::int64_t count = 0;
  for (const HeldTile& tile : duty.tiles)
    for (const Entry& entry : duty.entries) {
      const Round& round = tile_plan(entry, tile).rounds[entry.round];
      count +=
          cycle.fixed ? std::ssize(round.incoming) : round.contributors - (given_away ? 0 : round.near_contributors);
    }
  return count;
}

bool DutyList::under_way(std::int64_t released) const noexcept {
  return std::any_of(begin(), end(),
                     [&](const auto& duty) { return duty->missing.load() > 0 || duty->cycle <= released; });
}

void DutyList::pop() {
  Duty& duty = *duties_.front();
  parts_.tally.write_seconds += duty.seconds;
  parts_.tally.hidden_seconds += duty.hidden_seconds;
  for (const HeldTile& tile : duty.tiles) parts_.staging.hold(tile.place, 0);
  std::move(duty.failures.begin(), duty.failures.end(), std::back_inserter(parts_.noted));
  duty.failures.clear();
  spare_.push_back(std::move(duties_.front()));
  duties_.erase(duties_.begin());
}

int most_at_once(const Duty& duty, const FlowParts& parts) {
  if (parts.config.writers_at_once > 0) return parts.config.writers_at_once;
  const bool one = std::any_of(duty.entries.begin(), duty.entries.end(),
                               [](const Entry& entry) { return entry.file->output->one_at_a_time(); });
  return one ? 1 : parts.machine.ranks();
}

std::string within(const Deadline& deadline) {
  return " within " + std::to_string(deadline.seconds()) + " s";
}

std::string incomplete(const Duty& duty, const Board& board, const Deadline& deadline) {
  const std::string ranks = board.not_put(duty.cycle);
  const std::string what = in_words(duty.entries) + within(deadline);
  if (!ranks.empty()) return "rank(s) " + ranks + " of this host did not come to the put of " + what;
  return std::to_string(duty.missing.load()) + " piece(s) have not come from ranks of other hosts of the put of " +
         what;
}

std::string not_written(const Duty& duty, const Deadline& deadline) {
  return in_words(duty.entries) + " was not written" + within(deadline) +
         ": the disk, or a rank of this host that writes too, does not come to an end";
}

std::string not_written(std::uint32_t cycle, const Board& board, const Deadline& deadline) {
  const std::string late = board.not_put(cycle);
  if (!late.empty())
    return "rank(s) " + late + " of this host did not come to the put of cycle " + std::to_string(cycle) +
           within(deadline);
  return "rank(s) " + board.not_written(cycle) + " of this host have not written cycle " + std::to_string(cycle) +
         within(deadline);
}

std::string not_manned(std::uint32_t cycle, const Board& board, const Deadline& deadline) {
  const std::string ranks = board.not_put(cycle - 1);
  return "nobody was made a writer of cycle " + std::to_string(cycle) + within(deadline) +
         ": the scheduler does not answer, or no rank has room" +
         (ranks.empty() ? "" : "; rank(s) " + ranks + " have not put cycle " + std::to_string(cycle - 1));
}

}  // namespace weir
