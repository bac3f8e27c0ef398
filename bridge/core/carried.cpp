// SPDX-License-Identifier: Apache-2.0
#include "core/carried.hpp"

#include "base/outcome.hpp"

namespace weir::bridge {

Status Carried::guarded(const std::function<void()>& body) try {
  if (running == nullptr) running = &group->running(decision);
  return running->call(body);
} catch (const std::exception&) {
  return caught();
}

void Carried::complain(const std::string& sentence) const {
  if (group->comm().rank() == 0) group->process().say(sentence);
}

bool Carried::try_carry(const Key& key, int layout, const Share* share, Outcome& outcome) {
  const Type external = file->schema().variable(key.var).type;
  try {
    const RangeFailure failure = file->puts().carry(key.var, key.record, layout, share ? share->type : external,
                                                    share ? share->values(room) : nullptr);
    outcome.out_of_range = failure.count;
    if (share != nullptr && layouts().yields(layout))
      outcome.out_of_range = misfits(share->values(room), share->elements(), share->type, external, name.infinities);
    return true;
  } catch (const Error& error) {
    if (error.code() != WEIR_EOVERLAP) throw;
    overlap = error.what();
    return false;
  }
}

Outcome Carried::carry_once_each(const Key& key, const Share* share) {
  const std::span<const Slab> slabs = share ? std::span<const Slab>(share->slabs) : std::span<const Slab>();
  Outcome outcome;
  if (!try_carry(key, layouts().define_once_each(shape_of(file->schema(), key.var), slabs), share, outcome))
    outcome.reason = Reason::overlap;
  return outcome;
}

std::string Carried::overlap_in_words() const {
  const std::string rule = "ranks put boxes that overlap: two boxes with a common element have to be the same box";
  return overlap.empty() ? rule : rule + " (" + overlap + ")";
}

}  // namespace weir::bridge
