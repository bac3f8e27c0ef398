// SPDX-License-Identifier: Apache-2.0
// How pieces are placed that come to a holder whom nobody knew before: a recipe for each kind of piece, told by its
// source to whoever gets such a piece for the first time, under a number that its source gives. So no rank need plan
// for all ranks that may ever send to it. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "plan/plan.hpp"
#include "rearrange/copy.hpp"

namespace weir {

class Recipes {
 public:
  // The number of this rank's recipe for what is packed so.
  std::int64_t number(const Outgoing& out) { return numbers_.try_emplace(&out, std::ssize(numbers_)).first->second; }
  // Appends to a message to `to` whether it has the recipe of that number and source with it, and the recipe where `to`
  // was never told it.
  void tell(std::vector<std::int64_t>& words, std::pair<int, std::int64_t> source_and_number, int to,
            const CopyProgram& recipe);
  // What tell() has written at `at`, which becomes what follows it. The recipe stays where it is until forget().
  const CopyProgram& hear(const std::vector<std::int64_t>& words, std::size_t& at,
                          std::pair<int, std::int64_t> source_and_number);
  // All of them; all ranks do at once.
  void forget() noexcept;
  // What recipes take, and the notes on who has them.
  std::int64_t bytes() const noexcept;

 private:
  std::map<const Outgoing*, std::int64_t> numbers_;              // of this rank's
  std::set<std::tuple<int, std::int64_t, int>> told_;            // source, number, to whom
  std::map<std::pair<int, std::int64_t>, CopyProgram> recipes_;  // of others
  std::int64_t program_bytes_ = 0;                               // of recipes_
};

}  // namespace weir
