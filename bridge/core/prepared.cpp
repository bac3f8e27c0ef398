// SPDX-License-Identifier: Apache-2.0
#include "core/prepared.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "core/record_pieces.hpp"

namespace weir::bridge {

namespace {

// Whether a put may have elements of one that is in the batch.
bool meets(const Prepared& put, std::span<const LocalSlabs> batch) {
  return std::any_of(batch.begin(), batch.end(), [&](const LocalSlabs& other) {
    if (other.var != put.part.var) return false;
    for (const Slab& a : put.part.slabs)
      for (const Slab& b : other.slabs)
        if (may_meet(a, b)) return true;
    return other.type != put.part.type;
  });
}

// What of a rank is put at once.
struct OwnBatch {
  std::vector<LocalSlabs> parts;
  std::int64_t records = 0, bytes = 0;

  void add(const OwnBatch& other) {
    parts.insert(parts.end(), other.parts.begin(), other.parts.end());
    records = std::max(records, other.records);
    bytes += other.bytes;
  }
  KeptPuts::Batch view() const { return {parts, records, bytes}; }
};

// This rank's batches, and how many the rank that has the most of them has.
struct Step {
  std::vector<OwnBatch> batches;
  std::int64_t most = 0;

  // After those that may have the same elements.
  void add(const Prepared& put) {
    if (batches.empty() || meets(put, batches.back().parts)) batches.emplace_back();
    batches.back().add({{put.part}, put.records, put.bytes});
  }
};

// The calls from this step on that put other records each: they can be put at once.
std::size_t end_of_unlike(std::span<const KeptPuts::Together> calls, std::span<const Step> steps, std::size_t step) {
  std::map<int, std::int64_t> next_record;
  for (; step < steps.size(); ++step) {
    if (steps[step].most == 0) continue;
    if (step % 2 == 0) break;
    const KeptPuts::Together& call = calls[step / 2];
    const auto [known, is_new] = next_record.try_emplace(call.var, call.last_record);
    if (!is_new && call.first_record < known->second) break;
    known->second = std::max(known->second, call.last_record);
  }
  return step;
}

}  // namespace

void pack_mapped(const void* values, int size, const Shape& count, const MPI_Offset* map,
                 std::vector<std::byte>& packed) {
  const auto* from = static_cast<const std::byte*>(values);
  Shape at(count.size(), 0);
  for (std::size_t to = 0; to < packed.size(); to += static_cast<std::size_t>(size)) {
    std::int64_t place = 0;
    for (std::size_t d = 0; d < at.size(); ++d) place += at[d] * map[d];
    std::memcpy(packed.data() + to, from + place * size, static_cast<std::size_t>(size));
    for (std::size_t d = at.size(); d-- > 0 && ++at[d] == count[d];) at[d] = 0;
  }
}

bool is_contiguous(const Shape& count, const MPI_Offset* map) {
  std::int64_t wanted = 1;
  for (std::size_t d = count.size(); d-- > 0; wanted *= count[d])
    if (map[d] != wanted) return false;
  return true;
}

void KeptPuts::add(Prepared put) {
  if (put.packed.empty() && put.elements > 0) {
    const auto* values = static_cast<const std::byte*>(put.part.values);
    put.packed.assign(values, values + put.elements * type_bytes(put.part.type));
    put.part.values = put.packed.data();
  }
  bytes_ += std::ssize(put.packed);
  puts_.push_back({std::move(put), 2 * calls_.size()});
}

void KeptPuts::add_together(const Together& call, Prepared put) {
  if (put.elements > 0) {
    add(std::move(put));
    ++puts_.back().step;
  }
  calls_.push_back(call);
}

bool KeptPuts::has(int var) const noexcept {
  return std::any_of(puts_.begin(), puts_.end(), [var](const Kept& kept) { return kept.put.part.var == var; });
}

void KeptPuts::put_all(const RankGroup& group, const Put& put, const std::function<void()>& refused) {
  const std::vector<Kept> kept = std::exchange(puts_, {});
  const std::vector<Together> calls = std::exchange(calls_, {});
  bytes_ = 0;
  std::vector<Step> steps(2 * calls.size() + 1);
  for (const Kept& each : kept) steps[each.step].add(each.put);
  std::vector<std::int64_t> most;
  for (const Step& step : steps) most.push_back(std::ssize(step.batches));
  allreduce_max(group.comm(), most, group.deadline(), "puts that wait");
  for (std::size_t at = 0; at < steps.size(); ++at) {
    steps[at].most = most[at];
    steps[at].batches.resize(static_cast<std::size_t>(most[at]));
  }
  // Of ranks alone: where they hold the same elements, rank after rank.
  const auto put_alone = [&](const OwnBatch& batch) {
    if (put(batch.view())) return;
    for (int rank = 0; rank < group.comm().size(); ++rank)
      if (!put(rank == group.comm().rank() ? batch.view() : Batch())) refused();
  };
  for (std::size_t at = 0; at < steps.size();) {
    const std::size_t end = end_of_unlike(calls, steps, at);
    OwnBatch joined;
    for (std::size_t call = at; call < end; ++call)
      for (const OwnBatch& batch : steps[call].batches) joined.add(batch);
    const bool any = std::any_of(most.begin() + static_cast<std::ptrdiff_t>(at),
                                 most.begin() + static_cast<std::ptrdiff_t>(end), [](auto n) { return n > 0; });
    if (any && !put(joined.view()))  // one of them holds elements twice: the others are put
      for (std::size_t call = at; call < end; ++call)
        for (const OwnBatch& batch : steps[call].batches)
          if (!put(batch.view())) refused();
    at = end;
    if (at < steps.size() && at % 2 == 0) {
      for (const OwnBatch& batch : steps[at].batches) put_alone(batch);
      ++at;
    }
  }
}

}  // namespace weir::bridge
