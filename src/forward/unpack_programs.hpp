// SPDX-License-Identifier: Apache-2.0
// How a holder unpacks pieces from ranks that its plan does not name: an unpack program for each kind of piece, which
// the source sends with the first such piece, under a number of its own. So no rank needs a plan for all ranks that may
// ever send to it. Local.
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

class UnpackPrograms {
 public:
  // The number of this rank's unpack program for what is packed so.
  std::int64_t number(const Outgoing& out) { return numbers_.try_emplace(&out, std::ssize(numbers_)).first->second; }
  // Appends to a message to `to` whether it has the unpack program of that number and source with it, and the unpack program where `to`
  // was never told it.
  void encode(std::vector<std::int64_t>& words, std::pair<int, std::int64_t> source_and_number, int to,
            const CopyProgram& unpack_program);
  // What encode() has written at `at`, which becomes what follows it. The unpack program stays where it is until forget().
  const CopyProgram& decode(const std::vector<std::int64_t>& words, std::size_t& at,
                          std::pair<int, std::int64_t> source_and_number);
  // All of them; all ranks do at once.
  void forget() noexcept;
  // What unpack programs take, and the notes on who has them.
  std::int64_t bytes() const noexcept;

 private:
  std::map<const Outgoing*, std::int64_t> numbers_;              // of this rank's
  std::set<std::tuple<int, std::int64_t, int>> sent_;            // source, number, to whom
  std::map<std::pair<int, std::int64_t>, CopyProgram> unpack_programs_;  // of others
  std::int64_t program_bytes_ = 0;                               // of unpack_programs_
};

}  // namespace weir
