// SPDX-License-Identifier: Apache-2.0
// The messages between ranks and the control rank: a few 64-bit words, of which the first is the kind and the second
// the epoch (messages of an earlier epoch are void).
//   to the control rank   start, epoch, host of each rank | offer, epoch, unit, slots | written, epoch, unit, place |
//                         release, epoch, unit | restart, epoch, unit | finish, epoch (of every rank, its last one) |
//                         abandon, epoch
//   to a rank             farewell (the last one) | relay, epoch, unit, last released unit, rank |
//                         assigned, epoch, unit, last released unit, ranks whose relay this one is,
//                         (rank, place) of each slot |
//                         released, epoch, unit, last released unit
#pragma once

#include <cstdint>

namespace weir {

enum ControlWord : std::int64_t {
  start_word,
  offer_word,
  written_word,
  release_word,
  restart_word,
  finish_word,
  abandon_word,
  farewell_word,
  relay_word,
  assigned_word,
  released_word,
};

inline constexpr int to_control = 21;
inline constexpr int to_rank = 22;

}  // namespace weir
