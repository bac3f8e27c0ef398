// SPDX-License-Identifier: Apache-2.0
#include "core/kept_puts.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace weir::bridge {

namespace {

constexpr std::int64_t slabs_at_once = 1 << 16;  // of a rank that are put at once, where no variable has more

// What is put at once.
struct OwnBatch {
  std::vector<LocalSlabs> parts;
  std::int64_t records = 0, bytes = 0;
  KeptPuts::Batch view() const { return {parts, records, bytes}; }
};

// Of a variable in a step: of the rank that has the most of them.
struct Most {
  std::int64_t pieces = 0, slabs = 0;
};

// Variables, which are put at once; the last one too.
struct Variables {
  int first = std::numeric_limits<int>::min(), last = std::numeric_limits<int>::max();
  std::int64_t pieces = 1;
};

using MostByStep = std::map<StepAndVariable, Most>;

bool has_step(const MostByStep& most, std::size_t step) {
  const auto found = most.lower_bound({step, 0});
  return found != most.end() && found->first.first == step;
}

// The variables of a step in groups of few slabs.
std::vector<Variables> groups_of(const MostByStep& most, std::size_t step) {
  std::vector<Variables> groups;
  std::int64_t slabs = 0;
  for (auto at = most.lower_bound({step, 0}); at != most.end() && at->first.first == step; ++at) {
    const auto& [pieces, own_slabs] = at->second;
    if (groups.empty() || slabs + own_slabs > slabs_at_once) groups.push_back({at->first.second, 0, 0}), slabs = 0;
    groups.back().last = at->first.second;
    groups.back().pieces = std::max(groups.back().pieces, pieces);
    slabs += own_slabs;
  }
  return groups;
}

// The run of calls from this step on of which no two put the same record of a variable: they can be put at once.
struct Unlike {
  std::size_t end_step;
  bool any;
};

Unlike unlike_from(std::size_t step, std::span<const KeptPuts::Together> calls,
                   std::span<const std::int64_t> put_something, const MostByStep& alone) {
  std::map<int, std::int64_t> next_record;
  for (; step < 2 * calls.size() + 1 && !has_step(alone, step); ++step) {
    if (step % 2 == 0 || put_something[step / 2] == 0) continue;
    const KeptPuts::Together& call = calls[step / 2];
    const auto [known, is_new] = next_record.try_emplace(call.var, call.last_record);
    if (!is_new && call.first_record < known->second) break;
    known->second = std::max(known->second, call.last_record);
  }
  return {step, !next_record.empty()};
}

// What this rank has kept, in pieces: of one variable in one step, slabs that have no element in common.
class KeptPieces {
 public:
  explicit KeptPieces(KeptByStep kept) : kept_(std::move(kept)) {
    for (const auto& [where, all] : kept_)
      for (std::size_t n = 0; n < all.size(); ++n) cut(all[n], n, pieces_[where]);
  }

  // The largest of any rank, of what ranks put alone before, between and after so many calls of all ranks. Collective.
  MostByStep most_alone(std::size_t calls, const RankGroup& group) const {
    std::vector<std::int64_t> end_variable(calls + 1, 0);  // of each even step
    for (const auto& [where, pieces] : pieces_)
      if (where.first % 2 == 0)
        end_variable[where.first / 2] = std::max<std::int64_t>(end_variable[where.first / 2], where.second + 1);
    allreduce_max(group.comm(), end_variable, group.deadline(), "puts that wait");
    std::vector<std::size_t> first_word{0};  // of each even step: two words a variable
    for (const std::int64_t end : end_variable)
      first_word.push_back(first_word.back() + 2 * static_cast<std::size_t>(end));
    std::vector<std::int64_t> words(first_word.back(), 0);
    for (const auto& [where, pieces] : pieces_) {
      if (where.first % 2 != 0) continue;
      const std::size_t at = first_word[where.first / 2] + 2 * static_cast<std::size_t>(where.second);
      words[at] = std::ssize(pieces);
      for (const Piece& piece : pieces) words[at + 1] += piece.slabs;
    }
    if (!words.empty()) allreduce_max(group.comm(), words, group.deadline(), "puts that wait");
    MostByStep most;
    for (std::size_t step = 0; step <= calls; ++step)
      for (std::size_t at = first_word[step]; at < first_word[step + 1]; at += 2)
        if (words[at] > 0) most[{2 * step, static_cast<int>((at - first_word[step]) / 2)}] = {words[at], words[at + 1]};
    return most;
  }

  // Of these calls of all ranks, which ones put something on some rank. Collective.
  std::vector<std::int64_t> put_something(std::size_t calls, const RankGroup& group) const {
    std::vector<std::int64_t> does(calls, 0);
    for (const auto& [where, pieces] : pieces_)
      if (where.first % 2 != 0) does[where.first / 2] = 1;
    if (calls > 0) allreduce_max(group.comm(), does, group.deadline(), "puts that wait");
    return does;
  }

