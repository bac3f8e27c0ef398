// SPDX-License-Identifier: Apache-2.0
#include "plan/tile_serialization.hpp"

namespace weir {

namespace {

void put(std::vector<std::int64_t>& words, const std::vector<Stretch>& stretches) {
  words.push_back(static_cast<std::int64_t>(stretches.size()));
  for (const Stretch& stretch : stretches) words.insert(words.end(), {stretch.element, stretch.at, stretch.count});
}

std::vector<Stretch> take(const std::vector<std::int64_t>& words, std::size_t& at) {
  std::vector<Stretch> stretches(static_cast<std::size_t>(words[at++]));
  for (Stretch& stretch : stretches) {
    stretch = {words[at], words[at + 1], words[at + 2]};
    at += 3;
  }
  return stretches;
}

}  // namespace

std::vector<std::int64_t> serialize_tiles(const Plan& plan) {
  std::vector<std::int64_t> words{static_cast<std::int64_t>(plan.rounds.size())};
  for (const Round& round : plan.rounds) {
    words.push_back(round.tile_elements);
    put(words, round.stretches);
    put(words, round.fills);
  }
  return words;
}

Plan deserialize_tiles(const std::vector<std::int64_t>& words, int element_bytes) {
  Plan plan;
  plan.element_bytes = element_bytes;
  std::size_t at = 0;
  plan.rounds.resize(static_cast<std::size_t>(words[at++]));
  for (Round& round : plan.rounds) {
    round.tile_elements = words[at++];
    round.stretches = take(words, at);
    round.fills = take(words, at);
  }
  return plan;
}

std::vector<int> slot_of_planning_rank(const std::vector<int>& planning_ranks, int ranks) {
  std::vector<int> slot_of(static_cast<std::size_t>(ranks), -1);
  for (std::size_t slot = 0; slot < planning_ranks.size(); ++slot)
    slot_of[static_cast<std::size_t>(planning_ranks[slot])] = static_cast<int>(slot);
  return slot_of;
}

}  // namespace weir
