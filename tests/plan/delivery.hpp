// SPDX-License-Identifier: Apache-2.0
// Plans carried out in memory, element by element, without any of the code that does it in a run: what every rank's
// buffer holds ends in a model of the file. Throws std::runtime_error where a plan does something that it must not.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "../rearrange/reference.hpp"
#include "plan/planner.hpp"
#include "random_layouts.hpp"

namespace weir::reference {

// What an element of memory or of the file may hold beside an element's number.
constexpr std::int64_t untouched = -10, filled = -11;

struct ModelFile {
  std::vector<std::int64_t> content;  // of each element: what was written there
  std::vector<int> writer;            // of each element: who wrote it, or -1
};

inline void expect(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

inline std::string of(int rank, std::size_t round) {
  return " (rank " + std::to_string(rank) + ", round " + std::to_string(round) + ")";
}

class Delivery {
 public:
  Delivery(const Machine& machine, const std::vector<Layout>& layouts, const std::vector<Plan>& plans, bool shared)
      : machine_(machine), plans_(plans), shared_(shared) {
    for (const Layout& layout : layouts) buffers_.push_back(filled_buffer(layout));
  }

  // One shared file, of a variable of `elements` elements.
  ModelFile run(std::int64_t elements) {
    ModelFile file = empty_file(elements);
    for (std::size_t round = 0; round < plans_[0].rounds.size(); ++round) {
      fill_tiles(round);
      for (int rank = 0; rank < machine_.ranks(); ++rank) write_stretches(rank, round, file);
    }
    return file;
  }

  // A file a writer: each is described by its regions, and holds them one after another.
  ModelFile run_parts(const Shape& space) {
    ModelFile file = empty_file(elements(space));
    std::vector<std::int64_t> lengths(plans_.size(), 0);
    for (std::size_t round = 0; round < plans_[0].rounds.size(); ++round) {
      fill_tiles(round);
      for (int rank = 0; rank < machine_.ranks(); ++rank) {
        check_part(rank, round, lengths[static_cast<std::size_t>(rank)]);
        read_regions(rank, round, space, file);
      }
    }
    return file;
  }

 private:
  using Memory = std::vector<std::int64_t>;

  static ModelFile empty_file(std::int64_t elements) {
    const auto n = static_cast<std::size_t>(elements);
    return {Memory(n, untouched), std::vector<int>(n, -1)};
  }
  const Round& steps(int rank, std::size_t round) const { return plans_[static_cast<std::size_t>(rank)].rounds[round]; }

  static void carry_out(const CopyProgram& program, const Memory& source, Memory& target, const std::string& whose) {
    for_each(program, [&](std::int64_t from, std::int64_t to) {
      expect(from >= 0 && from < static_cast<std::int64_t>(source.size()), "reads outside its source" + whose);
      expect(to >= 0 && to < static_cast<std::int64_t>(target.size()), "writes outside its target" + whose);
      expect(source[static_cast<std::size_t>(from)] >= 0, "copies what is no element" + whose);
      expect(target[static_cast<std::size_t>(to)] == untouched, "writes a place twice" + whose);
      target[static_cast<std::size_t>(to)] = source[static_cast<std::size_t>(from)];
    });
  }

  void fill_tiles(std::size_t round) {
    tiles_.clear();
    for (int rank = 0; rank < machine_.ranks(); ++rank)
      tiles_.emplace_back(static_cast<std::size_t>(steps(rank, round).tile.elements), untouched);
    std::set<std::pair<int, int>> sent, received;
    for (int rank = 0; rank < machine_.ranks(); ++rank) send(rank, round, sent);
    for (int rank = 0; rank < machine_.ranks(); ++rank)
      for (const Incoming& in : steps(rank, round).incoming) received.emplace(in.source, rank);
    expect(sent == received, "messages sent are not those received (round " + std::to_string(round) + ")");
    for (int rank = 0; rank < machine_.ranks(); ++rank) fill_holes(rank, round);
  }

  void send(int rank, std::size_t round, std::set<std::pair<int, int>>& sent) {
    std::int64_t packed = 0;
    int last_owner = -1;
    for (const Outgoing& out : steps(rank, round).outgoing) {
      expect(out.owner_or_slot > last_owner, "owners do not ascend" + of(rank, round));
      last_owner = out.owner_or_slot;
      const bool reachable = rank == out.owner_or_slot || (shared_ && machine_.same_host(rank, out.owner_or_slot));
      expect(out.by_message == !reachable,
             "takes the wrong way to rank " + std::to_string(out.owner_or_slot) + of(rank, round));
      const CopyProgram& program = out.by_message ? out.to_packed : out.to_tile;
      expect(program.elements() == out.count, "counts wrongly" + of(rank, round));
      if (out.by_message) {
        packed += out.count;
        expect(sent.emplace(rank, out.owner_or_slot).second, "sends twice" + of(rank, round));
        pass_on(rank, out, round);
      } else {
        carry_out(out.to_tile, buffers_[static_cast<std::size_t>(rank)],
                  tiles_[static_cast<std::size_t>(out.owner_or_slot)], of(rank, round));
      }
    }
    expect(packed == steps(rank, round).packed_elements, "packs another amount" + of(rank, round));
  }

  void pass_on(int rank, const Outgoing& out, std::size_t round) {
    Memory message(static_cast<std::size_t>(out.count), untouched);
    carry_out(out.to_packed, buffers_[static_cast<std::size_t>(rank)], message, of(rank, round));
    const auto& incoming = steps(out.owner_or_slot, round).incoming;
    const auto in = std::find_if(incoming.begin(), incoming.end(), [&](const Incoming& i) { return i.source == rank; });
    expect(in != incoming.end() && in->count == out.count && in->to_tile.elements() == out.count,
           "a message is not expected so" + of(out.owner_or_slot, round));
    carry_out(in->to_tile, message, tiles_[static_cast<std::size_t>(out.owner_or_slot)], of(out.owner_or_slot, round));
  }

  void fill_holes(int rank, std::size_t round) {
    Memory& tile = tiles_[static_cast<std::size_t>(rank)];
    for (const Stretch& hole : steps(rank, round).tile.fills)
      for (std::int64_t i = 0; i < hole.count; ++i) {
        expect(tile.at(static_cast<std::size_t>(hole.at + i)) == untouched,
               "fills a place that is held" + of(rank, round));
        tile[static_cast<std::size_t>(hole.at + i)] = filled;
      }
    std::int64_t received = 0;
    int last_source = -1;
    for (const Incoming& in : steps(rank, round).incoming) {
      expect(in.source > last_source, "sources do not ascend" + of(rank, round));
      last_source = in.source;
      received += in.count;
    }
    expect(received == steps(rank, round).received_elements, "receives another amount" + of(rank, round));
  }

  static void write_one(ModelFile& file, std::int64_t element, std::int64_t value, int rank, std::size_t round) {
    const auto e = static_cast<std::size_t>(element);
    expect(value != untouched, "writes what nobody put there" + of(rank, round));
    expect(file.content.at(e) == untouched,
           "element " + std::to_string(element) + " is written twice" + of(rank, round));
    file.content[e] = value;
    file.writer[e] = rank;
  }

  void write_stretches(int rank, std::size_t round, ModelFile& file) {
    std::int64_t end = 0;
    for (const Stretch& stretch : steps(rank, round).tile.stretches) {
      expect(stretch.count > 0 && stretch.element >= end, "stretches are not in file order" + of(rank, round));
      end = stretch.element + stretch.count;
      for (std::int64_t i = 0; i < stretch.count; ++i)
        write_one(file, stretch.element + i,
                  tiles_[static_cast<std::size_t>(rank)].at(static_cast<std::size_t>(stretch.at + i)), rank, round);
    }
  }

  void check_part(int rank, std::size_t round, std::int64_t& length) const {
    const Round& mine = steps(rank, round);
    const bool empty = mine.tile.elements == 0;
    expect(mine.tile.stretches.size() == (empty ? 0 : 1) && mine.tile.fills.empty(),
           "a part is one stretch" + of(rank, round));
    if (empty) return;
    const Stretch& all = mine.tile.stretches[0];
    expect(all.element == length && all.at == 0 && all.count == mine.tile.elements,
           "a part has gaps" + of(rank, round));
    length += all.count;
  }

  void read_regions(int rank, std::size_t round, const Shape& space, ModelFile& file) const {
    const Memory& tile = tiles_[static_cast<std::size_t>(rank)];
    std::size_t at = 0;
    for (const Region& region : steps(rank, round).tile.regions)
      for_each_element(Box{region.lo, region.hi}, space,
                       [&](std::int64_t element) { write_one(file, element, tile.at(at++), rank, round); });
    expect(at == tile.size(), "regions do not describe the whole part" + of(rank, round));
  }

  const Machine& machine_;
  const std::vector<Plan>& plans_;
  bool shared_;
  std::vector<Memory> buffers_, tiles_;
};

}  // namespace weir::reference
