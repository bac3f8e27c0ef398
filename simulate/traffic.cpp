// SPDX-License-Identifier: Apache-2.0
#include "simulate/traffic.hpp"

#include <algorithm>

namespace weir::simulate {

namespace {

void add_pieces(const std::vector<Entry>& entries, int rank, std::vector<Traffic::Piece>& pieces) {
  const auto begin = std::ssize(pieces);
  for (const Entry& entry : entries)
    for (const Piece& piece : entry.costs().pieces_of(rank))
      pieces.push_back({piece.owner, piece.by_message, piece.elements * entry.plan->element_bytes});
  std::stable_sort(pieces.begin() + begin, pieces.end(),
                   [](const Traffic::Piece& a, const Traffic::Piece& b) { return a.owner < b.owner; });
  auto last = pieces.begin() + begin;
  for (auto piece = last; piece != pieces.end(); ++piece) {
    if (piece == last) continue;
    if (piece->owner == last->owner)
      last->bytes += piece->bytes;
    else
      *++last = *piece;
  }
  if (last != pieces.end()) pieces.erase(last + 1, pieces.end());
}

std::vector<Traffic::Owner> owners_of(const std::vector<Entry>& entries) {
  std::vector<Traffic::Owner> owners;
  for (const Entry& entry : entries)
    for (const TileCost& tile : entry.costs().tiles)
      owners.push_back(
          {tile.owner, tile.elements * entry.plan->element_bytes, tile.received * entry.plan->element_bytes, 0});
  std::stable_sort(owners.begin(), owners.end(),
                   [](const Traffic::Owner& a, const Traffic::Owner& b) { return a.owner < b.owner; });
  std::vector<Traffic::Owner> merged;
  for (const Traffic::Owner& owner : owners) {
    if (merged.empty() || merged.back().owner != owner.owner) {
      merged.push_back(owner);
      continue;
    }
    merged.back().bytes += owner.bytes;
    merged.back().received += owner.received;
  }
  return merged;
}

}  // namespace

const Traffic::Owner* Traffic::owner(int number) const noexcept {
  const auto found =
      std::lower_bound(owners.begin(), owners.end(), number, [](const Owner& o, int n) { return o.owner < n; });
  return found != owners.end() && found->owner == number ? &*found : nullptr;
}

Traffic make_traffic(const std::vector<Entry>& entries, const Machine& machine, bool slots) {
  Traffic traffic;
  traffic.owners = owners_of(entries);
  const auto hosts = static_cast<std::size_t>(machine.hosts());
  if (slots) traffic.near.assign(traffic.owners.size() * hosts, 0);
  for (int rank = 0; rank < machine.ranks(); ++rank) {
    traffic.first_piece.push_back(static_cast<std::uint32_t>(traffic.pieces.size()));
    add_pieces(entries, rank, traffic.pieces);
    const auto host = static_cast<std::size_t>(machine.host_of[static_cast<std::size_t>(rank)]);
    for (std::size_t p = traffic.first_piece.back(); p < traffic.pieces.size(); ++p) {
      const Traffic::Piece& piece = traffic.pieces[p];
      if (!slots && !piece.by_message) continue;
      const auto at = static_cast<std::size_t>(traffic.owner(piece.owner) - traffic.owners.data());
      ++traffic.owners[at].sources;
      if (slots) ++traffic.near[at * hosts + host];
    }
  }
  traffic.first_piece.push_back(static_cast<std::uint32_t>(traffic.pieces.size()));
  return traffic;
}

}  // namespace weir::simulate