  // Of these steps and variables the n-th piece of each, where there is one. Its values stay here.
  OwnBatch batch(std::size_t first_step, std::size_t end_step, const Variables& variables, std::size_t n) const {
    OwnBatch batch;
    const auto end = pieces_.upper_bound({end_step - 1, variables.last});
    for (auto at = pieces_.lower_bound({first_step, variables.first}); at != end; ++at)
      if (n < at->second.size()) add(batch, at->first, at->second[n]);
    return batch;
  }
  // They are put, and need no memory any more.
  void drop(std::size_t step, const Variables& variables) {
    kept_.erase(kept_.lower_bound({step, variables.first}), kept_.upper_bound({step, variables.last}));
    pieces_.erase(pieces_.lower_bound({step, variables.first}), pieces_.upper_bound({step, variables.last}));
  }

 private:
  struct Piece {
    std::size_t values;  // its number among those of the step and variable
    std::size_t first_slab;
    std::int64_t slabs, first_element, elements;
  };

  static void cut(const KeptValues& from, std::size_t number, std::vector<Piece>& pieces) {
    const std::vector<std::size_t> firsts = from.slabs.first_of_parts();
    std::int64_t element = 0;
    for (std::size_t i = 0; i < firsts.size(); ++i) {
      const std::size_t end = i + 1 < firsts.size() ? firsts[i + 1] : from.slabs.size();
      const std::int64_t begin = element;
      for (std::size_t slab = firsts[i]; slab < end; ++slab) element += from.slabs.at(slab).elements();
      pieces.push_back({number, firsts[i], static_cast<std::int64_t>(end - firsts[i]), begin, element - begin});
    }
  }

  void add(OwnBatch& batch, const StepAndVariable& where, const Piece& piece) const {
    const KeptValues& from = kept_.at(where)[piece.values];
    LocalSlabs part{where.second, from.type, {}, from.values.data() + piece.first_element * type_bytes(from.type)};
    for (std::int64_t i = 0; i < piece.slabs; ++i)
      part.slabs.push_back(from.slabs.at(piece.first_slab + static_cast<std::size_t>(i)));
    batch.parts.push_back(std::move(part));
    batch.records = std::max(batch.records, from.records);
    batch.bytes += piece.elements * from.element_bytes;
  }

  KeptByStep kept_;
  std::map<StepAndVariable, std::vector<Piece>> pieces_;
};

}  // namespace

void KeptPuts::keep(const Prepared& put, std::size_t step) {
  if (put.elements == 0) return;
  std::vector<KeptValues>& all = kept_[{step, put.part.var}];
  if (all.empty() || all.back().type != put.part.type) all.push_back({put.part.type, {}, {}, 0, 0});
  KeptValues& kept = all.back();
  for (const Slab& slab : put.part.slabs)
    if (slab.elements() > 0) kept.slabs.add(slab);
  const auto* const values = static_cast<const std::byte*>(put.part.values);
  const std::int64_t bytes = put.elements * type_bytes(put.part.type);
  kept.values.insert(kept.values.end(), values, values + bytes);
  kept.records = std::max(kept.records, put.records);
  kept.element_bytes = put.bytes / put.elements;
  bytes_ += bytes;
}

void KeptPuts::add_together(const Together& call, const Prepared& put) {
  keep(put, 2 * calls_.size() + 1);
  calls_.push_back(call);
}

bool KeptPuts::has(int var) const noexcept {
  return std::any_of(kept_.begin(), kept_.end(), [var](const auto& kept) { return kept.first.second == var; });
}

void KeptPuts::put_all(const RankGroup& group, const Put& put, const std::function<void()>& refused) {
  KeptPieces kept(std::exchange(kept_, {}));
  const std::vector<Together> calls = std::exchange(calls_, {});
  bytes_ = 0;
  const MostByStep alone = kept.most_alone(calls.size(), group);
  const std::vector<std::int64_t> put_something = kept.put_something(calls.size(), group);
  // Of ranks alone: where they hold the same elements, rank after rank.
  const auto put_alone = [&](const OwnBatch& batch) {
    if (put(batch.view())) return;
    for (int rank = 0; rank < group.comm().size(); ++rank)
      if (!put(rank == group.comm().rank() ? batch.view() : Batch())) refused();
  };
  for (std::size_t at = 0; at < 2 * calls.size() + 1;) {
    const auto [end, any] = unlike_from(at, calls, put_something, alone);
    if (any && !put(kept.batch(at, end, {}, 0).view()))  // one of them holds elements twice: the others are put
      for (std::size_t call = at; call < end; ++call)
        if (call % 2 != 0 && put_something[call / 2] > 0 && !put(kept.batch(call, call + 1, {}, 0).view())) refused();
    at = end;
    if (!has_step(alone, at)) continue;
    for (const Variables& variables : groups_of(alone, at)) {
      for (std::size_t n = 0; n < static_cast<std::size_t>(variables.pieces); ++n)
        put_alone(kept.batch(at, at + 1, variables, n));
      kept.drop(at, variables);
    }
    ++at;
  }
}

}  // namespace weir::bridge
