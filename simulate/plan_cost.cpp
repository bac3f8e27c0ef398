// SPDX-License-Identifier: Apache-2.0
#include "simulate/plan_cost.hpp"

#include <algorithm>
#include <utility>

#include "plan/roles.hpp"
#include "plan/tile_memory.hpp"

namespace weir::simulate {

namespace {

// Audits of so many ranks' layouts are worth their time only where these might be wrong.
constexpr int most_audited = 1024;

class Planners {
 public:
  explicit Planners(const PlanInputs& inputs) : in_(inputs) {
    const bool audited =
        !inputs.request.read && (!inputs.decomposition.exact || inputs.machine.ranks() <= most_audited);
    cuts_ = make_common_cuts(inputs.machine, inputs.strategy, inputs.request, audited);
  }

  PlanCost make() {
    const auto rounds = static_cast<std::size_t>(in_.request.rounds);
    cost_.rounds.resize(rounds);
    cost_.reserves.resize(rounds);
    cost_.element_bytes = in_.request.element_bytes;
    std::vector<Messages> list(ranks());
    list = step(list, [](Planner& planner, const Messages&) { return planner.claim(); });
    list = step(list, [](Planner& planner, const Messages& claims) {
      Messages messages = planner.appoint(claims);
      planner.status().raise();
      return messages;
    });
    list = step(list, [this](Planner& planner, const Messages& appointments) {
      Messages messages = planner.arrange(appointments);
      take_tiles(planner.finish({}));
      return messages;
    });
    list = step(list, [this](Planner& planner, const Messages& places) {
      static_cast<void>(planner.claim());
      take_pieces(planner.finish(places));
      return Messages();
    });
    for (RoundCost& round : cost_.rounds) {
      round.first_piece.push_back(static_cast<std::uint32_t>(round.pieces.size()));
      if (in_.open_slots) name_slots(round);
    }
    return std::move(cost_);
  }

 private:
  std::size_t ranks() const noexcept { return static_cast<std::size_t>(in_.machine.ranks()); }

  // One step of all ranks: what was sent in it, as what each receives.
  template <class Step>
  std::vector<Messages> step(std::vector<Messages>& received, Step&& take) {
    std::vector<Messages> sent(ranks());
    for (rank_ = 0; rank_ < in_.machine.ranks(); ++rank_) {
      const bool models = rank_ < in_.model_ranks;
      const Shape& shape = in_.decomposition.shape;
      const Layout layout = models ? in_.decomposition.layout(rank_) : Layout::boxes(shape, {}, {}, {});
      const Layout& held = in_.request.flat && !layout.flat() ? layout.flattened() : layout;
      Planner planner({in_.machine, in_.strategy, in_.request, held, rank_, in_.shared_memory, in_.open_slots, &cuts_});
      for (weir::Message& message : take(planner, received[static_cast<std::size_t>(rank_)]))
        sent[static_cast<std::size_t>(message.peer)].push_back({rank_, std::move(message.words)});
      Messages().swap(received[static_cast<std::size_t>(rank_)]);
    }
    return sent;
  }

  // Of what is read, memory has more than what comes into it.
  std::int64_t tile_elements(const Round& round) const {
    if (!in_.request.read) return round.tile.elements - round.tile.gap_elements;
    ReadSums own;
    own.add(round.tile);
    return own.elements;
  }

  void take_tiles(const Plan& plan) {
    for (std::size_t r = 0; r < plan.rounds.size(); ++r) {
      const Round& round = plan.rounds[r];
      RoundCost& cost = cost_.rounds[r];
      cost_.reserves[r].cover(round);
      if (round.tile.elements == 0) continue;
      TileCost tile{rank_, tile_elements(round), std::ssize(round.tile.stretches), 0, 0, round.received_elements};
      if (!round.tile.stretches.empty()) {
        tile.first = round.tile.stretches.front().element;
        tile.last = round.tile.stretches.back().element + round.tile.stretches.back().count;
      }
      cost.tiles.push_back(tile);
    }
  }

  void take_pieces(const Plan& plan) {
    for (std::size_t r = 0; r < plan.rounds.size(); ++r) {
      RoundCost& cost = cost_.rounds[r];
      cost.first_piece.push_back(static_cast<std::uint32_t>(cost.pieces.size()));
      cost_.reserves[r].cover(plan.rounds[r]);
      std::int64_t held = 0;
      for (const Outgoing& out : plan.rounds[r].outgoing) {
        cost.pieces.push_back({out.owner_or_slot, out.by_message, out.count});
        held += out.count;
      }
      cost.held.push_back(held);
    }
  }

  // Planning ranks become the slots they stand for.
  void name_slots(RoundCost& round) const {
    const std::vector<int> slot_of = slot_of_planning_rank(in_.request.writers, in_.machine.ranks());
    for (TileCost& tile : round.tiles) tile.owner = slot_of[static_cast<std::size_t>(tile.owner)];
    std::sort(round.tiles.begin(), round.tiles.end(),
              [](const TileCost& a, const TileCost& b) { return a.owner < b.owner; });
    for (Piece& piece : round.pieces) piece.owner = slot_of[static_cast<std::size_t>(piece.owner)];
  }

  PlanInputs in_;
  CommonCuts cuts_;
  PlanCost cost_;
  int rank_ = 0;
};

}  // namespace

const TileCost* RoundCost::tile_of(int owner) const noexcept {
  const auto found =
      std::lower_bound(tiles.begin(), tiles.end(), owner, [](const TileCost& t, int o) { return t.owner < o; });
  return found != tiles.end() && found->owner == owner ? &*found : nullptr;
}

PlanCost plan_costs(const PlanInputs& inputs) {
  return Planners(inputs).make();
}

}  // namespace weir::simulate
