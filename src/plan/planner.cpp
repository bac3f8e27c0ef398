// SPDX-License-Identifier: Apache-2.0
#include "plan/planner.hpp"

#include <algorithm>
#include <numeric>

#include "base/archive.hpp"
#include "base/numbers.hpp"
#include "base/text.hpp"
#include "plan/chunk_grid.hpp"
#include "plan/file_runs.hpp"
#include "plan/tile_memory.hpp"

namespace weir {

namespace {

Messages to_messages(std::map<int, Message>&& messages) {
  Messages list;
  for (auto& [peer, message] : messages) {
    message.peer = peer;
    list.push_back(std::move(message));
  }
  return list;
}

Messages in_order(Messages list) {
  std::sort(list.begin(), list.end(), [](const Message& a, const Message& b) { return a.peer < b.peer; });
  return list;
}

// Whether the elements before and after a cut begin in one stripe.
bool inside_stripe(const PlanRequest& request, std::int64_t cut) {
  if (request.stripe_bytes == 0 || cut == 0 || cut == elements(request.shape)) return false;
  const std::int64_t byte = request.stripe_phase + cut * request.element_bytes;
  return byte / request.stripe_bytes == (byte - request.element_bytes) / request.stripe_bytes;
}

}  // namespace

Planner::Planner(const Inputs& inputs)
    : in_(inputs),
      space_(inputs.request.space()),
      space_strides_(strides(space_)),
      rounds_(static_cast<std::size_t>(inputs.request.rounds)) {
  if (!in_.cuts) own_cuts_ = make_common_cuts(in_.machine, in_.strategy, in_.request, !in_.request.read);
  if (in_.strategy.by_group(in_.request)) make_group_cuts();
}

bool Planner::reachable(int peer) const {
  return in_.machine.reaches(in_.rank, peer, in_.shared_memory);
}

CutList::CutList(std::vector<Cut> cuts) : cuts_(std::move(cuts)), by_directory_(cuts_.size()) {
  std::iota(by_directory_.begin(), by_directory_.end(), 0U);
  const auto earlier = [this](std::uint32_t a, std::uint32_t b) { return cuts_[a].directory < cuts_[b].directory; };
  if (!std::is_sorted(by_directory_.begin(), by_directory_.end(), earlier))
    std::stable_sort(by_directory_.begin(), by_directory_.end(), earlier);
}

std::span<const std::uint32_t> CutList::of_directory(int rank) const noexcept {
  const auto begin = std::partition_point(by_directory_.begin(), by_directory_.end(),
                                          [&](std::uint32_t cut) { return cuts_[cut].directory < rank; });
  const auto end =
      std::partition_point(begin, by_directory_.end(), [&](std::uint32_t cut) { return cuts_[cut].directory == rank; });
  return {begin, end};
}

CommonCuts make_common_cuts(const Machine& machine, const Strategy& strategy, const PlanRequest& request,
                            bool audited) {
  std::vector<Cut> cuts;
  const auto add = [&](const std::vector<RangeTile>& tiles, TileId::Kind kind) {
    for (const RangeTile& tile : tiles)
      cuts.push_back({{kind, std::ssize(cuts), tile.round}, tile.first, tile.last, tile.owner});
  };
  if (!strategy.by_group(request)) {
    // Strategies by group have no ranges of their own.
    add(strategy.by_group() ? cut_evenly(request, static_cast<int>(request.writers.size())) : strategy.tiles(request),
        TileId::Kind::range);
    return {CutList(std::move(cuts)), {}};
  }
  if (!audited) return {};
  PlanRequest even = request;
  even.stripe_bytes = 0;
  even.first_writer = 0;
  even.writers.resize(static_cast<std::size_t>(machine.ranks()));
  std::iota(even.writers.begin(), even.writers.end(), 0);
  add(cut_evenly(even, machine.ranks()), TileId::Kind::audit);
  return {{}, CutList(std::move(cuts))};
}

void Planner::make_group_cuts() {
  group_ = in_.strategy.group(in_.layout, in_.rank, in_.machine);
  const int ranks = in_.machine.ranks();
  PlanRequest even = in_.request;
  even.stripe_bytes = 0;
  even.first_writer = 0;
  even.writers.assign(1, 0);
  std::uint64_t chunk = 0;
  for (const RangeTile& tile : cut_evenly(even, 1)) {
    const std::uint64_t mixed = (static_cast<std::uint64_t>(group_) + chunk) * 11400714819323198485ULL;
    group_cuts_.push_back({{TileId::Kind::group, group_, tile.round},
                           tile.first,
                           tile.last,
                           static_cast<int>((mixed >> 32) % static_cast<std::uint64_t>(ranks))});
    ++chunk;
  }
}

Messages Planner::claim() {
  for (std::size_t piece = 0; piece < in_.layout.pieces().size(); ++piece) {
    claim_piece(piece, tile_cuts());
    claim_piece(piece, common().audits.cuts());
  }
  std::map<int, Message> messages;
  for (const auto& [id, tile] : claimed_) ArchiveWriter{messages[tile.directory].words}(id, tile.boxes.bounds());
  return to_messages(std::move(messages));
}

void Planner::claim_piece(std::size_t piece, const std::vector<Cut>& cuts) {
  const Box box = in_.layout.pieces()[piece];
  const std::int64_t first = first_element(box, space_strides_), last = last_element(box, space_strides_);
  auto cut = std::upper_bound(cuts.begin(), cuts.end(), first,
                              [](std::int64_t element, const Cut& c) { return element < c.last; });
  for (; cut != cuts.end() && cut->first < last; ++cut) claim_in_cut(piece, *cut);
}

void Planner::claim_in_cut(std::size_t piece, const Cut& cut) {
  const Box box = in_.layout.pieces()[piece];
  BoxList parts(box.ndims());
  if (cut.first <= first_element(box, space_strides_) && last_element(box, space_strides_) <= cut.last) {
    parts.add(box);
  } else {
    BoxList whole(box.ndims());
    range_boxes(space_, cut.first, cut.last, whole);
    for (std::size_t i = 0; i < whole.size(); ++i) intersect(box, whole[i], parts);
  }
  if (parts.empty()) return;
  ClaimedTile& tile = claimed_.try_emplace(cut.id, box.ndims()).first->second;
  tile.directory = cut.directory;
  tile.boxes.add_bounds(parts.bounds());
  tile.layout_pieces.insert(tile.layout_pieces.end(), parts.size(), piece);
}

Messages Planner::appoint(const Messages& list) {
  const int ndims = static_cast<int>(space_.size());
  std::map<TileId, OwnedTile> tiles;
  for (const CutList* cuts : {&common().tiles, &common().audits})
    for (const std::uint32_t cut : cuts->of_directory(in_.rank))  // also those that no rank claims: they are holes
      tiles.try_emplace((*cuts)[cut].id, ndims);
  for (const Message& message : in_order(list))
    for (ArchiveReader archive(message.words); !archive.at_end();) {
      Claims& claims = tiles.try_emplace(archive.get<TileId>(), ndims).first->second.claims;
      claims.boxes.add_bounds(archive.view<std::int64_t>());
      claims.ranks.resize(claims.boxes.size(), message.peer);
    }
  for (const CutList* cuts : {&common().tiles, &common().audits})
    for (const std::uint32_t cut : cuts->of_directory(in_.rank)) examine_cut((*cuts)[cut], tiles.at((*cuts)[cut].id));
  std::map<int, Message> messages;
  const Claims none(ndims);
  for (auto& [id, tile] : tiles) {
    const bool audit = id.kind == TileId::Kind::audit;
    if (audit && (tile.holes.empty() || in_.strategy.part_files())) continue;
    if (in_.request.read && tile.claims.ranks.empty()) continue;
    const Claims& claims = audit ? none : tile.claims;
    ArchiveWriter archive(messages[audit ? in_.rank : owner_of(id, claims)].words);
    archive(id, claims.ranks, claims.boxes.bounds(), tile.holes.bounds());
  }
  return to_messages(std::move(messages));
}

void Planner::examine_cut(const Cut& cut, OwnedTile& tile) {
  BoxList regions(static_cast<int>(space_.size()));
  range_boxes(space_, cut.first, cut.last, regions);
  for (std::size_t i = 0; i < regions.size() && status_.ok(); ++i) {
    const Coverage coverage = examine(regions[i], tile.claims, in_.request.read ? Sharing::allowed : Sharing::refused);
    tile.holes.add_bounds(coverage.holes.bounds());
    if (coverage.overlap) {
      const auto a = static_cast<std::size_t>(coverage.overlap->first_claim);
      const auto b = static_cast<std::size_t>(coverage.overlap->second_claim);
      const auto claim = [&](std::size_t which) {
        return formatted("rank {} holds {}", in_.request.caller.ranks(tile.claims.ranks[which]),
                         to_string(tile.claims.boxes[which], in_.request.caller.counting));
      };
      const std::string flat = in_.request.flat ? " (elements of the flat array)" : "";
      status_.merge({WEIR_EOVERLAP,
                     formatted("{} and {}{}: every element must be held by one rank only", claim(a), claim(b), flat)});
    } else if (!coverage.holes.empty() && in_.request.cover == WEIR_COVER) {
      status_.merge(
          {WEIR_ECOVER,
           formatted("no rank holds {}, and every element must be put: the file asks for full cover (WEIR_COVER), or "
                     "the record has values already and lies in chunks, which are written whole",
                     to_string(coverage.holes[0], in_.request.caller.counting))});
    }
  }
}

int Planner::owner_of(const TileId& id, const Claims& claims) const {
  if (id.kind == TileId::Kind::group) return *std::min_element(claims.ranks.begin(), claims.ranks.end());
  const Cut& cut = common().tiles[id.key];
  const int given = cut.directory;
  if (!in_.strategy.owner_may_move() || in_.machine.hosts() == 1) return given;
  // A stripe has one writer: tiles that share one stay together.
  if (inside_stripe(in_.request, cut.first) || inside_stripe(in_.request, cut.last)) return given;
  std::map<int, std::int64_t> held;  // elements by host
  for (std::size_t i = 0; i < claims.ranks.size(); ++i)
    held[in_.machine.host_of[static_cast<std::size_t>(claims.ranks[i])]] += claims.boxes[i].volume();
  const int home = in_.machine.host_of[static_cast<std::size_t>(given)];
  int best = home;
  std::int64_t all = 0;
  for (const auto& [host, count] : held) {
    if (count > held[best]) best = host;
    all += count;
  }
  // Where no host holds most of a tile, one that holds a little more may do so of all tiles: the even deal is worth
  // more.
  if (best == home || held[best] * 2 <= all) return given;
  const std::vector<int>& writers = in_.request.writers;
  std::vector<int> there;
  for (int writer : writers)
    if (in_.machine.host_of[static_cast<std::size_t>(writer)] == best) there.push_back(writer);
  // By the given writer's number and not the tile's, which counts rounds too: every round is dealt to all writers
  // there.
  const auto number = static_cast<std::size_t>(std::find(writers.begin(), writers.end(), given) - writers.begin());
  return there.empty() ? given : there[number % there.size()];
}

Messages Planner::arrange(const Messages& list) {
  const int ndims = static_cast<int>(space_.size());
  std::map<TileId, OwnedTile> owned;
  for (const Message& message : list)
    for (ArchiveReader archive(message.words); !archive.at_end();) {
      OwnedTile& tile = owned.try_emplace(archive.get<TileId>(), ndims).first->second;
      archive(tile.claims.ranks);
      tile.claims.boxes.add_bounds(archive.view<std::int64_t>());
      tile.holes.add_bounds(archive.view<std::int64_t>());
    }
  std::map<int, Message> answers;
  for (const auto& [id, tile] : owned) lay_out(id, tile, answers);
  std::int64_t part_element = 0;
  for (Round& round : rounds_) {
    sort_and_join(round.tile.stretches);
    std::sort(round.incoming.begin(), round.incoming.end(),
              [](const Incoming& a, const Incoming& b) { return a.source < b.source; });
    if (in_.strategy.part_files()) {
      round.tile.stretches.clear();
      if (round.tile.elements > 0) round.tile.stretches.push_back({part_element, 0, round.tile.elements});
      part_element += round.tile.elements;
    }
  }
  return to_messages(std::move(answers));
}

// A large tile lies in its memory at the remainder of a block that it has in its variable (base/numbers.hpp).
std::int64_t Planner::gap_before(std::int64_t first, std::int64_t last, std::int64_t at) const {
  const std::int64_t size = in_.request.element_bytes;
  if ((last - first) * size < fewest_aligned_bytes) return 0;
  return missing_to(at, first, block_bytes / size);
}

// Of a tile to read what is wanted of it, from the first element to the last; of one to write all of it.
std::vector<Placement> Planner::lay_out_range(const Cut& cut, const OwnedTile& tile, TilePlan& planned) const {
  TileMemory memory(space_, in_.request.cover, planned);
  std::int64_t first = cut.first, last = cut.last;
  if (in_.request.read) {
    std::swap(first, last);
    for (std::size_t i = 0; i < tile.claims.boxes.size(); ++i) {
      first = std::min(first, first_element(tile.claims.boxes[i], space_strides_));
      last = std::max(last, last_element(tile.claims.boxes[i], space_strides_));
    }
  }
  const std::int64_t gap = gap_before(first, last, planned.elements);
  planned.elements += gap;
  planned.gap_elements += gap;
  if (!in_.request.read) return memory.add_range(first, last, tile);
  return memory.add_wanted(first, last, tile, read_over_bytes / in_.request.element_bytes);
}

void Planner::lay_out(const TileId& id, const OwnedTile& tile, std::map<int, Message>& answers) {
  Round& round = rounds_[static_cast<std::size_t>(id.round)];
  TileMemory memory(space_, in_.request.cover, round.tile);
  if (id.kind == TileId::Kind::audit) return memory.add_holes(tile.holes);
  std::vector<Placement> places;
  if (id.kind == TileId::Kind::range) {
    places = lay_out_range(common().tiles[id.key], tile, round.tile);
  } else {
    places = in_.request.read ? memory.add_wanted_group(tile, read_over_bytes / in_.request.element_bytes)
                              : memory.add_group(tile);
  }
  for (std::size_t i = 0; i < places.size();) {
    const int source = tile.claims.ranks[i];
    std::size_t end = i;
    while (end < places.size() && tile.claims.ranks[end] == source) ++end;
    ArchiveWriter archive(answers[source].words);
    archive(id, end - i);
    for (std::size_t k = i; k < end; ++k) {
      archive(places[k].at);
      archive.raw(std::as_bytes(std::span(places[k].strides)));
    }
    if (!in_.open_slots && !reachable(source))
      for (std::size_t k = i; k < end; ++k) add_incoming(round, source, tile.claims.boxes[k], places[k]);
    i = end;
  }
}

Plan Planner::finish(const Messages& list) {
  for (const Message& message : in_order(list))
    for (ArchiveReader archive(message.words); !archive.at_end();) {
      const auto id = archive.get<TileId>();
      const ClaimedTile& tile = claimed_.at(id);
      Round& round = rounds_[static_cast<std::size_t>(id.round)];
      const auto boxes = archive.get<std::size_t>();
      for (std::size_t box = 0; box < boxes; ++box) {
        Placement place{archive.get<std::int64_t>(), std::vector<std::int64_t>(space_.size())};
        archive.raw(std::as_writable_bytes(std::span(place.strides)));
        const BufferBox held{in_.layout, tile.layout_pieces[box], tile.boxes[box]};
        if (in_.open_slots)
          add_open(round, message.peer, held, place, !in_.machine.in_one_memory(in_.shared_memory));
        else
          add_outgoing(round, message.peer, held, place, reachable(message.peer));
      }
    }
  Plan plan;
  plan.element_bytes = in_.request.element_bytes;
  plan.rounds = std::move(rounds_);
  return plan;
}

PlanPlace place_of(const PlacedRecord& what, const Owning& own, const CutRule& cuts) {
  const Owners& owners = own.owners;
  const Spread spread{what.elements * what.element_bytes, owners.bundle_bytes, std::ssize(owners.ranks), owners.hosts,
                      std::max<std::int64_t>(1, granules_in(cuts.granule, what.elements))};
  const FilePlace in_file = place_in_file(what.file, what.variable, what.is_record, what.number);
  return plan_place(own.strategy, spread, in_file, cuts);
}

PlanRequest request_of(const PlanKey& key, const Layout& layout, const Owners& owners) {
  PlanRequest request = request_at(key.place, key.element_bytes, owners.bundle_bytes);
  request.shape = layout.shape();
  request.flat = layout.flat();
  request.cover = key.cover;
  request.read = key.read;
  request.writers = owners.ranks;
  request.hosts = owners.hosts;
  return request;
}

}  // namespace weir
